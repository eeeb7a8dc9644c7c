// What a POSIX thread executes, from its first instruction on its own stack to its end.
#pragma once

#include "thread_record.hpp"

namespace kumiko::pthread {

class Engine;

/// The closure of every POSIX thread: what to call, and with what.
struct ThreadClosure {
  ThreadRecord* record;
};

/// Calls the ThreadClosure at `storage`.
void run_thread(void* storage);

/// Undoes the creation of a thread that has not begun.
void forget_thread(Engine& engine, ThreadRecord& record) noexcept;

}  // namespace kumiko::pthread
