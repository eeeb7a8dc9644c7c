// Contract: a message of an exchange is read back as it was; bytes that are not a message are
// refused.
#include "core/exchange_message.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include <gtest/gtest.h>

namespace kumiko::search::detail {
namespace {

using Says = ExchangeMessage::Says;

ExchangeMessage part_message() {
  return {.kind = Says::kPart,
          .ask = 7,
          .part = PartName{3, 4},
          .task = {.type = 5,
                   .divisions = 6,
                   .bytes = std::make_shared<const Frame>(Frame(9, std::byte{1}))},
          .way = {1, 2, 3},
          .rests = true,
          .sent_at = -8};
}

TEST(ExchangeMessageTest, GivenAMessageThenItIsReadBack) {
  const ExchangeMessage written = part_message();
  const ExchangeMessage read = decode(encode(written));
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.ask, written.ask);
  EXPECT_EQ(read.part, written.part);
  EXPECT_EQ(read.outcome, written.outcome);
  EXPECT_EQ(read.task.type, written.task.type);
  EXPECT_EQ(read.task.divisions, written.task.divisions);
  EXPECT_EQ(*read.task.bytes, *written.task.bytes);
  EXPECT_EQ(read.way, written.way);
  EXPECT_EQ(read.rests, written.rests);
  EXPECT_EQ(read.sent_at, written.sent_at);
}

TEST(ExchangeMessageTest, GivenAMessageWithoutAPartOrBytesThenTheyAreMissing) {
  const ExchangeMessage read = decode(encode({.kind = Says::kAsk}));
  EXPECT_EQ(read.part, std::nullopt);
  EXPECT_EQ(read.task.bytes, nullptr);
}

TEST(ExchangeMessageTest, GivenBytesThatAreCutOffOrTooManyThenTheyAreRefused) {
  Frame bytes = encode(part_message());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode(std::span(bytes).first(size)), std::invalid_argument) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THROW(decode(bytes), std::invalid_argument);
}

TEST(ExchangeMessageTest, GivenAKindOrAnOutcomeThatDoesNotExistThenItIsRefused) {
  ExchangeMessage wrong = part_message();
  wrong.kind = static_cast<Says>(static_cast<int>(Says::kBegun) + 1);
  EXPECT_THROW(decode(encode(wrong)), std::invalid_argument);
  wrong = part_message();
  wrong.outcome = static_cast<Outcome>(static_cast<int>(Outcome::kNotBegun) + 1);
  EXPECT_THROW(decode(encode(wrong)), std::invalid_argument);
}

TEST(ExchangeMessageTest, GivenBytesWhereTheKindHasNoneThenTheyAreRefused) {
  ExchangeMessage wrong = part_message();
  wrong.kind = Says::kStop;
  EXPECT_THROW(decode(encode(wrong)), std::invalid_argument);
  wrong = {.kind = Says::kLog};
  EXPECT_THROW(decode(encode(wrong)), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::search::detail
