/* Thread-local storage: every thread has its own variables, initialised, wherever it goes on after
 * it has waited; and the C library's functions that keep something per thread work. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 1000, kSteps = 100, kInitial = 7 };

static __thread long counter = kInitial;
static __thread _Alignas(64) char zeroed[100];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void* blocks[kThreads];

static void check_library(long number) {
  char text[64];
  char* end = NULL;
  CHECK(isalpha('x') && !isalpha('1') && toupper('q') == 'Q');
  snprintf(text, sizeof text, "%ld.25", number);
  CHECK(strtod(text, &end) == number + 0.25 && *end == '\0');
  errno = 0;
  CHECK(strtol("99999999999999999999", NULL, 10) == INT64_MAX);
  CHECK_EQUAL(errno, ERANGE);
  CHECK(sched_getcpu() >= 0 && sched_getcpu() < CPU_SETSIZE);
  CHECK(strcmp(strerror(ENOENT), "No such file or directory") == 0);
}

static void* count(void* argument) {
  const long number = (long)(intptr_t)argument;
  CHECK_EQUAL(counter, kInitial);
  CHECK((uintptr_t)zeroed % 64 == 0);
  for (size_t i = 0; i < sizeof zeroed; ++i) CHECK(zeroed[i] == 0);
  memset(zeroed, 1, sizeof zeroed);
  check_library(number);
  /* Of another thread's malloc. */
  free(blocks[number]);
  errno = (int)number;
  const long* const mine = &counter;
  for (int i = 0; i < kSteps; ++i) {
    ++counter;
    if (i % 10 == 0) sched_yield();
    pthread_mutex_lock(&mutex);
    ++total;
    if (i % 25 == 0) sched_yield();
    pthread_mutex_unlock(&mutex);
    CHECK(&counter == mine);
  }
  CHECK_EQUAL(errno, number);
  CHECK_EQUAL(counter, kInitial + kSteps);
  return malloc(100);
}

static void* with_a_locale(void* argument) {
  locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
  CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  if (locale != (locale_t)0) uselocale(locale);
  return argument;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int round = 0; round < 3; ++round) {
    total = 0;
    counter = 1;
    for (long i = 0; i < kThreads; ++i) {
      blocks[i] = malloc(50);
      CHECK_EQUAL(pthread_create(&threads[i], NULL, &count, (void*)(intptr_t)i), 0);
    }
    for (long i = 0; i < kThreads; ++i) {
      void* block = NULL;
      CHECK_EQUAL(pthread_join(threads[i], &block), 0);
      free(block);
    }
    CHECK_EQUAL(total, kThreads * kSteps);
    CHECK_EQUAL(counter, 1);
    for (int i = 0; i < 10; ++i) {
      CHECK_EQUAL(pthread_create(&threads[i], NULL, &with_a_locale, NULL), 0);
      pthread_join(threads[i], NULL);
    }
  }
  puts("passed");
  return 0;
}
