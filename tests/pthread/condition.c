/* Condition variables: no wake-up is lost, timed waits end in time by either clock, and a condition
 * may be destroyed right after a broadcast. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "check.h"

enum { kThreads = 100, kItems = 20000, kRoom = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int queue[kRoom];
static int size;
static long sum;
static int taken;

static void* produce(void* first) {
  for (int i = 0; i < kItems / kThreads; ++i) {
    pthread_mutex_lock(&mutex);
    while (size == kRoom) CHECK_EQUAL(pthread_cond_wait(&not_full, &mutex), 0);
    queue[size++] = (int)(long)first + i;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void* consume(void* unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (size == 0 && taken < kItems) CHECK_EQUAL(pthread_cond_wait(&not_empty, &mutex), 0);
    if (size == 0) break;
    sum += queue[--size];
    if (++taken == kItems) pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&not_full); /* not under the mutex, for a change */
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static struct timespec after_ms(clockid_t clock, long milliseconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static void check_times_out(pthread_cond_t* condition, clockid_t clock) {
  struct timespec time = after_ms(clock, 30);
  struct timespec now;
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (result == 0) result = pthread_cond_timedwait(condition, &mutex, &time);
  CHECK_EQUAL(result, ETIMEDOUT);
  clock_gettime(clock, &now);
  CHECK(now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec));
  CHECK(now.tv_sec - time.tv_sec < 5);
  time = after_ms(CLOCK_MONOTONIC, 10);
  result = 0;
  while (result == 0) result = pthread_cond_clockwait(condition, &mutex, CLOCK_MONOTONIC, &time);
  CHECK_EQUAL(result, ETIMEDOUT);
  time.tv_nsec = -1;
  CHECK_EQUAL(pthread_cond_timedwait(condition, &mutex, &time), EINVAL);
  pthread_mutex_unlock(&mutex);
}

static void* wait_for_nothing(void* unused) {
  (void)unused;
  pthread_cond_t monotonic;
  pthread_cond_t real = PTHREAD_COND_INITIALIZER;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  CHECK_EQUAL(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
  CHECK_EQUAL(pthread_cond_init(&monotonic, &attributes), 0);
  check_times_out(&monotonic, CLOCK_MONOTONIC);
  check_times_out(&real, CLOCK_REALTIME);
  CHECK_EQUAL(pthread_cond_destroy(&monotonic), 0);
  return NULL;
}

struct Gate {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int waiting;
  int open;
};

static void* pass(void* argument) {
  struct Gate* const gate = argument;
  pthread_mutex_lock(&gate->mutex);
  ++gate->waiting;
  while (!gate->open) pthread_cond_wait(&gate->condition, &gate->mutex);
  --gate->waiting;
  pthread_mutex_unlock(&gate->mutex);
  return NULL;
}

static void check_destroy_after_broadcast(void) {
  pthread_t threads[20];
  for (int round = 0; round < 20; ++round) {
    struct Gate* const gate = calloc(1, sizeof *gate);
    for (int i = 0; i < 20; ++i) pthread_create(&threads[i], NULL, &pass, gate);
    pthread_mutex_lock(&gate->mutex);
    while (gate->waiting != 20) {
      pthread_mutex_unlock(&gate->mutex);
      sched_yield();
      pthread_mutex_lock(&gate->mutex);
    }
    gate->open = 1;
    pthread_cond_broadcast(&gate->condition);
    pthread_mutex_unlock(&gate->mutex);
    pthread_cond_destroy(&gate->condition);
    for (int i = 0; i < 20; ++i) pthread_join(threads[i], NULL);
    CHECK_EQUAL(gate->waiting, 0);
    free(gate);
  }
}

/* More threads wait than signals come, one at a time: each lets one pass. A broadcast is for the rest. */
struct Tickets {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int waiting;
  int left;
  int passed;
};

static void* take_ticket(void* argument) {
  struct Tickets* const tickets = argument;
  pthread_mutex_lock(&tickets->mutex);
  ++tickets->waiting;
  while (tickets->left == 0) pthread_cond_wait(&tickets->condition, &tickets->mutex);
  --tickets->left;
  --tickets->waiting;
  ++tickets->passed;
  pthread_mutex_unlock(&tickets->mutex);
  return NULL;
}

static void wait_for_value(struct Tickets* tickets, const int* number, int value) {
  pthread_mutex_lock(&tickets->mutex);
  while (*number != value) {
    pthread_mutex_unlock(&tickets->mutex);
    sched_yield();
    pthread_mutex_lock(&tickets->mutex);
  }
  pthread_mutex_unlock(&tickets->mutex);
}

static void check_more_waiters_than_signals(void) {
  enum { kWaiters = 30, kSignals = 20 };
  pthread_t threads[kWaiters];
  struct Tickets tickets = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
  for (int i = 0; i < kWaiters; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &take_ticket, &tickets), 0);
  }
  wait_for_value(&tickets, &tickets.waiting, kWaiters);
  for (int i = 1; i <= kSignals; ++i) {
    pthread_mutex_lock(&tickets.mutex);
    ++tickets.left;
    CHECK_EQUAL(pthread_cond_signal(&tickets.condition), 0);
    pthread_mutex_unlock(&tickets.mutex);
    wait_for_value(&tickets, &tickets.passed, i);
    CHECK_EQUAL(tickets.waiting, kWaiters - i);
  }
  pthread_mutex_lock(&tickets.mutex);
  tickets.left = kWaiters - kSignals;
  CHECK_EQUAL(pthread_cond_broadcast(&tickets.condition), 0);
  pthread_mutex_unlock(&tickets.mutex);
  for (int i = 0; i < kWaiters; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(tickets.passed, kWaiters);
  CHECK_EQUAL(tickets.left, 0);
  CHECK_EQUAL(pthread_cond_destroy(&tickets.condition), 0);
}

int main(void) {
  pthread_t producers[kThreads];
  pthread_t consumers[kThreads];
  pthread_t waiter;
  CHECK_EQUAL(pthread_create(&waiter, NULL, &wait_for_nothing, NULL), 0);
  CHECK_EQUAL(pthread_join(waiter, NULL), 0);
  for (long i = 0; i < kThreads; ++i) {
    pthread_create(&consumers[i], NULL, &consume, NULL);
    pthread_create(&producers[i], NULL, &produce, (void*)(i * (kItems / kThreads)));
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(producers[i], NULL);
    pthread_join(consumers[i], NULL);
  }
  CHECK_EQUAL(sum, (long)kItems * (kItems - 1) / 2);
  check_destroy_after_broadcast();
  check_more_waiters_than_signals();
  wait_for_nothing(NULL);
  puts("passed");
  return 0;
}
