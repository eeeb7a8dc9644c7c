/* Signals to threads: sigwait() and its like take what pthread_kill() sends and what the process gets,
 * while other threads run; masks keep signals back; handlers run in the thread that is meant, and
 * interrupt what it waits for; what has no handler concerns the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

enum { kRounds = 300, kWaiters = 5, kEchoes = 5000, kHandled = 100 };

static sem_t ready;
static int received;
static int others;
static pthread_t handled_in;
static volatile sig_atomic_t handled;

static sigset_t set_of(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

static void note(int signal) {
  (void)signal;
  handled_in = pthread_self();
  ++handled;
}

static void handle(int signal, int flags) {
  struct sigaction action = {.sa_handler = &note, .sa_flags = flags};
  CHECK_EQUAL(sigaction(signal, &action, NULL), 0);
}

/* As a program does whose thread tells what it is doing: at once, or when it waits already. */
static void* wait_once(void* argument) {
  const int late = argument != NULL;
  const sigset_t set = set_of(SIGUSR2);
  if (late) usleep(300);
  int signal = 0;
  CHECK_EQUAL(sigwait(&set, &signal), 0);
  CHECK_EQUAL(signal, SIGUSR2);
  ++received;
  return NULL;
}

static void* end_waiters(void* unused) {
  received = 0;
  for (int i = 0; i < kRounds; ++i) {
    const pthread_t waiter = start(&wait_once, i % 2 != 0 ? &ready : NULL);
    if (i % 3 == 0) usleep(100);
    CHECK_EQUAL(pthread_kill(waiter, 0), 0);
    CHECK_EQUAL(pthread_kill(waiter, SIGUSR2), 0);
    join(waiter);
    CHECK_EQUAL(received, i + 1);
  }
  return unused;
}

static void* take_for_process(void* unused) {
  const sigset_t set = set_of(SIGUSR1);
  siginfo_t info;
  int signal = -1;
  while (signal < 0) { /* Linux may wake several for one */
    signal = sigwaitinfo(&set, &info);
    if (signal < 0) CHECK_EQUAL(errno, EINTR);
  }
  CHECK_EQUAL(signal, SIGUSR1);
  CHECK_EQUAL(info.si_signo, SIGUSR1);
  CHECK_EQUAL(info.si_code, SI_USER);
  CHECK_EQUAL(info.si_pid, getpid());
  __atomic_add_fetch(&received, 1, __ATOMIC_SEQ_CST);
  sem_post(&ready);
  return unused;
}

static void* run_beside(void* unused) {
  __atomic_add_fetch(&others, 1, __ATOMIC_SEQ_CST);
  return unused;
}

/* More than there are workers, and still others run. Each gets one. */
static void check_process(void) {
  pthread_t waiters[kWaiters];
  received = others = 0;
  for (int i = 0; i < kWaiters; ++i) waiters[i] = start(&take_for_process, NULL);
  usleep(2000);
  for (int i = 0; i < kWaiters; ++i) join(start(&run_beside, NULL));
  CHECK_EQUAL(others, kWaiters);
  CHECK_EQUAL(received, 0);
  for (int i = 0; i < kWaiters; ++i) {
    CHECK_EQUAL(kill(getpid(), SIGUSR1), 0);
    sem_wait(&ready);
  }
  for (int i = 0; i < kWaiters; ++i) join(waiters[i]);
  CHECK_EQUAL(received, kWaiters);
}

static void* wait_in_vain(void* unused) {
  const sigset_t set = set_of(SIGUSR2);
  const struct timespec soon = {0, 20000000};
  const struct timespec wrong = {0, -1};
  const double begin = now();
  CHECK_EQUAL(sigtimedwait(&set, NULL, &soon), -1);
  CHECK_EQUAL(errno, EAGAIN);
  CHECK(now() - begin >= 0.02);
  CHECK_EQUAL(sigtimedwait(&set, NULL, &wrong), -1);
  CHECK_EQUAL(errno, EINVAL);
  return unused;
}

/* Of itself and of others, with the mask and with a handler behind it. */
static void* keep_back(void* unused) {
  const sigset_t set = set_of(SIGUSR2);
  sigset_t pending;
  siginfo_t info;
  CHECK_EQUAL(raise(SIGUSR2), 0);
  CHECK_EQUAL(pthread_kill(pthread_self(), SIGUSR2), 0);
  CHECK_EQUAL(sigpending(&pending), 0);
  CHECK_EQUAL(sigismember(&pending, SIGUSR2), 1);
  CHECK_EQUAL(handled, 0);
  const struct timespec at_once = {0, 0};
  CHECK_EQUAL(sigtimedwait(&set, &info, &at_once), SIGUSR2);
  CHECK_EQUAL(info.si_code, SI_USER);
  CHECK_EQUAL(info.si_pid, getpid());
  CHECK_EQUAL(sigpending(&pending), 0);
  CHECK_EQUAL(sigismember(&pending, SIGUSR2), 0);
  sem_post(&ready);
  do {
    sched_yield();
    CHECK_EQUAL(sigpending(&pending), 0);
  } while (sigismember(&pending, SIGUSR2) == 0); /* the main thread sends one */
  CHECK_EQUAL(handled, 0);
  CHECK_EQUAL(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
  CHECK_EQUAL(handled, 1);
  CHECK(pthread_equal(handled_in, pthread_self()));
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  return unused;
}

static void check_mask(void) {
  handle(SIGUSR2, SA_RESTART);
  handled = 0;
  const pthread_t thread = start(&keep_back, NULL);
  while (sem_wait(&ready) != 0) {}
  CHECK_EQUAL(pthread_kill(thread, SIGUSR2), 0);
  join(thread);
}

static void* be_cancelled(void* unused) {
  const sigset_t set = set_of(SIGUSR2);
  int signal = 0;
  sem_post(&ready);
  sigwait(&set, &signal);
  CHECK(0);
  return unused;
}

static void check_cancelled(void) {
  const pthread_t thread = start(&be_cancelled, NULL);
  sem_wait(&ready);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
}

/* Waits that a handler ends, or does not where it says so. */
static int ends[2];
static sem_t empty;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* in_read(void* restarts) {
  char byte = 0;
  const ssize_t got = read(ends[0], &byte, 1);
  CHECK_EQUAL(got, restarts == NULL ? -1 : 1);
  if (restarts == NULL) CHECK_EQUAL(errno, EINTR);
  return NULL;
}

static void* in_semaphore(void* restarts) {
  const int result = sem_wait(&empty);
  CHECK_EQUAL(result, restarts == NULL ? -1 : 0);
  if (restarts == NULL) CHECK_EQUAL(errno, EINTR);
  return NULL;
}

static void* in_sleep(void* unused) {
  const struct timespec long_time = {1000, 0};
  struct timespec left = {0, 0};
  CHECK_EQUAL(nanosleep(&long_time, &left), -1);
  CHECK_EQUAL(errno, EINTR);
  CHECK(left.tv_sec > 900 && left.tv_sec <= 1000);
  return unused;
}

static void* in_poll(void* unused) {
  CHECK_EQUAL(poll(NULL, 0, -1), -1);
  CHECK_EQUAL(errno, EINTR);
  return unused;
}

static void* in_sleeps_of_nothing(void* unused) {
  while (!handled) usleep(0);
  return unused;
}

static void* in_pause(void* unused) {
  CHECK_EQUAL(pause(), -1);
  CHECK_EQUAL(errno, EINTR);
  return unused;
}

static void* in_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!handled) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* in_calls(void* unused) {
  while (!handled) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

/* The handler may come before the wait, which then knows nothing of it: so it is sent again and again.
 * A condition may wait on afterwards. */
static void interrupt(void* (*function)(void*), void* argument, void (*end)(void)) {
  handled = 0;
  handled_in = pthread_self();
  const pthread_t thread = start(function, argument);
  usleep(500);
  CHECK_EQUAL(pthread_kill(thread, SIGUSR1), 0);
  while (!handled) sched_yield();
  CHECK(pthread_equal(handled_in, thread));
  if (end != NULL) {
    end();
    join(thread);
    return;
  }
  struct timespec soon;
  do {
    pthread_kill(thread, SIGUSR1);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
  } while (pthread_timedjoin_np(thread, NULL, &soon) != 0);
}

static void end_read(void) { CHECK_EQUAL(write(ends[1], "", 1), 1); }
static void end_semaphore(void) { sem_post(&empty); }
static void end_condition(void) {
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}

static volatile sig_atomic_t depth;
static volatile sig_atomic_t deepest;
static volatile sig_atomic_t ended;

static void pass_bytes(int signal) {
  (void)signal;
  char byte = 0;
  if (++depth > deepest) deepest = depth;
  for (int i = 0; i < 20; ++i) {
    if (write(ends[1], "", 1) == 1 && read(ends[0], &byte, 1) != 1) abort();
  }
  --depth;
  if (++ended == kHandled) handled = 1;
}

/* A handler that makes calls is not interrupted by its own signal. */
static void check_nested(void) {
  const struct sigaction action = {.sa_handler = &pass_bytes};
  CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
  handled = 0;
  const pthread_t thread = start(&in_calls, NULL);
  while (!handled) CHECK_EQUAL(pthread_kill(thread, SIGUSR1), 0);
  join(thread);
  CHECK_EQUAL(deepest, 1);
}

static void* interrupt_all(void* unused) {
  static int restarts;
  for (int i = 0; i < 20; ++i) {
    handle(SIGUSR1, 0);
    interrupt(&in_read, NULL, NULL);
    interrupt(&in_semaphore, NULL, NULL);
    interrupt(&in_sleep, NULL, NULL);
    interrupt(&in_poll, NULL, NULL);
    interrupt(&in_sleeps_of_nothing, NULL, NULL);
    interrupt(&in_pause, NULL, NULL);
    interrupt(&in_condition, NULL, &end_condition);
    interrupt(&in_calls, NULL, NULL);
    handle(SIGUSR1, SA_RESTART);
    interrupt(&in_read, &restarts, &end_read);
    interrupt(&in_semaphore, &restarts, &end_semaphore);
    interrupt(&in_sleep, NULL, NULL);
  }
  return unused;
}

static void* sleep_on(void* unused) {
  sleep(1000);
  return unused;
}

static int there[2];
static int back[2];
static int heard;

static void* echo(void* unused) {
  char byte = 0;
  for (int i = 0; i < kEchoes; ++i) {
    CHECK_EQUAL(read(there[0], &byte, 1), 1);
    CHECK_EQUAL(write(back[1], &byte, 1), 1);
  }
  return unused;
}

static void* hear(void* unused) {
  char byte = 0;
  for (int i = 0; i < kEchoes; ++i) {
    CHECK_EQUAL(write(there[1], "", 1), 1);
    CHECK_EQUAL(read(back[0], &byte, 1), 1);
  }
  __atomic_store_n(&heard, 1, __ATOMIC_RELEASE);
  return unused;
}

/* Signals that nobody handles, while a thread begins to wait for I/O again and again. */
static void check_ignored_in_read(void) {
  CHECK_EQUAL(pipe(there), 0);
  CHECK_EQUAL(pipe(back), 0);
  const pthread_t reader = start(&echo, NULL);
  const pthread_t hearer = start(&hear, NULL);
  while (!__atomic_load_n(&heard, __ATOMIC_ACQUIRE)) CHECK_EQUAL(pthread_kill(reader, SIGURG), 0);
  join(hearer);
  join(reader);
}

/* Without a handler: nothing happens, or the process ends. */
static void check_default(void) {
  pthread_t thread = start(&sleep_on, NULL);
  signal(SIGUSR1, SIG_IGN);
  for (int i = 0; i < 1000; ++i) {
    if (i % 100 == 0) usleep(100);
    CHECK_EQUAL(pthread_kill(thread, i % 2 != 0 ? SIGURG : SIGUSR1), 0);
  }
  CHECK_EQUAL(pthread_tryjoin_np(thread, NULL), EBUSY);
  CHECK_EQUAL(pthread_kill(thread, NSIG), EINVAL);
  CHECK_EQUAL(pthread_kill(thread, -1), EINVAL);
  pthread_cancel(thread);
  join(thread);
  const pid_t child = fork();
  if (child == 0) {
    thread = start(&sleep_on, NULL);
    pthread_kill(thread, SIGTERM);
    join(thread);
    _exit(0);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void) {
  CHECK_EQUAL(sem_init(&ready, 0, 0), 0);
  CHECK_EQUAL(sem_init(&empty, 0, 0), 0);
  CHECK_EQUAL(pipe(ends), 0);
  sigset_t blocked = set_of(SIGUSR2);
  sigaddset(&blocked, SIGUSR1);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &blocked, NULL), 0);
  end_waiters(NULL); /* by an OS thread */
  join(start(&end_waiters, NULL));
  check_process();
  join(start(&wait_in_vain, NULL));
  check_mask();
  for (int i = 0; i < 50; ++i) check_cancelled();
  const sigset_t unblocked = set_of(SIGUSR1);
  CHECK_EQUAL(pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL), 0);
  interrupt_all(NULL); /* by an OS thread */
  join(start(&interrupt_all, NULL));
  check_nested();
  check_ignored_in_read();
  check_default();
  puts("passed");
  return 0;
}
