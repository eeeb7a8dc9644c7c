// Contract: a neighbour that sends rubbish, is silent or slow costs its own link and nothing else.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

/// A root with a child that behaves, and one that does not.
class MisbehaviourTest : public TreeTest {
 protected:
  explicit MisbehaviourTest(const TreeOptions& options = test_options()) : root(runtime, options) {
    const io::Address address = root.listen();
    good.tree.join(address);
    root.events.wait_for_joined(1);
    bad = std::make_unique<RawChild>(address);
    bad->join(options);
    root.events.wait_for_joined(2);
  }

  /// Expects that link 2 is closed for a reason, and that link 1 still works.
  void expect_closed(const std::string& word) {
    const std::string reason = root.events.wait_for_loss(2);
    EXPECT_NE(reason.find(word), std::string::npos) << reason;
    EXPECT_TRUE(bad->is_closed());
    expect_good_works();
    EXPECT_EQ(root.events.losses(), 1U);
  }
  void expect_good_works() {
    good.tree.send({0}, frame_of("still here"));
    EXPECT_EQ(root.events.take(1).back().text, "still here");
    root.tree.send({1}, frame_of("so am I"));
    EXPECT_EQ(good.events.take(1).back().text, "so am I");
  }

  Process root;
  Process good{runtime};
  std::unique_ptr<RawChild> bad;
};

TEST_F(MisbehaviourTest, GivenAFrameThatIsSealedButMalformedThenOnlyItsLinkIsClosed) {
  Frame frame = make_frame(Kind::kData, {}, {}, bytes_of("x"));
  frame[8] = std::byte{200};  // links, more than there is room for
  bad->write(bad->sealed(std::move(frame)));
  expect_closed("malformed");
}

TEST_F(MisbehaviourTest, GivenAFrameWithAChangedByteThenOnlyItsLinkIsClosed) {
  Frame frame = bad->sealed_data("pay 1");
  frame[frame.size() - detail::tree::kMacBytes - 1] = std::byte{'9'};
  bad->write(frame);
  expect_closed("changed");
}

TEST_F(MisbehaviourTest, GivenAFrameThatIsRepeatedThenItIsTakenOnceAndItsLinkClosed) {
  const Frame frame = bad->sealed_data("pay 1");
  bad->write(frame);
  bad->write(frame);
  root.events.wait_for_loss(2);
  EXPECT_EQ(root.events.take(1), (std::vector<Message>{{{2}, "pay 1"}}));
  expect_closed("repeated");
}

TEST_F(MisbehaviourTest, GivenALengthBeyondTheLimitThenOnlyItsLinkIsClosed) {
  bad->write(std::array{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}});
  expect_closed("largest_frame");
}

TEST_F(MisbehaviourTest, GivenAFrameThatBreaksOffThenItsLinkIsLost) {
  const Frame frame = bad->sealed_data("pay 1");
  bad->write(std::span(frame).first(frame.size() - 1));
  bad.reset();
  const std::string reason = root.events.wait_for_loss(2);
  EXPECT_NE(reason.find("connection has ended"), std::string::npos) << reason;
  expect_good_works();
}

TEST_F(MisbehaviourTest, GivenAReceiverThatThrowsThenTheLinkIsClosedWithWhatItSaid) {
  Process other(runtime);
  other.events.react = [](const Route& /*from*/, const Frame& frame) {
    if (text_of(frame) == "nonsense") throw std::runtime_error("what is that?");
  };
  RawChild child(other.listen());
  child.join();
  child.write(child.sealed_data("sense"));
  child.write(child.sealed_data("nonsense"));
  EXPECT_EQ(other.events.wait_for_loss(1), "what is that?");
  EXPECT_EQ(other.events.take(1), (std::vector<Message>{{{1}, "sense"}}));
  EXPECT_TRUE(child.is_closed());
}

class SlowReaderTest : public MisbehaviourTest {
 protected:
  SlowReaderTest() : MisbehaviourTest(options()) {}
  static TreeOptions options() {
    TreeOptions options = test_options();
    options.largest_frame = std::size_t{1} << 20U;
    options.most_unsent_bytes = std::size_t{2} << 20U;
    return options;
  }
};

TEST_F(SlowReaderTest, GivenANeighbourThatTakesNothingThenItsLinkIsClosedAndOthersGoOn) {
  const Frame large = frame_of(std::string(1 << 20, 'x'));
  // The system buffers some frames, too.
  while (root.events.losses() == 0) {
    root.tree.send({2}, large);
    expect_good_works();
  }
  expect_closed("too slowly");
}

TEST_F(TreeTest, GivenANeighbourThatIsSilentThenItHearsHeartbeatsAndIsLost) {
  TreeOptions options = test_options();
  options.heartbeat_every = 20ms;
  options.lost_after = 300ms;
  Process root(runtime, options);
  RawChild child(root.listen());
  child.join(options);
  EXPECT_EQ(child.read_kind(), Kind::kHeartbeat);
  EXPECT_EQ(child.read_kind(), Kind::kHeartbeat);
  EXPECT_EQ(root.events.wait_for_loss(1), "nothing has come from it for 0.3 s");
  EXPECT_TRUE(child.is_closed());
}

}  // namespace
}  // namespace kumiko::search::trees
