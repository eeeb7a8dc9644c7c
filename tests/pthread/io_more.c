/* Calls for I/O at their edges: no descriptors left, duplicates, modes, hang-ups, cancellation that is
 * disabled or comes late, numbers that come back. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "threads.h"

/* Of the whole process. */
static double cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void in_thread(void* (*function)(void*)) { join(start(function, NULL)); }

static void* nothing(void* unused) { return unused; }

/* Writes a byte a little later. */
static void* write_late(void* argument) {
  usleep(20000);
  CHECK_EQUAL(write((int)(intptr_t)argument, "x", 1), 1);
  return NULL;
}

/* --- No descriptors left -------------------------------------------------------------------------- */

static struct rlimit usual_limit;

static void leave_no_descriptors(void) {
  struct rlimit limit;
  CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &usual_limit), 0);
  const int next = dup(0);
  CHECK(next >= 0);
  CHECK_EQUAL(close(next), 0);
  limit = usual_limit;
  limit.rlim_cur = (rlim_t)next;
  CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void leave_descriptors(void) { CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &usual_limit), 0); }

/* The first calls of the process that wait. */
static void* without_descriptors(void* argument) {
  int(*const pipes)[2] = argument;
  char byte = 0;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(7);
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK_EQUAL(fsync(pipes[0][0]), -1);
  CHECK_EQUAL(errno, EINVAL);

  CHECK_EQUAL(write(pipes[0][1], "a", 1), 1);
  CHECK_EQUAL(read(pipes[0][0], &byte, 1), 1);
  CHECK_EQUAL(byte, 'a');
  const pthread_t writer = start(write_late, (void*)(intptr_t)pipes[0][1]);
  CHECK_EQUAL(read(pipes[0][0], &byte, 1), 1);
  CHECK_EQUAL(byte, 'x');
  join(writer);

  struct pollfd watched[2] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
  const double begin = now();
  const double work = cpu();
  CHECK_EQUAL(poll(watched, 2, 200), 0);
  CHECK(now() - begin >= 0.199);
  CHECK(cpu() - work < 0.15);
  return NULL;
}

static void exhaustion(void) {
  int pipes[2][2];
  CHECK_EQUAL(pipe(pipes[0]), 0);
  CHECK_EQUAL(pipe(pipes[1]), 0);
  in_thread(nothing); /* what threads need by themselves is there */
  leave_no_descriptors();
  join(start(without_descriptors, pipes));
  leave_descriptors();
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(close(pipes[i / 2][i % 2]), 0);
}

/* --- Several descriptors -------------------------------------------------------------------------- */

static void* wait_for_urgency(void* unused) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  CHECK_EQUAL(close(ends[1]), 0);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval limit = {0, 200000};
  const double begin = now();
  const double work = cpu();
  CHECK_EQUAL(select(ends[0] + 1, NULL, NULL, &set, &limit), 0);
  CHECK(now() - begin >= 0.199);
  CHECK(cpu() - work < 0.15);
  CHECK(!FD_ISSET(ends[0], &set));
  CHECK_EQUAL(close(ends[0]), 0);
  return unused;
}

/* A set of one word at the end of a page, with nothing behind it. */
static void* small_set(void* unused) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  CHECK(ends[0] < NFDBITS);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + page, page, PROT_NONE), 0);
  fd_mask* const word = (fd_mask*)(void*)(pages + page) - 1;
  *word = (fd_mask)1 << ends[0];
  struct timeval limit = {0, 10000};
  CHECK_EQUAL(select(ends[0] + 1, (fd_set*)(void*)word, NULL, NULL, &limit), 0);
  CHECK_EQUAL(*word, 0);
  *word = (fd_mask)1 << ends[0];
  const pthread_t writer = start(write_late, (void*)(intptr_t)ends[1]);
  CHECK_EQUAL(select(ends[0] + 1, (fd_set*)(void*)word, NULL, NULL, NULL), 1);
  CHECK_EQUAL(*word, (fd_mask)1 << ends[0]);
  join(writer);
  CHECK_EQUAL(munmap(pages, 2 * page), 0);
  CHECK_EQUAL(close(ends[0]), 0);
  CHECK_EQUAL(close(ends[1]), 0);
  return unused;
}

static void* invalid_times(void* unused) {
  struct timeval negative = {-1, 0};
  CHECK_EQUAL(select(0, NULL, NULL, NULL, &negative), -1);
  CHECK_EQUAL(errno, EINVAL);
  const struct timespec large = {0, 1000000000};
  CHECK_EQUAL(pselect(0, NULL, NULL, NULL, &large, NULL), -1);
  CHECK_EQUAL(errno, EINVAL);
  struct pollfd nobody = {-1, POLLIN, 0};
  CHECK_EQUAL(ppoll(&nobody, 1, &large, NULL), -1);
  CHECK_EQUAL(errno, EINVAL);
  return unused;
}

/* --- Processes ------------------------------------------------------------------------------------ */

static void* read_one(void* argument) {
  char byte = 0;
  CHECK_EQUAL(read((int)(intptr_t)argument, &byte, 1), 1);
  CHECK_EQUAL(byte, 'x');
  return NULL;
}

/* What the child of the main thread does to its descriptors is nothing to the parent's waiters. */
static void child_closes(void) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  const pthread_t reader = start(read_one, (void*)(intptr_t)ends[0]);
  usleep(10000);
  const pid_t child = vfork();
  if (child == 0) {
    dup2(0, ends[0]);
    close(ends[0]);
    close(ends[1]);
    _exit(7);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK_EQUAL(write(ends[1], "x", 1), 1);
  join(reader);
  CHECK_EQUAL(close(ends[0]), 0);
  CHECK_EQUAL(close(ends[1]), 0);
}

/* --- Connections ---------------------------------------------------------------------------------- */

static struct sockaddr_in address;

static int new_listener(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t size = sizeof address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQUAL(bind(listener, (struct sockaddr*)&address, sizeof address), 0);
  CHECK_EQUAL(listen(listener, 100), 0);
  CHECK_EQUAL(getsockname(listener, (struct sockaddr*)&address, &size), 0);
  return listener;
}

static void* accept_one(void* argument) {
  const int socket = accept((int)(intptr_t)argument, NULL, NULL);
  CHECK(socket >= 0);
  CHECK_EQUAL(fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  CHECK_EQUAL(close(socket), 0);
  return NULL;
}

static void call(void) {
  const int caller = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQUAL(connect(caller, (struct sockaddr*)&address, sizeof address), 0);
  CHECK_EQUAL(fcntl(caller, F_GETFL) & O_NONBLOCK, 0);
  CHECK_EQUAL(close(caller), 0);
}

/* All of it is one socket, whose mode is the program's. */
static void* listener_modes(void* unused) {
  const int listener = new_listener();
  pthread_t acceptors[4];
  const int duplicate = dup(listener);
  const int other = fcntl(listener, F_DUPFD_CLOEXEC, 0);
  for (int i = 0; i < 4; ++i) acceptors[i] = start(accept_one, (void*)(intptr_t)(i % 2 ? listener : other));
  usleep(5000);
  CHECK_EQUAL(fcntl(listener, F_GETFL) & O_NONBLOCK, 0);
  for (int i = 0; i < 4; ++i) call();
  for (int i = 0; i < 4; ++i) join(acceptors[i]);
  const pthread_t late = start(accept_one, (void*)(intptr_t)duplicate);
  usleep(5000);
  call();
  join(late);
  CHECK_EQUAL(fcntl(listener, F_GETFL) & O_NONBLOCK, 0);
  CHECK_EQUAL(fcntl(listener, F_SETFL, O_NONBLOCK), 0);
  CHECK_EQUAL(accept(listener, NULL, NULL), -1);
  CHECK_EQUAL(errno, EAGAIN);
  CHECK_EQUAL(accept(duplicate, NULL, NULL), -1);
  CHECK_EQUAL(errno, EAGAIN);
  CHECK_EQUAL(fcntl(listener, F_SETFL, 0), 0);
  const struct timeval limit = {0, 20000};
  CHECK_EQUAL(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  const double begin = now();
  CHECK_EQUAL(accept(listener, NULL, NULL), -1);
  CHECK_EQUAL(errno, EAGAIN);
  CHECK(now() - begin >= 0.019);
  CHECK_EQUAL(close(listener), 0);
  CHECK_EQUAL(close(duplicate), 0);
  CHECK_EQUAL(close(other), 0);

  const int talker = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK_EQUAL(accept(talker, NULL, NULL), -1);
  CHECK_EQUAL(errno, EOPNOTSUPP);
  CHECK_EQUAL(close(talker), 0);
  return unused;
}

enum { kCalls = 200, kAcceptors = 4 };

static void* accept_many(void* argument) {
  for (int i = 0; i < kCalls / kAcceptors; ++i) accept_one(argument);
  return NULL;
}

/* Threads and the main thread take connections of one socket, and nobody's mode shows. */
static void listener_of_many(void) {
  const int listener = new_listener();
  pthread_t acceptors[kAcceptors];
  for (int i = 0; i + 1 < kAcceptors; ++i) acceptors[i] = start(accept_many, (void*)(intptr_t)listener);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < kCalls; ++i) call();
    _exit(0);
  }
  accept_many((void*)(intptr_t)listener);
  for (int i = 0; i + 1 < kAcceptors; ++i) join(acceptors[i]);
  int status = 1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
  CHECK_EQUAL(close(listener), 0);
}

enum { kQueued = 300 };

static void* accept_queued(void* argument) {
  for (int i = 0; i < kQueued / 2; ++i) accept_one(argument);
  return NULL;
}

/* So many calls that do not wait that the threads must give way in the midst of them. */
static void listener_of_a_crowd(void) {
  const int listener = new_listener();
  CHECK_EQUAL(listen(listener, kQueued), 0);
  int callers[kQueued];
  for (int i = 0; i < kQueued; ++i) {
    callers[i] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQUAL(connect(callers[i], (struct sockaddr*)&address, sizeof address), 0);
  }
  const pthread_t one = start(accept_queued, (void*)(intptr_t)listener);
  const pthread_t other = start(accept_queued, (void*)(intptr_t)listener);
  join(one);
  join(other);
  for (int i = 0; i < kQueued; ++i) CHECK_EQUAL(close(callers[i]), 0);
  CHECK_EQUAL(close(listener), 0);
}

/* A listener whose queue is full. */
static int full_listener(struct sockaddr_un* name, socklen_t* size, int* waiting) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "kumiko-io-more-%d", (int)getpid());
  *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name->sun_path + 1));
  CHECK_EQUAL(bind(listener, (struct sockaddr*)name, *size), 0);
  CHECK_EQUAL(listen(listener, 0), 0);
  *waiting = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQUAL(connect(*waiting, (struct sockaddr*)name, *size), 0);
  return listener;
}

static struct sockaddr_un full_name;
static socklen_t full_size;

static void* connect_to_full(void* argument) {
  CHECK(connect((int)(intptr_t)argument, (struct sockaddr*)&full_name, full_size) == 12345); /* not reached */
  return NULL;
}

static void connection_ends(void) {
  int waiting = -1;
  const int listener = full_listener(&full_name, &full_size, &waiting);
  const int caller = socket(AF_UNIX, SOCK_STREAM, 0);
  const pthread_t thread = start(connect_to_full, (void*)(intptr_t)caller);
  usleep(10000);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQUAL(fcntl(caller, F_GETFL) & O_NONBLOCK, 0);
  CHECK_EQUAL(close(caller), 0);
  CHECK_EQUAL(close(waiting), 0);
  CHECK_EQUAL(close(listener), 0);
}

/* Beyond the queue of a listener over IP nothing answers. */
static void* connect_in_time(void* unused) {
  const int listener = new_listener();
  CHECK_EQUAL(listen(listener, 0), 0);
  int callers[8];
  int timed_out = 0;
  for (int i = 0; i < 8; ++i) {
    callers[i] = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval limit = {0, 50000};
    CHECK_EQUAL(setsockopt(callers[i], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
    if (connect(callers[i], (struct sockaddr*)&address, sizeof address) == 0) continue;
    CHECK_EQUAL(errno, EINPROGRESS);
    CHECK_EQUAL(fcntl(callers[i], F_GETFL) & O_NONBLOCK, 0);
    ++timed_out;
  }
  if (timed_out == 0) puts("no connection timed out here");
  for (int i = 0; i < 8; ++i) CHECK_EQUAL(close(callers[i]), 0);
  CHECK_EQUAL(close(listener), 0);
  return unused;
}

/* --- Numbers that come back ----------------------------------------------------------------------- */

static void* answer(void* argument) {
  char byte;
  while (read((int)(intptr_t)argument, &byte, 1) == 1) CHECK_EQUAL(write((int)(intptr_t)argument, &byte, 1), 1);
  CHECK_EQUAL(close((int)(intptr_t)argument), 0);
  return NULL;
}

/* Uses a socket so that its number is known well, lets the C library close it, and waits for something
 * else that has its number. */
static void come_back(int (*make)(void), void (*close_it)(int), void (*use)(int)) {
  int pair[2];
  char byte = 'a';
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const pthread_t other = start(answer, (void*)(intptr_t)pair[1]);
  CHECK_EQUAL(write(pair[0], &byte, 1), 1);
  CHECK_EQUAL(read(pair[0], &byte, 1), 1);
  close_it(pair[0]);
  join(other);
  const int made = make();
  CHECK(made >= 0);
  use(made);
  CHECK_EQUAL(close(made), 0);
}

static void close_as_stream(int descriptor) {
  FILE* const stream = fdopen(descriptor, "r+");
  CHECK(stream != NULL);
  CHECK_EQUAL(fclose(stream), 0);
}

static void close_as_range(int descriptor) {
  CHECK_EQUAL(close_range((unsigned)descriptor, (unsigned)descriptor, 0), 0);
}

static int make_event(void) { return eventfd(0, 0); }

static void* ring(void* argument) {
  usleep(5000);
  CHECK_EQUAL(eventfd_write((int)(intptr_t)argument, 5), 0);
  return NULL;
}

static void use_event(int event) {
  eventfd_t value = 0;
  const pthread_t ringer = start(ring, (void*)(intptr_t)event);
  CHECK_EQUAL(read(event, &value, sizeof value), sizeof value);
  CHECK_EQUAL(value, 5);
  join(ringer);
}

static int make_epoll(void) { return epoll_create1(0); }

static void use_epoll(int epoll) {
  const int event = eventfd(0, 0);
  struct epoll_event watched = {.events = EPOLLIN, .data = {.u32 = 3}};
  CHECK_EQUAL(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &watched), 0);
  const pthread_t ringer = start(ring, (void*)(intptr_t)event);
  CHECK_EQUAL(epoll_wait(epoll, &watched, 1, 10000), 1);
  CHECK_EQUAL(watched.data.u32, 3);
  join(ringer);
  CHECK_EQUAL(close(event), 0);
}

static int spare_event;
static int make_duplicate(void) { return dup(spare_event); }

static void* numbers(void* unused) {
  spare_event = eventfd(0, 0);
  for (int i = 0; i < 3; ++i) {
    come_back(make_event, close_as_stream, use_event);
    come_back(make_epoll, close_as_stream, use_epoll);
    come_back(make_duplicate, close_as_stream, use_event);
    come_back(make_event, close_as_range, use_event);
    come_back(make_epoll, close_as_range, use_epoll);
  }
  CHECK_EQUAL(close(spare_event), 0);
  return unused;
}

/* --- Cancellation --------------------------------------------------------------------------------- */

static void* read_uncancelled(void* argument) {
  char byte = 0;
  CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
  CHECK_EQUAL(read((int)(intptr_t)argument, &byte, 1), 1);
  CHECK_EQUAL(byte, 'x');
  return NULL;
}

static void* sleep_uncancelled(void* unused) {
  CHECK_EQUAL(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
  const double begin = now();
  CHECK_EQUAL(poll(NULL, 0, 50), 0);
  CHECK(now() - begin >= 0.049);
  return unused;
}

static void disabled_cancellation(void) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  pthread_t thread = start(read_uncancelled, (void*)(intptr_t)ends[0]);
  usleep(10000);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  usleep(5000);
  CHECK_EQUAL(write(ends[1], "x", 1), 1);
  CHECK(join(thread) == NULL);
  thread = start(sleep_uncancelled, NULL);
  usleep(10000);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  CHECK(join(thread) == NULL);
  CHECK_EQUAL(close(ends[0]), 0);
  CHECK_EQUAL(close(ends[1]), 0);
}

enum { kMuch = 1 << 22 };
static volatile long written;

static void* write_too_much(void* argument) {
  char* const bytes = calloc(1, kMuch);
  written = write((int)(intptr_t)argument, bytes, kMuch);
  free(bytes);
  return NULL;
}

/* A write of which some bytes have gone says how many, if it returns: glibc before 2.41 loses them. */
static void partial_write(void) {
  int pair[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  written = -1;
  const pthread_t writer = start(write_too_much, (void*)(intptr_t)pair[0]);
  struct pollfd begun = {pair[1], POLLIN, 0};
  CHECK_EQUAL(poll(&begun, 1, -1), 1);
  usleep(20000);
  CHECK_EQUAL(pthread_cancel(writer), 0);
  const int lost = join(writer) == PTHREAD_CANCELED && written == -1;
  if (lost) puts("a cancelled write lost its bytes");
  CHECK_EQUAL(close(pair[0]), 0);
  static char bytes[65536];
  long sum = 0;
  ssize_t count;
  while ((count = read(pair[1], bytes, sizeof bytes)) > 0) sum += count;
  CHECK(sum > 0);
  CHECK(lost || sum == written);
  CHECK_EQUAL(close(pair[1]), 0);
}

static void* move_for_ever(void* argument) {
  const int* const ends = argument;
  char byte = 0;
  while (write(ends[1], &byte, 1) == 1) CHECK_EQUAL(read(ends[0], &byte, 1), 1);
  return NULL;
}

static void* read_for_ever(void* argument) {
  const int* const ends = argument;
  char byte = 0;
  while (read(ends[0], &byte, 1) == 1) continue;
  return NULL;
}

/* Cancellation comes while bytes do, some of which one thread fetches for another. */
static void cancelled_in_the_midst(void) {
  for (int i = 0; i < 300; ++i) {
    int ends[2];
    CHECK_EQUAL(i % 2 ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pthread_t readers[2] = {start(read_for_ever, ends), start(read_for_ever, ends)};
    const pthread_t mover = i % 2 ? start(move_for_ever, ends) : start(nothing, NULL);
    if (i % 3) usleep(50);
    for (int k = 0; k < 2; ++k) {
      CHECK_EQUAL(write(ends[1], "four", 4), 4);
      CHECK_EQUAL(pthread_cancel(readers[k]), 0);
    }
    pthread_cancel(mover);
    join(mover);
    for (int k = 0; k < 2; ++k) CHECK(join(readers[k]) == PTHREAD_CANCELED);
    CHECK_EQUAL(close(ends[0]), 0);
    CHECK_EQUAL(close(ends[1]), 0);
  }
}

/* --- Writes --------------------------------------------------------------------------------------- */

/* SIGPIPE has its usual action, which ends the process. */
static void* blocked_pipe_signal(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  CHECK_EQUAL(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
    int ends[2];
    CHECK_EQUAL(pipe(ends), 0);
    CHECK_EQUAL(close(ends[0]), 0);
    CHECK_EQUAL(fcntl(ends[1], F_SETFL, flags), 0);
    CHECK_EQUAL(write(ends[1], "x", 1), -1);
    CHECK_EQUAL(errno, EPIPE);
    CHECK_EQUAL(close(ends[1]), 0);
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_EQUAL(close(ends[0]), 0);
    CHECK_EQUAL(fcntl(ends[1], F_SETFL, flags), 0);
    CHECK_EQUAL(send(ends[1], "x", 1, 0), -1);
    CHECK_EQUAL(errno, EPIPE);
    CHECK_EQUAL(send(ends[1], "x", 1, MSG_DONTWAIT), -1);
    CHECK_EQUAL(errno, EPIPE);
    CHECK_EQUAL(write(ends[1], "x", 1), -1);
    CHECK_EQUAL(errno, EPIPE);
    CHECK_EQUAL(close(ends[1]), 0);
  }
  const struct timespec at_once = {0, 0};
  sigtimedwait(&set, NULL, &at_once);
  return unused;
}

static void* empty_datagram(void* unused) {
  int pair[2];
  char bytes[4];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
  CHECK_EQUAL(write(pair[0], "", 0), 0);
  CHECK_EQUAL(write(pair[0], "one", 3), 3);
  CHECK_EQUAL(recv(pair[1], bytes, sizeof bytes, 0), 0);
  CHECK_EQUAL(recv(pair[1], bytes, sizeof bytes, 0), 3);
  CHECK_EQUAL(close(pair[0]), 0);
  CHECK_EQUAL(close(pair[1]), 0);
  CHECK_EQUAL(write(-1, "", 0), -1);
  CHECK_EQUAL(errno, EBADF);
  return unused;
}

/* --- Looks that do not wait ------------------------------------------------------------------------ */

static volatile int flag;
static int quiet[2];

static void* look_by_poll(void* unused) {
  (void)unused;
  struct pollfd watched = {quiet[0], POLLIN, 0};
  while (!flag) CHECK_EQUAL(poll(&watched, 1, 0), 0);
  return NULL;
}

static void* look_by_epoll(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK_EQUAL(epoll_ctl(epoll, EPOLL_CTL_ADD, quiet[0], &event), 0);
  while (!flag) CHECK_EQUAL(epoll_wait(epoll, &event, 1, 0), 0);
  close(epoll);
  return NULL;
}

static void* look_by_recv(void* unused) {
  (void)unused;
  char byte;
  while (!flag) CHECK_EQUAL(recv(quiet[0], &byte, 1, MSG_DONTWAIT), -1);
  return NULL;
}

static void* set_flag(void* unused) {
  (void)unused;
  usleep(5000);
  flag = 1;
  return NULL;
}

/* More of them than workers, and one that sleeps first: they must let it run. */
static void looks(void) {
  void* (*const ways[])(void*) = {look_by_poll, look_by_epoll, look_by_recv};
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, quiet), 0);
  for (int way = 0; way < 3; ++way) {
    pthread_t threads[7];
    flag = 0;
    CHECK_EQUAL(pthread_create(&threads[6], NULL, set_flag, NULL), 0);
    for (int i = 0; i < 6; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, ways[way], NULL), 0);
    for (int i = 0; i < 7; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  }
  close(quiet[0]);
  close(quiet[1]);
}

static void* pause_for_ever(void* unused) {
  (void)unused;
  for (;;) pause();
  return NULL;
}

static void cancelled_pause(void) {
  pthread_t threads[6];
  void* result = NULL;
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, pause_for_ever, NULL), 0);
  for (int i = 0; i < 6; ++i) {
    CHECK_EQUAL(pthread_cancel(threads[i]), 0);
    CHECK_EQUAL(pthread_join(threads[i], &result), 0);
    CHECK(result == PTHREAD_CANCELED);
  }
}

int main(void) {
  exhaustion(); /* before anything else has waited */
  in_thread(wait_for_urgency);
  in_thread(small_set);
  in_thread(invalid_times);
  child_closes();
  in_thread(listener_modes);
  listener_of_many();
  listener_of_a_crowd();
  connection_ends();
  in_thread(connect_in_time);
  in_thread(numbers);
  disabled_cancellation();
  partial_write();
  cancelled_in_the_midst();
  in_thread(blocked_pipe_signal);
  in_thread(empty_datagram);
  looks();
  cancelled_pause();
  puts("passed");
  return 0;
}
