/* What the programs of this folder check with. They know nothing of Kumiko: each is run by the C
 * library too, so that a check holds for POSIX threads and not only for ours. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);       \
      abort();                                                                      \
    }                                                                               \
  } while (0)

#define CHECK_EQUAL(a, b)                                                           \
  do {                                                                              \
    const long check_a = (long)(a);                                                 \
    const long check_b = (long)(b);                                                 \
    if (check_a != check_b) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s is %ld, not %s, which is %ld\n", __FILE__, \
              __LINE__, #a, check_a, #b, check_b);                                  \
      abort();                                                                      \
    }                                                                               \
  } while (0)
