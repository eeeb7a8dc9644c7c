// Contract: options that cannot be, alone or together, are refused by a message that names the
// member, its value and the reason; every described option reads back as it was written.
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include <kumiko/amr/simulation_options.hpp>

#include "fixtures.hpp"
#include "refinement/regions.hpp"

namespace kumiko::amr {
namespace {

using testing::scripted_options;

/// What is said of options that a function has changed; "accepted" if nothing.
template <class Change>
std::string refusal_of(Change change) {
  SimulationOptions options = scripted_options(3);
  change(options.refinement);
  try {
    check(options);
    Regions(Geometry(64, 64, {1.0, 1.0}, {}), options.levels, options.refinement.regions);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Region, GivenABoxThatCannotBeThenItIsRefusedByName) {
  const auto refusal = [](const RefinementRegion& region) {
    const RefinementRegion whole{0.0, 1.0, 0.0, 1.0, 2};
    return refusal_of([&](RefinementOptions& o) { o.regions = {whole, region}; });
  };
  const std::string order = "; its first number must be below its second";
  EXPECT_EQ(refusal({0.5, 0.5, 0.0, 1.0, 1}), "`x` of region 1 is [0.5, 0.5]" + order);
  EXPECT_EQ(refusal({0.0, 1.0, 0.6, 0.5, 1}), "`y` of region 1 is [0.6, 0.5]" + order);
  EXPECT_EQ(refusal({0.0, std::nan(""), 0.0, 1.0, 1}), "`x` of region 1 is nan; it must be finite");
  EXPECT_EQ(refusal({1.5, 2.0, 0.0, 1.0, 1}),
            "`x` of region 1 is [1.5, 2]; the region lies outside the domain, [0, 1]");
  EXPECT_EQ(refusal({0.0, 1.0, 0.0, 1.0, 1, 2}),
            "`min_level` of region 1 is 2; it must be at most `max_level`, 1");
  EXPECT_EQ(refusal({0.0, 1.0, 0.0, 1.0, 1, -1}),
            "`min_level` of region 1 is -1; it must be 0 to 7");
  EXPECT_EQ(refusal({0.0, 1.0, 0.0, 1.0, 7, 3}),
            "`min_level` of region 1 is 3; with `levels` at 3 the finest level is 2");
  EXPECT_EQ(refusal({0.0, 1.0, 0.0, 1.0, 7, 2}), "accepted");
}

TEST(RefinementOptions, GivenOneThatCannotBeThenTheMessageNamesItAndTheReason) {
  using Options = RefinementOptions;
  EXPECT_EQ(refusal_of([](Options&) {}), "accepted");
  EXPECT_EQ(refusal_of([](Options& o) {
              o.criterion = Criterion::kLoehner;
              o.threshold = 2.0;
            }),
            "`threshold` is 2; with `criterion` loehner it must be below 1, since the indicator "
            "never exceeds 1");
  EXPECT_EQ(refusal_of([](Options& o) { o.derefine_threshold = 0.9; }),
            "`derefine_threshold` is 0.9; it must be at most `threshold`, 0.8");
  EXPECT_EQ(refusal_of([](Options& o) { o.derefine_threshold = -0.1; }),
            "`derefine_threshold` is -0.1; it must be at least 0");
  EXPECT_EQ(refusal_of([](Options& o) { o.derefine_threshold = std::nan(""); }),
            "`derefine_threshold` is nan; it must be finite, at least 0");
  EXPECT_EQ(refusal_of([](Options& o) { o.buffer = kPatchSize + 1; }),
            "`buffer` is 17; it must be 0 to 16, since tags reach the next patch at most");
  EXPECT_NE(refusal_of([](Options& o) { o.hysteresis = -1; }), "accepted");
  EXPECT_NE(refusal_of([](Options& o) { o.min_lifetime = -1; }), "accepted");
}

TEST(RefinementOptions, GivenThresholdsOfAnotherGridThenTheyFallWithTheSpacing) {
  RefinementOptions options;
  options.derefine_threshold = 0.05;
  options.threshold_order = 2;
  options.threshold_at = 64;
  EXPECT_EQ(on_grid(options, 128).threshold, 0.1 * 0.5 * 0.5);
  EXPECT_EQ(on_grid(options, 128).derefine_threshold, 0.05 * 0.5 * 0.5);
  EXPECT_EQ(on_grid(options, 64).threshold, 0.1);
  options.threshold_at = 0;
  EXPECT_EQ(on_grid(options, 128).threshold, 0.1) << "given for the run's own grid";
}

/// Every option reads back as it is written, and its default is accepted.
template <class Options>
void expect_consistent_fields() {
  for (const OptionField<Options>& option : fields<Options>()) {
    Options options;
    EXPECT_EQ(option.get(options), option.spec.default_value) << option.spec.name;
    EXPECT_FALSE(refused(option.range, option.spec.default_value)) << option.spec.name;
    for (const std::string& choice : option.spec.choices) {
      option.set(options, choice);
      EXPECT_EQ(std::get<std::string>(option.get(options)), choice);
    }
    if (!std::holds_alternative<std::int64_t>(option.spec.default_value)) continue;
    option.set(options, std::int64_t{3});
    EXPECT_EQ(std::get<std::int64_t>(option.get(options)), 3) << option.spec.name;
  }
}

TEST(OptionFields, GivenAnyOptionThenItReadsBackAndItsDefaultIsInItsRange) {
  expect_consistent_fields<SimulationOptions>();
  expect_consistent_fields<RefinementOptions>();
  expect_consistent_fields<RefinementRegion>();
}

}  // namespace
}  // namespace kumiko::amr
