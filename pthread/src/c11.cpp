// <threads.h>: in the C library these are POSIX threads under other names, which it calls directly.
#include <cerrno>
#include <new>

#include <pthread.h>
#include <threads.h>

#include "interpose.hpp"
#include "ours.hpp"

namespace ours = kumiko::pthread::ours;

namespace {

int to_c11(int error) noexcept {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* as_pthread(mtx_t* mutex) noexcept {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}

pthread_cond_t* as_pthread(cnd_t* condition) noexcept {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* call(void* start) {
  const Start copy = *static_cast<Start*>(start);
  delete static_cast<Start*>(start);
  return reinterpret_cast<void*>(static_cast<long>(copy.function(copy.argument)));
}

}  // namespace

KUMIKO_INTERPOSE int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* const start = new (std::nothrow) Start{function, argument};
  if (start == nullptr) return thrd_nomem;
  const int error = ours::our_pthread_create(thread, nullptr, &call, start);
  if (error != 0) delete start;
  return error == EAGAIN ? thrd_nomem : to_c11(error);
}

KUMIKO_INTERPOSE int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = ours::our_pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<long>(value));
  return to_c11(error);
}

KUMIKO_INTERPOSE int thrd_detach(thrd_t thread) { return to_c11(ours::our_pthread_detach(thread)); }

KUMIKO_INTERPOSE void thrd_exit(int result) {
  ours::our_pthread_exit(reinterpret_cast<void*>(static_cast<long>(result)));
  __builtin_unreachable();
}

KUMIKO_INTERPOSE int mtx_lock(mtx_t* mutex) {
  return to_c11(ours::our_pthread_mutex_lock(as_pthread(mutex)));
}

KUMIKO_INTERPOSE int mtx_trylock(mtx_t* mutex) {
  return to_c11(ours::our_pthread_mutex_trylock(as_pthread(mutex)));
}

KUMIKO_INTERPOSE int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  return to_c11(ours::our_pthread_mutex_timedlock(as_pthread(mutex), time));
}

KUMIKO_INTERPOSE int mtx_unlock(mtx_t* mutex) {
  return to_c11(ours::our_pthread_mutex_unlock(as_pthread(mutex)));
}

KUMIKO_INTERPOSE void mtx_destroy(mtx_t* mutex) {
  ours::our_pthread_mutex_destroy(as_pthread(mutex));
}

KUMIKO_INTERPOSE int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return to_c11(ours::our_pthread_cond_wait(as_pthread(condition), as_pthread(mutex)));
}

KUMIKO_INTERPOSE int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  return to_c11(ours::our_pthread_cond_timedwait(as_pthread(condition), as_pthread(mutex), time));
}

KUMIKO_INTERPOSE int cnd_signal(cnd_t* condition) {
  return to_c11(ours::our_pthread_cond_signal(as_pthread(condition)));
}

KUMIKO_INTERPOSE int cnd_broadcast(cnd_t* condition) {
  return to_c11(ours::our_pthread_cond_broadcast(as_pthread(condition)));
}

KUMIKO_INTERPOSE void cnd_destroy(cnd_t* condition) {
  ours::our_pthread_cond_destroy(as_pthread(condition));
}

KUMIKO_INTERPOSE void call_once(once_flag* flag, void (*function)()) {
  ours::our_pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}
