/* Mutexes of every kind, statically and dynamically initialised. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 50, kSteps = 2000 };

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t* all[] = {&normal, &recursive, &checking, &adaptive};
static long counts[4];

static struct timespec after_ms(clockid_t clock, long milliseconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static void* contend(void* unused) {
  (void)unused;
  for (int i = 0; i < kSteps; ++i) {
    const int which = i % 4;
    CHECK_EQUAL(pthread_mutex_lock(all[which]), 0);
    const long seen = counts[which];
    if (i % 100 < 4) sched_yield();
    counts[which] = seen + 1;
    CHECK_EQUAL(pthread_mutex_unlock(all[which]), 0);
  }
  return NULL;
}

static void* try_from_elsewhere(void* unused) {
  (void)unused;
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(pthread_mutex_trylock(all[i]), EBUSY);
  CHECK_EQUAL(pthread_mutex_unlock(&checking), EPERM);
  CHECK_EQUAL(pthread_mutex_unlock(&recursive), EPERM);
  struct timespec soon = after_ms(CLOCK_REALTIME, 20);
  CHECK_EQUAL(pthread_mutex_timedlock(&normal, &soon), ETIMEDOUT);
  soon = after_ms(CLOCK_MONOTONIC, 20);
  CHECK_EQUAL(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  CHECK(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
  return NULL;
}

static void check_owner_rules(void) {
  pthread_t thread;
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(pthread_mutex_lock(all[i]), 0);
  CHECK_EQUAL(pthread_mutex_lock(&recursive), 0);
  CHECK_EQUAL(pthread_mutex_trylock(&recursive), 0);
  CHECK_EQUAL(pthread_mutex_lock(&checking), EDEADLK);
  CHECK_EQUAL(pthread_mutex_trylock(&checking), EBUSY);
  CHECK_EQUAL(pthread_mutex_trylock(&normal), EBUSY);
  CHECK_EQUAL(pthread_create(&thread, NULL, &try_from_elsewhere, NULL), 0);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  CHECK_EQUAL(pthread_mutex_unlock(&recursive), 0);
  CHECK_EQUAL(pthread_mutex_unlock(&recursive), 0);
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(pthread_mutex_unlock(all[i]), 0);
  CHECK_EQUAL(pthread_mutex_unlock(&checking), EPERM);
}

static void check_special_kinds(void) {
  const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
  for (int shared = 0; shared < 2; ++shared) {
    for (int i = 0; i < 2; ++i) {
      pthread_mutexattr_t attributes;
      pthread_mutex_t mutex;
      pthread_mutexattr_init(&attributes);
      pthread_mutexattr_setpshared(&attributes, shared);
      if (!shared) pthread_mutexattr_setprotocol(&attributes, protocols[i]);
      CHECK_EQUAL(pthread_mutex_init(&mutex, &attributes), 0);
      CHECK_EQUAL(pthread_mutex_lock(&mutex), 0);
      CHECK_EQUAL(pthread_mutex_trylock(&mutex), EBUSY);
      CHECK_EQUAL(pthread_mutex_unlock(&mutex), 0);
      CHECK_EQUAL(pthread_mutex_destroy(&mutex), 0);
    }
  }
  pthread_mutexattr_t attributes;
  pthread_mutex_t robust;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  CHECK_EQUAL(pthread_mutex_init(&robust, &attributes), 0);
  pthread_mutex_lock(&robust);
  pthread_mutex_unlock(&robust);
}

int main(void) {
  pthread_t threads[kThreads];
  check_owner_rules();
  check_special_kinds();
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &contend, NULL), 0);
  }
  contend(NULL); /* an OS thread among them */
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(counts[i], (kThreads + 1) * kSteps / 4);
  check_owner_rules();
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(pthread_mutex_destroy(all[i]), 0);
  puts("passed");
  return 0;
}
