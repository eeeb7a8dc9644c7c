/* Calls for I/O that wait: each blocks its thread only, whatever number of threads there is. With one
 * worker most of this would hang if a call blocked the worker. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "threads.h"

enum { kPairs = 100, kRounds = 50, kBytes = 1000000 };

/* --- Streams -------------------------------------------------------------------------------------- */

static void* echo(void* argument) {
  const int socket = (int)(intptr_t)argument;
  char bytes[64];
  ssize_t count;
  while ((count = read(socket, bytes, sizeof bytes)) > 0) CHECK_EQUAL(write(socket, bytes, (size_t)count), count);
  CHECK_EQUAL(count, 0);
  CHECK_EQUAL(close(socket), 0);
  return NULL;
}

static void* ask(void* argument) {
  const int socket = (int)(intptr_t)argument;
  for (int round = 0; round < kRounds; ++round) {
    const char sent = (char)round;
    char got = 0;
    CHECK_EQUAL(send(socket, &sent, 1, 0), 1);
    CHECK_EQUAL(recv(socket, &got, 1, 0), 1);
    CHECK_EQUAL(got, sent);
  }
  CHECK_EQUAL(close(socket), 0);
  return NULL;
}

static void many_pairs(void) {
  pthread_t threads[2 * kPairs];
  for (int i = 0; i < kPairs; ++i) {
    int pair[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    threads[2 * i] = start(echo, (void*)(intptr_t)pair[0]);
    threads[2 * i + 1] = start(ask, (void*)(intptr_t)pair[1]);
  }
  for (int i = 0; i < 2 * kPairs; ++i) join(threads[i]);
}

static void* write_much(void* argument) {
  const int descriptor = (int)(intptr_t)argument;
  char* const bytes = malloc(kBytes);
  for (int i = 0; i < kBytes; ++i) bytes[i] = (char)(i * 7);
  /* In blocking mode all of it goes. */
  CHECK_EQUAL(write(descriptor, bytes, kBytes), kBytes);
  struct iovec halves[2] = {{bytes, kBytes / 2}, {bytes + kBytes / 2, kBytes / 2}};
  CHECK_EQUAL(writev(descriptor, halves, 2), kBytes);
  CHECK_EQUAL(close(descriptor), 0);
  free(bytes);
  return NULL;
}

static void* read_much(void* argument) {
  const int descriptor = (int)(intptr_t)argument;
  char bytes[777];
  long sum = 0;
  ssize_t count;
  while ((count = read(descriptor, bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < count; ++i) CHECK_EQUAL(bytes[i], (char)(((sum + i) % kBytes) * 7));
    sum += count;
  }
  CHECK_EQUAL(count, 0);
  CHECK_EQUAL(sum, 2L * kBytes);
  CHECK_EQUAL(close(descriptor), 0);
  return NULL;
}

static void much(void) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  pthread_t writer = start(write_much, (void*)(intptr_t)ends[1]);
  pthread_t reader = start(read_much, (void*)(intptr_t)ends[0]);
  join(writer);
  join(reader);
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  writer = start(write_much, (void*)(intptr_t)ends[1]);
  reader = start(read_much, (void*)(intptr_t)ends[0]);
  join(writer);
  join(reader);
}

static void* receive_all(void* argument) {
  const int socket = (int)(intptr_t)argument;
  char bytes[9] = {0};
  CHECK_EQUAL(recv(socket, bytes, 8, MSG_WAITALL), 8);
  CHECK(strcmp(bytes, "onetwo34") == 0);
  return NULL;
}

static void* send_in_parts(void* argument) {
  const int socket = (int)(intptr_t)argument;
  CHECK_EQUAL(send(socket, "one", 3, 0), 3);
  sched_yield();
  CHECK_EQUAL(send(socket, "two", 3, 0), 3);
  usleep(2000);
  CHECK_EQUAL(send(socket, "34", 2, 0), 2);
  return NULL;
}

static void wait_all(void) {
  int pair[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const pthread_t reader = start(receive_all, (void*)(intptr_t)pair[0]);
  const pthread_t writer = start(send_in_parts, (void*)(intptr_t)pair[1]);
  join(reader);
  join(writer);
  close(pair[0]);
  close(pair[1]);
}

/* --- Connections ---------------------------------------------------------------------------------- */

static int listener;
static struct sockaddr_in address;

static void* serve_one(void* unused) {
  (void)unused;
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  const int socket = accept(listener, (struct sockaddr*)&peer, &size);
  CHECK(socket >= 0);
  CHECK_EQUAL(peer.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  CHECK_EQUAL(fcntl(socket, F_GETFD), 0);
  return echo((void*)(intptr_t)socket);
}

static void* call(void* unused) {
  (void)unused;
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(socket_ >= 0);
  CHECK_EQUAL(connect(socket_, (struct sockaddr*)&address, sizeof address), 0);
  return ask((void*)(intptr_t)socket_);
}

static void connections(void) {
  socklen_t size = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQUAL(bind(listener, (struct sockaddr*)&address, sizeof address), 0);
  CHECK_EQUAL(listen(listener, 100), 0);
  CHECK_EQUAL(getsockname(listener, (struct sockaddr*)&address, &size), 0);
  pthread_t threads[2 * 20];
  for (int i = 0; i < 20; ++i) threads[i] = start(serve_one, NULL);
  for (int i = 20; i < 40; ++i) threads[i] = start(call, NULL);
  for (int i = 0; i < 40; ++i) join(threads[i]);
  /* The main thread waits for a connection of the same socket. */
  const pthread_t caller = start(call, NULL);
  serve_one(NULL);
  join(caller);
  close(listener);
}

/* --- Time limits ---------------------------------------------------------------------------------- */

static void* limits(void* argument) {
  const int socket = (int)(intptr_t)argument;
  char byte;
  const struct timeval limit = {0, 20000};
  CHECK_EQUAL(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  double begin = now();
  CHECK_EQUAL(recv(socket, &byte, 1, 0), -1);
  CHECK_EQUAL(errno, EAGAIN);
  CHECK(now() - begin >= 0.019);

  CHECK_EQUAL(recv(socket, &byte, 1, MSG_DONTWAIT), -1);
  CHECK_EQUAL(errno, EAGAIN);

  struct pollfd watched[3] = {{socket, POLLIN, 0}, {-1, POLLIN, 0}, {socket, POLLIN | POLLPRI, 0}};
  begin = now();
  CHECK_EQUAL(poll(watched, 1, 20), 0);
  CHECK_EQUAL(poll(watched, 3, 20), 0);
  CHECK_EQUAL(poll(NULL, 0, 20), 0);
  CHECK(now() - begin >= 0.059);

  fd_set set;
  FD_ZERO(&set);
  FD_SET(socket, &set);
  struct timeval wait = {0, 20000};
  begin = now();
  CHECK_EQUAL(select(socket + 1, &set, NULL, NULL, &wait), 0);
  CHECK(!FD_ISSET(socket, &set));
  CHECK(now() - begin >= 0.019);

  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = 5}};
  CHECK_EQUAL(epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event), 0);
  begin = now();
  CHECK_EQUAL(epoll_wait(epoll, &event, 1, 20), 0);
  CHECK(now() - begin >= 0.019);
  CHECK_EQUAL(close(epoll), 0);

  CHECK_EQUAL(fcntl(socket, F_SETFL, O_NONBLOCK), 0);
  CHECK_EQUAL(read(socket, &byte, 1), -1);
  CHECK_EQUAL(errno, EAGAIN);
  return NULL;
}

static void time_limits(void) {
  int pair[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  join(start(limits, (void*)(intptr_t)pair[0]));
  close(pair[0]);
  close(pair[1]);
}

/* --- Several descriptors -------------------------------------------------------------------------- */

struct Several {
  int pipes[10][2];
};

/* Takes a byte from whichever pipe has one, by poll, select and epoll in turn. */
static void* take_from_any(void* argument) {
  struct Several* const several = argument;
  int seen[10] = {0};
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < 10; ++i) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = (uint32_t)i}};
    CHECK_EQUAL(epoll_ctl(epoll, EPOLL_CTL_ADD, several->pipes[i][0], &event), 0);
  }
  for (int round = 0; round < 30; ++round) {
    int which = -1;
    if (round % 3 == 0) {
      struct pollfd watched[10];
      for (int i = 0; i < 10; ++i) watched[i] = (struct pollfd){several->pipes[i][0], POLLIN, 0};
      CHECK(poll(watched, 10, -1) > 0);
      for (int i = 0; i < 10; ++i) {
        if (watched[i].revents != 0) which = i;
      }
    } else if (round % 3 == 1) {
      fd_set set;
      int most = 0;
      FD_ZERO(&set);
      for (int i = 0; i < 10; ++i) {
        FD_SET(several->pipes[i][0], &set);
        if (several->pipes[i][0] > most) most = several->pipes[i][0];
      }
      CHECK(select(most + 1, &set, NULL, NULL, NULL) > 0);
      for (int i = 0; i < 10; ++i) {
        if (FD_ISSET(several->pipes[i][0], &set)) which = i;
      }
    } else {
      struct epoll_event event;
      CHECK_EQUAL(epoll_wait(epoll, &event, 1, -1), 1);
      which = (int)event.data.u32;
    }
    char byte;
    CHECK(which >= 0);
    CHECK_EQUAL(read(several->pipes[which][0], &byte, 1), 1);
    CHECK_EQUAL(byte, (char)(which + 10 * seen[which]));
    ++seen[which];
  }
  CHECK_EQUAL(close(epoll), 0);
  return NULL;
}

static void* give_to_all(void* argument) {
  struct Several* const several = argument;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      const char byte = (char)(i + 10 * round);
      CHECK_EQUAL(write(several->pipes[i][1], &byte, 1), 1);
      if (i % 3 == 0) usleep(500);
    }
  }
  return NULL;
}

static void several_descriptors(void) {
  struct Several several;
  for (int i = 0; i < 10; ++i) CHECK_EQUAL(pipe(several.pipes[i]), 0);
  const pthread_t taker = start(take_from_any, &several);
  const pthread_t giver = start(give_to_all, &several);
  join(taker);
  join(giver);
  for (int i = 0; i < 10; ++i) {
    close(several.pipes[i][0]);
    close(several.pipes[i][1]);
  }
}

/* --- Ends ----------------------------------------------------------------------------------------- */

static int cleaned_up;

static void clean_up(void* unused) {
  (void)unused;
  cleaned_up = 1;
}

static void* read_for_ever(void* argument) {
  const int descriptor = (int)(intptr_t)argument;
  char byte;
  pthread_cleanup_push(clean_up, NULL);
  CHECK_EQUAL(write(STDERR_FILENO, "", 0), 0);
  const ssize_t count = read(descriptor, &byte, 1);
  CHECK(count == 12345); /* not reached */
  pthread_cleanup_pop(0);
  return NULL;
}

static void cancellation(void) {
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  const pthread_t reader = start(read_for_ever, (void*)(intptr_t)ends[0]);
  usleep(5000);
  CHECK_EQUAL(pthread_cancel(reader), 0);
  CHECK(join(reader) == PTHREAD_CANCELED);
  CHECK_EQUAL(cleaned_up, 1);
  /* The byte that comes later is somebody else's. */
  char byte = 0;
  CHECK_EQUAL(write(ends[1], "x", 1), 1);
  CHECK_EQUAL(read(ends[0], &byte, 1), 1);
  CHECK_EQUAL(byte, 'x');
  close(ends[0]);
  close(ends[1]);
}

static volatile sig_atomic_t pipe_signals;

static void count_signal(int number) {
  (void)number;
  ++pipe_signals;
}

static void* write_to_nobody(void* argument) {
  const int descriptor = (int)(intptr_t)argument;
  CHECK_EQUAL(write(descriptor, "x", 1), -1);
  CHECK_EQUAL(errno, EPIPE);
  return NULL;
}

static void broken_pipe(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_signal;
  CHECK_EQUAL(sigaction(SIGPIPE, &action, NULL), 0);
  int ends[2];
  CHECK_EQUAL(pipe(ends), 0);
  close(ends[0]);
  join(start(write_to_nobody, (void*)(intptr_t)ends[1]));
  CHECK_EQUAL(pipe_signals, 1);
  close(ends[1]);
}

/* A number that was closed by the C library itself means another descriptor when it comes back. */
static void* reuse(void* unused) {
  (void)unused;
  for (int i = 0; i < 20; ++i) {
    int pair[2];
    char byte = 0;
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const pthread_t other = start(echo, (void*)(intptr_t)pair[1]);
    CHECK_EQUAL(write(pair[0], "a", 1), 1);
    CHECK_EQUAL(read(pair[0], &byte, 1), 1);
    FILE* const stream = fdopen(pair[0], "r+");
    CHECK(stream != NULL);
    CHECK_EQUAL(fclose(stream), 0);
    join(other);
    FILE* const file = tmpfile();
    CHECK(file != NULL);
    CHECK_EQUAL(write(fileno(file), "bc", 2), 2);
    CHECK_EQUAL(pread(fileno(file), &byte, 1, 1), 1);
    CHECK_EQUAL(byte, 'c');
    CHECK_EQUAL(fclose(file), 0);
  }
  return NULL;
}

static void* others(void* unused) {
  (void)unused;
  struct addrinfo* found = NULL;
  struct addrinfo hints;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  CHECK_EQUAL(getaddrinfo("127.0.0.1", "80", &hints, &found), 0);
  CHECK_EQUAL(((struct sockaddr_in*)found->ai_addr)->sin_port, htons(80));
  freeaddrinfo(found);
  const pid_t child = fork();
  if (child == 0) {
    usleep(5000);
    _exit(7);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  FILE* const file = tmpfile();
  CHECK_EQUAL(fsync(fileno(file)), 0);
  CHECK_EQUAL(fdatasync(fileno(file)), 0);
  fclose(file);
  CHECK_EQUAL(read(-1, &status, 1), -1);
  CHECK_EQUAL(errno, EBADF);
  CHECK_EQUAL(close(-1), -1);
  CHECK_EQUAL(errno, EBADF);
  return NULL;
}

int main(void) {
  many_pairs();
  much();
  wait_all();
  connections();
  time_limits();
  several_descriptors();
  cancellation();
  broken_pipe();
  join(start(reuse, NULL));
  join(start(others, NULL));
  puts("passed");
  return 0;
}
