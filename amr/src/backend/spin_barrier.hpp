// A barrier of OS threads that meet often: they spin for a while before they sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace kumiko::amr {

/// As std::barrier, for a fixed number of OS threads: what each did before it arrived is visible to
/// all after they have met. Waking a thread takes some 5 to 60 µs, longer than many a phase of a
/// level, which spinning spares where every thread has a core.
class SpinBarrier {
 public:
  /// How long a thread spins, where it does: most waits of a step are shorter, and after one that
  /// is not, waking adds a few percent to it.
  static constexpr std::chrono::milliseconds kSpinTime{2};
  /// From when on it gives its core away after every few looks: where others use the cores too, the
  /// thread that it waits for may stand behind it.
  static constexpr std::chrono::microseconds kSelfishTime{50};

  /// \param spins  whether who waits spins at first; not where threads share cores, for it would
  ///               keep those from arriving that it waits for
  SpinBarrier(int threads, bool spins) : threads_(threads), spins_(spins) {}

  void arrive_and_wait() {
    // It cannot change before the caller has arrived.
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    arrive();
    if (spins_) spin(phase);
    phase_.wait(phase, std::memory_order_acquire);  // a load if all have arrived
  }

  /// Arrives on behalf of a thread that does not exist.
  void arrive() {
    // Releases what the caller did; the last one acquires it from all, and hands it on by phase_.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) return;
    arrived_.store(0, std::memory_order_relaxed);
    // Sequentially consistent, so that it stands before notify_all()'s look for sleepers.
    phase_.fetch_add(1, std::memory_order_seq_cst);
    phase_.notify_all();
  }

 private:
  void spin(std::uint32_t phase) const {
    constexpr int kLooksPerClock = 64;
    const auto begin = std::chrono::steady_clock::now();
    for (auto now = begin; now < begin + kSpinTime; now = std::chrono::steady_clock::now()) {
      for (int look = 0; look < kLooksPerClock; ++look) {
        if (phase_.load(std::memory_order_acquire) != phase) return;
        pause();
      }
      if (now > begin + kSelfishTime) std::this_thread::yield();
    }
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  const int threads_;
  const bool spins_;
  // Those who arrive write the one, those who spin read the other.
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> phase_ = 0;
};

}  // namespace kumiko::amr
