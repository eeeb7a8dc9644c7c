// Entries that other ranks assign: the value arrives whatever way the token took, once.
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "calls/pending_calls.hpp"
#include "support.hpp"

namespace kumiko::cluster {

/// Cannot be sent.
struct Unsendable {
  int value = 0;
};

template <>
struct Packing<Unsendable> {
  static void pack(Writer&, Unsendable&) { throw std::length_error("cannot be sent"); }
  static Unsendable unpack(Reader&) { return {}; }
};

namespace {

/// Hands a token on to the next rank, so many times, then sends how many ranks have had it.
struct HandOn {
  void operator()(const Here& here, RemoteToken<int> token, int left, int ranks) const {
    if (left == 0) return token.send(ranks);
    here.post((here.rank() + 1) % here.size(), HandOn{}, std::move(token), left - 1, ranks + 1);
  }
};

TEST(TokenTest, GivenATokenThatTravelsThroughAllRanksThenTheEntryGetsTheValue) {
  Ranks ranks(
      {.ranks = 3, .net = {.longest_delay = std::chrono::microseconds(100), .reorders = true}});
  ranks.run([](Cluster& cluster) {
    const Here here = cluster.here();
    RemoteEntry<int> entry(here);
    here.post(here.rank(), HandOn{}, entry.token(), 7, 0);
    EXPECT_EQ(entry.get(), 7);
  });
}

TEST(TokenTest, GivenATokenInAResultThenWhoeverGetsItMayAssignTheEntryThere) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    struct Waiting {
      std::string operator()(const Here& here) const {
        RemoteEntry<std::string> name(here);
        here.post(
            here.caller(),
            [](RemoteToken<std::string> token) { token.send("from the other side"); },
            name.token());
        return name.get();
      }
    };
    EXPECT_EQ(cluster.here().invoke(1, Waiting{}), "from the other side");
  });
}

TEST(TokenTest, GivenATokenThatIsDroppedElsewhereThenTheReaderGetsAnException) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    RemoteEntry<int> entry(here);
    here.post((here.rank() + 1) % 3,
              [](const Here& there, RemoteToken<int> token) {
                there.invoke((there.rank() + 1) % 3, [](RemoteToken<int>) {}, std::move(token));
              },
              entry.token());
    try {
      entry.get();
      ADD_FAILURE() << "a dropped token has sent a value";
    } catch (const RemoteError& error) {
      EXPECT_NE(std::string(error.what()).find("destroyed"), std::string::npos);
    }
  });
}

TEST(TokenTest, GivenATokenThenItIsUsedOnce) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteEntry<int> entry(cluster.here());
    RemoteToken<int> token = entry.token();
    EXPECT_THROW(entry.token(), std::logic_error);
    RemoteToken<int> moved = std::move(token);
    EXPECT_FALSE(token);  // NOLINT(bugprone-use-after-move)
    EXPECT_THROW(token.send(1), std::logic_error);
    moved.send(2);
    EXPECT_THROW(moved.send(3), std::logic_error);
    EXPECT_EQ(entry.get(), 2);
  });
}

TEST(TokenTest, GivenAFailureThenTheReaderGetsIt) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteEntry<int> entry(cluster.here());
    cluster.here().post(
        1 - cluster.rank(), [](RemoteToken<int> token) { token.send_failure("no such file"); },
        entry.token());
    EXPECT_THROW(entry.get(), RemoteError);
  });
}

TEST(TokenTest, GivenAnEntryThatIsGoneWhenItsTokenSendsThenTheValueIsDropped) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteToken<int> token;
    {
      RemoteEntry<int> entry(cluster.here());
      token = entry.token();
    }
    RemoteEntry<int> next(cluster.here());
    cluster.here().invoke(
        1 - cluster.rank(), [](RemoteToken<int> old) { old.send(1); }, std::move(token));
    EXPECT_FALSE(next.full());
  });
}

TEST(TokenTest, GivenACallThatIsNotSentThenItsTokenIsStillThere) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteEntry<int> entry(cluster.here());
    EXPECT_THROW(cluster.here().post(
                     5, [](RemoteToken<int>) {}, entry.token()),
                 std::out_of_range);
    EXPECT_THROW(entry.get(), RemoteError) << "the call's argument was destroyed";
  });
}

TEST(TokenTest, GivenATokenInAnAnswerThatNobodyAwaitsThenItsEntryGetsAnException) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteEntry<int> entry(cluster.here());
    const auto hand_back = [](RemoteToken<int> token) {
      runtime::this_thread::sleep_for(std::chrono::milliseconds(20));
      return token;
    };
    const Limits limits = runtime::io::within(std::chrono::milliseconds(1));
    EXPECT_THROW(cluster.here().within(limits).invoke(1 - cluster.rank(), hand_back, entry.token()),
                 std::system_error);
    EXPECT_THROW(entry.get(), RemoteError);
  });
}

TEST(TokenTest, GivenArgumentsOfWhichOneCannotBePackedThenTheTokenAmongThemIsNotGone) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    RemoteEntry<int> entry(cluster.here());
    EXPECT_THROW(
        cluster.here().post(
            1 - cluster.rank(), [](RemoteToken<int>, Unsendable) {}, entry.token(), Unsendable{}),
        std::length_error);
    EXPECT_THROW(entry.get(), RemoteError) << "destroyed here, with the arguments";
    EXPECT_EQ(cluster.here().invoke(1 - cluster.rank(), [] { return 1; }), 1);
  });
}

/// The calls of rank 0, one of which waits for a token that rank 1 has at first.
class TokenOnItsWayTest : public testing::Test {
 protected:
  struct Waiting final : detail::Pending {
    void finish(detail::Answer) override {}
  };

  bool fails_with(int rank) { return !calls_.fail(rank, exception_).empty(); }

  const std::exception_ptr exception_ = std::make_exception_ptr(std::runtime_error("lost"));
  Waiting call_;
  detail::PendingCalls calls_;
  const detail::Ticket ticket_ = calls_.add(call_, 1);
};

TEST_F(TokenOnItsWayTest, GivenItHasNotArrivedWhenItsSenderIsLostThenTheEntryFails) {
  calls_.note_move(ticket_, 1, 2, 1);
  EXPECT_FALSE(fails_with(3));
  EXPECT_TRUE(fails_with(1));
}

TEST_F(TokenOnItsWayTest, GivenItHasNotArrivedWhenItsReceiverIsLostThenTheEntryFails) {
  calls_.note_move(ticket_, 1, 2, 1);
  EXPECT_TRUE(fails_with(2));
}

TEST_F(TokenOnItsWayTest, GivenItHasArrivedWhenItsSenderIsLostThenTheEntryWaitsForItsReceiver) {
  calls_.note_move(ticket_, 1, 2, 1);
  calls_.note_arrival(ticket_, 2, 1);
  EXPECT_FALSE(fails_with(1));
  EXPECT_TRUE(fails_with(2));
}

TEST_F(TokenOnItsWayTest, GivenNewsThatOvertakeEachOtherThenTheLatestMoveHolds) {
  calls_.note_arrival(ticket_, 3, 2);  // of the move from 2 to 3, of which nobody has told yet
  calls_.note_move(ticket_, 1, 2, 1);
  calls_.note_move(ticket_, 2, 3, 2);
  calls_.note_arrival(ticket_, 2, 1);
  EXPECT_FALSE(fails_with(1));
  EXPECT_FALSE(fails_with(2));
  EXPECT_TRUE(fails_with(3));
}

TEST_F(TokenOnItsWayTest, GivenALostRankWhenItIsSentThereThenTheEntryFailsAtOnce) {
  EXPECT_FALSE(fails_with(2));
  EXPECT_EQ(calls_.note_move(ticket_, 1, 2, 1).first, &call_);
  EXPECT_EQ(calls_.take(ticket_), nullptr);
}

}  // namespace
}  // namespace kumiko::cluster
