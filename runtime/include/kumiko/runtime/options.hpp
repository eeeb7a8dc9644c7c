#pragma once

#include <chrono>
#include <cstddef>

namespace kumiko::runtime {

/// 128 KiB; 512 KiB where a sanitizer makes frames larger.
std::size_t default_stack_size() noexcept;

/// What a Runtime may use.
struct Options {
  /// Number of workers; 0 asks for available_cores(). More workers than cores is allowed.
  int workers = 0;
  /// Bytes that a lightweight thread may use, rounded up to pages. A guard page lies below.
  std::size_t stack_size = default_stack_size();
  /// When no thread can run and no deadline is pending for so long, stderr is told, once, which
  /// threads wait for what and where. 0 for never.
  std::chrono::milliseconds deadlock_report_after{5000};
  /// Keeps the stack of a thread that has ended until its Thread is joined or detached, as if stack
  /// and handle were one piece. For the study of memory only: the peak grows with the threads that
  /// are still to be joined.
  bool recycle_stacks_at_join = false;
};

}  // namespace kumiko::runtime
