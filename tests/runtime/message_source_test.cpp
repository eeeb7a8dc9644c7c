// Sources of events that a program brings: who polls them, when, and on which stack; and the
// threads that are started from outside.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/message_source.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

namespace kumiko::runtime {
namespace {

using namespace std::chrono_literals;

/// Brings one number, in an Entry, when somebody has delivered it.
class Mailbox final : public MessageSource {
 public:
  ~Mailbox() override { ::close(bell_); }

  void deliver(int number) {
    number_ = number;
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(bell_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  /// For a caller that polls soon: without the bell.
  void deliver_quietly(int number) {
    number_ = number;
    has_unsent_ = true;
  }
  Entry<int>& entry() { return entry_; }
  bool was_polled_by_a_thread() const { return was_polled_by_a_thread_; }
  void close() { is_open_ = false; }

  int poll(bool /*idle*/) noexcept override {
    if (this_thread::id() != ThreadId()) was_polled_by_a_thread_ = true;
    has_unsent_ = false;
    const int number = number_.exchange(0);
    if (number == 0) return 0;
    std::uint64_t rings = 0;
    static_cast<void>(::read(bell_, &rings, sizeof rings));
    token_.send(number);
    return 1;
  }
  bool has_unsent() const noexcept override { return has_unsent_; }
  int pollable() const noexcept override { return bell_; }
  bool is_open() const noexcept override { return is_open_; }

 private:
  const int bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::atomic<int> number_{0};
  std::atomic<bool> has_unsent_{false};
  std::atomic<bool> was_polled_by_a_thread_{false};
  std::atomic<bool> is_open_{true};
  Entry<int> entry_;
  Token<int> token_ = entry_.token();
};

class MessageSourceTest : public testing::TestWithParam<int> {
 protected:
  MessageSourceTest() { runtime_.attach(box_); }
  ~MessageSourceTest() override {
    EXPECT_FALSE(box_->was_polled_by_a_thread());
    box_->close();
  }

  std::shared_ptr<Mailbox> box_ = std::make_shared<Mailbox>();
  Runtime runtime_{{.workers = GetParam()}};
};

TEST_P(MessageSourceTest, GivenWorkersThatSleepWhenSomethingComesThenTheWaitingThreadGetsIt) {
  std::thread sender([this] {
    std::this_thread::sleep_for(20ms);
    box_->deliver(42);
  });
  runtime_.run([this] { EXPECT_EQ(box_->entry().get(), 42); });
  sender.join();
}

TEST_P(MessageSourceTest, GivenWorkersThatComputeAndPollWhenSomethingComesThenItIsTaken) {
  runtime_.run([this] {
    TaskGroup group;
    for (int i = 0; i < GetParam(); ++i) {
      group.run([this, i] {
        if (i == 0) box_->deliver(42);
        while (!box_->entry().full()) this_thread::poll();
      });
    }
    group.wait();
  });
}

TEST_P(MessageSourceTest, GivenWorkersThatComputeWithoutPollingThenAnOsThreadTakesItInTheirPlace) {
  runtime_.run([this] {
    TaskGroup group;
    for (int i = 0; i < GetParam(); ++i) {
      group.run([this, i] {
        if (i == 0) box_->deliver(42);
        while (!box_->entry().full()) std::this_thread::yield();
      });
    }
    group.wait();
  });
}

TEST_P(MessageSourceTest, GivenAThreadThatSaysSoThenItsWorkerPollsBeforeTheNextThread) {
  runtime_.run([this] {
    Thread other([this] {
      box_->deliver_quietly(7);
      EXPECT_TRUE(runtime_.poll_soon());
    });
    EXPECT_EQ(box_->entry().get(), 7);
    other.join();
  });
  EXPECT_FALSE(runtime_.poll_soon()) << "an OS thread has no worker that polls";
}

TEST_P(MessageSourceTest, GivenAThreadThatAsksForEventsThenItsWorkerPollsBeforeItGoesOn) {
  runtime_.run([this] {
    box_->deliver_quietly(7);
    this_thread::poll_events();
    // Another worker that polls just then is not waited for.
    EXPECT_TRUE(GetParam() > 1 || box_->entry().full());
    EXPECT_EQ(box_->entry().get(), 7);
  });
  this_thread::poll_events();
  EXPECT_EQ(this_thread::worker_index(), -1) << "an OS thread has no worker that polls";
}

INSTANTIATE_TEST_SUITE_P(Workers, MessageSourceTest, testing::Values(1, 3));

/// Counts down what the threads of a test have done.
void await(const std::atomic<int>& count, int goal) {
  while (count != goal) std::this_thread::yield();
}

TEST(SubmitTest, GivenOsThreadsWhenTheySubmitThenAllThreadsRunBeforeTheRuntimeEnds) {
  std::atomic<int> runs{0};
  {
    Runtime runtime({.workers = 2});
    std::thread other([&] {
      for (int i = 0; i < 500; ++i) runtime.submit([&] { ++runs; });
    });
    for (int i = 0; i < 500; ++i) runtime.submit([&] { ++runs; });
    other.join();
  }
  EXPECT_EQ(runs, 1000);
}

TEST(SubmitTest, GivenThreadsOfTwoRuntimesWhenTheySubmitThenTheThreadsRunWhereTheyWereSent) {
  std::atomic<int> right{0};
  Runtime one({.workers = 2});
  Runtime two({.workers = 2});
  const auto runs_on = [&](Runtime& runtime) { return runtime.poll_soon(); };
  one.run([&] {
    for (int i = 0; i < 200; ++i) {
      one.submit([&] { right += runs_on(one) ? 1 : 0; });
      two.submit([&] { right += runs_on(two) ? 1 : 0; });
      if (i % 10 == 0) this_thread::yield();
    }
  });
  await(right, 400);
}

TEST(SubmitTest, GivenASubmittedThreadThenItMayWaitAndSpawn) {
  Runtime runtime({.workers = 2});
  Entry<int> entry;
  Token<int> token = entry.token();
  std::atomic<int> seen{0};
  runtime.submit([&] {
    Thread child([&] { seen = entry.get(); });
    child.join();
  });
  runtime.submit([&] { token.send(9); });
  await(seen, 9);
}

TEST(SubmitTest, GivenAClosureThatThrowsWhenCopiedThenNothingIsLost) {
  struct Thrower {
    Thrower() = default;
    Thrower(const Thrower&) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  Runtime runtime({.workers = 1});
  const Thrower thrower;
  EXPECT_THROW(runtime.submit(thrower), std::runtime_error);
  runtime.run([&] {
    for (int i = 0; i < 100; ++i) EXPECT_THROW(runtime.submit(thrower), std::runtime_error);
  });
}

TEST(SubmitTest, GivenAClosureThatIsLargerThanAStackThenItIsRefused) {
  struct Large {
    char bytes[256 * 1024];  // NOLINT(modernize-avoid-c-arrays)
    void operator()() const {}
  };
  Runtime runtime({.workers = 1, .stack_size = 64 * 1024});
  const auto large = std::make_unique<Large>();
  EXPECT_THROW(runtime.submit(*large), std::length_error);
}

TEST(SubmitDeathTest, GivenAnExceptionThatEscapesThenTheProgramEndsAndNamesThePlace) {
  EXPECT_DEATH(
      {
        Runtime runtime({.workers = 1});
        runtime.submit([] { throw std::runtime_error("lost"); });
        std::this_thread::sleep_for(10s);
      },
      "message_source_test.cpp");
}

}  // namespace
}  // namespace kumiko::runtime
