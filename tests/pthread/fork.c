/* fork(), by the main thread and by another: the child goes on, may create threads of its own, exit
 * and exec; the parent does not notice. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine = 3;

static void* add(void* sum) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex);
    if (i % 20 == 0) sched_yield();
    ++*(int*)sum;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void use_threads(void) {
  pthread_t threads[20];
  int sum = 0;
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, &add, &sum), 0);
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
  CHECK_EQUAL(sum, 2000);
}

static void check_child(pid_t child, int expected) {
  int status = -1;
  CHECK(child > 0);
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(WEXITSTATUS(status), expected);
}

static void* fork_in_all_ways(void* unused) {
  mine = 8;
  pid_t child = fork();
  if (child == 0) {
    usleep(1000);
    CHECK_EQUAL(mine, 8);
    use_threads();
    _exit(5);
  }
  check_child(child, 5);
  child = fork();
  if (child == 0) exit(6);
  check_child(child, 6);
  child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
    abort();
  }
  check_child(child, 7);
  CHECK_EQUAL(system("exit 0"), 0);
  /* A program must not inherit blocked signals that nobody has blocked. */
  CHECK_EQUAL(system("grep -q 'SigBlk:.0000000000000000' /proc/self/status"), 0);
  child = vfork();
  if (child == 0) {
    execl("/bin/grep", "grep", "-q", "SigBlk:.0000000000000000", "/proc/self/status", (char*)NULL);
    _exit(9);
  }
  check_child(child, 0);
  return unused;
}

/* The last thread of a process ends it. */
static void* fork_and_return(void* unused) {
  const pid_t child = fork();
  if (child == 0) return NULL;
  check_child(child, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  int ignored = 0;
  fork_in_all_ways(NULL); /* before there is any thread */
  for (int round = 0; round < 5; ++round) {
    use_threads();
    fork_in_all_ways(NULL);
    CHECK_EQUAL(pthread_create(&thread, NULL, &fork_in_all_ways, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(pthread_create(&thread, NULL, &fork_and_return, NULL), 0);
    pthread_t busy;
    CHECK_EQUAL(pthread_create(&busy, NULL, &add, &ignored), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(pthread_join(busy, NULL), 0);
  }
  puts("passed");
  return 0;
}
