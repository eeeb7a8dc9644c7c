#include "turns.hpp"

#include <cerrno>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::pthread {

thread_local constinit unsigned turns = 0;

void give_way() noexcept {
  turns = 0;
  const int saved_errno = errno;
  if (runtime::detail::running_thread() != nullptr) runtime::this_thread::yield();
  errno = saved_errno;
}

}  // namespace kumiko::pthread
