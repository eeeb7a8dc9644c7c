#include "main_thread.hpp"

#include <atomic>
#include <cerrno>

#include <unistd.h>

#include "engine.hpp"
#include "real.hpp"

namespace kumiko::pthread::main_thread {

namespace {

constinit pthread_t handle = 0;
constinit void* left_with = nullptr;
constinit std::atomic<bool> has_left{false};

[[gnu::constructor]] void remember() { handle = pthread_self(); }

/// The destructor of a key's value: the C library unwinds the main thread and destroys those, no
/// more.
void end(void*) {
  Engine* const engine = Engine::current();
  if (engine == nullptr) return;
  // release: pairs with the acquire in join().
  has_left.store(true, std::memory_order_release);
  unpark(&has_left, kAll);
  engine->note_main_left();
  for (;;) pause();
}

}  // namespace

bool is(pthread_t thread) noexcept { return thread == handle && Engine::current() != nullptr; }

void leave(void* result) noexcept {
  if (!is(pthread_self())) return;
  static pthread_key_t key;
  static constinit int rounds = 0;
  left_with = result;
  const auto destroy = [](void* value) {
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {  // after those of the program
      pthread_setspecific(key, value);
    } else {
      end(value);
    }
  };
  if (pthread_key_create(&key, destroy) == 0) pthread_setspecific(key, &key);
}

int join(void** result, const Deadline* deadline) {
  if (pthread_self() == handle) return EDEADLK;
  // acquire: pairs with the release in end().
  while (!has_left.load(std::memory_order_acquire)) {
    const auto stays = [] { return !has_left.load(std::memory_order_relaxed); };
    const ParkResult woken = park(
        &has_left, stays, {"the main thread's end", deadline, Interrupts::kSignalsAndCancellation});
    if (woken == ParkResult::kTimedOut) return ETIMEDOUT;
    if (woken == ParkResult::kCancelled) real().pthread_testcancel();
  }
  if (result != nullptr) *result = left_with;
  return 0;
}

void reset() noexcept {
  handle = pthread_self();
  has_left.store(false, std::memory_order_relaxed);
}

}  // namespace kumiko::pthread::main_thread
