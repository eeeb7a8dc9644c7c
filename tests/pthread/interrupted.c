/* What a signal handler does to a wait for other threads, of the main thread (an OS thread under any
 * library) and of another. sem_wait() and its kin end with EINTR (sem_wait() not by a handler with
 * SA_RESTART), and a post that comes together with the signal is not lost: it lets another waiter
 * pass, or stays. All other waits go on, and the handler runs meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "threads.h"

enum { kRounds = 10, kPosts = 1000 };

static pthread_t waiter; /* runs check_all() */
static volatile int handled;
static sem_t semaphore;

static void note(int signal) {
  (void)signal;
  __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void post(int signal) {
  (void)signal;
  sem_post(&semaphore);
}

static void handle(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
}

static void interrupt(void) { CHECK_EQUAL(pthread_kill(waiter, SIGUSR1), 0); }

static int value_of(sem_t* object) {
  int value = -1;
  CHECK_EQUAL(sem_getvalue(object, &value), 0);
  return value;
}

static struct timespec after(clockid_t clock, long seconds) {
  struct timespec time;
  CHECK_EQUAL(clock_gettime(clock, &time), 0);
  time.tv_sec += seconds;
  return time;
}

/* Waits that end. */
static int in_sem_wait(void) { return sem_wait(&semaphore); }
static int in_sem_timedwait(void) {
  const struct timespec end = after(CLOCK_REALTIME, 1000);
  return sem_timedwait(&semaphore, &end);
}
static int in_sem_clockwait(void) {
  const struct timespec end = after(CLOCK_MONOTONIC, 1000);
  return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end);
}

static volatile int waits;

/* A handler may run before the wait, so the signal is sent again and again. */
static void* interrupt_while_it_waits(void* unused) {
  const double begin = now();
  while (waits) {
    if (now() - begin > 20) {
      fputs("a handler does not end the wait\n", stderr);
      abort();
    }
    interrupt();
    usleep(1000);
  }
  return unused;
}

static void ends(int (*wait)(void)) {
  waits = 1;
  const pthread_t other = start(&interrupt_while_it_waits, NULL);
  errno = 0;
  const int result = wait();
  const int error = errno;
  waits = 0;
  CHECK_EQUAL(result, -1);
  CHECK_EQUAL(error, EINTR);
  CHECK_EQUAL(value_of(&semaphore), 0);
  join(other);
}

/* Waits that go on until let_go(), which is called when a handler has run in them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once;
static int let_through;
static sem_t prepared;
static void (*prepare)(void);
static void (*let_go)(void);

static void* let_go_after_handler(void* unused) {
  if (prepare != NULL) prepare();
  sem_post(&prepared);
  usleep(2000);
  const int before = handled;
  interrupt();
  while (handled == before) usleep(100);
  usleep(1000);
  if (let_go != NULL) let_go();
  return unused;
}

static pthread_t releaser;

static void begin(void (*prepare_by)(void), void (*let_go_by)(void)) {
  prepare = prepare_by;
  let_go = let_go_by;
  releaser = start(&let_go_after_handler, NULL);
  while (sem_wait(&prepared) != 0) CHECK_EQUAL(errno, EINTR);
}

static void post_semaphore(void) { sem_post(&semaphore); }
static void lock_mutex(void) { pthread_mutex_lock(&mutex); }
static void unlock_mutex(void) { pthread_mutex_unlock(&mutex); }
static void lock_to_write(void) { pthread_rwlock_wrlock(&lock); }
static void unlock_lock(void) { pthread_rwlock_unlock(&lock); }
static void wait_for_barrier(void) { pthread_barrier_wait(&barrier); }
static void let_pass(void) {
  pthread_mutex_lock(&mutex);
  let_through = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static void nothing(void) {}

/* Of pthread_once(): begun, and not done before the handler has run. */
static void initialise_slowly(void) {
  sem_post(&prepared);
  usleep(2000);
  const int before = handled;
  interrupt();
  while (handled == before) usleep(100);
}
static void* call_once_slowly(void* unused) {
  pthread_once(&once, &initialise_slowly);
  return unused;
}

static void all_others_go_on(void) {
  const struct timespec end = after(CLOCK_REALTIME, 1000);
  begin(&lock_mutex, &unlock_mutex);
  CHECK_EQUAL(pthread_mutex_lock(&mutex), 0);
  pthread_mutex_unlock(&mutex);
  join(releaser);
  begin(&lock_mutex, &unlock_mutex);
  CHECK_EQUAL(pthread_mutex_timedlock(&mutex, &end), 0);
  pthread_mutex_unlock(&mutex);
  join(releaser);
  begin(&lock_to_write, &unlock_lock);
  CHECK_EQUAL(pthread_rwlock_rdlock(&lock), 0);
  pthread_rwlock_unlock(&lock);
  join(releaser);
  begin(&lock_to_write, &unlock_lock);
  CHECK_EQUAL(pthread_rwlock_timedwrlock(&lock, &end), 0);
  pthread_rwlock_unlock(&lock);
  join(releaser);
  for (int timed = 0; timed < 2; ++timed) {
    let_through = 0;
    begin(NULL, &let_pass);
    pthread_mutex_lock(&mutex);
    while (!let_through) {
      CHECK_EQUAL(timed ? pthread_cond_timedwait(&condition, &mutex, &end)
                        : pthread_cond_wait(&condition, &mutex),
                  0);
    }
    pthread_mutex_unlock(&mutex);
    join(releaser);
  }
  begin(NULL, &wait_for_barrier);
  const int serial = pthread_barrier_wait(&barrier);
  CHECK(serial == 0 || serial == PTHREAD_BARRIER_SERIAL_THREAD);
  join(releaser);
  begin(NULL, NULL);
  CHECK_EQUAL(pthread_join(releaser, NULL), 0);
  begin(NULL, NULL);
  CHECK_EQUAL(pthread_timedjoin_np(releaser, NULL, &end), 0);
  once = PTHREAD_ONCE_INIT;
  releaser = start(&call_once_slowly, NULL);
  while (sem_wait(&prepared) != 0) CHECK_EQUAL(errno, EINTR);
  CHECK_EQUAL(pthread_once(&once, &nothing), 0);
  join(releaser);
}

static void restarted_sem_wait_goes_on(void) {
  begin(NULL, &post_semaphore);
  CHECK_EQUAL(sem_wait(&semaphore), 0);
  join(releaser);
  CHECK_EQUAL(value_of(&semaphore), 0);
}

/* Two threads wait, and rounds of one post come, which one of them is to take. Where a handler ends
 * the wait of the first, it does not wait again in that round. */
static int taken;
static int round_begun;
static int round_ended;
static int rounds_end;

static int load(const int* number) { return __atomic_load_n(number, __ATOMIC_ACQUIRE); }

static void* take_posts(void* unused) {
  for (;;) {
    CHECK_EQUAL(sem_wait(&semaphore), 0);
    if (load(&rounds_end)) return unused;
    __atomic_add_fetch(&taken, 1, __ATOMIC_RELEASE);
  }
}

static void* post_and_interrupt(void* unused) {
  for (int round = 1; round <= kPosts; ++round) {
    while (load(&round_begun) < round) sched_yield();
    if (round % 4 == 0) usleep(100); /* the waiter is asleep */
    for (volatile int i = 0; i < round % 100 * 20; ++i) {}
    if (round % 2 == 0) interrupt();
    sem_post(&semaphore);
    if (round % 2 != 0) interrupt();
    /* The other may have taken it while the first waits. */
    for (int looks = 1; load(&round_ended) < round; ++looks) {
      if (looks % 100 == 0) interrupt();
      sched_yield();
    }
  }
  return unused;
}

static void no_post_is_lost_beside_a_signal(void) {
  taken = round_begun = round_ended = rounds_end = 0;
  const pthread_t taker = start(&take_posts, NULL);
  const pthread_t poster = start(&post_and_interrupt, NULL);
  for (int round = 1; round <= kPosts; ++round) {
    __atomic_store_n(&round_begun, round, __ATOMIC_RELEASE);
    if (sem_wait(&semaphore) == 0) {
      __atomic_add_fetch(&taken, 1, __ATOMIC_RELEASE);
    } else {
      CHECK_EQUAL(errno, EINTR);
    }
    const double begin_time = now();
    while (load(&taken) < round) {
      CHECK(now() - begin_time < 20);
      sched_yield();
    }
    CHECK_EQUAL(load(&taken), round);
    __atomic_store_n(&round_ended, round, __ATOMIC_RELEASE);
  }
  join(poster);
  CHECK_EQUAL(value_of(&semaphore), 0);
  __atomic_store_n(&rounds_end, 1, __ATOMIC_RELEASE);
  sem_post(&semaphore);
  join(taker);
}

/* The handler posts itself, while another thread waits behind: the wait has ended before, so the post
 * is the other's. */
static void* take_one(void* unused) {
  CHECK_EQUAL(sem_wait(&semaphore), 0);
  return unused;
}

static void* wait_behind_and_interrupt(void* unused) {
  usleep(2000);
  const pthread_t taker = start(&take_one, NULL);
  usleep(2000);
  interrupt();
  for (int looks = 1; waits; ++looks) { /* the post may have come before the wait */
    usleep(100);
    if (looks % 1000 == 0) interrupt();
  }
  join(taker);
  return unused;
}

/* Returns 0 if the handler ran before the wait, so that the post was the waiter's. */
static int interrupted_by_a_post(void) {
  waits = 1;
  const pthread_t other = start(&wait_behind_and_interrupt, NULL);
  const int ended = sem_wait(&semaphore) != 0;
  if (ended) CHECK_EQUAL(errno, EINTR);
  waits = 0;
  if (!ended) sem_post(&semaphore);
  join(other);
  while (sem_trywait(&semaphore) == 0) {}
  return ended;
}

static void a_post_of_the_handler_is_anothers(void) {
  int attempts = 1;
  while (!interrupted_by_a_post()) CHECK(++attempts < 50);
}

static void* check_all(void* unused) {
  waiter = pthread_self();
  for (int round = 0; round < kRounds; ++round) {
    handle(&note, 0);
    ends(&in_sem_wait);
    ends(&in_sem_timedwait);
    ends(&in_sem_clockwait);
    all_others_go_on();
    handle(&note, SA_RESTART);
    ends(&in_sem_timedwait);
    ends(&in_sem_clockwait);
    restarted_sem_wait_goes_on();
    all_others_go_on();
    handle(&post, 0);
    a_post_of_the_handler_is_anothers();
  }
  handle(&note, 0);
  no_post_is_lost_beside_a_signal();
  return unused;
}

int main(void) {
  CHECK_EQUAL(sem_init(&semaphore, 0, 0), 0);
  CHECK_EQUAL(sem_init(&prepared, 0, 0), 0);
  CHECK_EQUAL(pthread_barrier_init(&barrier, NULL, 2), 0);
  check_all(NULL); /* by an OS thread */
  join(start(&check_all, NULL));
  puts("passed");
  return 0;
}
