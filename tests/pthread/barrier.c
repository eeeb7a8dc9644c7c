/* Barriers: more threads than their count may use one, and no arrival is lost or counted twice; one
 * may be destroyed as soon as the last arrival of its last round has returned. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 7, kDestroyed = 400, kUsers = 4, kRoundsBeforeEnd = 5 };

struct Meeting {
  pthread_barrier_t barrier;
  long arrivals; /* in all, of a number that the count divides: nobody waits in the end */
  long begun;
  long serial;
  long entered; /* before the barrier */
  int count;
};

/* A round ends when as many have entered as it takes, never before. */
static void* meet(void* argument) {
  struct Meeting* const meeting = argument;
  while (__atomic_fetch_add(&meeting->begun, 1, __ATOMIC_RELAXED) < meeting->arrivals) {
    __atomic_fetch_add(&meeting->entered, 1, __ATOMIC_RELAXED);
    const int result = pthread_barrier_wait(&meeting->barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result == 0) continue;
    const long ended = __atomic_add_fetch(&meeting->serial, 1, __ATOMIC_RELAXED);
    CHECK(__atomic_load_n(&meeting->entered, __ATOMIC_RELAXED) >= ended * meeting->count);
  }
  return NULL;
}

/* The main thread is one of them, and no lightweight one. */
static void check_more_users(int users, int count, long rounds) {
  pthread_t threads[kMost];
  struct Meeting meeting = {.arrivals = rounds * count, .count = count};
  CHECK_EQUAL(pthread_barrier_init(&meeting.barrier, NULL, (unsigned)count), 0);
  for (int i = 0; i < users - 1; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &meet, &meeting), 0);
  }
  meet(&meeting);
  for (int i = 0; i < users - 1; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(meeting.serial, rounds);
  CHECK_EQUAL(pthread_barrier_destroy(&meeting.barrier), 0);
}

struct ThrownAway {
  pthread_barrier_t barrier;
  int rounds;
};

/* The thread that is told so destroys it, while others may not have returned, and writes over it. */
static void* meet_and_destroy(void* argument) {
  struct ThrownAway* const object = argument;
  int serial = 0;
  for (int i = 0; i < object->rounds; ++i) {
    serial = pthread_barrier_wait(&object->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  }
  if (!serial) return NULL;
  CHECK_EQUAL(pthread_barrier_destroy(&object->barrier), 0);
  memset(&object->barrier, 0xa5, sizeof object->barrier);
  return NULL;
}

static void check_destroyed_at_once(int rounds) {
  pthread_t threads[kUsers];
  unsigned char expected[sizeof(pthread_barrier_t)];
  memset(expected, 0xa5, sizeof expected);
  for (int i = 0; i < kDestroyed; ++i) {
    struct ThrownAway object = {.rounds = rounds};
    CHECK_EQUAL(pthread_barrier_init(&object.barrier, NULL, kUsers), 0);
    for (int j = 0; j < kUsers - 1; ++j) {
      CHECK_EQUAL(pthread_create(&threads[j], NULL, &meet_and_destroy, &object), 0);
    }
    meet_and_destroy(&object);
    for (int j = 0; j < kUsers - 1; ++j) CHECK_EQUAL(pthread_join(threads[j], NULL), 0);
    CHECK(memcmp(&object.barrier, expected, sizeof expected) == 0);
  }
}

struct Ended {
  struct Meeting meeting;
  int destroyed;
};

/* Whoever ends the last round destroys the barrier, while those of any round may not have returned,
 * and writes over it. */
static void* meet_until_destroyed(void* argument) {
  struct Ended* const ended = argument;
  struct Meeting* const meeting = &ended->meeting;
  while (__atomic_fetch_add(&meeting->begun, 1, __ATOMIC_RELAXED) < meeting->arrivals) {
    if (pthread_barrier_wait(&meeting->barrier) != PTHREAD_BARRIER_SERIAL_THREAD) continue;
    const long rounds = __atomic_add_fetch(&meeting->serial, 1, __ATOMIC_ACQ_REL);
    CHECK(rounds <= kRoundsBeforeEnd);
    if (rounds < kRoundsBeforeEnd) continue;
    CHECK_EQUAL(pthread_barrier_destroy(&meeting->barrier), 0);
    memset(&meeting->barrier, 0xa5, sizeof meeting->barrier);
    ++ended->destroyed;
  }
  return NULL;
}

static void check_more_users_until_destroyed(int users, int count) {
  pthread_t threads[kMost];
  unsigned char expected[sizeof(pthread_barrier_t)];
  memset(expected, 0xa5, sizeof expected);
  for (int i = 0; i < kDestroyed; ++i) {
    struct Ended ended = {.meeting = {.arrivals = kRoundsBeforeEnd * count, .count = count}};
    CHECK_EQUAL(pthread_barrier_init(&ended.meeting.barrier, NULL, (unsigned)count), 0);
    for (int j = 0; j < users - 1; ++j) {
      CHECK_EQUAL(pthread_create(&threads[j], NULL, &meet_until_destroyed, &ended), 0);
    }
    meet_until_destroyed(&ended);
    for (int j = 0; j < users - 1; ++j) CHECK_EQUAL(pthread_join(threads[j], NULL), 0);
    CHECK_EQUAL(ended.meeting.serial, kRoundsBeforeEnd);
    CHECK_EQUAL(ended.destroyed, 1);
    CHECK(memcmp(&ended.meeting.barrier, expected, sizeof expected) == 0);
  }
}

int main(void) {
  check_more_users(3, 1, 10000);
  check_more_users(3, 2, 80000);
  check_more_users(kMost, 2, 80000);
  check_more_users(kMost, 3, 80000);
  check_more_users(kMost, kMost, 2000);
  check_destroyed_at_once(1);
  check_destroyed_at_once(3);
  check_more_users_until_destroyed(kMost, 2);
  check_more_users_until_destroyed(kMost, 3);
  puts("passed");
  return 0;
}
