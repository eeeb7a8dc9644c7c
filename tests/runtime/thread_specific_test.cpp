// Contract: each thread, lightweight or OS thread, has its own value of a ThreadSpecific, wherever
// it runs; the values die with the thread, in the thread, the youngest first.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/thread.hpp>
#include <kumiko/runtime/thread_specific.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class ThreadSpecificTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ThreadSpecificTest);

TEST_P(ThreadSpecificTest, GivenThreadsOfBothKindsThatMoveWhenTheyCountThenEachHasItsOwnCount) {
  ThreadSpecific<int> count;
  ThreadSpecific<std::string> name;
  run_in_both_kinds(runtime_, 20, 3, [&] {
    EXPECT_EQ(count.get(), nullptr);
    EXPECT_EQ(*count, 0);
    int* const mine = count.get();
    for (int i = 1; i <= 50; ++i) {
      ++*count;
      name.local() += 'x';
      this_thread::yield();
      EXPECT_EQ(*count, i);
      EXPECT_EQ(count.get(), mine);
      EXPECT_EQ(name->size(), static_cast<std::size_t>(i));
    }
  });
}

TEST_P(ThreadSpecificTest, GivenAThreadThatHadAValueWhenItsStackServesAnotherThenThatOneHasNone) {
  ThreadSpecific<int> value;
  runtime_.run([&] {
    for (int i = 0; i < 100; ++i) {
      Thread([&] {
        EXPECT_EQ(value.get(), nullptr);
        value.emplace(i);
      }).join();
    }
    EXPECT_EQ(value.get(), nullptr);
  });
  runtime_.run([&] { EXPECT_EQ(value.get(), nullptr); });
}

/// Notes in which thread it dies.
struct Witness {
  explicit Witness(ThreadId& note) : died_in(&note) {}
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { *died_in = this_thread::id(); }
  ThreadId* died_in;
};

TEST_P(ThreadSpecificTest, GivenAValueWhenItsThreadEndsThenItDiesInTheThreadBeforeTheJoin) {
  ThreadSpecific<Witness> witness;
  runtime_.run([&] {
    ThreadId born_in;
    ThreadId died_in;
    Thread thread([&] {
      born_in = this_thread::id();
      witness.emplace(died_in);
      this_thread::yield();
      EXPECT_EQ(died_in, ThreadId());
    });
    thread.join();
    EXPECT_NE(died_in, ThreadId());
    EXPECT_EQ(died_in, born_in);
  });
}

/// Appends its name to a list when it dies.
struct Named {
  Named(std::string& the_list, char the_name) : list(the_list), name(the_name) {}
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  ~Named() { list += name; }
  std::string& list;
  char name;
};

TEST_P(ThreadSpecificTest, GivenSeveralValuesWhenTheThreadEndsThenTheYoungestDiesFirst) {
  ThreadSpecific<Named> a;
  ThreadSpecific<Named> b;
  ThreadSpecific<Named> c;
  const auto make_values = [&](std::string& dead) {
    b.emplace(dead, 'b');
    a.emplace(dead, 'a');
    c.emplace(dead, 'c');
    b.emplace(dead, 'B');
    EXPECT_EQ(dead, "b");
    this_thread::yield();
  };
  std::string in_lightweight;
  runtime_.run([&] { Thread([&] { make_values(in_lightweight); }).join(); });
  EXPECT_EQ(in_lightweight, "bBca");
  std::string in_run;
  runtime_.run([&] { make_values(in_run); });
  EXPECT_EQ(in_run, "bBca");
  std::string in_os;
  std::thread([&] { make_values(in_os); }).join();
  EXPECT_EQ(in_os, "bBca");
}

TEST_P(ThreadSpecificTest, GivenAValueThatIsResetWhenAskedAgainThenThereIsANewOne) {
  ThreadSpecific<int> value;
  run_in_both_kinds(runtime_, 1, 1, [&] {
    value.emplace(3);
    value.reset();
    value.reset();
    EXPECT_EQ(value.get(), nullptr);
    EXPECT_EQ(value.local(), 0);
  });
}

TEST_P(ThreadSpecificTest, GivenAnOsThreadWithAValueWhenItDestroysTheVariableThenTheValueDies) {
  const auto shared = std::make_shared<int>(1);
  run_in_both_kinds(runtime_, 1, 1, [&] {
    // At the same address twice, where an old value would be found again.
    for (int i = 0; i < 2; ++i) {
      ThreadSpecific<std::shared_ptr<int>> value;
      EXPECT_EQ(value.get(), nullptr);
      value.emplace(shared);
    }
  });
  EXPECT_EQ(shared.use_count(), 1);
}

/// Asks for a variable's value when the main thread has destroyed its own.
struct LateUser {
  ThreadSpecific<int>& value;
  ~LateUser() {
    if (value.get() != nullptr) std::_Exit(1);
    try {
      value.emplace(2);
    } catch (const std::logic_error&) {
      std::_Exit(7);
    }
    std::_Exit(2);
  }
};

TEST(ThreadSpecificAtExit, GivenAnOsThreadAtItsEndWhenAskedForAValueThenThereIsNoneAndNoNewOne) {
  EXPECT_EXIT(
      {
        static ThreadSpecific<int> value;
        static const LateUser user{value};
        value.emplace(1);
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
}

TEST(ThreadSpecificAtExit, GivenAThreadThatIsAbandonedWhenTheRuntimeEndsThenItsValueIsNotTouched) {
  if (kSanitized) GTEST_SKIP() << "what an abandoned thread owns is a leak";
  struct Value {
    ~Value() { std::_Exit(1); }
  };
  EXPECT_EXIT(
      {
        ThreadSpecific<Value> value;
        Entry<int> never;
        {
          Runtime runtime({.workers = 1});
          runtime.run([&] {
            Thread([&] {
              value.emplace();
              never.wait();
            }).detach();
          });
        }
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "they are abandoned");
}

/// Uses another variable, and suspends, when it dies.
struct Reviver {
  ThreadSpecific<Named>* other = nullptr;
  std::string* dead = nullptr;
  ~Reviver() {
    this_thread::yield();
    if (other != nullptr) other->emplace(*dead, 'r');
  }
};

TEST_P(ThreadSpecificTest, GivenADestructorThatMakesAValueWhenTheThreadEndsThenThatDiesToo) {
  ThreadSpecific<Named> other;
  ThreadSpecific<Reviver> reviver;
  const auto make = [&](std::string& dead) {
    reviver->other = &other;
    reviver->dead = &dead;
  };
  std::string in_lightweight;
  runtime_.run([&] { Thread([&] { make(in_lightweight); }).join(); });
  EXPECT_EQ(in_lightweight, "r");
  std::string in_os;
  std::thread([&] { make(in_os); }).join();
  EXPECT_EQ(in_os, "r");
}

TEST_P(ThreadSpecificTest, GivenAnExceptionThatEscapesWhenTheThreadEndsThenItsValuesDieToo) {
  ThreadSpecific<Witness> witness;
  runtime_.run([&] {
    ThreadId died_in;
    Thread thread([&] {
      witness.emplace(died_in);
      throw std::runtime_error("out");
    });
    EXPECT_THROW(thread.join(), std::runtime_error);
    EXPECT_NE(died_in, ThreadId());
  });
}

TEST_P(ThreadSpecificTest, GivenAConstructorThatThrowsWhenAskedThenTheValueIsAsBefore) {
  struct Fragile {
    explicit Fragile(int the_number) : number(the_number) {
      if (number < 0) throw std::invalid_argument("negative");
    }
    int number;
  };
  ThreadSpecific<Fragile> value;
  run_in_both_kinds(runtime_, 1, 1, [&] {
    EXPECT_THROW(value.emplace(-1), std::invalid_argument);
    EXPECT_EQ(value.get(), nullptr);
    value.emplace(1);
    EXPECT_THROW(value.emplace(-1), std::invalid_argument);
    EXPECT_EQ(value.get()->number, 1);
  });
}

TEST_P(ThreadSpecificTest, GivenManyDetachedThreadsWhenTheRuntimeEndsThenEveryValueHasDied) {
  struct Counted {
    explicit Counted(std::atomic<int>& the_alive) : alive(the_alive) { ++alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --alive; }
    std::atomic<int>& alive;
  };
  std::atomic<int> alive{0};
  ThreadSpecific<Counted> value;
  {
    Runtime runtime({.workers = GetParam()});
    runtime.run([&] {
      for (int i = 0; i < 50; ++i) {
        Thread([&] {
          value.emplace(alive);
          this_thread::yield();
        }).detach();
      }
    });
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace kumiko::runtime::test
