#include <cerrno>
#include <system_error>

#include "io/uring.hpp"

namespace kumiko::runtime::detail {

int uring_refusal() noexcept { return ENOSYS; }

std::unique_ptr<Engine> make_uring_engine(Scheduler&) {
  throw std::system_error(ENOSYS, std::generic_category(), "Kumiko was built without liburing");
}

}  // namespace kumiko::runtime::detail
