// Contract: an Entry is assigned once, by whoever has its Token, and every reader gets what was
// sent, value or exception; no reader waits for a token that no longer exists.
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class EntryTest : public OnWorkers {};
KUMIKO_ON_WORKERS(EntryTest);

TEST_P(EntryTest, GivenReadersOfBothKindsWhenAValueIsSentThenAllGetIt) {
  Entry<std::string> entry;
  std::thread sender([token = entry.token()]() mutable { token.send("hello"); });
  run_in_both_kinds(runtime_, 10, 3, [&] {
    EXPECT_EQ(entry.get(), "hello");
    EXPECT_TRUE(entry.full());
    entry.wait();
    EXPECT_EQ(&entry.get(), &entry.get());
  });
  sender.join();
}

TEST_P(EntryTest, GivenAnExceptionSentWhenReadThenEveryReaderGetsItThrown) {
  Entry<int> entry;
  std::thread sender([token = entry.token()]() mutable {
    token.send_exception(std::make_exception_ptr(std::out_of_range("sent")));
  });
  run_in_both_kinds(runtime_, 5, 2, [&] {
    EXPECT_THROW(entry.get(), std::out_of_range);
    EXPECT_THROW(entry.get(), std::out_of_range);
    EXPECT_TRUE(entry.full());
  });
  EXPECT_THROW(entry.take(), std::out_of_range);
  sender.join();
}

TEST_P(EntryTest, GivenATokenHandedOnWhenDestroyedUnusedThenReadersGetALogicError) {
  runtime_.run([] {
    Entry<int> entry;
    Thread holder([token = entry.token()] { this_thread::yield(); });
    EXPECT_THROW(entry.get(), std::logic_error);
    holder.join();
  });
}

TEST_P(EntryTest, GivenATokenThatIsAssignedAnotherWhenItHadOneThenThatOnesReadersGetALogicError) {
  runtime_.run([] {
    Entry<int> first;
    Entry<int> second;
    Token<int> token = first.token();
    token = second.token();
    EXPECT_THROW(first.get(), std::logic_error);
    EXPECT_FALSE(second.full());
    token.send(2);
    EXPECT_EQ(second.get(), 2);
  });
}

TEST(EntryMisuse, GivenATokenWhenAskedForAgainOrUsedAgainThenLogicErrorAndTheValueStays) {
  Entry<int> entry;
  Token<int> token = entry.token();
  EXPECT_THROW(entry.token(), std::logic_error);
  Token<int> moved = std::move(token);
  EXPECT_FALSE(token);
  EXPECT_THROW(token.send(1), std::logic_error);
  EXPECT_TRUE(moved);
  EXPECT_FALSE(entry.full());
  moved.send(2);
  EXPECT_FALSE(moved);
  EXPECT_THROW(moved.send(3), std::logic_error);
  EXPECT_THROW(moved.send_exception(nullptr), std::logic_error);
  EXPECT_EQ(entry.get(), 2);
  EXPECT_THROW(Token<int>().send(4), std::logic_error);
}

TEST_P(EntryTest, GivenAMoveOnlyValueWhenTakenThenItIsMovedOut) {
  runtime_.run([] {
    Entry<std::unique_ptr<int>> entry;
    Thread sender([token = entry.token()]() mutable { token.send(std::make_unique<int>(5)); });
    const std::unique_ptr<int> value = entry.take();
    EXPECT_EQ(*value, 5);
    EXPECT_EQ(entry.get(), nullptr);
    sender.join();
  });
}

TEST_P(EntryTest, GivenNoValueWhenTheTimeRunsOutThenFalseAndTrueOnceItIsThere) {
  Entry<int> entry;
  Token<int> token = entry.token();
  const auto wait_in_vain = [&] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(entry.wait_for(2ms));
    EXPECT_FALSE(entry.wait_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    EXPECT_FALSE(entry.wait_for(0s));
  };
  run_in_both_kinds(runtime_, 2, 2, wait_in_vain);
  token.send(1);
  run_in_both_kinds(runtime_, 2, 2, [&] { EXPECT_TRUE(entry.wait_for(0s)); });
}

TEST_P(EntryTest, GivenTimeoutsThatMeetTheSendingWhenAllIsOverThenNobodyWasForgotten) {
  constexpr int kRounds = kSanitized ? 10 : 20;
  for (int round = 0; round < kRounds; ++round) {
    Entry<int> entry;
    const auto time = std::chrono::steady_clock::now() + 200us;
    std::thread sender([&, token = entry.token()]() mutable {
      std::this_thread::sleep_until(time);
      token.send(round);
    });
    runtime_.run([&] {
      TaskGroup group;
      for (int i = 0; i < 6; ++i) {
        group.run([&, i] {
          if (i % 2 == 0 && !entry.wait_until(time)) return;
          EXPECT_EQ(entry.get(), round);
        });
      }
      group.wait();
    });
    sender.join();
  }
}

/// A value whose move throws as often as it is told.
struct Stubborn {
  explicit Stubborn(int& refusals) : refusals_left(&refusals) {}
  Stubborn(Stubborn&& other) : refusals_left(other.refusals_left) {
    if (--*refusals_left == 0) throw std::runtime_error("refused");
  }
  Stubborn& operator=(Stubborn&&) = default;
  int* refusals_left;
};

TEST_P(EntryTest, GivenAValueWhoseMoveThrowsWhenSentThenTheTokenIsStillGood) {
  runtime_.run([] {
    Entry<Stubborn> entry;
    Token<Stubborn> token = entry.token();
    Thread reader([&] { EXPECT_EQ(*entry.get().refusals_left, 6); });
    int throws_in_the_entry = 1;
    EXPECT_THROW(token.send(Stubborn(throws_in_the_entry)), std::runtime_error);
    EXPECT_FALSE(entry.full());
    EXPECT_TRUE(token);
    int throws_later = 7;
    token.send(Stubborn(throws_later));
    reader.join();
  });
}

TEST_P(EntryTest, GivenAValueWhoseMoveSuspendsWhenSentThenReadersWaitWithoutHarm) {
  struct Slow {
    Slow() = default;
    Slow(Slow&&) noexcept { this_thread::yield(); }
    Slow& operator=(Slow&&) = default;
  };
  runtime_.run([] {
    Entry<Slow> entry;
    Token<Slow> token = entry.token();
    Thread sender([&] { token.send(Slow()); });
    while (!entry.full()) this_thread::yield();
    sender.join();
  });
}

TEST(EntryTypes, GivenTypesThatTheEntryUsesItselfWhenSentThenTheyAreValues) {
  Entry<std::monostate> unit;
  unit.token().send({});
  EXPECT_EQ(unit.get(), std::monostate());
  Entry<std::exception_ptr> exception;
  exception.token().send(std::make_exception_ptr(1));
  EXPECT_NE(exception.get(), nullptr);
  Entry<std::exception_ptr> failure;
  failure.token().send_exception(std::make_exception_ptr(1));
  EXPECT_THROW(failure.get(), int);
}

TEST_P(EntryTest, GivenAReaderThatHasTheValueWhenItDestroysTheEntryThenTheSenderDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      auto entry = std::make_unique<Entry<int>>();
      Thread sender([i, token = entry->token()]() mutable {
        this_thread::yield();
        token.send(i);
      });
      EXPECT_EQ(entry->get(), i);
      entry.reset();
      sender.join();
    }
  });
}

TEST_P(EntryTest, GivenSomeoneWhoSawItFullWhenTheyDestroyItThenTheSenderDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      auto entry = std::make_unique<Entry<int>>();
      Thread sender([i, token = entry->token()]() mutable {
        this_thread::yield();
        token.send(i);
      });
      while (!entry->full()) this_thread::yield();
      entry.reset();
      sender.join();
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
