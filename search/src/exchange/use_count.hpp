// The number of threads that use an object, so that its end can wait for them.
#pragma once

#include <atomic>

#include <kumiko/runtime/future.hpp>

namespace kumiko::search::detail {

/// Counts uses, and the object itself until end_and_wait(). Invariant: once the count is 0 it stays
/// 0, so a use that begins later is refused.
class UseCount {
 public:
  /// Begins a use by a thread that has one, or before end_and_wait().
  void begin() noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  /// Begins a use by any thread. Returns false if all uses have ended.
  bool try_begin() noexcept;
  void end() noexcept;

  /// Ends the object's own use and waits for all others. Call it once. Suspends.
  void end_and_wait();

 private:
  std::atomic<int> uses_{1};
  runtime::Promise<void> ended_;
};

/// A use for as long as this exists.
class Use {
 public:
  explicit Use(UseCount& of) noexcept : count_(of), has_begun_(of.try_begin()) {}
  ~Use() {
    if (has_begun_) count_.end();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  /// True unless all uses had ended.
  explicit operator bool() const noexcept { return has_begun_; }

 private:
  UseCount& count_;
  const bool has_begun_;
};

}  // namespace kumiko::search::detail
