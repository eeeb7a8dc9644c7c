// Contract: a process leaves a tree at any time, or is killed, and its neighbours lose the right
// link after what it has sent.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/runtime/runtime.hpp>

#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

TEST_F(TreeTest, GivenAChildThatSendsAndLeavesRightAwayThenWhatItSentArrivesFirst) {
  Process root(runtime);
  const io::Address address = root.listen();
  for (std::uint16_t link = 1; link <= 20; ++link) {
    Process child(runtime);
    child.tree.join(address);
    child.tree.send({0}, frame_of("hello and goodbye"));
    child.tree.leave();
    EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{link}, "hello and goodbye"}}));
  }
  EXPECT_EQ(root.events.wait_for_loss(1), "it has left");
}

TEST_F(TreeTest, GivenAParentThatLeavesRightAwayThenItsChildIsTold) {
  for (int round = 0; round < 20; ++round) {
    Process root(runtime);
    Process child(runtime);
    child.tree.join(root.listen());
    root.tree.leave();
    EXPECT_EQ(child.events.wait_for_loss(0), "it has left");
  }
}

TEST_F(TreeTest, GivenAChildThatHasLeftWhenAnotherOneJoinsThenItGetsANewNumber) {
  Process root(runtime);
  const io::Address address = root.listen();
  {
    Process child(runtime);
    child.tree.join(address);
  }
  root.events.wait_for_loss(1);
  Process child(runtime);
  child.tree.join(address);
  root.events.wait_for_joined(2);
  EXPECT_EQ(root.tree.neighbours(), (std::vector<std::uint16_t>{2}));
}

TEST_F(TreeTest,
       GivenNeighboursAndStrangersThatNeverCloseWhenAProcessLeavesThenItWaitsForItsTimeOnly) {
  TreeOptions options = test_options();
  options.leave_within = 20ms;
  Process root(runtime, options);
  const io::Address address = root.listen();
  RawChild deaf(address);
  deaf.join();
  root.events.wait_for_joined(1);
  RawChild stranger(address);
  const Frame large = frame_of(std::string(1 << 20, 'x'));
  for (int i = 0; i < 32; ++i) root.tree.send({1}, large);
  root.tree.leave();
  root.tree.leave();
  EXPECT_EQ(root.events.losses(), 0U);
  EXPECT_TRUE(deaf.is_closed());
  EXPECT_TRUE(stranger.is_closed());
}

TEST_F(TreeTest, GivenFramesInFlightWhenEitherSideLeavesThenAllEndsAHundredTimes) {
  for (int round = 0; round < 100; ++round) {
    Process root(runtime);
    Process relay(runtime);
    Process leaf(runtime);
    const auto answer_by = [](Process& process) {
      process.events.react = [&process](const Route& from, const Frame& frame) {
        process.tree.send(from, frame);
      };
    };
    answer_by(root);
    answer_by(leaf);
    relay.tree.join(root.listen());
    leaf.tree.join(relay.listen());
    for (int i = 0; i < 10; ++i) leaf.tree.send({0, 0}, frame_of("for ever"));
    root.events.take(1 + static_cast<std::size_t>(round % 20));
    std::array<Process*, 3> all{&root, &relay, &leaf};
    all[static_cast<std::size_t>(round % 3)]->tree.leave();
  }
}

TEST_F(TreeTest, GivenAChainWhenItsProcessesEndInAnyOrderThenEachEnds) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    std::array<std::unique_ptr<Process>, 4> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_unique<Process>(runtime);
      if (i > 0) all[i]->tree.join(all[i - 1]->listen());
    }
    all[3]->tree.send({0, 0, 0}, frame_of("on its way"));
    for (const int i : order) all[static_cast<std::size_t>(i)].reset();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(TreeTest, GivenALightweightThreadThenItJoinsSendsAndLeavesAsAnOsThreadDoes) {
  runtime::Runtime narrow({.workers = 1});
  Process root(narrow);
  narrow.run([&] {
    Process child(narrow);
    child.tree.join(root.listen());
    child.tree.send({0}, frame_of("from within"));
    EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{1}, "from within"}}));
    child.tree.leave();
    EXPECT_EQ(root.events.wait_for_loss(1), "it has left");
  });
}

// A relay that is killed needs its own process, which runs this program with one test.

constexpr const char* kParentPort = "KUMIKO_TREE_TEST_PARENT";
constexpr const char* kOutput = "KUMIKO_TREE_TEST_OUTPUT";

/// Not a test, but the relay, until it is killed.
TEST(HelperProcess, Relay) {
  const char* const port = std::getenv(kParentPort);
  const char* const output = std::getenv(kOutput);
  if (port == nullptr || output == nullptr) GTEST_SKIP() << "for KilledRelay only";
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  runtime::Runtime runtime({.workers = 1});
  Process relay(runtime);
  relay.tree.join(io::Address::loopback(static_cast<std::uint16_t>(std::atoi(port))));
  const std::uint16_t own = relay.listen().port();
  ASSERT_EQ(::write(std::atoi(output), &own, sizeof own), ssize_t{sizeof own});
  std::this_thread::sleep_for(kPatience);
}

TEST_F(TreeTest, GivenARelayWhenItIsKilledThenBothSidesLoseTheRightLink) {
  Process root(runtime);
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    // Without them, the relay would take its one test for a shard of many tests.
    if (std::string_view(*variable).starts_with("GTEST_")) continue;
    variables.emplace_back(*variable);
  }
  variables.push_back(std::string(kParentPort) + "=" + std::to_string(root.listen().port()));
  variables.push_back(std::string(kOutput) + "=" + std::to_string(pipe_ends[1]));
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=HelperProcess.Relay";
  std::string brief = "--gtest_brief=1";
  std::array<char*, 4> arguments{program.data(), filter.data(), brief.data(), nullptr};
  pid_t relay = 0;
  ASSERT_EQ(
      posix_spawn(&relay, program.c_str(), nullptr, nullptr, arguments.data(), environment.data()),
      0);
  ::close(pipe_ends[1]);
  std::uint16_t port = 0;
  ASSERT_EQ(::read(pipe_ends[0], &port, sizeof port), ssize_t{sizeof port});
  ::close(pipe_ends[0]);

  Process leaf(runtime);
  leaf.tree.join(io::Address::loopback(port));
  leaf.tree.send({0, 0}, frame_of("through it"));
  EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{1, 1}, "through it"}}));
  ::kill(relay, SIGKILL);
  ::waitpid(relay, nullptr, 0);
  EXPECT_NE(root.events.wait_for_loss(1).find("connection has ended"), std::string::npos);
  EXPECT_NE(leaf.events.wait_for_loss(0).find("connection has ended"), std::string::npos);
  root.tree.send({1, 1}, frame_of("into nothing"));
  EXPECT_EQ(root.tree.statistics().frames_dropped, 1U);
}

}  // namespace
}  // namespace kumiko::search::trees
