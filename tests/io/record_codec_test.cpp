// Contract: a packed record is what HDF5's filters shuffle and deflate would make of it, and what
// is not a packed record is never taken for one.
#include "checkpoint/record_codec.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kumiko::io {
namespace {

std::vector<double> noise(std::size_t count) {
  std::mt19937_64 random(3);
  std::vector<double> values(count);
  for (double& value : values) value = std::uniform_real_distribution<>(-1.0, 1.0)(random);
  return values;
}

bool comes_back(const std::vector<double>& record) {
  std::vector<double> back(record.size());
  return unpack(pack(record), back) && back == record;
}

TEST(RecordCodec, GivenConstantOrRandomValuesThenTheyComeBack) {
  EXPECT_TRUE(comes_back(std::vector<double>(256, 1.0)));
  EXPECT_TRUE(comes_back(noise(256)));
  EXPECT_TRUE(comes_back(noise(1)));
}

TEST(RecordCodec, GivenConstantValuesThenTheyTakeLittle) {
  EXPECT_LT(pack(std::vector<double>(256, 0.1)).size(), 60U);
}

TEST(RecordCodec, GivenAStreamThatIsCutOrLongerOrOfAnotherSizeThenRefused) {
  const std::vector<double> record = noise(256);
  std::vector<std::byte> packed = pack(record);
  std::vector<double> back(record.size());
  std::vector<double> shorter(record.size() - 1);
  std::vector<double> longer(record.size() + 1);
  EXPECT_FALSE(unpack(packed, shorter));
  EXPECT_FALSE(unpack(packed, longer));
  EXPECT_FALSE(unpack(std::span(packed).first(packed.size() - 1), back));
  EXPECT_FALSE(unpack({}, back));
  packed.push_back(std::byte{0});
  EXPECT_FALSE(unpack(packed, back));
}

TEST(RecordCodec, GivenAFlippedBitThenTheStreamsOwnSumTells) {
  std::vector<double> record = noise(256);
  const std::vector<std::byte> packed = pack(record);
  std::vector<double> back(record.size());
  for (std::size_t at = 2; at < packed.size(); at += 7) {
    std::vector<std::byte> damaged = packed;
    damaged[at] ^= std::byte{16};
    EXPECT_FALSE(unpack(damaged, back) && back != record) << at;
  }
}

}  // namespace
}  // namespace kumiko::io
