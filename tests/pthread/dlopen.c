/* A module that is loaded while threads run: its thread-local variables belong to the thread too, and
 * begin anew in each. The first argument is its path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>

#include "check.h"

enum { kThreads = 50, kRounds = 100, kInitial = 11 };

static long (*count_up)(void);
static sem_t loaded;
static __thread int mine = 5;

static void* use(void* unused) {
  for (int i = 1; i <= 20; ++i) {
    CHECK_EQUAL(count_up(), kInitial + i);
    sched_yield();
  }
  CHECK_EQUAL(mine, 5);
  mine = 6;
  return unused;
}

static void* use_later(void* unused) {
  sem_wait(&loaded);
  return use(unused);
}

static void run(void* (*function)(void*), pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(pthread_create(&threads[i], NULL, function, NULL), 0);
  }
}

static void join(const pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  pthread_t early[kThreads];
  CHECK_EQUAL(argc, 2);
  sem_init(&loaded, 0, 0);
  run(&use_later, early);
  void* const module = dlopen(argv[1], RTLD_NOW);
  CHECK(module != NULL);
  count_up = (long (*)(void))(intptr_t)dlsym(module, "count_up");
  CHECK(count_up != NULL);
  for (int i = 0; i < kThreads; ++i) sem_post(&loaded);
  join(early);
  size_t used = 0;
  for (int round = 0; round < kRounds; ++round) {
    run(&use, threads);
    join(threads);
    if (round == kRounds / 4) used = mallinfo2().uordblks;
  }
  /* 20 KB for each thread that has ended would be 75 MB. */
  CHECK(mallinfo2().uordblks < used + 10000000);
  CHECK_EQUAL(dlclose(module), 0);
  run(&use_later, threads);
  count_up = (long (*)(void))(intptr_t)dlsym(dlopen(argv[1], RTLD_NOW), "count_up");
  for (int i = 0; i < kThreads; ++i) sem_post(&loaded);
  join(threads);
  puts("passed");
  return 0;
}
