/* A process whose threads all wait uses no CPU time: in sigwait() and its like, also after signals have
 * been taken, and after a wake-up for a signal that is not there any more. The clock is the process's
 * own, so a busy machine does not matter. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "threads.h"

enum { kSignals = 200, kPeriod = 50000000, kPeriods = 100 };

static int taken;

static int64_t cpu_time(void) {
  struct timespec time;
  CHECK_EQUAL(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static sigset_t awaited(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  return set;
}

/* Until SIGUSR2 comes. */
static void* in_sigwait(void* unused) {
  const sigset_t set = awaited();
  int signal = 0;
  while (signal != SIGUSR2) {
    CHECK_EQUAL(sigwait(&set, &signal), 0);
    __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
  }
  return unused;
}

static void* in_sigtimedwait(void* unused) {
  const sigset_t set = awaited();
  const struct timespec long_time = {1000, 0};
  int signal = 0;
  while (signal != SIGUSR2) {
    signal = sigtimedwait(&set, NULL, &long_time);
    if (signal < 0) CHECK_EQUAL(errno, EINTR);
    if (signal > 0) __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
  }
  return unused;
}

/* Whether, sooner or later, the process takes less than a tenth of a core in two periods on end: one
 * may fall to a moment in which a busy machine lets nobody of us run. */
static int comes_to_rest(void) {
  const struct timespec period = {0, kPeriod};
  int quiet = 0;
  for (int i = 0; i < kPeriods && quiet < 2; ++i) {
    const int64_t before = cpu_time();
    nanosleep(&period, NULL);
    quiet = cpu_time() - before < kPeriod / 10 ? quiet + 1 : 0;
  }
  return quiet == 2;
}

/* As one that tells of a signal comes after that was taken: wakes whatever waits for such a
 * descriptor, of which nothing is known but that it is there. */
static int ring_all(void) {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  const struct dirent* entry = NULL;
  while ((entry = readdir(folder)) != NULL) {
    char target[64] = "";
    if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) < 0) continue;
    if (strcmp(target, "anon_inode:[eventfd]") != 0) continue;
    const uint64_t one = 1;
    if (write(atoi(entry->d_name), &one, sizeof one) == sizeof one) ++count;
  }
  closedir(folder);
  return count;
}

static void check(void* (*function)(void*)) {
  taken = 0;
  const pthread_t waiter = start(function, NULL);
  CHECK(comes_to_rest());
  for (int i = 1; i <= kSignals; ++i) {
    /* One to the thread, one to the process. */
    CHECK_EQUAL(i % 2 != 0 ? pthread_kill(waiter, SIGUSR1) : kill(getpid(), SIGUSR1), 0);
    while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) < i) usleep(50);
  }
  CHECK(comes_to_rest());
  ring_all();
  CHECK(comes_to_rest());
  CHECK_EQUAL(__atomic_load_n(&taken, __ATOMIC_SEQ_CST), kSignals);
  CHECK_EQUAL(pthread_kill(waiter, SIGUSR2), 0);
  join(waiter);
}

int main(void) {
  const sigset_t set = awaited();
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  check(&in_sigwait);
  check(&in_sigtimedwait);
  puts("passed");
  return 0;
}
