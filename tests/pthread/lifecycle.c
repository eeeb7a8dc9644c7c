/* Threads from creation to join: results, attributes, stacks, names, keys and their destructors. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static pthread_key_t key;
static pthread_key_t stubborn;
static int destroyed;
static int rounds;
static pthread_t self_seen;

static void destroy(void* value) { destroyed += (int)(intptr_t)value; }

static void set_again(void* value) {
  ++rounds;
  pthread_setspecific(stubborn, value);
}

static void* return_argument(void* argument) {
  self_seen = pthread_self();
  return argument;
}

static void exit_deep(int depth) {
  if (depth == 0) pthread_exit((void*)42);
  if (depth > 0) exit_deep(depth - 1);
}

static void note_cleanup(void* count) { ++*(int*)count; }

static void* exit_with_cleanup(void* count) {
  pthread_setspecific(key, (void*)(intptr_t)3);
  pthread_cleanup_push(&note_cleanup, count);
  pthread_cleanup_push(&note_cleanup, count);
  exit_deep(5);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* with_keys(void* unused) {
  (void)unused;
  CHECK(pthread_getspecific(key) == NULL);
  CHECK(pthread_getspecific(stubborn) == NULL);
  CHECK_EQUAL(pthread_setspecific(key, (void*)(intptr_t)5), 0);
  CHECK_EQUAL(pthread_setspecific(stubborn, &rounds), 0);
  usleep(100);
  CHECK(pthread_getspecific(key) == (void*)(intptr_t)5);
  return NULL;
}

static int recurse(int kilobytes) {
  volatile char frame[1024];
  memset((char*)frame, kilobytes, sizeof frame);
  if (kilobytes == 0) return frame[5];
  return recurse(kilobytes - 1) + (frame[7] == (char)kilobytes ? 0 : 1);
}

static void* use_stack(void* kilobytes) {
  pthread_attr_t attributes;
  void* lowest = NULL;
  size_t size = 0;
  char here;
  CHECK_EQUAL(pthread_getattr_np(pthread_self(), &attributes), 0);
  CHECK_EQUAL(pthread_attr_getstack(&attributes, &lowest, &size), 0);
  pthread_attr_destroy(&attributes);
  CHECK(&here > (char*)lowest && &here < (char*)lowest + size);
  CHECK(size >= (size_t)(intptr_t)kilobytes * 1024);
  CHECK_EQUAL(recurse((int)((intptr_t)kilobytes * 9 / 10)), 0);
  return NULL;
}

static void check_stacks(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQUAL(pthread_create(&thread, &attributes, &use_stack, (void*)7000), 0);
  pthread_join(thread, NULL);
  for (int i = 0; i < 20; ++i) {
    CHECK_EQUAL(pthread_attr_setstacksize(&attributes, (size_t)(40 + i) << 20), 0);
    CHECK_EQUAL(pthread_create(&thread, &attributes, &use_stack, (void*)(intptr_t)(40 << 10)), 0);
    pthread_join(thread, NULL);
  }
  const size_t size = 16 << 20;
  void* const mine = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK_EQUAL(pthread_attr_setstack(&attributes, mine, size), 0);
  CHECK_EQUAL(pthread_create(&thread, &attributes, &use_stack, (void*)(intptr_t)(15 << 10)), 0);
  pthread_join(thread, NULL);
  munmap(mine, size);
  pthread_attr_destroy(&attributes);
}

static void* sleep_a_little(void* unused) {
  usleep(50000);
  return unused;
}

static void* join_another(void* thread) {
  void* result = NULL;
  CHECK_EQUAL(pthread_join(*(pthread_t*)thread, &result), 0);
  return result;
}

static void* join_self(void* unused) {
  (void)unused;
  return (void*)(intptr_t)pthread_join(pthread_self(), NULL);
}

static void* name_self(void* unused) {
  char name[16];
  (void)unused;
  CHECK_EQUAL(pthread_setname_np(pthread_self(), "a worker"), 0);
  CHECK_EQUAL(pthread_getname_np(pthread_self(), name, sizeof name), 0);
  CHECK_EQUAL(strcmp(name, "a worker"), 0);
  CHECK_EQUAL(pthread_setname_np(pthread_self(), "a name that is too long"), ERANGE);
  CHECK_EQUAL(pthread_kill(pthread_self(), 0), 0);
  CHECK_EQUAL(pthread_equal(pthread_self(), pthread_self()) != 0, 1);
  return NULL;
}

static void* create_tree(void* depth) {
  if (depth == NULL) return (void*)1;
  pthread_t children[2];
  void* results[2];
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(pthread_create(&children[i], NULL, &create_tree, (char*)depth - 1), 0);
  }
  for (int i = 0; i < 2; ++i) CHECK_EQUAL(pthread_join(children[i], &results[i]), 0);
  return (void*)((intptr_t)results[0] + (intptr_t)results[1]);
}

static void check_joins(void) {
  pthread_t thread;
  pthread_t other;
  void* result = NULL;
  struct timespec soon;
  CHECK_EQUAL(pthread_create(&thread, NULL, &sleep_a_little, (void*)6), 0);
  CHECK_EQUAL(pthread_tryjoin_np(thread, &result), EBUSY);
  clock_gettime(CLOCK_REALTIME, &soon);
  CHECK_EQUAL(pthread_timedjoin_np(thread, &result, &soon), ETIMEDOUT);
  CHECK_EQUAL(pthread_create(&other, NULL, &join_another, &thread), 0);
  CHECK_EQUAL(pthread_join(other, &result), 0);
  CHECK_EQUAL((intptr_t)result, 6);
  CHECK_EQUAL(pthread_create(&thread, NULL, &join_self, NULL), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK_EQUAL((intptr_t)result, EDEADLK);
  CHECK_EQUAL(pthread_create(&thread, NULL, &create_tree, (void*)8), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK_EQUAL((intptr_t)result, 256);
  for (int i = 0; i < 500; ++i) {
    CHECK_EQUAL(pthread_create(&thread, NULL, &return_argument, NULL), 0);
    CHECK_EQUAL(pthread_detach(thread), 0);
  }
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  int count = 0;
  CHECK_EQUAL(pthread_key_create(&key, &destroy), 0);
  CHECK_EQUAL(pthread_key_create(&stubborn, &set_again), 0);
  CHECK_EQUAL(pthread_create(&thread, NULL, &return_argument, (void*)9), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK_EQUAL((intptr_t)result, 9);
  CHECK(pthread_equal(thread, self_seen));
  CHECK_EQUAL(pthread_create(&thread, NULL, &exit_with_cleanup, &count), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK_EQUAL((intptr_t)result, 42);
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(destroyed, 3);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(pthread_create(&thread, NULL, &with_keys, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
  }
  CHECK_EQUAL(destroyed, 13);
  CHECK_EQUAL(rounds, 2 * PTHREAD_DESTRUCTOR_ITERATIONS);
  CHECK_EQUAL(pthread_create(&thread, NULL, &name_self, NULL), 0);
  CHECK_EQUAL(pthread_join(thread, NULL), 0);
  check_joins();
  check_stacks();
  puts("passed");
  return 0;
}
