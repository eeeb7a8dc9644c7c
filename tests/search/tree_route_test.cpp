// Contract: frames reach the process that their route names, in order, and answers come back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

/// The root, two relays and a leaf, one below the other.
class ChainTest : public TreeTest {
 protected:
  ChainTest() {
    first.tree.join(root.listen());
    second.tree.join(first.listen());
    at_second = second.listen();
    leaf.tree.join(at_second);
    for (Process* const parent : {&root, &first, &second}) parent->events.wait_for_joined(1);
  }

  Process root{runtime};
  Process first{runtime};
  Process second{runtime};
  Process leaf{runtime};
  io::Address at_second;
};

TEST_F(ChainTest, GivenTwoRelaysWhenAFrameIsSentThenItsSourceIsTheWayBack) {
  root.tree.send({1, 1, 1}, frame_of("down"));
  EXPECT_EQ(leaf.events.take(1), (std::vector<Message>{{{0, 0, 0}, "down"}}));
  leaf.tree.send({0, 0, 0}, frame_of("up"));
  EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{1, 1, 1}, "up"}}));
  expect_soon([&] { return second.tree.statistics().frames_passed_on == 2; });
  EXPECT_EQ(root.tree.statistics().frames_sent, 1U);
  EXPECT_EQ(root.tree.statistics().frames_received, 1U);
  EXPECT_EQ(first.tree.neighbours(), (std::vector<std::uint16_t>{0, 1}));
}

TEST_F(ChainTest, GivenAFrameThatIsSentOnBehalfOfAnotherThenTheWayBackLeadsToThat) {
  // The leaf asks the first relay, which lets the root answer in its place.
  leaf.tree.send({0, 0}, frame_of("who knows?"));
  const std::vector<Message> asked = first.events.take(1);
  ASSERT_EQ(asked, (std::vector<Message>{{{1, 1}, "who knows?"}}));
  first.tree.send({0}, frame_of(asked[0].text), asked[0].from);
  const std::vector<Message> passed = root.events.take(1);
  ASSERT_EQ(passed, (std::vector<Message>{{{1, 1, 1}, "who knows?"}}));
  root.tree.send(passed[0].from, frame_of("I"));
  EXPECT_EQ(leaf.events.take(1), (std::vector<Message>{{{0, 0, 0}, "I"}}));
}

TEST_F(ChainTest, GivenTwoChildrenThenTheyReachEachOtherByTheirParent) {
  Process other{runtime};
  other.tree.join(at_second);
  other.tree.send({0, 1}, frame_of("brother"));
  EXPECT_EQ(leaf.events.take(1), (std::vector<Message>{{{0, 2}, "brother"}}));
  leaf.tree.send({0, 2}, frame_of("sister"));
  EXPECT_EQ(other.events.take(1), (std::vector<Message>{{{0, 1}, "sister"}}));
}

TEST_F(ChainTest, GivenManyFramesOfAllSizesWhenTheyPassRelaysThenTheyArriveWholeAndInOrder) {
  constexpr std::size_t kFrames = 300;
  const auto text = [](std::size_t i) {
    return std::string(i * i, static_cast<char>('a' + i % 26));
  };
  for (std::size_t i = 0; i < kFrames; ++i) root.tree.send({1, 1, 1}, frame_of(text(i)));
  const std::vector<Message> messages = leaf.events.take(kFrames);
  ASSERT_EQ(messages.size(), kFrames);
  for (std::size_t i = 0; i < kFrames; ++i) EXPECT_EQ(messages[i].text, text(i)) << i;
}

TEST_F(ChainTest, GivenRoutesThatLeadNowhereThenTheirFramesAreDroppedAndNothingElse) {
  root.tree.send({2}, frame_of("no such child"));
  root.tree.send({1, 1, 5}, frame_of("no such child there"));
  root.tree.send({0}, frame_of("no parent"));
  root.tree.send(Route(33, 1), frame_of("too long"));
  root.tree.send({1}, frame_of("too long with its way back"), Route(32, 1));
  EXPECT_EQ(root.tree.statistics().frames_dropped, 4U);
  root.tree.send({1, 1, 1}, frame_of("after"));
  EXPECT_EQ(leaf.events.take(1), (std::vector<Message>{{{0, 0, 0}, "after"}}));
  EXPECT_EQ(second.tree.statistics().frames_dropped, 1U);
}

TEST_F(ChainTest, GivenARelayThatLeavesWhenItHasSentThenBothSidesGetThatAndLoseTheRightLink) {
  for (int i = 0; i < 100; ++i) first.tree.send({0}, frame_of("up"));
  for (int i = 0; i < 100; ++i) first.tree.send({1}, frame_of("down"));
  first.tree.leave();
  EXPECT_EQ(root.events.wait_for_loss(1), "it has left");
  EXPECT_EQ(second.events.wait_for_loss(0), "it has left");
  EXPECT_EQ(root.events.take(100).size(), 100U);
  EXPECT_EQ(second.events.take(100).size(), 100U);
  EXPECT_TRUE(root.tree.neighbours().empty());
  second.tree.send({1}, frame_of("we go on"));
  EXPECT_EQ(leaf.events.take(1), (std::vector<Message>{{{0}, "we go on"}}));
  EXPECT_EQ(first.events.losses(), 0U);
}

}  // namespace
}  // namespace kumiko::search::trees
