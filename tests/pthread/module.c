/* Loaded by dlopen.c: variables that are not in the static part of a thread's block. */
static __thread long count = 11;
static __thread char large[20000];

long count_up(void);

long count_up(void) {
  large[count % sizeof large] = 1;
  return ++count;
}
