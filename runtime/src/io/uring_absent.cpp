#include <cerrno>
#include <system_error>

#include "io/uring.hpp"

namespace kumiko::runtime::detail {

namespace {

[[noreturn]] void refuse_uring() {
  throw std::system_error(ENOSYS, std::generic_category(), "Kumiko was built without liburing");
}

}  // namespace

int uring_refusal() noexcept { return ENOSYS; }

std::unique_ptr<Engine> make_uring_engine(Scheduler&) { refuse_uring(); }

std::unique_ptr<FileEngine> make_uring_files(Scheduler&) { refuse_uring(); }

}  // namespace kumiko::runtime::detail
