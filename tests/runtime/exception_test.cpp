// Contract: an exception that escapes a thread is rethrown where the thread is joined, waited for
// or run; a thread may suspend and migrate inside a catch block or during unwinding, and its
// handled and uncaught exceptions go with it and are nobody else's.
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>

#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class ExceptionTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ExceptionTest);
class ExceptionMigrationTest : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(ExceptionMigrationTest);

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

/// Lets another worker take the caller's continuation; returns there.
void migrate() {
  std::atomic<bool> gone_on{false};
  Thread blocker([&gone_on] { hold_worker_until([&] { return gone_on.load(); }); });
  gone_on = true;
  blocker.join();
}

TEST_P(ExceptionTest, GivenAThreadThatThrowsWhenJoinedThenTheExceptionArrives) {
  runtime_.run([] {
    Thread thread([] { throw std::runtime_error("from the thread"); });
    EXPECT_EQ(message_of([&] { thread.join(); }), "from the thread");
    EXPECT_FALSE(thread.joinable());
  });
}

TEST_P(ExceptionTest, GivenAThreadThatThrowsAfterWaitingWhenJoinedThenTheExceptionArrives) {
  runtime_.run([] {
    Thread thread([] {
      this_thread::yield();
      throw std::runtime_error("later");
    });
    EXPECT_EQ(message_of([&] { thread.join(); }), "later");
  });
}

TEST_P(ExceptionTest, GivenAGroupWithFailuresWhenWaitedForThenOneArrivesAndTheGroupIsReusable) {
  runtime_.run([] {
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      group.run([i] {
        if (i % 2 == 1) this_thread::yield();
        throw std::runtime_error("from the group");
      });
    }
    EXPECT_EQ(message_of([&] { group.wait(); }), "from the group");
    bool ran = false;
    group.run([&ran] { ran = true; });
    EXPECT_NO_THROW(group.wait());
    EXPECT_TRUE(ran);
  });
}

TEST_P(ExceptionTest, GivenARootThatThrowsWhenRunThenTheExceptionArrivesAtTheCaller) {
  const auto run = [this] { runtime_.run([] { throw std::runtime_error("from the root"); }); };
  EXPECT_EQ(message_of(run), "from the root");
}

TEST_P(ExceptionTest, GivenAParentInACatchBlockWhenItSpawnsThenTheChildHandlesNoException) {
  runtime_.run([] {
    try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error&) {
      Thread([] {
        EXPECT_EQ(std::current_exception(), nullptr);
        EXPECT_EQ(message_of([] { throw std::runtime_error("inner"); }), "inner");
      }).join();
      EXPECT_EQ(message_of([] { throw; }), "outer");
    }
  });
}

TEST_P(ExceptionTest, GivenThreadsInCatchBlocksWhenTheyInterleaveThenEachKeepsItsOwn) {
  runtime_.run([] {
    TaskGroup group;
    for (int i = 0; i < 20; ++i) {
      group.run([i] {
        const std::string mine = std::to_string(i);
        try {
          throw std::runtime_error(mine);
        } catch (const std::runtime_error&) {
          for (int turn = 0; turn < 5; ++turn) {
            this_thread::yield();
            EXPECT_EQ(message_of([] { throw; }), mine);
          }
        }
      });
    }
    group.wait();
  });
}

TEST_P(ExceptionMigrationTest, GivenACatchBlockWhenTheThreadMigratesThenItCanRethrowThere) {
  runtime_.run([] {
    const auto rethrow_elsewhere = [] {
      try {
        throw std::runtime_error("carried along");
      } catch (const std::runtime_error&) {
        migrate();
        throw;
      }
    };
    EXPECT_EQ(message_of(rethrow_elsewhere), "carried along");
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

TEST_P(ExceptionMigrationTest, GivenUnwindingWhenADestructorMigratesThenTheCatchIsReached) {
  struct MigratesInDestructor {
    ~MigratesInDestructor() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      migrate();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  runtime_.run([] {
    const auto unwind = [] {
      const MigratesInDestructor guard;
      throw std::runtime_error("unwound");
    };
    EXPECT_EQ(message_of(unwind), "unwound");
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

TEST_P(ExceptionTest, GivenAThreadThatSuspendedInAHandlerWhenItsStackIsUsedAgainThenNothingIsLeft) {
  runtime_.run([] {
    for (int turn = 0; turn < 20; ++turn) {
      Thread([] {
        try {
          throw std::runtime_error("caught");
        } catch (const std::runtime_error&) {
          this_thread::yield();
        }
      }).join();
      Thread([] {
        EXPECT_EQ(std::current_exception(), nullptr);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      }).join();
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
