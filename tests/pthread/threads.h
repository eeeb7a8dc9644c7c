/* What the tests of I/O begin and end threads with. */
#pragma once

#include <pthread.h>
#include <time.h>

#include "check.h"

/* Seconds. */
static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, NULL, function, argument), 0);
  return thread;
}

static inline void* join(pthread_t thread) {
  void* result = NULL;
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  return result;
}
