// Contract: whatever befalls a web of connections for a long time (deadlines, stops, slow readers,
// peers that go early, connections that come and go), each byte arrives once and in its place: all
// that were sent where the stream ended in good order, else the first of them.
//
// Bytes go from a source through relays to a sink, which knows each by its position. The seed is
// printed; KUMIKO_SOAK_SEED sets it. It determines the faults that each thread asks for, not their
// order.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <stop_token>

#include <kumiko/runtime/mutex.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

using std::chrono::steady_clock;
using Random = std::mt19937_64;

std::uint64_t seed_of_environment() {
  const char* const text = std::getenv("KUMIKO_SOAK_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device()();
}

/// Whose wait somebody else may stop.
class Victim {
 public:
  std::stop_token expose() {
    const std::lock_guard lock(mutex_);
    stop_ = std::stop_source();
    return stop_.get_token();
  }
  void strike() {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }

 private:
  Mutex mutex_;
  std::stop_source stop_;
};

/// What has happened, to see that the faults did.
struct Tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> streams{0};
  std::atomic<std::uint64_t> broken{0};
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> cancelled{0};
};

/// One thread's end of a stream, with its troubles.
class Party {
 public:
  Party(std::uint64_t seed, Victim& victim, Tally& tally)
      : random_(seed), victim_(victim), tally_(tally) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Writes all of `bytes`, in as many calls as it takes. Returns false if the peer is gone.
  bool write(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const io::Transfer moved = io::write_all(descriptor, bytes, trouble());
      bytes = bytes.subspan(moved.bytes);
      if (!moved && !was_abandoned(moved.error)) return false;
    }
    return true;
  }

  /// Returns 0 at the end, and where the peer was reset.
  std::size_t read(int descriptor, std::span<std::byte> into) {
    for (;;) {
      if (below(100) == 0) this_thread::sleep_for(std::chrono::microseconds(below(2000)));
      const auto moved = io::read(descriptor, into.first(1 + below(into.size())), trouble());
      if (moved) return *moved;
      if (!was_abandoned(moved.error())) return 0;
    }
  }

 private:
  io::Limits trouble() {
    switch (below(8)) {
      case 0:
        return io::within(std::chrono::microseconds(below(300)));
      case 1:
        return io::unless(victim_.expose());
      case 2:
        return io::within(std::chrono::microseconds(below(3000)), victim_.expose());
      default:
        return {};
    }
  }

  bool was_abandoned(std::error_code error) {
    if (error == std::errc::timed_out) {
      ++tally_.timed_out;
    } else if (error == std::errc::operation_canceled) {
      ++tally_.cancelled;
    } else {
      EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset)
          << error.message();
      return false;
    }
    return true;
  }

  Random random_;
  Victim& victim_;
  Tally& tally_;
};

/// From a source through relays to a sink.
class Course {
 public:
  static constexpr std::size_t kMostHops = 4;
  static constexpr std::size_t kParties = kMostHops + 1;

  Course(std::uint64_t number, Random& random, std::span<Victim> victims, Tally& tally)
      : number_(number),
        hops_(1 + random() % kMostHops),
        bytes_(1 + random() % 200'000),
        breaks_(random() % 8 == 0),
        tally_(tally) {
    for (std::size_t i = 0; i < hops_; ++i) {
      streams_.push_back(make_stream(kStreamKinds[random() % 3], random() % 2 == 0));
    }
    for (std::size_t i = 0; i <= hops_; ++i) parties_.emplace_back(random(), victims[i], tally);
  }

  void run() {
    TaskGroup group;
    for (std::size_t i = 0; i + 1 < hops_; ++i) group.run([this, i] { relay(i); });
    group.run([this] { source(); });
    sink();
    group.wait();
    ++tally_.streams;
    tally_.bytes += received_;
    if (breaks_) {
      ++tally_.broken;
      EXPECT_LE(received_, sent_);
    } else {
      EXPECT_EQ(sent_, bytes_);
      EXPECT_EQ(received_, bytes_);
    }
    EXPECT_EQ(wrong_at_, received_) << "of " << bytes_ << " bytes through " << hops_ << " streams";
  }

 private:
  void source() {
    Party& self = parties_[0];
    io::FileDescriptor& out = streams_[0].writer;
    std::array<std::byte, 8192> block{};
    while (sent_ < bytes_) {
      const auto some = std::span(block).first(
          std::min<std::size_t>(1 + self.below(block.size()), bytes_ - sent_));
      fill(some, number_, sent_);
      sent_ += some.size();
      if (!self.write(out.get(), some)) break;
    }
    EXPECT_TRUE(out.close());
  }

  void relay(std::size_t hop) {
    Party& self = parties_[hop + 1];
    io::FileDescriptor& in = streams_[hop].reader;
    io::FileDescriptor& out = streams_[hop + 1].writer;
    std::array<std::byte, 4096> block{};
    while (const std::size_t moved = self.read(in.get(), block)) {
      if (!self.write(out.get(), std::span(block).first(moved))) break;
    }
    EXPECT_TRUE(out.close());
    EXPECT_TRUE(in.close());
  }

  void sink() {
    Party& self = parties_[hops_];
    io::FileDescriptor& in = streams_[hops_ - 1].reader;
    std::array<std::byte, 10'000> block{};
    const std::size_t enough = breaks_ ? self.below(bytes_) : bytes_ + 1;
    while (received_ < enough) {
      const std::size_t moved = self.read(in.get(), block);
      if (moved == 0) break;
      const auto some = std::span<const std::byte>(block).first(moved);
      if (wrong_at_ == received_) wrong_at_ += first_difference(some, number_, received_);
      received_ += moved;
    }
    EXPECT_TRUE(in.close());
  }

  const std::uint64_t number_;
  const std::size_t hops_;
  const std::size_t bytes_;
  const bool breaks_;  ///< the sink goes early
  Tally& tally_;
  std::vector<Stream> streams_;
  std::vector<Party> parties_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  std::size_t wrong_at_ = 0;
};

class SoakTest : public IoTest {
 protected:
  void soak(std::chrono::milliseconds duration) {
    constexpr std::size_t kCourses = kSanitized ? 10 : 30;
    const std::uint64_t seed = seed_of_environment();
    std::printf("KUMIKO_SOAK_SEED=%llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    Tally tally;
    std::vector<Victim> victims(kCourses * Course::kParties);
    std::atomic<std::size_t> living{kCourses};
    const auto end = steady_clock::now() + duration;
    runtime_->run([&] {
      TaskGroup group;
      for (std::size_t i = 0; i < kCourses; ++i) {
        group.run([&, i] {
          Random random(seed + i);
          const auto own = std::span(victims).subspan(i * Course::kParties, Course::kParties);
          do {
            Course(random(), random, own, tally).run();
          } while (steady_clock::now() < end && !testing::Test::HasFailure());
          --living;
        });
      }
      group.run([&] {
        Random random(seed - 1);
        while (living != 0) {
          victims[random() % victims.size()].strike();
          this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        }
      });
      group.wait();
    });
    std::printf(
        "%llu bytes in %llu streams, %llu of them broken; %llu waits timed out, %llu were "
        "stopped\n",
        static_cast<unsigned long long>(tally.bytes),
        static_cast<unsigned long long>(tally.streams),
        static_cast<unsigned long long>(tally.broken),
        static_cast<unsigned long long>(tally.timed_out),
        static_cast<unsigned long long>(tally.cancelled));
    EXPECT_GT(tally.bytes, 0U);
  }
};
KUMIKO_WITH_ENGINES(SoakTest);

TEST_P(SoakTest, GivenAWebOfConnectionsWhenAllGoesWrongForTwoSecondsThenNoByteIsLost) { soak(2s); }

class LongSoakTest : public SoakTest {};
INSTANTIATE_TEST_SUITE_P(With, LongSoakTest,
                         testing::Values(Setting{IoEngine::kIoUring, 3},
                                         Setting{IoEngine::kEpoll, 3},
                                         Setting{IoEngine::kMixed, 3}),
                         setting_name);

TEST_P(LongSoakTest, GivenAWebOfConnectionsWhenAllGoesWrongForAMinuteThenNoByteIsLost) {
  soak(60s);
}

}  // namespace
}  // namespace kumiko::runtime::test
