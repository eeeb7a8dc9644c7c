// What a program asks about a thread, or wants of the kernel for it: names, stacks, priorities. A
// lightweight thread has no kernel thread of its own, so much of it is refused.
#include <cerrno>
#include <csignal>
#include <cstring>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <kumiko/runtime/this_thread.hpp>

#include "interpose.hpp"
#include "real.hpp"
#include "thread_record.hpp"

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_setname_np(pthread_t thread, const char* name) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_setname_np(thread, name);
  const std::size_t length = std::strlen(name);
  if (length >= record->name.size()) return ERANGE;
  std::memcpy(record->name.data(), name, length + 1);
  // Reports and traces know it too, of those that name themselves.
  if (record == ThreadRecord::running()) kumiko::runtime::this_thread::set_name(name);
  return 0;
}

KUMIKO_INTERPOSE int pthread_getname_np(pthread_t thread, char* name, std::size_t size) {
  const ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_getname_np(thread, name, size);
  // The kernel's threads begin with the program's name.
  const char* const known =
      record->name[0] != '\0' ? record->name.data() : program_invocation_short_name;
  const std::size_t length = strnlen(known, record->name.size() - 1);
  if (length >= size) return ERANGE;
  std::memcpy(name, known, length);
  name[length] = '\0';
  return 0;
}

KUMIKO_INTERPOSE int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) {
  const ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_getattr_np(thread, attributes);
  if (const int error = pthread_attr_init(attributes); error != 0) return error;
  const bool detached =
      (record->state.load(std::memory_order_relaxed) & ThreadRecord::kDetached) != 0;
  pthread_attr_setdetachstate(attributes,
                              detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  if (record->stack == nullptr) return 0;  // it has not begun
  return pthread_attr_setstack(attributes, record->stack, record->stack_bytes);
}

KUMIKO_INTERPOSE int pthread_sigqueue(pthread_t thread, int signal, const sigval value) {
  if (ThreadRecord::of(thread) == nullptr) return real().pthread_sigqueue(thread, signal, value);
  return ENOTSUP;
}

KUMIKO_INTERPOSE int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) {
  if (ThreadRecord::of(thread) == nullptr) return real().pthread_getcpuclockid(thread, clock);
  return ENOENT;
}

KUMIKO_INTERPOSE int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) {
  if (ThreadRecord::of(thread) == nullptr) {
    return real().pthread_getschedparam(thread, policy, parameters);
  }
  *policy = SCHED_OTHER;
  parameters->sched_priority = 0;
  return 0;
}

KUMIKO_INTERPOSE int pthread_setschedparam(pthread_t thread, int policy,
                                           const sched_param* parameters) {
  if (ThreadRecord::of(thread) == nullptr) {
    return real().pthread_setschedparam(thread, policy, parameters);
  }
  return policy == SCHED_OTHER && parameters->sched_priority == 0 ? 0 : EPERM;
}

KUMIKO_INTERPOSE int pthread_setschedprio(pthread_t thread, int priority) {
  if (ThreadRecord::of(thread) == nullptr) return real().pthread_setschedprio(thread, priority);
  return priority == 0 ? 0 : EPERM;
}

KUMIKO_INTERPOSE int pthread_setaffinity_np(pthread_t thread, std::size_t size,
                                            const cpu_set_t* set) {
  if (ThreadRecord::of(thread) == nullptr) return real().pthread_setaffinity_np(thread, size, set);
  return ENOTSUP;
}

/// Every lightweight thread may run wherever the workers may.
KUMIKO_INTERPOSE int pthread_getaffinity_np(pthread_t thread, std::size_t size, cpu_set_t* set) {
  if (ThreadRecord::of(thread) == nullptr) return real().pthread_getaffinity_np(thread, size, set);
  return sched_getaffinity(getpid(), size, set) == 0 ? 0 : errno;
}
