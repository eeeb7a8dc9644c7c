/* Makes writing to checkpoints fail: preloaded, it stands before the system's calls.
 *
 *   KUMIKO_FAULT  which call: "pwritev" or "fdatasync"
 *   KUMIKO_ERRNO  the error that it gives from then on; 0 = pwritev writes half of what it is given
 *   KUMIKO_AFTER  calls that succeed before
 *
 * Only descriptors of files whose name ends in ".hdf.part" are meant. */
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

static int is_meant(const char* call, int descriptor) {
  static const char kEnd[] = ".hdf.part";
  const char* const wanted = getenv("KUMIKO_FAULT");
  if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path);
  if (length < (ssize_t)sizeof kEnd) return 0;
  return memcmp(path + length - (sizeof kEnd - 1), kEnd, sizeof kEnd - 1) == 0;
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
  if (!is_meant("pwritev", descriptor)) return next(descriptor, from, count, offset);
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
  const int error = is_meant("fdatasync", descriptor) ? error_of_call() : 0;
  if (error == 0) return next(descriptor);
  errno = error;
  return -1;
}
