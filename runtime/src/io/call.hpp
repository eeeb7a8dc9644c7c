// Does one I/O operation for whoever calls, a lightweight or an OS thread.
#pragma once

#include <cstdint>

#include <kumiko/runtime/io/limits.hpp>

#include "io/operation.hpp"
#include "io/service.hpp"

namespace kumiko::runtime::detail {

/// Does an operation for the caller: a lightweight thread is suspended, an OS thread blocks.
/// Returns what the system returned, or -errno; -ETIMEDOUT or -ECANCELED if a limit was reached.
std::int64_t run(Operation& operation, const io::Limits& limits) noexcept;

/// Does an operation of a socket as run() does, but does not wait if its flags have MSG_DONTWAIT.
std::int64_t run_unless_flagged(Operation& operation, const io::Limits& limits) noexcept;

std::int64_t run_close(int descriptor) noexcept;

}  // namespace kumiko::runtime::detail
