/* Makes writing fail: preloaded, it stands before the system's calls and before liburing's.
 *
 *   KUMIKO_FAULT      which call: "pwritev", "fdatasync", "fsync" or "rename"; the first two also where
 *                     they go through io_uring
 *   KUMIKO_FAULT_END  what the names of the files end with that are meant; ".hdf.part" without it
 *   KUMIKO_ERRNO      the error that it gives from then on; 0 = pwritev writes half of what it is given
 *   KUMIKO_AFTER      calls that succeed before */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static int is_meant(const char* call, const char* path, size_t length) {
  const char* const given = getenv("KUMIKO_FAULT_END");
  const char* const last = given == NULL ? ".hdf.part" : given;
  const size_t end = strlen(last);
  const char* const wanted = getenv("KUMIKO_FAULT");
  if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
  return length > end && memcmp(path + length - end, last, end) == 0;
}

static int is_descriptor_meant(const char* call, int descriptor) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path);
  return length > 0 && is_meant(call, path, (size_t)length);
}

/* The error of this call, or 0. */
static int error_of_call(void) {
  const char* const after = getenv("KUMIKO_AFTER");
  const char* const number = getenv("KUMIKO_ERRNO");
  if (atomic_fetch_add(&calls, 1) < (after == NULL ? 0 : atol(after))) return 0;
  return number == NULL ? 0 : atoi(number);
}

static struct iovec half_of(struct iovec whole) {
  if (whole.iov_len > 1) whole.iov_len /= 2;
  return whole;
}

/* What the runtime's writes at an offset come to. */
ssize_t pwritev(int descriptor, const struct iovec* from, int count, off_t offset) {
  ssize_t (*next)(int, const struct iovec*, int, off_t) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "pwritev");
  if (!is_descriptor_meant("pwritev", descriptor)) return next(descriptor, from, count, offset);
  const int error = error_of_call();
  if (error != 0) {
    errno = error;
    return -1;
  }
  const struct iovec half = half_of(from[0]);
  return next(descriptor, &half, 1, offset);
}

static int sync_or_fail(const char* call, int descriptor) {
  int (*next)(int) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, call);
  const int error = is_descriptor_meant(call, descriptor) ? error_of_call() : 0;
  if (error == 0) return next(descriptor);
  errno = error;
  return -1;
}

int fdatasync(int descriptor) { return sync_or_fail("fdatasync", descriptor); }

int fsync(int descriptor) { return sync_or_fail("fsync", descriptor); }

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "rename");
  const int error = is_meant("rename", from, strlen(from)) ? error_of_call() : 0;
  if (error == 0) return next(from, to);
  errno = error;
  return -1;
}

#ifdef KUMIKO_HAS_LIBURING
#include <liburing.h>
#include <pthread.h>

/* Requests that became no operation, and the error that each is answered with. */
enum { kMostFailed = 4096 };
static struct {
  uint64_t tag;
  int error;
} failed[kMostFailed];
static int failed_count;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void answer_with(struct io_uring_sqe* request, int error) {
  pthread_mutex_lock(&guard);
  if (failed_count == kMostFailed) abort();
  failed[failed_count].tag = request->user_data;
  failed[failed_count++].error = error;
  pthread_mutex_unlock(&guard);
  request->opcode = IORING_OP_NOP;
  request->rw_flags = 0;
  request->len = 0;
}

/* The error kept for an answer, which is forgotten; 0 for what went through. */
static int take_error(uint64_t tag) {
  int error = 0;
  pthread_mutex_lock(&guard);
  for (int at = 0; at < failed_count && error == 0; ++at) {
    if (failed[at].tag != tag) continue;
    error = failed[at].error;
    failed[at] = failed[--failed_count];
  }
  pthread_mutex_unlock(&guard);
  return error;
}

static void change(struct io_uring_sqe* request) {
  const int writes = request->opcode == IORING_OP_WRITEV;
  if (!writes && request->opcode != IORING_OP_FSYNC) return;
  const int only_data = (request->fsync_flags & IORING_FSYNC_DATASYNC) != 0;
  const char* const call = writes ? "pwritev" : only_data ? "fdatasync" : "fsync";
  if (!is_descriptor_meant(call, request->fd)) return;
  const int error = error_of_call();
  if (error != 0) return answer_with(request, error);
  if (!writes) return;
  /* It must live as long as the request, whose end nobody tells. */
  struct iovec* const half = malloc(sizeof *half);
  if (half == NULL) abort();
  *half = half_of(*(const struct iovec*)(uintptr_t)request->addr);
  request->addr = (uintptr_t)half;
  request->len = 1;
}

int io_uring_submit(struct io_uring* ring) {
  int (*next)(struct io_uring*) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "io_uring_submit");
  for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail; ++at) {
    change(&ring->sq.sqes[at & *ring->sq.kring_mask]);
  }
  return next(ring);
}

unsigned io_uring_peek_batch_cqe(struct io_uring* ring, struct io_uring_cqe** answers,
                                 unsigned count) {
  unsigned (*next)(struct io_uring*, struct io_uring_cqe**, unsigned) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "io_uring_peek_batch_cqe");
  const unsigned there = next(ring, answers, count);
  for (unsigned at = 0; at < there; ++at) {
    const int error = take_error(answers[at]->user_data);
    if (error != 0) answers[at]->res = -error;
  }
  return there;
}
#endif
