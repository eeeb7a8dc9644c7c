// Declares the interposed functions under names that this library's own files can call.
#pragma once

#include <csignal>

#include <poll.h>
#include <pthread.h>
#include <threads.h>

/// Our own functions under their public names, for our other files: there --wrap turns the names
/// themselves into the C library's, and __real_NAME into what is called NAME here.
namespace kumiko::pthread::ours {

#define KUMIKO_OURS(name) extern "C" decltype(::name) our_##name __asm__("__real_" #name);
KUMIKO_OURS(poll)
KUMIKO_OURS(pthread_cond_broadcast)
KUMIKO_OURS(pthread_cond_destroy)
KUMIKO_OURS(pthread_cond_signal)
KUMIKO_OURS(pthread_cond_timedwait)
KUMIKO_OURS(pthread_cond_wait)
KUMIKO_OURS(pthread_create)
KUMIKO_OURS(pthread_detach)
KUMIKO_OURS(pthread_exit)
KUMIKO_OURS(pthread_join)
KUMIKO_OURS(pthread_mutex_destroy)
KUMIKO_OURS(pthread_mutex_lock)
KUMIKO_OURS(pthread_mutex_timedlock)
KUMIKO_OURS(pthread_mutex_trylock)
KUMIKO_OURS(pthread_mutex_unlock)
KUMIKO_OURS(pthread_once)
KUMIKO_OURS(pthread_sigmask)
KUMIKO_OURS(raise)
#undef KUMIKO_OURS

}  // namespace kumiko::pthread::ours
