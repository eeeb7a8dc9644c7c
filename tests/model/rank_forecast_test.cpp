// Contract: fewer ranks are recommended only where the model, which knows a trace, would say so
// too.
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/model/rank_forecast.hpp>

#include "trace_builder.hpp"

namespace kumiko::model {
namespace {

using test::no_overheads;
using test::TraceBuilder;

/// What a step takes over advancing its patches.
constexpr double kOverAdvancing = 1.5;
constexpr int kInterval = 10;

/// A column of patches without finer ones.
class Column {
 public:
  /// \param cost  of a patch's step, in microseconds
  Column(int patches, double cost)
      : cost_(cost),
        mesh_({.patches = {1, patches}, .extent = {1.0, 1.0}, .periodic = {false, false}}),
        seconds_{std::vector<double>(mesh_.size(0), 1e-6 * cost / kOverAdvancing)} {}

  RunStart start() const {
    return {.mesh = mesh_, .seconds = seconds_, .subcycling = true, .interval = kInterval};
  }

  /// With regrids that take a step of each patch.
  amr::Trace trace() const {
    TraceBuilder builder(static_cast<int>(mesh_.size(0)));
    for (int step = 0; step < kInterval; ++step) {
      builder.step(std::vector<double>(mesh_.size(0), cost_));
    }
    return builder.stencil().span(cost_ * static_cast<double>(mesh_.size(0)), 0.0).trace();
  }

 private:
  double cost_;
  amr::Mesh<2> mesh_;
  amr::ByPatch<double> seconds_;
};

TEST(RankForecast, GivenOneRankThenABaseStepIsItsWorkAndAPartOfARegrid) {
  const Column column(40, 2.0);
  const double work = 40 * 2e-6;
  EXPECT_NEAR(expected_step(column.start(), 1, {}), work * (1.0 + 1.0 / kInterval), 1e-12);
  // One patch after the other cannot be done at once.
  const double alone = expected_step(Column(1, 2.0).start(), 1, {.workers = 4});
  EXPECT_NEAR(alone, 2e-6 * (1.0 + 1.0 / kInterval), 1e-12);
}

TEST(RankForecast, GivenAnyNetworkThenRanksAreNotShownWorseThanByTheModel) {
  for (const double cost : {0.5, 3.0, 40.0}) {
    const Column column(64, cost);
    const amr::Trace trace = column.trace();
    const RankModel model(trace, no_overheads());
    for (const NamedNetwork& named : kNetworks) {
      for (const int ranks : {2, 4, 16, 64}) {
        const RankOptions options{.network = named.network};
        const double modelled = model.predict(ranks, options).seconds / kInterval;
        const double expected = expected_step(column.start(), ranks, options);
        EXPECT_LT(expected, 1.02 * modelled) << named.name << ", " << ranks << ", " << cost;
        EXPECT_GT(expected, 0.4 * modelled) << named.name << ", " << ranks << ", " << cost;
      }
    }
  }
}

TEST(RankForecast, GivenLittleWorkOrASlowNetworkThenFewerRanksAreNamed) {
  const RankOptions shared{.network = kNetworks[0].network};
  const RankOptions tcp{.network = kNetworks[2].network};
  EXPECT_FALSE(faster_on_fewer(Column(64, 20.0).start(), 4, shared));
  const auto slow = faster_on_fewer(Column(16, 1.0).start(), 4, tcp);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->ranks, 1);
  EXPECT_NEAR(slow->seconds, 16e-6 * (1.0 + 1.0 / kInterval), 1e-12);
  EXPECT_GT(slow->seconds_now, 1.25 * slow->seconds);
  const auto many = faster_on_fewer(Column(64, 1.0).start(), 64, shared);
  ASSERT_TRUE(many);
  EXPECT_GT(many->ranks, 1);
  // Enough work for any network.
  EXPECT_FALSE(faster_on_fewer(Column(64, 2000.0).start(), 64, tcp));
}

TEST(RankForecast, GivenRanksThatShareCoresThenTheyDoAllOfTheWorkThere) {
  const Column column(64, 20.0);
  const RankOptions shared{.network = kNetworks[0].network};
  RunStart crowded = column.start();
  crowded.cores = 2;
  EXPECT_GT(expected_step(crowded, 8, shared), 64 * 20e-6 / 2);
  EXPECT_LT(expected_step(column.start(), 8, shared), 64 * 20e-6 / 2);
  // Two more ranks have nothing to gain there, and little to lose.
  EXPECT_FALSE(faster_on_fewer(crowded, 4, shared));
  // A column whose patches cost as much as messages loses.
  const Column light(64, 0.3);
  RunStart lost = light.start();
  lost.cores = 2;
  const auto fewer = faster_on_fewer(lost, 16, shared);
  ASSERT_TRUE(fewer);
  EXPECT_LE(fewer->ranks, 2);
}

}  // namespace
}  // namespace kumiko::model
