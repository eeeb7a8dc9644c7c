// Contract: in a handshake, each side finds out whether the other knows the secret and runs the
// same build, and messages that were changed, repeated or reflected are refused.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tree/handshake.hpp"
#include "tree_case.hpp"

namespace kumiko::search::trees {
namespace {

/// Both sides of a handshake.
struct Sides {
  explicit Sides(std::string one = "secret", std::string other = "secret", std::uint64_t build = 1,
                 std::uint64_t other_build = 1)
      : secrets{std::move(one), std::move(other)},
        joins(Role::kJoins, secrets[0], build),
        accepts(Role::kAccepts, secrets[1], other_build) {
    EXPECT_EQ(joins.take_hello(accepts.hello()), std::nullopt);
    EXPECT_EQ(accepts.take_hello(joins.hello()), std::nullopt);
  }

  std::array<std::string, 2> secrets;
  Handshake joins;
  Handshake accepts;
};

TEST(TreeHandshake, GivenOneSecretAndBuildWhenBothProveThemselvesThenTheyHaveOneKeyADirection) {
  const Sides sides;
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), std::nullopt);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), std::nullopt);
  EXPECT_EQ(sides.joins.keys().send, sides.accepts.keys().receive);
  EXPECT_EQ(sides.joins.keys().receive, sides.accepts.keys().send);
  EXPECT_NE(sides.joins.keys().send, sides.joins.keys().receive);
  EXPECT_NE(Sides().joins.keys().send, sides.joins.keys().send) << "nonces are fresh";
}

TEST(TreeHandshake, GivenAnotherSecretThenEachSideFindsOut) {
  const Sides sides("secret", "Secret");
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), Refusal::kWrongSecret);
  const auto refused = sides.accepts.verdict(Refusal::kWrongSecret);
  EXPECT_EQ(sides.joins.take_verdict(refused), Refusal::kWrongSecret);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), Refusal::kWrongSecret)
      << "the parent does not know the secret";
}

TEST(TreeHandshake, GivenAnotherBuildThenEachSideFindsOut) {
  const Sides sides("secret", "secret", 1, 2);
  EXPECT_EQ(sides.accepts.take_proof(sides.joins.proof()), Refusal::kOtherBuild);
  const auto refused = sides.accepts.verdict(Refusal::kOtherBuild);
  EXPECT_EQ(sides.joins.take_verdict(refused), Refusal::kOtherBuild);
  EXPECT_EQ(sides.joins.take_verdict(sides.accepts.verdict(std::nullopt)), Refusal::kOtherBuild);
}

TEST(TreeHandshake, GivenWordsThatWereChangedRepeatedOrReflectedThenTheyAreRefused) {
  Sides sides;
  EXPECT_EQ(sides.joins.take_hello(sides.joins.hello()), Refusal::kNotKumiko) << "reflected";
  const auto verdict = sides.accepts.verdict(std::nullopt);
  const auto proof = sides.joins.proof();
  EXPECT_EQ(Sides().accepts.take_proof(proof), Refusal::kWrongSecret) << "of another connection";
  EXPECT_EQ(Sides().joins.take_verdict(verdict), Refusal::kWrongSecret) << "of another connection";
  for (std::size_t i = 0; i < proof.size(); ++i) {
    auto changed = proof;
    changed[i] ^= std::byte{4};
    EXPECT_EQ(sides.accepts.take_proof(changed), Refusal::kWrongSecret) << i;
  }
  for (std::size_t i = 0; i < verdict.size(); ++i) {
    auto changed = verdict;
    changed[i] ^= std::byte{4};
    EXPECT_EQ(sides.joins.take_verdict(changed), Refusal::kWrongSecret) << i;
  }
}

}  // namespace
}  // namespace kumiko::search::trees
