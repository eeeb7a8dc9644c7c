// Contract: a rank of which something is awaited and that stays silent is asked, told of, and lost
// in the end, not sooner than the options say; one that answers never is, whatever it computes; one
// whose process has ended is lost at once; who was stopped himself blames nobody.
#include "watch/silence.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;
using detail::Process;
using detail::ProcessState;
using detail::Silence;
using detail::state_in;
using Kind = Silence::Step::Kind;
using Clock = std::chrono::steady_clock;

/// Rank 0's look at rank 1, by a clock and a process that the test makes up.
class SilenceTest : public testing::Test {
 protected:
  /// Lets time pass in steps, and looks after each; returns what was to be done about rank 1.
  std::vector<Kind> pass(std::chrono::milliseconds time, std::chrono::milliseconds step = 500ms) {
    std::vector<Kind> kinds;
    for (const auto end = now + time; now < end;) {
      now += step;
      for (const Silence::Step& found : silence.look(now, {false, awaited})) {
        EXPECT_EQ(found.rank, 1);
        kinds.push_back(found.kind);
        text = found.text;
      }
    }
    return kinds;
  }

  Clock::time_point now = Clock::now();
  ProcessState state = ProcessState::kThere;
  bool awaited = true;
  std::string text;
  Silence silence{2, {5s, 60s}, [this](const Process&) { return state; }};
};

using Kinds = std::vector<Kind>;

TEST_F(SilenceTest, GivenASilentRankThenItIsAskedEachSecondAndToldOfOnceAndLostInTheEnd) {
  EXPECT_EQ(pass(500ms), Kinds{}) << "what is awaited since now";
  EXPECT_EQ(pass(500ms), Kinds{});
  EXPECT_EQ(pass(500ms), Kinds{Kind::kAsk});
  EXPECT_EQ(pass(3s), (Kinds{Kind::kAsk, Kind::kAsk, Kind::kAsk}));
  silence.introduce(1, {"far", 1, 1, 77});
  EXPECT_EQ(pass(500ms), Kinds{});
  EXPECT_EQ(pass(500ms), (Kinds{Kind::kWarn, Kind::kAsk}));
  const Kinds later = pass(54s + 500ms);
  EXPECT_EQ(std::count(later.begin(), later.end(), Kind::kWarn), 0);
  EXPECT_EQ(std::count(later.begin(), later.end(), Kind::kLost), 0);
  EXPECT_EQ(pass(500ms), Kinds{Kind::kLost});
  EXPECT_NE(text.find("nothing has come from it for 60 s (pid 77 on host far, there)"),
            std::string::npos)
      << text;
}

TEST_F(SilenceTest, GivenARankThatSaysSomethingThenItsSilenceBeginsAnew) {
  for (int i = 0; i < 20; ++i) {
    const Kinds kinds = pass(6s);
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::kWarn), 1) << "told of again";
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::kLost), 0);
    silence.heard(1);
  }
}

TEST_F(SilenceTest, GivenNothingAwaitedThenSilenceIsNone) {
  awaited = false;
  EXPECT_EQ(pass(200s), Kinds{});
  EXPECT_FALSE(silence.wants_look(0));
  EXPECT_TRUE(silence.wants_look(1)) << "something may be awaited since";
  awaited = true;
  EXPECT_EQ(pass(1s), Kinds{}) << "what has passed before does not count";
  EXPECT_TRUE(silence.wants_look(0));
}

TEST_F(SilenceTest, GivenARankThatWasStoppedItselfThenItBlamesNobody) {
  EXPECT_EQ(pass(1s), Kinds{});
  EXPECT_EQ(pass(1000s, 1000s), Kinds{Kind::kAsk});
  const Kinds kinds = pass(3s);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::kWarn), 0);
}

TEST_F(SilenceTest, GivenAProcessThatHasEndedThenItsRankIsLostAtOnce) {
  for (const ProcessState end : {ProcessState::kGone, ProcessState::kZombie}) {
    silence.heard(1);
    state = ProcessState::kStopped;
    EXPECT_EQ(pass(2s), (Kinds{Kind::kAsk}));
    state = end;
    EXPECT_EQ(pass(500ms), Kinds{Kind::kEnded});
    EXPECT_NE(text.find("its process has ended"), std::string::npos) << text;
  }
}

TEST_F(SilenceTest, GivenLooksInTimeThenALostRankIsFoundBeforeALauncherKillsTheOthers) {
  EXPECT_EQ(pass(300ms, 100ms), Kinds{});
  state = ProcessState::kZombie;
  EXPECT_FALSE(silence.is_due(now + 99ms));
  EXPECT_TRUE(silence.is_due(now + 100ms));
  EXPECT_EQ(pass(100ms, 100ms), Kinds{Kind::kEnded});
}

TEST_F(SilenceTest, GivenARankInADebuggerThenItIsToldOfAndNeverLost) {
  state = ProcessState::kTraced;
  const Kinds kinds = pass(1000s);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::kWarn), 1);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::kLost), 0);
  state = ProcessState::kThere;
  const Kinds later = pass(10s);
  EXPECT_EQ(std::count(later.begin(), later.end(), Kind::kLost), 0) << "it has just gone on";
}

TEST_F(SilenceTest, GivenLimitsWithoutSenseThenTheyAreRefused) {
  for (const Silence::Limits limits :
       {Silence::Limits{0s, 1s}, Silence::Limits{-1s, 1s}, Silence::Limits{2s, 1s}}) {
    EXPECT_THROW(Silence(2, limits), std::invalid_argument);
  }
  Silence endless(2, {std::chrono::milliseconds::max(), std::chrono::milliseconds::max()});
  for (int i = 0; i < 100; ++i) endless.look(now += 500ms, {false, true});
  EXPECT_FALSE(endless.is_due(now));
}

TEST(ProcessTest, GivenALineOfStatThenItsStateIsReadWhateverTheNameIs) {
  const auto line = [](const char* name, char state, int threads) {
    return "12 (" + std::string(name) + ") " + state + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 " +
           std::to_string(threads) + " 18 555 20";
  };
  EXPECT_EQ(state_in(line("a", 'S', 3).c_str(), 555), ProcessState::kThere);
  EXPECT_EQ(state_in(line("a) Z (", 'R', 3).c_str(), 555), ProcessState::kThere);
  EXPECT_EQ(state_in(line("a", 'T', 3).c_str(), 555), ProcessState::kStopped);
  EXPECT_EQ(state_in(line("a", 't', 3).c_str(), 555), ProcessState::kTraced);
  EXPECT_EQ(state_in(line("a", 'Z', 1).c_str(), 555), ProcessState::kZombie);
  EXPECT_EQ(state_in(line("a", 'Z', 3).c_str(), 555), ProcessState::kThere) << "only main() ended";
  EXPECT_EQ(state_in(line("a", 'S', 3).c_str(), 556), ProcessState::kGone) << "another process";
  EXPECT_EQ(state_in("12 (a", 555), ProcessState::kUnseen);
}

TEST(ProcessTest, GivenAChildThenItsStatesAreSeen) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  Process process = detail::own_process();
  EXPECT_EQ(state_of(process), ProcessState::kThere);
  process.id = child;
  process.start = 0;
  EXPECT_EQ(state_of(process), ProcessState::kThere);
  kill(child, SIGSTOP);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  EXPECT_EQ(state_of(process), ProcessState::kStopped);
  kill(child, SIGKILL);
  siginfo_t how{};
  waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT);
  EXPECT_EQ(state_of(process), ProcessState::kZombie);
  waitpid(child, &status, 0);
  EXPECT_EQ(state_of(process), ProcessState::kGone);
  process.machine += 1;
  EXPECT_EQ(state_of(process), ProcessState::kUnseen);
}

/// So that a rank that begins late is not taken for silent.
void wait_for(const std::atomic<int>& value, int wanted) {
  while (value < wanted) runtime::this_thread::sleep_for(1ms);
}

/// A rank that nobody serves, though its frames get there.
void expect_loss_of_the_silent(const std::function<void(const Here&)>& wait) {
  Loopback net({.ranks = 3});
  const auto silent = net.link(1);
  std::atomic<int> there{0};
  std::jthread other([&] {
    runtime::Runtime runtime({.workers = 1});
    Cluster cluster(runtime, net.link(2), {.patience = 20ms});
    ++there;
    while (!cluster.here().is_lost(1)) std::this_thread::sleep_for(1ms);
  });
  runtime::Runtime runtime({.workers = 1});
  Cluster cluster(runtime, net.link(0),
                  {.window = 2, .patience = 20ms, .warn_after = 200ms, .lost_after = 400ms});
  wait_for(there, 1);
  try {
    wait(cluster.here());
    ADD_FAILURE() << "the silent rank has answered";
  } catch (const RankLost& lost) {
    EXPECT_EQ(lost.rank(), 1);
    EXPECT_NE(std::string(lost.what()).find("nothing has come from it for"), std::string::npos);
  }
}

TEST(SilentRankTest, GivenACallThenItEndsInAnExceptionAndAllRanksLoseTheRank) {
  expect_loss_of_the_silent([](const Here& here) { here.invoke(1, [] {}); });
}

TEST(SilentRankTest, GivenAWaitForACreditAfterPostsThenItEndsInAnException) {
  expect_loss_of_the_silent([](const Here& here) {
    for (int i = 0; i < 3; ++i) here.post(1, [] {});
  });
}

TEST(SilentRankTest, GivenACollectiveOperationThenItEndsInAnException) {
  expect_loss_of_the_silent([](const Here& here) {
    Future<void> all = barrier(here);
    here.async(2, [](const Here& there) { barrier(there).get(); });
    all.get();
  });
}

TEST(SilentRankTest, GivenATokenThenItsEntryGetsAnException) {
  expect_loss_of_the_silent([](const Here& here) {
    RemoteEntry<int> entry(here);
    here.post(
        1, [](RemoteToken<int> token) { token.send(1); }, entry.token());
    entry.get();
  });
}

TEST(SilentRankTest, GivenARankThatOnlyComputesThenItIsNotSilent) {
  std::atomic<int> there{0};
  Ranks({.cluster = {.warn_after = 1s, .lost_after = 1s}}).run([&](Cluster& cluster) {
    ++there;
    wait_for(there, cluster.rank() == 0 ? 2 : 3);  // which rank 0 makes it in the end
    if (cluster.rank() != 0) return;
    testing::internal::CaptureStderr();
    const int answer = cluster.here().invoke(1, [] {
      const auto end = Clock::now() + 2s;
      while (Clock::now() < end) continue;
      return 7;
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(answer, 7);
    ++there;
  });
}

TEST(SilentRankTest, GivenNothingAwaitedThenNobodyIsAsked) {
  std::atomic<int> there{0};
  Ranks({.cluster = {.warn_after = 200ms, .lost_after = 400ms}}).run([&](Cluster& cluster) {
    const Here here = cluster.here();
    ++there;
    wait_for(there, here.rank() == 0 ? 2 : 3);  // which rank 0 makes it in the end
    if (here.rank() == 1) return;
    here.invoke(1, [] {});
    runtime::this_thread::sleep_for(150ms);
    const std::uint64_t before = cluster.statistics().frames_sent;
    runtime::this_thread::sleep_for(300ms);
    EXPECT_EQ(cluster.statistics().frames_sent, before);
    ++there;
    EXPECT_FALSE(here.is_lost(1));
  });
}

}  // namespace
}  // namespace kumiko::cluster
