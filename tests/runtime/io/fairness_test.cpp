// Contract: what is computed and what is transferred do not starve each other. I/O that is done is
// noticed while every worker computes, if one of them polls, suspends or is idle now and then; a
// flood of I/O leaves the others their turns.
//
// The limits of time are generous: they tell "soon" from "when the computation is over".
#include <array>

#include <kumiko/runtime/io/pipe.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

using std::chrono::steady_clock;

class FairnessTest : public IoTest {
 protected:
  /// Two threads that exchange messages, until `kMessages` are answered.
  struct PingPong {
    static constexpr int kMessages = 100;
    Stream there = make_stream(StreamKind::kUnix);
    std::atomic<bool> ended{false};

    void ping() {
      for (int i = 0; i < kMessages; ++i) {
        char byte = 'x';
        ASSERT_TRUE(io::write(there.writer.get(), bytes_in(byte)));
        ASSERT_EQ(io::read(there.writer.get(), bytes_in(byte)).value(), 1U);
      }
      ended = true;
    }
    void pong() {
      for (int i = 0; i < kMessages; ++i) {
        char byte = 0;
        ASSERT_EQ(io::read(there.reader.get(), bytes_in(byte)).value(), 1U);
        ASSERT_TRUE(io::write(there.reader.get(), bytes_in(byte)));
      }
    }
  };

  /// Computes on `workers` workers, calling between() again and again, while a ping-pong goes on.
  template <class Between>
  void compute_beside_ping_pong(int workers, Between between) {
    PingPong game;
    const auto limit = steady_clock::now() + kForEver;
    runtime_->run([&] {
      TaskGroup group;
      group.run([&] { game.ping(); });
      group.run([&] { game.pong(); });
      for (int i = 0; i < workers; ++i) {
        group.run([&] {
          while (!game.ended && steady_clock::now() < limit) between();
        });
      }
      group.wait();
    });
    EXPECT_TRUE(game.ended);
    EXPECT_LT(steady_clock::now(), limit);
  }
};
KUMIKO_WITH_ENGINES(FairnessTest);

TEST_P(FairnessTest, GivenComputationsThatPollWhenAllWorkersComputeThenIoGoesOn) {
  compute_beside_ping_pong(GetParam().workers, [] { this_thread::poll(); });
}

TEST_P(FairnessTest, GivenComputationsThatYieldWhenAllWorkersComputeThenIoGoesOn) {
  compute_beside_ping_pong(GetParam().workers, [] { this_thread::yield(); });
}

TEST_P(FairnessTest, GivenComputationsThatSpawnWhenAllWorkersComputeThenIoGoesOn) {
  compute_beside_ping_pong(GetParam().workers, [] {
    TaskGroup group;
    for (int i = 0; i < 10; ++i) group.run([] {});
    group.wait();
  });
}

TEST_P(FairnessTest, GivenComputationsWithoutPollsWhenOneWorkerIsFreeThenIoGoesOn) {
  compute_beside_ping_pong(GetParam().workers - 1, [] { sched_yield(); });
}

TEST_P(FairnessTest, GivenAFloodOfIoWhenAThreadComputesThenItHasItsTurns) {
  const auto limit = steady_clock::now() + kForEver;
  std::atomic<bool> ended{false};
  std::atomic<std::int64_t> messages{0};
  runtime_->run([&] {
    TaskGroup group;
    std::vector<Stream> streams;
    for (int i = 0; i < 100; ++i) streams.push_back(make_stream(StreamKind::kUnix));
    for (const Stream& stream : streams) {
      const auto play = [&](int end) {
        char byte = 'x';
        while (!ended && io::read(end, bytes_in(byte)).value_or(0U) == 1) {
          if (!io::write(end, bytes_in(byte))) return;
          ++messages;
        }
        ::shutdown(end, SHUT_RDWR);
      };
      group.run([play, end = stream.reader.get()] { play(end); });
      group.run([play, end = stream.writer.get()] { play(end); });
      ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
    }
    constexpr int kTurns = kSanitized ? 30 : 1000;
    for (int turn = 0; turn < kTurns && steady_clock::now() < limit; ++turn) this_thread::yield();
    ended = true;
    group.wait();
  });
  EXPECT_LT(steady_clock::now(), limit);
  EXPECT_GT(messages, 0);
}

TEST_P(FairnessTest, GivenAFloodOfIoWhenWorkComesFromOutsideThenItIsDone) {
  std::atomic<bool> ended{false};
  const Stream stream = make_stream(StreamKind::kUnix);
  std::thread flood([&] {
    runtime_->run([&] {
      TaskGroup group;
      for (const int end : {stream.reader.get(), stream.writer.get()}) {
        group.run([&, end] {
          char byte = 'x';
          while (!ended && io::write(end, bytes_in(byte)) &&
                 io::read(end, bytes_in(byte)).value_or(0U) == 1) {
          }
          ::shutdown(end, SHUT_RDWR);
        });
      }
      group.wait();
    });
  });
  for (int i = 0; i < 100; ++i) runtime_->run([] {});
  ended = true;
  flood.join();
}

TEST_P(FairnessTest, GivenAnEndlessStreamWhenItsReaderNeverWaitsThenOthersHaveTheirTurns) {
  // A read that finds something does not suspend, so its thread must give way by itself.
  const auto limit = steady_clock::now() + kForEver;
  std::atomic<bool> ended{false};
  runtime_->run([&] {
    const io::FileDescriptor zero(io::open("/dev/zero", O_RDONLY).value());
    TaskGroup group;
    group.run([&] {
      std::array<std::byte, 100> bytes{};
      while (!ended && steady_clock::now() < limit) {
        ASSERT_TRUE(io::read(zero.get(), bytes));
        this_thread::yield();
      }
    });
    group.run([&] { ended = true; });
    group.wait();
  });
  EXPECT_LT(steady_clock::now(), limit);
}

TEST_P(FairnessTest,
       GivenAnIdleWorkerWhenTwoAreReadyAndOneComputesLongThenTheOthersNextReadGoesOn) {
  if (GetParam().workers < 2) GTEST_SKIP() << "nobody is idle";
  const Stream first = make_stream(StreamKind::kUnix);
  const Stream second = make_stream(StreamKind::kUnix);
  std::atomic<bool> has_read_again{false};
  run(
      [&] {
        std::byte byte{};
        ASSERT_TRUE(io::read(first.reader.get(), std::span(&byte, 1)));
        ASSERT_TRUE(io::read(first.reader.get(), std::span(&byte, 1)));
        has_read_again = true;
      },
      [&] {
        std::byte byte{};
        ASSERT_TRUE(io::read(second.reader.get(), std::span(&byte, 1)));
        // Without a poll or a suspension, until the other has gone on; for ever if it does not.
        const auto end = steady_clock::now() + kForEver;
        hold_worker_until([&] { return has_read_again || steady_clock::now() > end; });
        EXPECT_TRUE(has_read_again);
      },
      [&] {
        ASSERT_TRUE(io::write_all(first.writer.get(), bytes_of("ab")));
        ASSERT_TRUE(io::write_all(second.writer.get(), bytes_of("c")));
      });
}

}  // namespace
}  // namespace kumiko::runtime::test
