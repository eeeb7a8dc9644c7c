// What this library itself calls by a name that it replaces: the linker's --wrap leads here.
#include "real.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): names the linker gives
extern "C" {

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
  return kumiko::pthread::real().pthread_create(thread, attributes, start, argument);
}

int __wrap_pthread_join(pthread_t thread, void** result) {
  return kumiko::pthread::real().pthread_join(thread, result);
}

int __wrap_pthread_detach(pthread_t thread) {
  return kumiko::pthread::real().pthread_detach(thread);
}

int __wrap_pthread_setname_np(pthread_t thread, const char* name) {
  return kumiko::pthread::real().pthread_setname_np(thread, name);
}

int __wrap_pthread_cancel(pthread_t thread) {
  return kumiko::pthread::real().pthread_cancel(thread);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  return kumiko::pthread::real().pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  return kumiko::pthread::real().pthread_mutex_unlock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  return kumiko::pthread::real().pthread_mutex_trylock(mutex);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t* mutex) {
  return kumiko::pthread::real().pthread_mutex_destroy(mutex);
}

int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return kumiko::pthread::real().pthread_cond_wait(condition, mutex);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* time) {
  return kumiko::pthread::real().pthread_cond_timedwait(condition, mutex, time);
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const timespec* time) {
  return kumiko::pthread::real().pthread_cond_clockwait(condition, mutex, clock, time);
}

int __wrap_pthread_cond_signal(pthread_cond_t* condition) {
  return kumiko::pthread::real().pthread_cond_signal(condition);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t* condition) {
  return kumiko::pthread::real().pthread_cond_broadcast(condition);
}

int __wrap_pthread_cond_destroy(pthread_cond_t* condition) {
  return kumiko::pthread::real().pthread_cond_destroy(condition);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  return kumiko::pthread::real().pthread_rwlock_rdlock(lock);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  return kumiko::pthread::real().pthread_rwlock_wrlock(lock);
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  return kumiko::pthread::real().pthread_rwlock_unlock(lock);
}

int __wrap_pthread_once(pthread_once_t* once, void (*function)()) {
  return kumiko::pthread::real().pthread_once(once, function);
}

int __wrap_pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  return kumiko::pthread::real().pthread_sigmask(how, set, before);
}

int __wrap_sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  return kumiko::pthread::real().sigprocmask(how, set, before);
}

int __wrap_sigpending(sigset_t* set) { return kumiko::pthread::real().sigpending(set); }

int __wrap_raise(int signal) { return kumiko::pthread::real().raise(signal); }

int __wrap_sched_yield() { return kumiko::pthread::real().sched_yield(); }

int __wrap_pause() { return kumiko::pthread::real().pause(); }

int __wrap_nanosleep(const timespec* time, timespec* left) {
  return kumiko::pthread::real().nanosleep(time, left);
}

/// The destructors of our static objects do not run: at exit() workers still do, and use them.
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
