/* Semaphores, barriers, spin locks, once, and polling or spinning for another thread's work. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 60, kRounds = 50 };

static sem_t permits;
static sem_t items;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static int serial;
static int initialised;
static long spun;
static long arrived[kRounds];
static int polled;

static void initialise(void) {
  pthread_mutex_lock(&mutex); /* somebody may wait for the rest meanwhile */
  sched_yield();
  usleep(1000);
  ++initialised;
  pthread_mutex_unlock(&mutex);
}

static void* work(void* unused) {
  (void)unused;
  CHECK_EQUAL(pthread_once(&once, &initialise), 0);
  CHECK_EQUAL(initialised, 1);
  for (int i = 0; i < kRounds; ++i) {
    CHECK_EQUAL(sem_wait(&permits), 0);
    CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) <= 3);
    sched_yield();
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
    CHECK_EQUAL(sem_post(&permits), 0);
    CHECK_EQUAL(pthread_spin_lock(&spin), 0);
    if (i == 0) sched_yield();
    ++spun;
    CHECK_EQUAL(pthread_spin_unlock(&spin), 0);
    __atomic_add_fetch(&arrived[i], 1, __ATOMIC_RELAXED);
    const int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result != 0) __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
    CHECK_EQUAL(arrived[i], kThreads);
  }
  return NULL;
}

/* With one worker these get on only if who polls gives way. */
static void* poll_with_lock(void* unused) {
  (void)unused;
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    done = polled;
    pthread_mutex_unlock(&mutex);
  }
  while (sem_trywait(&items) != 0) CHECK_EQUAL(errno, EAGAIN);
  while (pthread_spin_trylock(&spin) != 0) {}
  pthread_spin_unlock(&spin);
  return NULL;
}

static void* be_polled(void* unused) {
  (void)unused;
  pthread_spin_lock(&spin);
  pthread_mutex_lock(&mutex);
  polled = 1;
  pthread_mutex_unlock(&mutex);
  usleep(2000);
  sem_post(&items);
  usleep(2000);
  pthread_spin_unlock(&spin);
  return NULL;
}

/* What redis-server's threads for I/O do: they look at a variable of their own, a million times, then
 * lock a mutex so that they can be stopped, and look again. More of them than workers get on only if
 * those who look in vain give way soon. */
enum { kSpinners = 6, kHandedOut = 30 };

static long pending[kSpinners];
static pthread_mutex_t stop[kSpinners];

static void* look_and_lock(void* argument) {
  long* const mine = argument;
  for (int done = 0; done < kHandedOut;) {
    for (int i = 0; i < 1000000; ++i) {
      if (__atomic_load_n(mine, __ATOMIC_SEQ_CST) != 0) break;
    }
    if (__atomic_load_n(mine, __ATOMIC_SEQ_CST) == 0) {
      pthread_mutex_lock(&stop[mine - pending]);
      pthread_mutex_unlock(&stop[mine - pending]);
      continue;
    }
    ++done;
    __atomic_store_n(mine, 0, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

static void hand_out(void) {
  pthread_t threads[kSpinners];
  for (int i = 0; i < kSpinners; ++i) {
    CHECK_EQUAL(pthread_mutex_init(&stop[i], NULL), 0);
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &look_and_lock, &pending[i]), 0);
  }
  for (int round = 0; round < kHandedOut; ++round) {
    for (int i = 0; i < kSpinners; ++i) __atomic_store_n(&pending[i], 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < kSpinners; ++i) {
      while (__atomic_load_n(&pending[i], __ATOMIC_SEQ_CST) != 0) sched_yield();
    }
  }
  for (int i = 0; i < kSpinners; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
}

/* More threads wait than permits come, one at a time: each lets one pass and no other. */
enum { kWaiters = 30, kPosts = 20 };

static sem_t turns;
static int begun;
static int passed;

static void* take_turn(void* unused) {
  (void)unused;
  __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
  CHECK_EQUAL(sem_wait(&turns), 0);
  __atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void check_more_waiters_than_permits(void) {
  pthread_t threads[kWaiters];
  int value = -1;
  CHECK_EQUAL(sem_init(&turns, 0, 0), 0);
  for (int i = 0; i < kWaiters; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &take_turn, NULL), 0);
  }
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) != kWaiters) sched_yield();
  for (int i = 1; i <= kPosts; ++i) {
    CHECK_EQUAL(sem_post(&turns), 0);
    while (__atomic_load_n(&passed, __ATOMIC_RELAXED) < i) sched_yield();
    CHECK_EQUAL(passed, i);
  }
  CHECK_EQUAL(sem_trywait(&turns), -1);
  usleep(1000); /* for who would pass without a permit */
  CHECK_EQUAL(__atomic_load_n(&passed, __ATOMIC_RELAXED), kPosts);
  for (int i = kPosts; i < kWaiters; ++i) CHECK_EQUAL(sem_post(&turns), 0);
  for (int i = 0; i < kWaiters; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(passed, kWaiters);
  CHECK_EQUAL(sem_getvalue(&turns, &value), 0);
  CHECK_EQUAL(value, 0);
  CHECK_EQUAL(sem_destroy(&turns), 0);
}

/* Many threads call each of several pthread_once() while the first of them is at it. */
enum { kFlags = 10, kCallers = 30 };

static pthread_once_t flags[kFlags];
static int calls;

static void count_call(void) {
  const int seen = __atomic_load_n(&calls, __ATOMIC_RELAXED);
  sched_yield();
  __atomic_store_n(&calls, seen + 1, __ATOMIC_RELAXED);
}

/* As flag follows flag only when the call of the one before has returned, calls do not overlap. */
static void* call_all_once(void* unused) {
  (void)unused;
  for (int i = 0; i < kFlags; ++i) {
    CHECK_EQUAL(pthread_once(&flags[i], &count_call), 0);
    CHECK(__atomic_load_n(&calls, __ATOMIC_RELAXED) > i);
  }
  return NULL;
}

static void check_many_callers_of_once(void) {
  pthread_t threads[kCallers];
  for (int i = 0; i < kFlags; ++i) flags[i] = (pthread_once_t)PTHREAD_ONCE_INIT;
  for (int i = 0; i < kCallers; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &call_all_once, NULL), 0);
  }
  call_all_once(NULL);
  for (int i = 0; i < kCallers; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(calls, kFlags);
}

static void* check_timed(void* unused) {
  (void)unused;
  struct timespec soon;
  sem_t empty;
  int value = -1;
  CHECK_EQUAL(sem_init(&empty, 0, 0), 0);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += soon.tv_nsec > 980000000;
  soon.tv_nsec = (soon.tv_nsec + 20000000) % 1000000000;
  CHECK_EQUAL(sem_timedwait(&empty, &soon), -1);
  CHECK_EQUAL(errno, ETIMEDOUT);
  CHECK_EQUAL(sem_trywait(&empty), -1);
  CHECK_EQUAL(errno, EAGAIN);
  sem_post(&empty);
  CHECK_EQUAL(sem_getvalue(&empty, &value), 0);
  CHECK_EQUAL(value, 1);
  CHECK_EQUAL(sem_timedwait(&empty, &soon), 0);
  struct timespec before;
  struct timespec after;
  const struct timespec span = {0, 15000000};
  clock_gettime(CLOCK_MONOTONIC, &before);
  CHECK_EQUAL(nanosleep(&span, NULL), 0);
  CHECK_EQUAL(usleep(1000), 0);
  CHECK_EQUAL(clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL), 0);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const long passed =
      (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
  CHECK(passed >= 31000000);
  CHECK_EQUAL(sem_destroy(&empty), 0);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  CHECK_EQUAL(sem_init(&permits, 0, 3), 0);
  CHECK_EQUAL(sem_init(&items, 0, 0), 0);
  CHECK_EQUAL(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
  CHECK_EQUAL(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  CHECK_EQUAL(pthread_barrier_init(&barrier, NULL, kThreads), 0);
  for (int i = 0; i < kThreads - 1; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &work, NULL), 0);
  }
  work(NULL);
  for (int i = 0; i < kThreads - 1; ++i) pthread_join(threads[i], NULL);
  CHECK_EQUAL(serial, kRounds);
  CHECK_EQUAL(spun, (long)kThreads * kRounds);
  CHECK_EQUAL(pthread_barrier_destroy(&barrier), 0);
  pthread_create(&threads[0], NULL, &poll_with_lock, NULL);
  pthread_create(&threads[1], NULL, &be_polled, NULL);
  pthread_create(&threads[2], NULL, &check_timed, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  check_timed(NULL);
  hand_out();
  check_more_waiters_than_permits();
  check_many_callers_of_once();
  puts("passed");
  return 0;
}
