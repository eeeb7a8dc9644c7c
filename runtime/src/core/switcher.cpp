#include "core/switcher.hpp"

#include <cerrno>

namespace kumiko::runtime::detail {

thread_local constinit WorkerFront* kumiko_worker_front = nullptr;

void Switcher::take_os_thread() noexcept {
  kumiko_worker_front = this;
  errno_ = &errno;
  os_thread_pointer_ = thread_pointer();
  exception_state_ = os_thread_exception_state();
  loop_.notes = sanitizer::os_thread_notes();
}

}  // namespace kumiko::runtime::detail
