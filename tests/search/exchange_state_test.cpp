// Contract of an ExchangeState: the largest part goes first and to the neighbour that asks, each
// step of a part is noted once, and stops and losses reach the right part.
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "exchange_case.hpp"

namespace kumiko::search::detail {
namespace {

using Says = ExchangeMessage::Says;

TEST(ExchangeState, GivenSeveralPartsInThePoolThenTheOneWithTheFewestDivisionsGoesFirst) {
  ExchangeState giver;
  ExchangeEffects effects;
  for (const std::uint32_t divisions : {7U, 2U, 5U}) {
    giver.give({.type = divisions, .divisions = divisions}, delivery_of(kRoot), effects);
  }
  giver.receive({1}, {.kind = Says::kAsk, .ask = 1}, false, std::nullopt, effects);
  ASSERT_EQ(effects.sends.size(), 1U);
  EXPECT_EQ(effects.sends.front().message.task.divisions, 2U);
  ASSERT_TRUE(giver.take_back(effects));
  ASSERT_EQ(effects.starts.size(), 1U);
  EXPECT_EQ(effects.starts.front().task.divisions, 5U);
}

TEST(ExchangeState, GivenPartsThatWentToNeighboursAndCameFromThemThenTheLargestIsKnown) {
  ExchangeState relay;
  ExchangeEffects effects;
  const auto ask_from = [&](const Way& from) {
    relay.receive(from, {.kind = Says::kAsk, .ask = 1}, false, std::nullopt, effects);
  };
  const std::vector<std::uint16_t> all{0, 1, 2};
  EXPECT_EQ(relay.largest_behind(all), std::nullopt);
  const PartName small = relay.give({.divisions = 7}, delivery_of(kRoot), effects);
  ask_from({1, 4});  // a process behind the neighbour
  EXPECT_EQ(relay.largest_behind(all), 1);
  relay.receive({2}, {.kind = Says::kPart, .part = PartName{5, 5}, .task = {.divisions = 3}}, false,
                std::nullopt, effects);
  EXPECT_EQ(relay.largest_behind(all), 2);
  EXPECT_EQ(relay.largest_behind(std::vector<std::uint16_t>{0, 1}), 1);
  // After a refusal, as after the end of a part, nothing is known to be there.
  relay.receive({2}, {.kind = Says::kNone, .ask = 9}, false, std::nullopt, effects);
  EXPECT_EQ(relay.largest_behind(all), 1);
  relay.receive({1, 4}, {.kind = Says::kResult, .part = small, .task = {.bytes = bytes_with(1)}},
                false, std::nullopt, effects);
  EXPECT_EQ(relay.largest_behind(all), std::nullopt);
  relay.give({.divisions = 8}, delivery_of(kRoot), effects);
  ask_from({2});
  EXPECT_EQ(relay.largest_behind(all), 2);
  relay.lost({2}, effects);
  EXPECT_EQ(relay.largest_behind(all), std::nullopt);
}

TEST(ExchangeState, GivenAPartOnItsWayThenEachStepIsNotedOnce) {
  using Note = ExchangeEffects::Note;
  ExchangeState giver;
  ExchangeState taker;
  const auto whats = [](const ExchangeEffects& effects) {
    std::vector<Note::What> all;
    for (const Note& note : effects.notes) all.push_back(note.what);
    return all;
  };
  ExchangeEffects gives;
  giver.give({.divisions = 2, .bytes = bytes_with(1)}, delivery_of(kRoot), gives);
  giver.receive({1}, {.kind = Says::kAsk, .ask = 1}, false, std::nullopt, gives);
  EXPECT_EQ(whats(gives), std::vector{Note::kGiven});
  EXPECT_EQ(gives.notes[0].bytes, sizeof(std::uint32_t));
  ExchangeEffects takes;
  for (int i = 0; i < 2; ++i) {  // the second is a doubled message
    taker.receive({0}, gives.sends[0].message, false, std::nullopt, takes);
  }
  taker.end(takes.starts.at(0).run, Outcome::kDone, bytes_with(1), takes);
  EXPECT_EQ(whats(takes), (std::vector{Note::kTaken, Note::kTold}));
  EXPECT_EQ(takes.notes[0].divisions, 2U);
  ExchangeEffects back;
  for (int i = 0; i < 2; ++i) {
    giver.receive({1}, takes.sends.at(0).message, false, std::nullopt, back);
  }
  EXPECT_EQ(whats(back), std::vector{Note::kBack});
}

TEST(ExchangeState, GivenAPartWhoseTakerIsLostThenItIsNotedThatItIsDoneAgain) {
  using Note = ExchangeEffects::Note;
  ExchangeState giver;
  ExchangeEffects effects;
  const PartName part = giver.give({}, delivery_of(kRoot), effects);
  giver.receive({1}, {.kind = Says::kAsk, .ask = 1}, false, std::nullopt, effects);
  effects = {};
  giver.lost({1}, effects);
  ASSERT_EQ(effects.notes.size(), 1U);
  EXPECT_EQ(effects.notes[0].what, Note::kAgain);
  EXPECT_EQ(effects.notes[0].part, part);
  ASSERT_TRUE(giver.take_back(effects));
  EXPECT_EQ(effects.notes.back().what, Note::kTaken);
  EXPECT_TRUE(effects.notes.back().other.empty());
  giver.withdraw(part.slot, delivery_of(kRoot).get(), effects);
  EXPECT_EQ(effects.notes.back().what, Note::kWithdrawn);
}

TEST(ExchangeState, GivenAStopThatOvertakesItsPartThenThePartIsStopped) {
  ExchangeState taker;
  const auto receive = [&](const ExchangeMessage& message) {
    ExchangeEffects effects;
    taker.receive({1}, message, false, std::nullopt, effects);
    return effects;
  };
  const PartName part{2, 3};
  receive({.kind = Says::kStop, .part = part});
  const auto effects = receive({.kind = Says::kPart, .ask = 1, .part = part});
  ASSERT_EQ(effects.starts.size(), 1U);
  EXPECT_EQ(effects.stops, std::vector{effects.starts.front().run});
  const PartName next{2, 4};
  EXPECT_TRUE(receive({.kind = Says::kPart, .part = next}).stops.empty());
}

TEST(ExchangeState, GivenAPartThatItsGiverHasStoppedWhenItEndsThenNobodyIsToldToStopAgain) {
  ExchangeState taker;
  ExchangeEffects effects;
  const PartName part{0, 0};
  taker.receive({1}, {.kind = Says::kPart, .part = part}, false, std::nullopt, effects);
  taker.receive({1}, {.kind = Says::kStop, .part = part}, false, std::nullopt, effects);
  ASSERT_EQ(effects.stops.size(), 1U);
  taker.stop_all(effects.stops.front(), effects);  // as its own search does when it is stopped
  EXPECT_TRUE(effects.sends.empty());
  taker.end(effects.stops.front(), Outcome::kDone, bytes_with(1), effects);
  ASSERT_EQ(effects.sends.size(), 1U);
  EXPECT_EQ(effects.sends.front().message.outcome, Outcome::kDone);
}

}  // namespace
}  // namespace kumiko::search::detail
