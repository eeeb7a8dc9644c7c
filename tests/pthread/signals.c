/* Signals: handlers in the main thread that wake others by sem_post(), wherever they interrupt it;
 * raise() in a thread; masks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

enum { kTicks = 500, kThreads = 8 };

static sem_t ticks;
static sem_t done;
static volatile sig_atomic_t handled;
static __thread volatile sig_atomic_t raised;

static void tick(int signal) {
  (void)signal;
  const int saved = errno;
  ++handled;
  sem_post(&ticks);
  errno = saved;
}

static void note(int signal) {
  (void)signal;
  ++raised;
}

static void* count_ticks(void* unused) {
  for (int i = 0; i < kTicks / kThreads; ++i) {
    while (sem_wait(&ticks) != 0) {}
    sem_post(&done);
  }
  return unused;
}

static void* raise_some(void* unused) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, &before), 0);
  CHECK_EQUAL(sigismember(&before, SIGUSR2), 0);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
  CHECK_EQUAL(sigismember(&before, SIGUSR2), 1);
  CHECK_EQUAL(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
  for (int i = 1; i <= 10; ++i) {
    CHECK_EQUAL(i % 2 != 0 ? raise(SIGUSR1) : pthread_kill(pthread_self(), SIGUSR1), 0);
    CHECK_EQUAL(raised, i);
    usleep(10);
  }
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  sem_init(&ticks, 0, 0);
  sem_init(&done, 0, 0);
  signal(SIGUSR1, &note);
  signal(SIGALRM, &tick);
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &raise_some, NULL), 0);
  }
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, &count_ticks, NULL), 0);
  }
  const struct itimerval often = {{0, 300}, {0, 300}};
  CHECK_EQUAL(setitimer(ITIMER_REAL, &often, NULL), 0);
  for (int i = 0; i < kTicks / kThreads * kThreads; ++i) {
    while (sem_wait(&done) != 0) CHECK_EQUAL(errno, EINTR);
    sem_post(&done); /* something to interrupt */
    while (sem_wait(&done) != 0) CHECK_EQUAL(errno, EINTR);
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  CHECK_EQUAL(setitimer(ITIMER_REAL, &never, NULL), 0);
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  puts("passed");
  return 0;
}
