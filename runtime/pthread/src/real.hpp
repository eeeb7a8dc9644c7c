// The C library's own thread functions, which ours stand in front of.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace kumiko::pthread {

/// The C library's functions behind ours, those of real_functions.inc: for OS threads, for objects
/// that are shared between processes, and for this library's own runtime.
struct Real {
#define KUMIKO_REAL(name) decltype(&::name) name;  // NOLINT(bugprone-macro-parentheses)
#include "real_functions.inc"
#undef KUMIKO_REAL
};

/// The C library's function of that name. Aborts with a message if it has none.
void* find_real(const char* name) noexcept;

/// Looked up at the first call. Aborts with a message if the C library has no such function.
const Real& real() noexcept;

}  // namespace kumiko::pthread
