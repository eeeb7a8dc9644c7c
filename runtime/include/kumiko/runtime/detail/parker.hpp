// Puts one OS thread to sleep until another wakes it: a binary semaphore on a futex.
#pragma once

#include <atomic>
#include <cstdint>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/hardware.hpp>

namespace kumiko::runtime::detail {

/// What a Parker is made of: a futex, and an eventfd as the bell.
struct ParkerHardware : Hardware {
  using Number = std::uint32_t;
  using Bell = int;

  /// Blocks until wake() if the word holds `value`; may also return for nothing.
  static void sleep_while(std::atomic<Number>& word, Number value) noexcept;
  /// Likewise, but until `deadline` at the latest. Returns false if that has come.
  static bool sleep_while_until(std::atomic<Number>& word, Number value,
                                Deadline deadline) noexcept;
  /// Likewise, until `deadline` at the latest unless that is nullptr. Returns false if that has
  /// come or the kernel says EINTR: with a deadline after any signal handler, without one after a
  /// handler that was installed without SA_RESTART.
  static bool sleep_while_undisturbed(std::atomic<Number>& word, Number value,
                                      const Deadline* deadline) noexcept;
  static void wake(std::atomic<Number>& word) noexcept;
  static void ring(Bell bell) noexcept;
};

/// Where one OS thread sleeps until another wakes it: a binary semaphore on one futex word.
///
/// A signal that comes before park() is kept, so neither order loses it. Two signals count as one.
/// unpark() gives the sleeper permission to destroy the Parker: after its store it hands only the
/// address to the kernel, which at worst wakes someone who looks at his own word and sleeps again.
/// tests/runtime/model runs this code on a Machine of its own.
template <class Machine>
class BasicParker {
 public:
  using Bell = typename Machine::Bell;

  /// Blocks the calling OS thread until a signal is there and takes it. Only one thread may park.
  void park() noexcept;

  /// Blocks as park() does, but until `deadline` at the latest. Returns whether it took a signal.
  bool park_until(Deadline deadline) noexcept;

  /// Blocks as park() does, but until a signal handler of the operating system has interrupted the
  /// sleep (see Machine::sleep_while_undisturbed), or `deadline` has come, unless that is nullptr.
  /// Returns whether it took a signal; if not, one that came after the interruption is kept.
  bool park_undisturbed(const Deadline* deadline) noexcept;

  /// Leaves a signal and wakes the sleeper, if any. Cost: one system call.
  void unpark() noexcept;

  /// Names an eventfd by which unpark() wakes one that watches. Before anybody watches.
  void set_bell(Bell bell) noexcept { bell_ = bell; }

  /// Instead of park(), for an OS thread that sleeps by watching descriptors, the bell among them:
  /// takes a signal and returns false, or returns true; then unpark() rings the bell until
  /// end_watch(). The Parker and the bell outlive whoever may call unpark() meanwhile.
  bool begin_watch() noexcept;

  /// Returns whether it took a signal.
  bool end_watch() noexcept;

 private:
  static constexpr std::uint32_t kSignalled = 1;
  static constexpr std::uint32_t kWatching = 2;

  using Number = typename Machine::Number;

  typename Machine::template Atomic<Number> signalled_{0};
  typename Machine::template Plain<Bell> bell_{-1};
};

using Parker = BasicParker<ParkerHardware>;

extern template class BasicParker<ParkerHardware>;  // see core/parking.hpp

}  // namespace kumiko::runtime::detail
