/* The main thread leaves by pthread_exit(): the process ends with its last thread. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static pthread_t main_thread;
static pthread_key_t key;
static int key_destroyed;
static int count;

static void destroy(void* value) { key_destroyed += value == &key; }

static void* work(void* more) {
  usleep(2000);
  pthread_t child;
  if (more != NULL) CHECK_EQUAL(pthread_create(&child, NULL, &work, (char*)more - 1), 0);
  if (__atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL) == 11) {
    void* result = NULL;
    CHECK_EQUAL(pthread_join(main_thread, &result), 0);
    CHECK(result == &count);
    CHECK_EQUAL(key_destroyed, 1);
    puts("passed");
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  CHECK_EQUAL(pthread_create(&thread, NULL, &work, (void*)10), 0);
  CHECK_EQUAL(pthread_key_create(&key, &destroy), 0);
  pthread_setspecific(key, &key);
  pthread_exit(&count);
}
