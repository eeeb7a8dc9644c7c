# Whether libkumiko_pthread can be built: its thread-local storage is that of one processor and one C
# library, and sanitizers replace the same functions.
include(CheckCSourceCompiles)
check_c_source_compiles("
  #include <features.h>
  #if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 35) || !defined(__x86_64__) || !defined(__linux__)
  #error
  #endif
  int main(void) { return 0; }" KUMIKO_HAS_GLIBC_X86_64)

set(reason "")
if(NOT KUMIKO_HAS_GLIBC_X86_64)
  set(reason "it needs x86-64 Linux with the GNU C library 2.35 or later")
elseif(KUMIKO_SANITIZER)
  set(reason "a sanitizer is on")
elseif(CMAKE_CROSSCOMPILING)
  set(reason "this is a cross build")
elseif(KUMIKO_IS_PART)
  set(reason "Kumiko is part of another project")
endif()
if(reason STREQUAL "")
  set(KUMIKO_PTHREAD_DEFAULT ON)
else()
  set(KUMIKO_PTHREAD_DEFAULT OFF)
endif()
option(KUMIKO_PTHREAD "Build libkumiko_pthread.so, POSIX threads as lightweight threads"
  ${KUMIKO_PTHREAD_DEFAULT})

if(KUMIKO_PTHREAD AND (reason STREQUAL "" OR KUMIKO_IS_PART) AND NOT KUMIKO_SANITIZER)
  message(STATUS "libkumiko_pthread: built")
  add_subdirectory(pthread)
elseif(reason STREQUAL "")
  message(STATUS "libkumiko_pthread: left out, as KUMIKO_PTHREAD says")
else()
  message(STATUS "libkumiko_pthread: left out, ${reason}")
endif()
