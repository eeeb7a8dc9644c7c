// Contract: connections that have not proved that they know the secret are bounded in number, and
// keep nobody else from joining.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

/// Raises the limit of descriptors as far as the system allows, and returns it.
std::size_t raise_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

TEST_F(TreeTest, GivenThousandsOfConnectionsThatProveNothingThenTheyAreBoundedAndLinksGoOn) {
  constexpr std::size_t kConnections = 2000;
  constexpr std::size_t kAtATime = 16;
  if (raise_descriptors() < kConnections + 200) GTEST_SKIP() << "too few descriptors (ulimit -n)";
  TreeOptions options = test_options();
  options.most_unproved = kAtATime;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(runtime, options);
  const io::Address address = root.listen();
  Process child(runtime);
  child.tree.join(address);

  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kConnections; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
    if (i % 2 == 0) {  // which may be closed already
      static_cast<void>(strangers.back().write_all(bytes_of("GET / HTTP/1.1\r\n\r\n")));
    }
    if (i % 100 != 0) continue;
    child.tree.send({0}, frame_of("still here"));
    EXPECT_EQ(root.events.take(1).back().text, "still here");
  }
  Process late(runtime, options);
  late.tree.join(address);
  const TreeStatistics statistics = root.tree.statistics();
  EXPECT_LE(statistics.most_unproved, kAtATime);
  EXPECT_GT(statistics.refused_for(Refusal::kNotKumiko), 0U);
  EXPECT_GT(statistics.refused_for(Refusal::kPushedOut), 0U);
  EXPECT_EQ(root.events.losses(), 0U);
}

TEST_F(TreeTest, GivenThousandsOfSilentConnectionsInTheQueueWhenOneJoinsThenItNeedNotWaitForThem) {
  constexpr std::size_t kConnections = 3500;
  if (raise_descriptors() < kConnections + 1000) GTEST_SKIP() << "too few descriptors (ulimit -n)";
  Process root(runtime);
  const io::Address address = root.listen();
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kConnections; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  Process late(runtime);
  late.tree.join(address);
  root.events.wait_for_joined(1);
}

TEST_F(TreeTest, GivenOneThatHasGreetedWhenSilentConnectionsNeedItsPlaceThenItKeepsIt) {
  runtime::Runtime narrow({.workers = 1});
  TreeOptions options = test_options();
  options.most_unproved = 4;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(narrow, options);
  const io::Address address = root.listen();
  RawChild slow(address);
  slow.greet(options);
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < 100; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 97; });
  slow.prove();
  root.events.wait_for_joined(1);
  EXPECT_LE(root.tree.statistics().most_unproved, 4U);
}

TEST_F(TreeTest, GivenConnectionsThatGreetAndWaitWhenSilentOnesComeThenNeitherTakesAllPlaces) {
  runtime::Runtime narrow({.workers = 1});
  TreeOptions options = test_options();
  options.most_unproved = 8;
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(narrow, options);
  const io::Address address = root.listen();
  std::vector<std::unique_ptr<RawChild>> greeters;
  for (int i = 0; i < 20; ++i) {
    greeters.push_back(std::make_unique<RawChild>(address));
    greeters.back()->greet(options);
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 12; });
  RawChild slow_to_greet(address);
  std::vector<io::Socket> strangers;
  for (int i = 0; i < 3; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) == 16; });
  slow_to_greet.join(options);
  root.events.wait_for_joined(1);
}

TEST_F(TreeTest, GivenFewDescriptorsThenHalfOfThemAreForConnectionsThatProveNothing) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  std::optional<Process> root(std::in_place, runtime);
  setrlimit(RLIMIT_NOFILE, &before);
  const io::Address address = root->listen();
  std::vector<io::Socket> strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root->tree.statistics().refused_for(Refusal::kPushedOut) == 8; });
  EXPECT_EQ(root->tree.statistics().most_unproved, 32U);
}

/// Takes all descriptors that this process may have, except `but`.
class AllDescriptorsTaken {
 public:
  explicit AllDescriptorsTaken(std::size_t but) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = std::min<rlim_t>(few.rlim_cur, 256);
    setrlimit(RLIMIT_NOFILE, &few);
    for (int taken = dup(STDIN_FILENO); taken >= 0; taken = dup(STDIN_FILENO)) {
      taken_.emplace_back(taken);
    }
    taken_.resize(taken_.size() - std::min(but, taken_.size()));
  }
  ~AllDescriptorsTaken() { setrlimit(RLIMIT_NOFILE, &before_); }
  AllDescriptorsTaken(const AllDescriptorsTaken&) = delete;
  AllDescriptorsTaken& operator=(const AllDescriptorsTaken&) = delete;

 private:
  rlimit before_{};
  std::vector<io::FileDescriptor> taken_;
};

TEST_F(TreeTest, GivenNoDescriptorIsLeftWhenOneJoinsThenASilentConnectionMakesRoomForIt) {
  constexpr std::size_t kStrangers = 10;
  TreeOptions options = test_options();
  options.handshake_timeout = std::chrono::milliseconds(kPatience);
  Process root(runtime, options);
  const io::Address address = root.listen();
  std::vector<io::Socket> strangers;
  for (std::size_t i = 0; i < kStrangers; ++i) {
    strangers.push_back(io::Socket::connect(address, io::within(kPatience)).value());
  }
  expect_soon([&] { return root.tree.statistics().most_unproved == kStrangers; });
  // One is for the client side of the next connection.
  const AllDescriptorsTaken taken(1);
  RawChild child(address);
  child.join(options);
  root.events.wait_for_joined(1);
  expect_soon([&] { return root.tree.statistics().refused_for(Refusal::kPushedOut) > 0; });
}

}  // namespace
}  // namespace kumiko::search::trees
