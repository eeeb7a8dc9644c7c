#include <atomic>
#include <cstdint>

#include <pthread.h>

#include "interpose.hpp"
#include "parking_lot.hpp"

namespace kumiko::pthread {

namespace {

/// A pthread_once_t, in place. The C library would block the worker while another thread
/// initialises, which may itself wait for the worker.
class OnceObject {
 public:
  static OnceObject& of(pthread_once_t* once) noexcept {
    return *reinterpret_cast<OnceObject*>(once);
  }

  void call(void (*function)());

 private:
  static constexpr std::uint32_t kBegun = 1;
  static constexpr std::uint32_t kDone = 2;

  void leave(std::uint32_t state) noexcept {
    // release: pairs with the acquire of who comes later.
    state_.store(state, std::memory_order_release);
    unpark(this, kAll);
  }

  std::atomic<std::uint32_t> state_;
};
static_assert(sizeof(OnceObject) == sizeof(pthread_once_t));

void OnceObject::call(void (*function)()) {
  // acquire: pairs with the release in leave().
  while (state_.load(std::memory_order_acquire) != kDone) {
    std::uint32_t expected = 0;
    if (state_.compare_exchange_strong(expected, kBegun, std::memory_order_acquire)) {
      // An exception, a cancellation or pthread_exit() leaves it to the next caller.
      std::uint32_t state = 0;
      const Finally end([this, &state] { leave(state); });
      function();
      state = kDone;
      return;
    }
    const auto begun = [this] { return state_.load(std::memory_order_relaxed) == kBegun; };
    park(this, begun, {"pthread_once()"});
  }
}

}  // namespace

}  // namespace kumiko::pthread

KUMIKO_INTERPOSE int pthread_once(pthread_once_t* once, void (*function)()) {
  kumiko::pthread::OnceObject::of(once).call(function);
  return 0;
}
