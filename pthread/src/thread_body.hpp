// What a POSIX thread executes, from its first instruction on its own stack to its end.
#pragma once

#include "thread_record.hpp"

namespace kumiko::pthread {

class Engine;

/// Runs the POSIX thread whose ThreadRecord the pointer at `place`, a void*, points to.
void run_thread(void* place);

/// Undoes the creation of a thread that has not begun.
void forget_thread(Engine& engine, ThreadRecord& record) noexcept;

}  // namespace kumiko::pthread
