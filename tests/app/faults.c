/* Makes writing to checkpoints fail: preloaded, it stands before the system's calls.
 *
 *   KUMIKO_FAULT  which call: "pwritev", "fdatasync" or "rename"
 *   KUMIKO_ERRNO  the error that it gives from then on; 0 = pwritev writes half of what it is given
 *   KUMIKO_AFTER  calls that succeed before
 *
 * Only files whose name ends in ".hdf.part" are meant. */
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
  static const char kEnd[] = ".hdf.part";
  const size_t end = sizeof kEnd - 1;
  const char* const wanted = getenv("KUMIKO_FAULT");
  if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
  return length > end && memcmp(path + length - end, kEnd, end) == 0;
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
  struct iovec half = from[0];
  if (half.iov_len > 1) half.iov_len /= 2;
  return next(descriptor, &half, 1, offset);
}

int fdatasync(int descriptor) {
  int (*next)(int) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "fdatasync");
  const int error = is_descriptor_meant("fdatasync", descriptor) ? error_of_call() : 0;
  if (error == 0) return next(descriptor);
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "rename");
  const int error = is_meant("rename", from, strlen(from)) ? error_of_call() : 0;
  if (error == 0) return next(from, to);
  errno = error;
  return -1;
}
