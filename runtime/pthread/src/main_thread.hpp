// Lets the process's first thread leave by pthread_exit() and be joined while others go on.
#pragma once

#include <pthread.h>

#include "parking_lot.hpp"

/// The process's first thread, an OS thread, when it leaves by pthread_exit() before the others.
/// The process ends with the last of them, though the workers would keep it alive. The OS thread
/// stays, for it handles signals.
namespace kumiko::pthread::main_thread {

/// Whether it is that thread's handle, and it may leave: there are lightweight threads.
bool is(pthread_t thread) noexcept;

/// It is about to be unwound by pthread_exit(result).
void leave(void* result) noexcept;

/// pthread_join() for it, `deadline` nullptr for none.
int join(void** result, const Deadline* deadline);

/// In the child of a fork(): the thread that called it.
void reset() noexcept;

}  // namespace kumiko::pthread::main_thread
