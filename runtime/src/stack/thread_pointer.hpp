// Switches the processor's thread pointer, so that `__thread` variables follow lightweight threads.
#pragma once

#include <kumiko/runtime/detail/current.hpp>

namespace kumiko::runtime::detail {

// Where programs' `__thread` variables must belong to lightweight threads (libkumiko_pthread), each
// has a block of thread-local storage of its own, and the processor's thread pointer changes with
// every switch. Elsewhere thread_local belongs to the OS thread, and nothing of this is compiled.
#if defined(KUMIKO_THREAD_POINTERS) && defined(__x86_64__)

inline constexpr bool kThreadPointers = true;

/// The processor's thread pointer as it is now.
[[gnu::always_inline]] inline void* thread_pointer() noexcept {
  void* pointer;
  // volatile: it changes with every switch.
  asm volatile("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/// Whether the kernel lets programs write the register; a system call does it otherwise.
extern const bool kHasWriteFsBase;
void write_thread_pointer_slowly(void* pointer) noexcept;

/// Makes `pointer` the thread pointer. The block there knows the running worker from then on.
/// Until the switch that follows no code may use a thread-local variable whose address it has
/// computed earlier; worker_front() never keeps one. Cost: two loads, a store, and wrfsbase.
[[gnu::always_inline]] inline void activate_thread_pointer(void* pointer,
                                                           WorkerFront* worker) noexcept {
  // First the variable in the block that is to be active, for a signal may come in between.
  asm volatile(
      "movq kumiko_worker_front@gottpoff(%%rip), %%rax\n\t"
      "movq %1, (%0,%%rax)"
      :
      : "r"(pointer), "r"(worker)
      : "rax", "memory");
  if (kHasWriteFsBase) [[likely]] {
    asm volatile("wrfsbase %0" : : "r"(pointer) : "memory");
  } else {
    write_thread_pointer_slowly(pointer);
  }
}

#else

inline constexpr bool kThreadPointers = false;

inline void* thread_pointer() noexcept { return nullptr; }
inline void activate_thread_pointer(void*, WorkerFront*) noexcept {}

#endif

}  // namespace kumiko::runtime::detail
