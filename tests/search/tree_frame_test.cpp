// Contract: a frame changes its route link by link as it is passed on, and a frame that is
// malformed, changed, repeated or left out is recognised.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tree/frame.hpp"
#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

constexpr FrameLimits kLimits{1000, 8};

TEST(TreeFrame, GivenARouteWhenAFrameIsPassedOnThenDestinationAndSourceChangeLinkByLink) {
  // A process whose way back is 5 sends on its link 1, to link 2 and then link 3 behind that.
  Frame frame = make_frame(Kind::kData, {5}, std::array<std::uint16_t, 2>{2, 3}, bytes_of("words"));
  const std::size_t size = frame.size();

  auto first = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->has_arrived());
  EXPECT_EQ(first->pass_on(0), 2);
  auto second = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->pass_on(7), 3);
  const auto last = FrameView::parse(frame, kLimits);
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->has_arrived());
  EXPECT_EQ(last->source(9), (Route{9, 7, 0, 5}));
  EXPECT_EQ(last->kind(), Kind::kData);
  EXPECT_EQ(text_of(last->payload()), "words");
  EXPECT_EQ(frame.size(), size);
}

TEST(TreeFrame, GivenANumberOutOfItsRangeWhenAFrameIsParsedThenItIsRefused) {
  const Frame good = make_frame(Kind::kData, {1}, std::array<std::uint16_t, 1>{2}, bytes_of("abc"));
  const auto is_refused = [&](std::size_t at, unsigned value) {
    Frame bad = good;
    bad[at] = static_cast<std::byte>(value);
    return !FrameView::parse(bad, kLimits);
  };
  EXPECT_FALSE(is_refused(4, 1));
  EXPECT_TRUE(is_refused(0, 1)) << "another length than there are bytes";
  EXPECT_TRUE(is_refused(4, 0)) << "an unknown kind";
  EXPECT_TRUE(is_refused(4, 4)) << "an unknown kind";
  EXPECT_TRUE(is_refused(5, 1)) << "an unknown kind";
  EXPECT_TRUE(is_refused(6, 3)) << "more links passed than there are";
  EXPECT_TRUE(is_refused(8, 0)) << "fewer links than are passed";
  EXPECT_TRUE(is_refused(8, 4)) << "more links than there is room for";
  EXPECT_TRUE(is_refused(9, 1)) << "more links than are allowed";
  for (std::size_t size = 0; size < good.size(); ++size) {
    Frame cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(FrameView::parse(cut, kLimits)) << size;
  }
}

TEST(TreeFrame, GivenALengthWhenItIsOutOfTheLimitsThenNoSizeIsGiven) {
  const auto size_for = [](std::uint32_t length) {
    std::array<std::byte, 4> bytes;
    detail::tree::put_number(bytes, length);
    return detail::tree::sealed_size(bytes, kLimits);
  };
  const auto most = static_cast<std::uint32_t>(kLimits.most_bytes());
  EXPECT_EQ(size_for(most - 4), most);
  EXPECT_FALSE(size_for(most - 3));
  EXPECT_FALSE(size_for(0xffffffffU));
  EXPECT_EQ(size_for(38), 42U);
  EXPECT_FALSE(size_for(37));
  EXPECT_FALSE(size_for(0));
}

TEST(TreeFrame, GivenSealedFramesWhenOneIsChangedRepeatedOrLeftOutThenItDoesNotFit) {
  const auto sealed = [](Seal& seal, std::string_view text) {
    Frame frame = make_frame(Kind::kData, {}, {}, bytes_of(text));
    seal.close(frame);
    return frame;
  };
  detail::tree::Mac key{};
  key[3] = std::byte{9};
  Seal sender(key);
  const Frame first = sealed(sender, "first");
  const Frame second = sealed(sender, "second");

  Seal receiver(key);
  EXPECT_TRUE(receiver.fits(first));
  EXPECT_TRUE(receiver.fits(second));
  EXPECT_FALSE(receiver.fits(second)) << "repeated";
  EXPECT_FALSE(Seal(key).fits(second)) << "the first one left out";
  EXPECT_FALSE(Seal(detail::tree::Mac{}).fits(first)) << "another key";
  for (std::size_t i = 0; i < first.size(); ++i) {
    Frame changed = first;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(Seal(key).fits(changed)) << i;
  }
}

}  // namespace
}  // namespace kumiko::search::trees
