/* <threads.h> */
#include <threads.h>
#include <time.h>

#include "check.h"

enum { kThreads = 50, kSteps = 200 };

static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t specific;
static thread_local int mine = 4;
static int initialised;
static int destroyed;
static int sum;

static void initialise(void) { ++initialised; }

/* Threads that end together run this together. */
static void destroy(void* value) { __atomic_add_fetch(&destroyed, value != NULL, __ATOMIC_RELAXED); }

static int add(void* unused) {
  (void)unused;
  call_once(&flag, &initialise);
  tss_set(specific, &sum);
  CHECK_EQUAL(mtx_lock(&mutex), thrd_success);
  CHECK_EQUAL(mtx_trylock(&mutex), thrd_success); /* recursive */
  mtx_unlock(&mutex);
  mtx_unlock(&mutex);
  for (int i = 0; i < kSteps; ++i) {
    mtx_lock(&mutex);
    ++sum;
    ++mine;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    if (i % 50 == 0) thrd_yield();
  }
  CHECK(tss_get(specific) == &sum);
  return mine;
}

static int leave(void* unused) {
  (void)unused;
  thrd_exit(17);
}

int main(void) {
  thrd_t threads[kThreads];
  struct timespec time;
  int result = 0;
  CHECK_EQUAL(mtx_init(&mutex, mtx_timed | mtx_recursive), thrd_success);
  CHECK_EQUAL(cnd_init(&condition), thrd_success);
  CHECK_EQUAL(tss_create(&specific, &destroy), thrd_success);
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(thrd_create(&threads[i], &add, NULL), thrd_success);
  mtx_lock(&mutex);
  while (sum < kThreads * kSteps) cnd_wait(&condition, &mutex);
  timespec_get(&time, TIME_UTC);
  CHECK_EQUAL(cnd_timedwait(&condition, &mutex, &time), thrd_timedout);
  mtx_unlock(&mutex);
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(thrd_join(threads[i], &result), thrd_success);
    CHECK_EQUAL(result, 4 + kSteps);
  }
  CHECK_EQUAL(initialised, 1);
  CHECK_EQUAL(destroyed, kThreads);
  CHECK_EQUAL(thrd_create(&threads[0], &leave, NULL), thrd_success);
  CHECK_EQUAL(thrd_join(threads[0], &result), thrd_success);
  CHECK_EQUAL(result, 17);
  puts("passed");
  return 0;
}
