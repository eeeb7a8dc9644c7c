/* Signal handlers that end their thread, by pthread_exit(): whatever it was in, cleanup handlers
 * run, a mutex that it waits with is locked for them, and nothing is left of the wait. Cancellation
 * points in handlers of a thread that has been cancelled: it ends there or at its next one. Faults
 * of one thread while the handler of another waits. Signals for a thread that has come to the
 * destructors of its thread-local values. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

enum { kRounds = 20 };

static char ended_by_handler;
static volatile int begun;
static volatile int handled;
static int cleaned;

static int ends[2];
static int broken[2];         /* a pipe that nobody reads */
static int broken_at_once[2]; /* another, in non-blocking mode */
static int hung_up[2];        /* a socket whose other end is closed */
static sem_t empty;
static volatile int cancelled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;

static void leave(int signal) {
  (void)signal;
  handled = 1;
  pthread_exit(&ended_by_handler);
}

/* After the thread has been cancelled. */
static void look_for_cancellation(int signal) {
  (void)signal;
  handled = 1;
  while (!cancelled) sched_yield();
  pthread_testcancel();
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigfillset(&action.sa_mask);
  CHECK_EQUAL(sigaction(signal, &action, NULL), 0);
}

static void note(void* unused) {
  (void)unused;
  ++cleaned;
}

/* Fails unless the mutex is locked by us, as after a cancelled wait. */
static void unlock(void* unused) {
  (void)unused;
  CHECK_EQUAL(pthread_mutex_trylock(&mutex), EBUSY);
  ++cleaned;
  pthread_mutex_unlock(&mutex);
}

/* What the thread is in when the handler runs; each with a cleanup handler around it. */
static void in_raise(void) { raise(SIGUSR1); }
static void in_kill(void) { pthread_kill(pthread_self(), SIGUSR1); }
static void in_sleep(void) { sleep(1000); }
static void in_pause(void) { pause(); }
static void in_semaphore(void) {
  while (sem_wait(&empty) != 0) {}
}
static void in_join(void) { pthread_join(sleeper, NULL); }

static void in_read(void) {
  char byte = 0;
  while (read(ends[0], &byte, 1) != 1) {}
}

/* SIGPIPE has the handler. */
static void in_write(void) { CHECK_EQUAL(write(broken[1], "", 1), 0); }
static void in_write_at_once(void) { CHECK_EQUAL(write(broken_at_once[1], "", 1), 0); }
static void in_send(void) { CHECK_EQUAL(send(hung_up[1], "", 1, 0), 0); }

static void in_unblocking(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  CHECK_EQUAL(raise(SIGUSR1), 0);
  CHECK_EQUAL(handled, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void in_condition(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(&unlock, NULL);
  begun = 1;
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
}

static void* run(void* function) {
  pthread_cleanup_push(&note, NULL);
  if (function != &in_condition) begun = 1;
  ((void (*)(void))function)();
  pthread_cleanup_pop(0);
  return NULL;
}

/* Calls of which none need wait: the C library may be interrupted anywhere, and runs no cleanup
 * handlers then. */
static void* lock_and_unlock(void* unused) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  begun = 1;
  for (;;) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
  return unused;
}

static void* try_in_vain(void* unused) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_mutex_lock(&own);
  pthread_rwlock_wrlock(&lock);
  begun = 1;
  for (;;) {
    CHECK_EQUAL(pthread_mutex_trylock(&own), EBUSY);
    CHECK_EQUAL(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_EQUAL(sem_trywait(&empty), -1);
    sched_yield();
  }
  return unused;
}

static void* sleep_long(void* unused) {
  sleep(1000);
  return unused;
}

/* Locks that another thread holds, a barrier, and a function that another thread is at. */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t held_to_read = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t held_to_write = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Calls that wait for ever, and are not cancellation points: there the C library runs no cleanup
 * handlers, and leaves the locks as they are. */
static void* wait_to_lock(void* unused) {
  begun = 1;
  pthread_mutex_lock(&held);
  return unused;
}

static void* wait_to_read(void* unused) {
  begun = 1;
  pthread_rwlock_rdlock(&held_to_write);
  return unused;
}

static void* wait_to_write(void* unused) {
  begun = 1;
  pthread_rwlock_wrlock(&held_to_read);
  return unused;
}

static void do_nothing(void) {}

static void* wait_for_once(void* unused) {
  begun = 1;
  pthread_once(&once, &do_nothing);
  return unused;
}

static void* wait_for_barrier(void* unused) {
  begun = 1;
  pthread_barrier_wait(&barrier);
  return unused;
}

/* `sends`: the thread does not send the signal itself. */
static void end_in(void* (*function)(void*), void (*what)(void), int sends, int cleanups) {
  cleaned = 0;
  begun = handled = 0;
  const pthread_t thread = start(function, (void*)what);
  while (!begun) usleep(50);
  if (sends) {
    usleep(300);
    CHECK_EQUAL(pthread_kill(thread, SIGUSR1), 0);
  }
  CHECK(join(thread) == &ended_by_handler);
  CHECK_EQUAL(handled, 1);
  CHECK_EQUAL(cleaned, cleanups);
}

static __thread sigjmp_buf before_fault;

static void jump(int signal) {
  (void)signal;
  siglongjmp(before_fault, 1);
}

static void* make_fault(void* nowhere) {
  if (sigsetjmp(before_fault, 1) == 0) {
    *(volatile int*)nowhere = 1;
    return nowhere;
  }
  return &before_fault;
}

/* A handler that has gone, or waits, leaves no thread without its own of SIGSEGV. */
static void check_fault(void) { CHECK(join(start(&make_fault, NULL)) != NULL); }

static volatile int let_go;

static void wait_in_handler(int signal, siginfo_t* info, void* context) {
  CHECK_EQUAL(info->si_signo, signal);
  CHECK_EQUAL(info->si_code, SI_TKILL);
  CHECK_EQUAL(info->si_pid, getpid());
  handled = 1;
  while (!let_go) usleep(50);
  /* What the thread blocks when the handler has returned. */
  sigaddset(&((ucontext_t*)context)->uc_sigmask, SIGURG);
}

static void* sleep_until_signal(void* unused) {
  begun = 1;
  while (!handled) usleep(50);
  sigset_t mask;
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
  CHECK_EQUAL(sigismember(&mask, SIGURG), 1);
  CHECK_EQUAL(sigismember(&mask, SIGUSR1), 0);
  return unused;
}

static void check_fault_beside_handler(void) {
  begun = handled = let_go = 0;
  const pthread_t thread = start(&sleep_until_signal, NULL);
  while (!begun) usleep(50);
  CHECK_EQUAL(pthread_kill(thread, SIGWINCH), 0);
  while (!handled) usleep(50);
  check_fault();
  let_go = 1;
  join(thread);
}

static void check_exit(void) {
  end_in(&run, &in_raise, 0, 1);
  end_in(&run, &in_kill, 0, 1);
  end_in(&run, &in_unblocking, 0, 1);
  end_in(&run, &in_write, 0, 1);
  end_in(&run, &in_write_at_once, 0, 1);
  check_fault();
  end_in(&run, &in_send, 0, 1);
  end_in(&run, &in_sleep, 1, 1);
  end_in(&run, &in_pause, 1, 1);
  end_in(&run, &in_read, 1, 1);
  end_in(&run, &in_semaphore, 1, 1);
  end_in(&run, &in_condition, 1, 2);
  end_in(&lock_and_unlock, NULL, 1, 0);
  end_in(&try_in_vain, NULL, 1, 0);
  sleeper = start(&sleep_long, NULL);
  end_in(&run, &in_join, 1, 1);
  CHECK_EQUAL(pthread_cancel(sleeper), 0);
  CHECK(join(sleeper) == PTHREAD_CANCELED); /* nobody else waits for it any more */
  CHECK_EQUAL(pthread_mutex_trylock(&mutex), 0);
  pthread_mutex_unlock(&mutex);
}

static void end_in_once(void) { end_in(&wait_for_once, NULL, 1, 0); }

/* A handler runs at once also where its thread waits for a lock, and ends it. */
static void check_exit_from_locks(void) {
  CHECK_EQUAL(pthread_mutex_lock(&held), 0);
  end_in(&wait_to_lock, NULL, 1, 0);
  CHECK_EQUAL(pthread_mutex_unlock(&held), 0);
  CHECK_EQUAL(pthread_mutex_trylock(&held), 0); /* nobody else waits for it any more */
  CHECK_EQUAL(pthread_mutex_unlock(&held), 0);
  CHECK_EQUAL(pthread_rwlock_init(&held_to_read, NULL), 0);
  CHECK_EQUAL(pthread_rwlock_init(&held_to_write, NULL), 0);
  CHECK_EQUAL(pthread_rwlock_rdlock(&held_to_read), 0);
  CHECK_EQUAL(pthread_rwlock_wrlock(&held_to_write), 0);
  end_in(&wait_to_read, NULL, 1, 0);
  end_in(&wait_to_write, NULL, 1, 0);
  CHECK_EQUAL(pthread_barrier_init(&barrier, NULL, 2), 0);
  end_in(&wait_for_barrier, NULL, 1, 0);
  pthread_barrier_wait(&barrier); /* the other has arrived */
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  CHECK_EQUAL(pthread_once(&once, &end_in_once), 0);
}

static void* lock_until_cancelled(void* unused) {
  begun = 1;
  for (;;) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (handled) pthread_testcancel();
  }
  return unused;
}

static void* wait_until_cancelled(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(&unlock, NULL);
  begun = 1;
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

/* The cancellation comes while the handler runs. */
static void cancel_in_handler(void* (*function)(void*)) {
  cleaned = begun = handled = cancelled = 0;
  const pthread_t thread = start(function, NULL);
  while (!begun) usleep(50);
  usleep(300);
  CHECK_EQUAL(pthread_kill(thread, SIGUSR2), 0);
  while (!handled) usleep(50);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  cancelled = 1;
  CHECK(join(thread) == PTHREAD_CANCELED);
}

static pthread_key_t key;
static void (*in_destructor)(void);

static void destroy(void* unused) {
  (void)unused;
  begun = 1;
  in_destructor();
}

static void* set_value(void* unused) {
  CHECK_EQUAL(pthread_setspecific(key, &key), 0);
  return unused;
}

static void abort_there(void) { raise(SIGABRT); }

static void write_there(void) {
  signal(SIGPIPE, SIG_DFL);
  CHECK_EQUAL(write(broken[1], "", 1), 1);
}

static void sleep_there(void) { sleep(5); }

static void unblock_there(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  CHECK_EQUAL(raise(SIGTERM), 0);
  CHECK_EQUAL(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

static void change_mask_there(void) {
  while (!handled) usleep(50);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

/* How a process ends in which a destructor calls `what`, and the main thread sends its thread a
 * signal meanwhile, unless that is 0. */
static int status_with_destructor(void (*what)(void), int sent) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_DUMPABLE, 0); /* no core files */
    begun = handled = 0;
    in_destructor = what;
    const pthread_t thread = start(&set_value, NULL);
    while (!begun) usleep(50);
    if (sent != 0) CHECK_EQUAL(pthread_kill(thread, sent), 0);
    handled = 1;
    join(thread);
    _exit(0);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  return status;
}

static void check_destructors(void) {
  CHECK_EQUAL(pthread_key_create(&key, &destroy), 0);
  for (int round = 0; round < kRounds / 4; ++round) {
    CHECK_EQUAL(status_with_destructor(&abort_there, 0), SIGABRT);
    CHECK_EQUAL(status_with_destructor(&write_there, 0), SIGPIPE);
    CHECK_EQUAL(status_with_destructor(&unblock_there, 0), SIGTERM);
    CHECK_EQUAL(status_with_destructor(&sleep_there, SIGTERM), SIGTERM);
    CHECK_EQUAL(status_with_destructor(&change_mask_there, SIGUSR1), 0);
  }
  CHECK_EQUAL(pthread_key_delete(key), 0);
}

static void* check_all(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    check_exit();
    check_exit_from_locks();
    check_fault_beside_handler();
    cancel_in_handler(&wait_until_cancelled);
    CHECK_EQUAL(cleaned, 1);
  }
  return unused;
}

int main(void) {
  CHECK_EQUAL(sem_init(&empty, 0, 0), 0);
  CHECK_EQUAL(pipe(ends), 0);
  CHECK_EQUAL(pipe(broken), 0);
  CHECK_EQUAL(pipe2(broken_at_once, O_NONBLOCK), 0);
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, hung_up), 0);
  close(broken[0]);
  close(broken_at_once[0]);
  close(hung_up[0]);
  handle(SIGUSR1, &leave);
  handle(SIGPIPE, &leave);
  handle(SIGUSR2, &look_for_cancellation);
  handle(SIGSEGV, &jump);
  struct sigaction action = {.sa_sigaction = &wait_in_handler, .sa_flags = SA_SIGINFO};
  sigfillset(&action.sa_mask);
  CHECK_EQUAL(sigaction(SIGWINCH, &action, NULL), 0);
  check_destructors();
  check_all(NULL); /* by an OS thread */
  join(start(&check_all, NULL));
  for (int round = 0; round < kRounds; ++round) cancel_in_handler(&lock_until_cancelled);
  puts("passed");
  return 0;
}
