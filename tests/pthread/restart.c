/* Which waits a signal handler with SA_RESTART ends all the same, and which go on, as on Linux
 * (signal(7) errs about sem_timedwait()): those with a time limit end, of sockets by SO_RCVTIMEO and
 * SO_SNDTIMEO too, and all that wait for events or signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "threads.h"

static const struct timespec kLong = {1000, 0};
static volatile int handled;
static volatile int begun;
static int ends[2];
static int plain[2];
static int limited[2]; /* with time limits */
static int listening;
static int events;
static sem_t empty;

static void note(int signal) {
  (void)signal;
  handled = 1;
}

/* Those that end. */
static int in_poll(void) {
  struct pollfd watched[2] = {{ends[0], POLLIN, 0}, {plain[0], POLLIN, 0}};
  return poll(watched, 2, -1);
}
static int in_poll_of_one(void) {
  struct pollfd watched = {ends[0], POLLIN, 0};
  return poll(&watched, 1, 1000000);
}
static int in_poll_of_none(void) { return poll(NULL, 0, -1); }
static int in_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return select(ends[0] + 1, &set, NULL, NULL, NULL);
}
static int in_epoll_wait(void) {
  struct epoll_event event;
  return epoll_wait(events, &event, 1, -1);
}
static int in_nanosleep(void) { return nanosleep(&kLong, NULL); }
static int in_pause(void) { return pause(); }
static int in_sigwaitinfo(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return sigwaitinfo(&set, NULL);
}
static int in_sigtimedwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return sigtimedwait(&set, NULL, &kLong);
}
static int in_limited_recv(void) {
  char byte;
  return (int)recv(limited[0], &byte, 1, 0);
}
static int in_limited_read(void) {
  char byte;
  return (int)read(limited[0], &byte, 1);
}
static int in_limited_send(void) {
  static const char bytes[1 << 16];
  ssize_t sent = 0;
  do {
    sent = send(limited[0], bytes, sizeof bytes, 0);
  } while (sent > 0);
  return (int)sent;
}
static int in_limited_accept(void) { return accept(listening, NULL, NULL); }
static int in_sem_timedwait(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1000;
  return sem_timedwait(&empty, &time);
}

/* Those that go on. */
static int in_read(void) {
  char byte;
  return (int)read(ends[0], &byte, 1);
}
static int in_recv(void) {
  char byte;
  return (int)recv(plain[0], &byte, 1, 0);
}
static int in_sem_wait(void) { return sem_wait(&empty); }

static void end_read(void) { CHECK_EQUAL(write(ends[1], "", 1), 1); }
static void end_recv(void) { CHECK_EQUAL(write(plain[1], "", 1), 1); }
static void end_sem_wait(void) { sem_post(&empty); }

static int last_error;

static void* call(void* function) {
  begun = 1;
  errno = 0;
  const int result = ((int (*)(void))function)();
  last_error = errno;
  return (void*)(long)result;
}

static pthread_t begin(int (*function)(void)) {
  handled = begun = 0;
  const pthread_t thread = start(&call, (void*)function);
  while (!begun) usleep(50);
  usleep(500);
  return thread;
}

/* The handler may come before the wait, so it is sent again and again. */
static void ends_it(const char* name, int (*function)(void)) {
  const pthread_t thread = begin(function);
  const double begin_time = now();
  void* result = NULL;
  struct timespec soon;
  do {
    if (now() - begin_time > 20) {
      fprintf(stderr, "%s goes on after a handler with SA_RESTART\n", name);
      abort();
    }
    CHECK_EQUAL(pthread_kill(thread, SIGUSR1), 0);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 2000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
  } while (pthread_timedjoin_np(thread, &result, &soon) != 0);
  if ((long)result != -1 || last_error != EINTR) {
    fprintf(stderr, "%s returns %ld, errno %d\n", name, (long)result, last_error);
    abort();
  }
}

static void goes_on(int (*function)(void), void (*end)(void), int expected) {
  const pthread_t thread = begin(function);
  CHECK_EQUAL(pthread_kill(thread, SIGUSR1), 0);
  while (!handled) usleep(50);
  CHECK_EQUAL(pthread_tryjoin_np(thread, NULL), EBUSY);
  end();
  CHECK_EQUAL((long)join(thread), expected);
}

#define ENDS(function) ends_it(#function, &function)

static void* check_all(void* unused) {
  for (int round = 0; round < 5; ++round) {
    ENDS(in_poll);
    ENDS(in_poll_of_one);
    ENDS(in_poll_of_none);
    ENDS(in_select);
    ENDS(in_epoll_wait);
    ENDS(in_nanosleep);
    ENDS(in_pause);
    ENDS(in_sigwaitinfo);
    ENDS(in_sigtimedwait);
    ENDS(in_limited_recv);
    ENDS(in_limited_read);
    ENDS(in_limited_send);
    ENDS(in_limited_accept);
    ENDS(in_sem_timedwait);
    goes_on(&in_read, &end_read, 1);
    goes_on(&in_recv, &end_recv, 1);
    goes_on(&in_sem_wait, &end_sem_wait, 0);
  }
  return unused;
}

static void limit(int socket) {
  const struct timeval span = {1000, 0};
  CHECK_EQUAL(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span), 0);
  CHECK_EQUAL(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &span, sizeof span), 0);
}

int main(void) {
  CHECK_EQUAL(sem_init(&empty, 0, 0), 0);
  CHECK_EQUAL(pipe(ends), 0);
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, plain), 0);
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, limited), 0);
  limit(limited[0]);
  struct sockaddr_un address = {.sun_family = AF_UNIX}; /* a name that the system chooses */
  listening = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQUAL(bind(listening, (struct sockaddr*)&address, sizeof address.sun_family), 0);
  CHECK_EQUAL(listen(listening, 1), 0);
  limit(listening);
  events = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK_EQUAL(epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event), 0);
  struct sigaction action = {.sa_handler = &note, .sa_flags = SA_RESTART};
  CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
  check_all(NULL); /* by an OS thread */
  join(start(&check_all, NULL));
  puts("passed");
  return 0;
}
