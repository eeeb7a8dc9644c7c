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
  CHECK_EQUAL(pthread_rwlock_destroy(&lock), 0);
  puts("passed");
  return 0;
}
