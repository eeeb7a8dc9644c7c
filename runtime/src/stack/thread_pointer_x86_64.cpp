// Part of libkumiko_pthread only.
#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "stack/thread_pointer.hpp"

namespace kumiko::runtime::detail {

namespace {

/// The bit of AT_HWCAP2 that says that user programs may use wrfsbase (Linux 5.9, Ivy Bridge).
constexpr unsigned long kFsgsbase = 2;

}  // namespace

const bool kHasWriteFsBase = (getauxval(AT_HWCAP2) & kFsgsbase) != 0;

void write_thread_pointer_slowly(void* pointer) noexcept {
  long result;
  // syscall() may write errno, which is somebody's thread-local variable.
  asm volatile("syscall"
               : "=a"(result)
               : "0"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(pointer)
               : "rcx", "r11", "memory");
}

}  // namespace kumiko::runtime::detail
