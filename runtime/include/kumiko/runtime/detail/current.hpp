// Finds the worker that runs the caller, and its poll word, for code that is inlined into programs.
#pragma once

#include <atomic>
#include <cstdint>

namespace kumiko::runtime::detail {

struct Descriptor;
class Worker;
struct LazyFrame;

/// What others ask of a running worker: bits of its *poll word*. The worker looks at it with one
/// relaxed load at every spawn, suspension and poll, and does what is asked then.
namespace request {
/// Somebody is idle: make work public. Stays set until there was something to share.
inline constexpr std::uint32_t kShare = 1;
/// Threads wait in the scheduler's common queue: let them run before going on.
inline constexpr std::uint32_t kLookOutside = 2;
/// The worker has a Diversion, which chooses otherwise than it would. Stays set.
inline constexpr std::uint32_t kDivert = 4;
/// Nothing has been polled for a while: poll, and let threads whose event has come go first.
inline constexpr std::uint32_t kPoll = 8;
}  // namespace request

/// The part of a lightweight thread that inlined code reads: the base of its Descriptor.
struct ThreadFront {
  LazyFrame* lazy_tip = nullptr;  ///< the innermost parallel construct that it is in (see invoke)
};

/// The part of a worker that inlined code reads: the base of Worker.
struct WorkerFront {
  alignas(64) std::atomic<std::uint32_t> requests{0};  ///< the poll word
  alignas(64) ThreadFront* running = nullptr;          ///< nullptr while the loop runs
};

/// The worker that the calling OS thread is, nullptr if it is not a worker. Read through
/// worker_front() only: a compiler may keep a thread-local variable's address across a switch,
/// after which the caller may be on another OS thread.
extern "C" thread_local constinit WorkerFront* kumiko_worker_front;

/// Returns kumiko_worker_front. Ask anew after everything that may suspend. Cost: two loads.
[[gnu::always_inline]] inline WorkerFront* worker_front() noexcept {
  WorkerFront* front;
  // Address and load are one opaque statement, which no compiler can split; volatile keeps two such
  // statements from being merged. initial-exec: one load for the offset, which the linker may
  // elide.
#if defined(__x86_64__)
  asm volatile(
      "movq kumiko_worker_front@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(front));
#elif defined(__aarch64__)
  WorkerFront** offset;
  asm volatile(
      "adrp %1, :gottprel:kumiko_worker_front\n\t"
      "ldr %1, [%1, :gottprel_lo12:kumiko_worker_front]\n\t"
      "mrs %0, tpidr_el0\n\t"
      "ldr %0, [%0, %1]"
      : "=r"(front), "=&r"(offset));
#else
#error "kumiko::runtime is for x86-64 and aarch64 Linux"
#endif
  return front;
}

}  // namespace kumiko::runtime::detail
