// Says whether io_uring can be used here, and makes its engines.
#pragma once

#include <memory>

#include "io/engine.hpp"

namespace kumiko::runtime::detail {

/// Why io_uring cannot be used here: an errno, EOPNOTSUPP where the kernel lacks an operation,
/// ENOSYS also where Kumiko was built without liburing; 0 if it can be used.
int uring_refusal() noexcept;

/// For everything, and for files. \throws std::system_error if the system refuses.
std::unique_ptr<Engine> make_uring_engine(Scheduler& scheduler);
std::unique_ptr<FileEngine> make_uring_files(Scheduler& scheduler);

}  // namespace kumiko::runtime::detail
