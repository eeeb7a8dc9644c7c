/* Read-write locks: readers together, writers alone, timeouts, and the error of a second lock. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "check.h"

enum { kThreads = 40, kSteps = 500 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static long value;
static long copy;
static int readers;

static void* work(void* unused) {
  (void)unused;
  pthread_rwlock_t* const both[] = {&lock, &writers_first};
  for (int i = 0; i < kSteps; ++i) {
    if (i % 10 == 0) {
      for (int k = 0; k < 2; ++k) CHECK_EQUAL(pthread_rwlock_wrlock(both[k]), 0);
      ++value;
      if (i % 50 == 0) sched_yield();
      CHECK_EQUAL(readers, 0);
      ++copy;
    } else {
      for (int k = 0; k < 2; ++k) CHECK_EQUAL(pthread_rwlock_rdlock(both[k]), 0);
      __atomic_add_fetch(&readers, 1, __ATOMIC_RELAXED);
      CHECK_EQUAL(value, copy);
      if (i % 50 == 1) sched_yield();
      __atomic_sub_fetch(&readers, 1, __ATOMIC_RELAXED);
    }
    for (int k = 1; k >= 0; --k) CHECK_EQUAL(pthread_rwlock_unlock(both[k]), 0);
  }
  return NULL;
}

static void* try_while_written(void* unused) {
  (void)unused;
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  CHECK_EQUAL(pthread_rwlock_tryrdlock(&lock), EBUSY);
  CHECK_EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
  CHECK_EQUAL(pthread_rwlock_timedrdlock(&lock, &soon), ETIMEDOUT);
  CHECK_EQUAL(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &soon);
  CHECK_EQUAL(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  return NULL;
}

static void* read_too(void* unused) {
  CHECK_EQUAL(pthread_rwlock_rdlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_unlock(&lock), 0);
  return unused;
}

/* All readers are inside together, more of them than cores, and meanwhile the writers wait. */
struct Crowd {
  pthread_rwlock_t lock;
  int inside;
  int writers;
  int written;
  int may_leave;
};

static void* read_together(void* argument) {
  struct Crowd* const crowd = argument;
  CHECK_EQUAL(pthread_rwlock_rdlock(&crowd->lock), 0);
  __atomic_add_fetch(&crowd->inside, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&crowd->may_leave, __ATOMIC_RELAXED)) sched_yield();
  CHECK_EQUAL(crowd->written, 0);
  __atomic_sub_fetch(&crowd->inside, 1, __ATOMIC_RELAXED);
  CHECK_EQUAL(pthread_rwlock_unlock(&crowd->lock), 0);
  return NULL;
}

static void* write_alone(void* argument) {
  struct Crowd* const crowd = argument;
  __atomic_add_fetch(&crowd->writers, 1, __ATOMIC_RELAXED);
  CHECK_EQUAL(pthread_rwlock_wrlock(&crowd->lock), 0);
  CHECK_EQUAL(__atomic_load_n(&crowd->inside, __ATOMIC_RELAXED), 0);
  const int seen = crowd->written;
  sched_yield();
  crowd->written = seen + 1;
  CHECK_EQUAL(pthread_rwlock_unlock(&crowd->lock), 0);
  return NULL;
}

static void check_crowd(pthread_rwlock_t initial) {
  enum { kReaders = 30, kWriters = 10 };
  pthread_t threads[kReaders + kWriters];
  struct Crowd crowd = {.lock = initial};
  for (int i = 0; i < kReaders; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &read_together, &crowd), 0);
  }
  while (__atomic_load_n(&crowd.inside, __ATOMIC_RELAXED) != kReaders) sched_yield();
  for (int i = kReaders; i < kReaders + kWriters; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &write_alone, &crowd), 0);
  }
  while (__atomic_load_n(&crowd.writers, __ATOMIC_RELAXED) != kWriters) sched_yield();
  __atomic_store_n(&crowd.may_leave, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < kReaders + kWriters; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(crowd.inside, 0);
  CHECK_EQUAL(crowd.written, kWriters);
  CHECK_EQUAL(pthread_rwlock_destroy(&crowd.lock), 0);
}

int main(void) {
  pthread_t threads[kThreads];
  CHECK_EQUAL(pthread_rwlock_wrlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_wrlock(&lock), EDEADLK);
  CHECK_EQUAL(pthread_rwlock_rdlock(&lock), EDEADLK);
  pthread_create(&threads[0], NULL, &try_while_written, NULL);
  pthread_join(threads[0], NULL);
  CHECK_EQUAL(pthread_rwlock_unlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_rdlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_tryrdlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
  pthread_create(&threads[0], NULL, &read_too, NULL);
  pthread_join(threads[0], NULL);
  CHECK_EQUAL(pthread_rwlock_unlock(&lock), 0);
  CHECK_EQUAL(pthread_rwlock_unlock(&lock), 0);
  for (long i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &work, NULL), 0);
  }
  work(NULL);
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(value, (kThreads + 1) * kSteps / 10);
  check_crowd((pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER);
  check_crowd((pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP);
  CHECK_EQUAL(pthread_rwlock_destroy(&lock), 0);
  puts("passed");
  return 0;
}
