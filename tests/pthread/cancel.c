/* Cancellation: deferred to the calls that wait, with cleanup handlers, and disabled at will. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int cleaned;
static volatile int begun;

/* Fails unless the mutex is locked by us, as after a cancelled wait. */
static void unlock(void* unused) {
  (void)unused;
  CHECK_EQUAL(pthread_mutex_trylock(&mutex), EBUSY);
  ++cleaned;
  pthread_mutex_unlock(&mutex);
}

static void note(void* unused) {
  (void)unused;
  ++cleaned;
}

static void* wait_for_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(&unlock, NULL);
  begun = 1;
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

static void* wait_for_condition_long(void* unused) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1000;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(&unlock, NULL);
  begun = 1;
  for (;;) pthread_cond_timedwait(&condition, &mutex, &time);
  pthread_cleanup_pop(1);
  return unused;
}

static void* wait_for_semaphore(void* unused) {
  pthread_cleanup_push(&note, NULL);
  begun = 1;
  sem_wait(&semaphore);
  pthread_cleanup_pop(1);
  return unused;
}

static void* sleep_long(void* unused) {
  pthread_cleanup_push(&note, NULL);
  begun = 1;
  sleep(1000);
  pthread_cleanup_pop(1);
  return unused;
}

static void* test_often(void* unused) {
  pthread_cleanup_push(&note, NULL);
  begun = 1;
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
  pthread_cleanup_pop(1);
  return unused;
}

static void* join_sleeper(void* unused) {
  pthread_t sleeper;
  CHECK_EQUAL(pthread_create(&sleeper, NULL, &sleep_long, NULL), 0);
  pthread_detach(sleeper);
  pthread_t another;
  CHECK_EQUAL(pthread_create(&another, NULL, &sleep_long, NULL), 0);
  pthread_cleanup_push(&note, NULL);
  pthread_join(another, NULL);
  pthread_cleanup_pop(1);
  return unused;
}

static void* refuse_for_a_while(void* unused) {
  int before = -1;
  (void)unused;
  CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before), 0);
  CHECK_EQUAL(before, PTHREAD_CANCEL_ENABLE);
  begun = 1;
  usleep(2000);
  sem_wait(&semaphore);
  pthread_testcancel();
  ++cleaned;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  pthread_testcancel();
  return (void*)1;
}

static void cancel(void* (*function)(void*), int expected, int hurry) {
  pthread_t thread;
  void* result = NULL;
  cleaned = 0;
  begun = 0;
  CHECK_EQUAL(pthread_create(&thread, NULL, function, NULL), 0);
  while (!hurry && !begun) sched_yield();
  if (!hurry) usleep(200);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  if (function == &refuse_for_a_while) sem_post(&semaphore);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  if (!hurry) CHECK_EQUAL(cleaned, expected);
}

static void* cancel_all(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    const int hurry = round % 2;
    cancel(&wait_for_condition, 1, hurry);
    cancel(&wait_for_condition_long, 1, hurry);
    cancel(&wait_for_semaphore, 1, hurry);
    cancel(&sleep_long, 1, hurry);
    cancel(&test_often, 1, hurry);
    cancel(&join_sleeper, 1, 0);
    cancel(&refuse_for_a_while, 1, 0);
  }
  CHECK_EQUAL(pthread_mutex_trylock(&mutex), 0);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  CHECK_EQUAL(sem_init(&semaphore, 0, 0), 0);
  cancel_all(NULL); /* by an OS thread */
  CHECK_EQUAL(pthread_create(&thread, NULL, &cancel_all, NULL), 0);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  puts("passed");
  return 0;
}
