#include "engine.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <pthread.h>
#include <unistd.h>

#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "io_support.hpp"
#include "main_thread.hpp"
#include "parking_lot.hpp"
#include "settings.hpp"
#include "signals.hpp"

namespace kumiko::pthread {

constinit std::atomic<Engine*> Engine::instance{nullptr};

namespace {

constinit runtime::port::SpinLock making;

/// What the C library gives a thread that does not ask.
std::size_t usual_stack_size() noexcept {
  constexpr std::size_t kOtherwise = std::size_t{8} << 20U;
  std::size_t size = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return kOtherwise;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size != 0 ? size : kOtherwise;
}

runtime::Options options_of(const Settings& settings, std::size_t stack_size) {
  runtime::Options options;
  options.workers = settings.workers != 0 ? settings.workers : runtime::available_cores();
  options.stack_size = stack_size;
  // The main thread and others may be about to wake whoever waits.
  options.deadlock_report_after = {};
  return options;
}

void tell(const char* why) noexcept {
  std::array<char, 400> line;
  const int length = std::snprintf(
      line.data(), line.size(),
      "kumiko: no lightweight threads: %.300s; KUMIKO_PTHREAD=0 leaves threads to the "
      "C library\n",
      why);
  static_cast<void>(!write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)));
}

}  // namespace

Engine::Engine()
    : stack_size_(settings().stack_size != 0 ? settings().stack_size : usual_stack_size()),
      workers_(options_of(settings(), stack_size_)) {
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    shares_.push_back(std::make_unique<Share>(depot_));
  }
}

Engine* Engine::obtain() noexcept {
  if (Engine* const engine = current(); engine != nullptr) return engine;
  making.lock();
  Engine* engine = current();
  if (engine == nullptr) {
    try {
      static bool registered = false;  // guarded by the lock; a child inherits the handlers
      if (!registered) {
        // The child has no threads but the caller's, so it needs no lock of anybody.
        pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                       [] {
                         making.unlock();
                         // A lightweight thread's mask counts from here on.
                         if (const ThreadRecord* const record = ThreadRecord::running()) {
                           pthread_sigmask(SIG_SETMASK, &record->signal_mask, nullptr);
                         }
                         instance.store(nullptr, std::memory_order_relaxed);
                         runtime::port::forget_worker();
                         forget_waiters();
                         forget_modes();
                         main_thread::reset();
                       });
        registered = true;
      }
      const AsWorker mask;
      engine = new Engine();
      // release: pairs with the acquire in current().
      instance.store(engine, std::memory_order_release);
    } catch (const std::exception& error) {
      tell(error.what());
    }
  }
  making.unlock();
  return engine;
}

Engine::Share* Engine::share() noexcept {
  const int worker = runtime::this_thread::worker_index();
  return worker >= 0 ? shares_[static_cast<std::size_t>(worker)].get() : nullptr;
}

ThreadRecord* Engine::take_block() noexcept {
  try {
    Share* const own = share();
    ThreadRecord* const record = own != nullptr ? own->blocks.take() : depot_.take(1).pop();
    if (blocks_.renew(*record)) return record;
    give_block(*record);
  } catch (const std::exception&) {
    // EAGAIN says it.
  }
  return nullptr;
}

void Engine::give_block(ThreadRecord& record) noexcept {
  if (Share* const own = share(); own != nullptr) return own->blocks.give(&record);
  runtime::port::Batch<ThreadRecord> batch;
  batch.push(&record);
  depot_.give(batch);
}

void Engine::note_begin() noexcept {
  if (Share* const own = share(); own != nullptr) return own->begun.increment();
  // release: pairs with the acquire in none_lives().
  begun_outside_.fetch_add(1, std::memory_order_release);
}

void Engine::take_back_begin() noexcept {
  if (Share* const own = share(); own != nullptr) return own->ended.increment();
  begun_outside_.fetch_sub(1, std::memory_order_relaxed);
}

void Engine::note_end() noexcept {
  share()->ended.increment();
  // seq_cst: pairs with note_main_left(). Of the last end and the main thread's leaving, one sees
  // the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (main_left_.load(std::memory_order_relaxed) && none_lives() && !ending_.exchange(true)) {
    std::exit(0);
  }
}

void Engine::note_main_left() noexcept {
  main_left_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (none_lives() && !ending_.exchange(true)) std::exit(0);
}

/// Reads what has ended before what has begun, as Scheduler::living_threads() does, whose argument
/// holds here too: equal sums mean that no thread lived when the last end was read.
bool Engine::none_lives() const noexcept {
  std::uint64_t ended = 0;
  for (const std::unique_ptr<Share>& share : shares_) ended += share->ended.read();
  std::uint64_t begun = begun_outside_.load(std::memory_order_acquire);
  for (const std::unique_ptr<Share>& share : shares_) begun += share->begun.read();
  return begun == ended;
}

}  // namespace kumiko::pthread
