// All that is known of one POSIX thread: its stack, result, cancellation and signals.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

#include "port/port.hpp"

namespace kumiko::pthread {

/// What a lightweight thread of libkumiko_pthread is to the program, from pthread_create() to its
/// join: the beginning of its *block*, which holds its thread-local storage too.
///
///     | ThreadRecord | thread-local variables of all modules <- | struct pthread |
///                                                               ^ thread pointer = pthread_t
///
/// Blocks are pooled and keep what belongs to the C library: see ThreadBlocks.
struct alignas(64) ThreadRecord {
  /// Bits of `state`. Whoever sets the second of kEnded and kDetached gives the block back; a
  /// joiner does so after kEnded.
  static constexpr std::uint32_t kEnded = 1;
  static constexpr std::uint32_t kDetached = 2;
  static constexpr std::uint32_t kJoined = 4;  ///< somebody waits for the end, nobody else may

  ThreadRecord* next = nullptr;           ///< in a free list
  void* const thread_pointer;             ///< of the block
  const std::uint32_t index;              ///< among all blocks
  bool has_storage = false;               ///< the block has been made ready for the C library once
  unsigned long long module_changes = 0;  ///< see LibcThread
  bool exit_called = false;               ///< pthread_exit() has been called, with `result`
  std::atomic<std::uint32_t> state{0};

  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;

  std::size_t stack_size = 0;     ///< asked for; 0: the runtime's own
  std::byte* stack = nullptr;     ///< lowest byte of the stack in use
  std::size_t stack_bytes = 0;    ///< of the stack in use
  bool stack_is_callers = false;  ///< given by pthread_attr_setstack()

  std::atomic<const void*> parked_at{nullptr};  ///< in a wait that can be interrupted
  runtime::port::InterruptibleWait io_wait;     ///< for I/O
  std::array<char, 16> name{};
  sigset_t signal_mask{};  ///< what the thread believes, see signals.hpp; to be set by set_mask()

  // Sets of signals as the kernel has them, bit n - 1 for signal n; see signals.hpp.
  std::atomic<std::uint64_t> pending_signals{0};  ///< sent to this thread
  std::atomic<std::uint64_t> blocked_signals{0};  ///< signal_mask, for others
  std::atomic<std::uint64_t> awaited_signals{0};  ///< by sigwait() and its like
  std::atomic<bool> ends{false};                  ///< and so runs no handler, see signals.hpp
  std::atomic<int> signal_bell{-1};               ///< an eventfd, while it waits there
  std::atomic<std::uint32_t> ringers{0};          ///< who may be about to write to it

  std::atomic<bool> is_put_off{false};   ///< a signal handler was to interrupt it, see SignalGuard
  ThreadRecord* next_put_off = nullptr;  ///< in the list of who interrupts it instead

  ThreadRecord(void* pointer, std::uint32_t number) noexcept
      : thread_pointer(pointer), index(number) {}

  /// The handle by which the program names the thread.
  pthread_t handle() const noexcept { return reinterpret_cast<pthread_t>(thread_pointer); }

  /// The thread that a handle names, nullptr if that is an OS thread.
  static ThreadRecord* of(pthread_t handle) noexcept;

  /// The running lightweight thread, nullptr on a plain OS thread.
  static ThreadRecord* running() noexcept { return of(pthread_self()); }

  /// Whether pthread_cancel() has been called for it.
  bool is_cancelled() const noexcept;

  /// Sets the signal mask; by the thread itself, or before it begins.
  void set_mask(const sigset_t& mask) noexcept;

  /// The signals that the thread is to take: it need not wait while there is none.
  std::uint64_t signals_to_take() const noexcept {
    // The thread's own, and a hint to anybody else.
    return ends.load(std::memory_order_relaxed) ? 0 : open_signals();
  }

  /// The signals that have been sent to the thread and are neither blocked nor awaited.
  std::uint64_t open_signals() const noexcept {
    // seq_cst: see signals.hpp. The others are the thread's own, and a hint to anybody else.
    return pending_signals.load(std::memory_order_seq_cst) &
           ~(blocked_signals.load(std::memory_order_relaxed) |
             awaited_signals.load(std::memory_order_relaxed));
  }

  /// Makes a cancellation pending. The C library's own cancellation points look at it too.
  void set_cancelled() noexcept;
};

}  // namespace kumiko::pthread
