// Lets the process's first thread leave by pthread_exit() and be joined while others go on.
#pragma once

#include <pthread.h>

#include "parking_lot.hpp"

/// The process's first thread, an OS thread, when it leaves by pthread_exit() before the others.
/// The process ends with the last of them, though the workers would keep it alive. The OS thread
/// stays, for it handles signals.
namespace kumiko::pthread::main_thread {

/// Whether `thread` is the first thread's handle, and it may leave: there are lightweight threads.
bool is(pthread_t thread) noexcept;

/// Takes note that the first thread is about to be unwound by pthread_exit(result).
void leave(void* result) noexcept;

/// pthread_join() for the first thread. Without a `deadline` (nullptr) it waits for ever.
int join(void** result, const Deadline* deadline);

/// Makes the calling thread the first one, in the child of a fork().
void reset() noexcept;

}  // namespace kumiko::pthread::main_thread
