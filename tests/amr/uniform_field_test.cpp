// Contract: a saved state on a uniform grid has the state's own bits where the level has patches,
// the restricted values where the mesh is finer, and where it is coarser what a regrid would give
// patches there: for every kind of side, in windows as in the whole, exact for the polynomials of
// the transfer operators, and with the mass of the cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/uniform_field.hpp>

#include "fixtures.hpp"
#include "ghosts/ghost_exchange.hpp"
#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {
namespace {

using test::block;
using test::FunctionCase;

constexpr int kComponents = 2;
constexpr PatchShape kUniformShape{kComponents, 3, 0};
constexpr double kTime = 0.375;
constexpr std::array<std::size_t, 2> kBoth = {0, 1};
constexpr std::array<std::size_t, 1> kSecond = {1};

constexpr Boundary kLeaves{BoundaryKind::kOutflow, 0.0};
constexpr Boundary kMirror{BoundaryKind::kReflecting, 0.0};
constexpr Boundary kRound{BoundaryKind::kPeriodic, 0.0};
constexpr Boundary kGiven{BoundaryKind::kPrescribed, 0.0};
constexpr Boundary held(double value) { return {BoundaryKind::kFixedValue, value}; }

/// A saved run of a hierarchy, with as much as a sampled state needs.
SavedRun saved(const Hierarchy& hierarchy) {
  SavedRun run{hierarchy.mesh()};
  run.time = kTime;
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    SavedLevel& level = run.levels.emplace_back();
    for (std::size_t slot = 0; slot < hierarchy.mesh().size(index); ++slot) {
      for (int component = 0; component < kComponents; ++component) {
        const FieldArray values = hierarchy.level(index).patch(slot).now().interior(component);
        level.values.insert(level.values.end(), values.data(), values.data() + values.size());
      }
    }
  }
  return run;
}

using Value = std::function<double(int level, double x, double y, int component)>;

/// Three levels on 64×48 points: patches at corners and sides, alone, and over half the domain.
std::unique_ptr<Hierarchy> patchwork(const Boundaries& sides, Centring centring,
                                     const Value& value) {
  auto hierarchy =
      std::make_unique<Hierarchy>(Geometry(64, 48, {1.0, 0.75}, sides, centring), 4, kUniformShape);
  std::vector<PatchId> ids = block(1, 2, 5, 0, 3);
  ids.insert(ids.end(), {{1, 0, 0}, {1, 7, 5}, {1, 0, 5}, {1, 7, 2}});
  hierarchy->change(1, std::move(ids));
  hierarchy->change(2, block(2, 6, 9, 0, 4));
  const Geometry& geometry = hierarchy->geometry();
  for (int index = 0; index < 3; ++index) {
    Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      Patch& patch = level.patch(slot);
      for (int at = 0; at < kComponents * kPatchPoints; ++at) {
        const int i = at % kPatchSize;
        const int j = at / kPatchSize % kPatchSize;
        patch.now()(i, j, at / kPatchPoints) =
            value(index, geometry.coordinate(index, patch.id().i * kPatchSize + i),
                  geometry.coordinate(index, patch.id().j * kPatchSize + j), at / kPatchPoints);
      }
    }
  }
  return hierarchy;
}

/// Passes finer values down, as runs do after each step.
void restrict_all(Hierarchy& hierarchy) {
  const TransferOperators transfer = transfer_operators(hierarchy.geometry().centring());
  for (int index = hierarchy.used_levels() - 1; index > 0; --index) {
    for (std::size_t slot = 0; slot < hierarchy.level(index).size(); ++slot) {
      const Patch& patch = hierarchy.level(index).patch(slot);
      const auto parent = static_cast<std::size_t>(hierarchy.plan().parent(index, slot));
      transfer.restrict_onto(patch.now(), patch.id().quadrant(),
                             hierarchy.level(index - 1).patch(parent).now());
    }
  }
}

double rough(int level, double x, double y, int component) {
  return std::sin(91.0 * x + 57.0 * y + 3.0 * component) + 0.1 * level;
}

double given(Side side, double x, double y, int component, double time) {
  return 10.0 * static_cast<int>(side) + std::sin(3.0 * x + 5.0 * y + 7.0 * time) + component;
}

FunctionCase case_with(const Boundaries& sides) {
  FunctionCase problem;
  problem.size = {1.0, 0.75};
  problem.sides = sides;
  problem.beyond = given;
  return problem;
}

/// The field of a level whose patches cover the domain.
std::vector<double> dense(const Hierarchy& hierarchy, int index, int component) {
  const Geometry& geometry = hierarchy.geometry();
  const int width = geometry.points_x(index);
  std::vector<double> values(static_cast<std::size_t>(width) *
                             static_cast<std::size_t>(geometry.points_y(index)));
  const Level& level = hierarchy.level(index);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const Patch& patch = level.patch(slot);
    for (int at = 0; at < kPatchPoints; ++at) {
      const int i = patch.id().i * kPatchSize + at % kPatchSize;
      const int j = patch.id().j * kPatchSize + at / kPatchSize;
      values[static_cast<std::size_t>(j * width + i)] =
          patch.now()(at % kPatchSize, at / kPatchSize, component);
    }
  }
  return values;
}

/// Refines everywhere up to a level, by the engine's own ghosts and prolongation.
void regrid_everywhere(Hierarchy& hierarchy, int finest, const Case& problem) {
  const char* const name = hierarchy.geometry().centring() == Centring::kCell
                               ? "finite_volume_upwind3"
                               : "semi_lagrangian_cubic";
  const auto* const factory = plugin::find_solver(name);
  const auto solver = factory->make(defaults(factory->parameters));
  const TransferOperators transfer = transfer_operators(hierarchy.geometry().centring());
  for (int level = 0; level < finest; ++level) {
    const GhostExchange exchange(hierarchy, problem, *solver, TimeInterpolation::kLinear);
    for (std::size_t slot = 0; slot < hierarchy.level(level).size(); ++slot) {
      exchange.fill(level, slot, State::kNow, {.time = kTime});
    }
    const Geometry& geometry = hierarchy.geometry();
    const auto created =
        hierarchy.change(level + 1, block(level + 1, 0, geometry.patches_x(level + 1) - 1, 0,
                                          geometry.patches_y(level + 1) - 1));
    for (const std::size_t slot : created) {
      Patch& patch = hierarchy.level(level + 1).patch(slot);
      const auto parent = static_cast<std::size_t>(hierarchy.plan().parent(level + 1, slot));
      transfer.prolong(hierarchy.level(level).patch(parent).now(), patch.id().quadrant(),
                       patch.now());
    }
  }
}

struct Surroundings {
  Centring centring;
  Boundaries sides;
};

class UniformSides : public ::testing::TestWithParam<Surroundings> {};

TEST_P(UniformSides, GivenAStateThenEachLevelsGridHasTheBitsOfARegridThatRefinesEverywhere) {
  const auto& [centring, sides] = GetParam();
  const auto hierarchy = patchwork(sides, centring, rough);
  const FunctionCase problem = case_with(sides);
  const SavedRun run = saved(*hierarchy);
  const Geometry stored(64, 48, {1.0, 0.75}, {}, centring);
  regrid_everywhere(*hierarchy, 3, problem);
  for (int level = 0; level < 4; ++level) {
    const UniformField field =
        sample_uniform(run, stored, &problem, all_points(stored, level), kBoth);
    EXPECT_FALSE(field.is_one_sided);
    for (int component = 0; component < kComponents; ++component) {
      EXPECT_EQ(field.components[static_cast<std::size_t>(component)],
                dense(*hierarchy, level, component))
          << "level " << level << " component " << component;
    }
  }
}

TEST_P(UniformSides, GivenAWindowThenItHasTheBitsOfItsPartOfTheWhole) {
  const auto& [centring, sides] = GetParam();
  const FunctionCase problem = case_with(sides);
  const SavedRun run = saved(*patchwork(sides, centring, rough));
  const Geometry stored(64, 48, {1.0, 0.75}, {}, centring);
  const UniformField whole = sample_uniform(run, stored, &problem, all_points(stored, 2), kSecond);
  for (const Box<2>& window : {Box<2>{2, {0, 0}, {1, 1}}, Box<2>{2, {255, 191}, {256, 192}},
                               Box<2>{2, {3, 100}, {60, 192}}, Box<2>{2, {200, 0}, {256, 3}}}) {
    const UniformField part = sample_uniform(run, stored, &problem, window, kSecond);
    const auto width = static_cast<std::size_t>(window.end[0] - window.begin[0]);
    ASSERT_EQ(part.x.size(), width);
    for (std::size_t at = 0; at < part.components[0].size(); ++at) {
      const std::size_t i = static_cast<std::size_t>(window.begin[0]) + at % width;
      const std::size_t j = static_cast<std::size_t>(window.begin[1]) + at / width;
      ASSERT_EQ(part.components[0][at], whole.components[0][j * 256 + i]) << i << ", " << j;
      ASSERT_EQ(part.levels[at], whole.levels[j * 256 + i]) << i << ", " << j;
      ASSERT_EQ(part.x[at % width], whole.x[i]);
      ASSERT_EQ(part.y[at / width], whole.y[j]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UniformSides,
    ::testing::Values(Surroundings{Centring::kNode, {kRound, kRound, kRound, kRound}},
                      Surroundings{Centring::kNode, {held(1), held(2), held(3), held(4)}},
                      Surroundings{Centring::kNode, {kGiven, kLeaves, kGiven, held(3)}},
                      Surroundings{Centring::kNode, {kGiven, kLeaves, kRound, kRound}},
                      Surroundings{Centring::kCell, {kRound, kRound, kRound, kRound}},
                      Surroundings{Centring::kCell, {kMirror, kLeaves, kGiven, kMirror}},
                      Surroundings{Centring::kCell, {kRound, kRound, kMirror, kGiven}}));

/// The integral of a polynomial's average over cells of width h: of x^n, ((x + h/2)^(n+1) - (x -
/// h/2)^(n+1)) / ((n + 1) h).
double mean_power(double x, double h, int n) {
  return (std::pow(x + 0.5 * h, n + 1) - std::pow(x - 0.5 * h, n + 1)) / ((n + 1) * h);
}

TEST(UniformField, GivenACubicAtNodesAndNoCaseThenEveryValueIsIts) {
  const auto cubic = [](int, double x, double y, int component) {
    return (1 + component) * (0.25 + x - 3.0 * x * x * y + 2.0 * x * x * x * y * y * y - y * y);
  };
  const auto hierarchy = patchwork({}, Centring::kNode, cubic);
  const SavedRun run = saved(*hierarchy);
  for (int level = 0; level < 5; ++level) {
    const Geometry& geometry = hierarchy->geometry();
    const UniformField field =
        sample_uniform(run, geometry, nullptr, all_points(geometry, level), kBoth);
    EXPECT_EQ(field.is_one_sided, level > 0);
    for (std::size_t at = 0; at < field.components[1].size(); ++at) {
      const double x = field.x[at % field.x.size()];
      const double y = field.y[at / field.x.size()];
      ASSERT_NEAR(field.components[1][at], cubic(level, x, y, 1), 4e-14) << x << ", " << y;
    }
  }
}

TEST(UniformField, GivenAveragesOfAPolynomialAndNoCaseThenEveryCellHasItsOwn) {
  const auto hierarchy = patchwork({}, Centring::kCell, [](int level, double x, double y, int) {
    const double h = 1.0 / (64 << level);
    return mean_power(x, h, 4) - 2.0 * mean_power(x, h, 2) * mean_power(y, h, 2) + y;
  });
  const SavedRun run = saved(*hierarchy);
  for (int level = 1; level < 5; ++level) {
    const Geometry& geometry = hierarchy->geometry();
    const UniformField field =
        sample_uniform(run, geometry, nullptr, all_points(geometry, level), kBoth);
    const double h = field.spacing;
    EXPECT_EQ(h, 1.0 / (64 << level));
    for (std::size_t at = 0; at < field.components[0].size(); ++at) {
      const double x = field.x[at % field.x.size()];
      const double y = field.y[at / field.x.size()];
      const double mean = mean_power(x, h, 4) - 2.0 * mean_power(x, h, 2) * mean_power(y, h, 2) + y;
      ASSERT_NEAR(field.components[0][at], mean, 2e-13) << x << ", " << y;
    }
  }
}

TEST(UniformField, GivenAConstantThenItPassesToTheBit) {
  for (const Centring centring : {Centring::kNode, Centring::kCell}) {
    const auto hierarchy =
        patchwork({}, centring, [](int, double, double, int component) { return 0.1 + component; });
    const Geometry& geometry = hierarchy->geometry();
    const UniformField field =
        sample_uniform(saved(*hierarchy), geometry, nullptr, all_points(geometry, 3), kBoth);
    EXPECT_EQ(std::ranges::count(field.components[0], 0.1), 512 * 384);
    EXPECT_EQ(std::ranges::count(field.components[1], 1.1), 512 * 384);
  }
}

TEST(UniformField, GivenCellsThenTheirMassIsThatOfTheLeavesOnEveryLevel) {
  for (const bool has_case : {true, false}) {
    const Boundaries sides{kRound, kRound, kMirror, kGiven};
    const auto hierarchy = patchwork(sides, Centring::kCell, [](int l, double x, double y, int c) {
      return 2.0 + rough(l, x, y, c);
    });
    restrict_all(*hierarchy);
    const FunctionCase problem = case_with(sides);
    const auto backend = make_backend("serial", 1);
    const double mass = field_figures(*hierarchy, *backend).components[1].mass;
    const Geometry stored(64, 48, {1.0, 0.75}, {}, Centring::kCell);
    for (int level = 0; level < 5; ++level) {
      const UniformField field =
          sample_uniform(saved(*hierarchy), stored, has_case ? &problem : nullptr,
                         all_points(stored, level), kSecond);
      const auto& values = field.components[0];
      const double sum = std::accumulate(values.begin(), values.end(), 0.0L);
      EXPECT_NEAR(sum * field.spacing * field.spacing, mass, 1e-14 * mass) << "level " << level;
    }
  }
}

TEST(UniformField, GivenAMeshThenEachPointTellsTheFinestLevelThatCoversIt) {
  for (const Centring centring : {Centring::kNode, Centring::kCell}) {
    const auto hierarchy = patchwork({}, centring, rough);
    const SavedRun run = saved(*hierarchy);
    const Geometry& geometry = hierarchy->geometry();
    for (int level = 0; level < 4; ++level) {
      const Box<2> all = all_points(geometry, level);
      const UniformField field = sample_uniform(run, geometry, nullptr, all, {});
      for (std::size_t at = 0; at < field.levels.size(); ++at) {
        int finest = 0;
        for (int l = 1; l < 3; ++l) {
          const double size = kPatchSize * geometry.spacing(l);
          const PatchId place{l, static_cast<int>(field.x[at % field.x.size()] / size),
                              static_cast<int>(field.y[at / field.x.size()] / size)};
          if (run.mesh.find(place) >= 0) finest = l;
        }
        ASSERT_EQ(field.levels[at], finest) << at << " of level " << level;
      }
    }
  }
}

TEST(UniformField, GivenARectangleThenPointsOnItsEdgesBelongToIt) {
  const Geometry nodes(64, 48, {1.0, 0.75}, {});
  EXPECT_EQ(points_within(nodes, 1, {0.25, 0.5, 0.0, 0.0}), (Box<2>{1, {32, 0}, {65, 1}}));
  EXPECT_EQ(points_within(nodes, 0, {-9.0, 9.0, -9.0, 9.0}), all_points(nodes, 0));
  EXPECT_TRUE(points_within(nodes, 0, {0.001, 0.002, 0.0, 1.0}).empty());
  EXPECT_TRUE(points_within(nodes, 0, {1.0, 2.0, 0.0, 1.0}).empty()) << "no node is on this side";
  EXPECT_TRUE(points_within(nodes, 0, {-1e300, -1.0, 0.0, 1e300}).empty());
  const Geometry cells(64, 48, {1.0, 0.75}, {}, Centring::kCell);
  EXPECT_EQ(points_within(cells, 0, {0.0, 1.0 / 64, 0.5 / 64, 1.5 / 64}),
            (Box<2>{0, {0, 0}, {1, 2}}));
  // Decimal numbers that miss a node by round-off: 3 * 0.1 > 0.3.
  const Geometry tenths(160, 160, {16.0, 16.0}, {});
  EXPECT_EQ(points_within(tenths, 0, {0.3, 0.6, 0.0, 0.1}), (Box<2>{0, {3, 0}, {7, 2}}));
}

TEST(UniformField, GivenWhatCannotBeSampledThenItIsRefused) {
  const auto hierarchy = patchwork({}, Centring::kNode, rough);
  const Geometry& geometry = hierarchy->geometry();
  const SavedRun run = saved(*hierarchy);
  const auto sample = [&](const SavedRun& from, const Case* problem, const Box<2>& window,
                          std::size_t component) {
    return sample_uniform(from, geometry, problem, window, {&component, 1});
  };
  const Box<2> point{0, {0, 0}, {1, 1}};
  EXPECT_NO_THROW(sample(run, nullptr, point, 1));
  EXPECT_THROW(sample(run, nullptr, point, 2), std::invalid_argument);
  EXPECT_THROW(sample(run, nullptr, {0, {0, 0}, {65, 1}}, 0), std::invalid_argument);
  EXPECT_THROW(sample(run, nullptr, {0, {4, 0}, {4, 1}}, 0), std::invalid_argument);
  EXPECT_THROW(sample(run, nullptr, {8, {0, 0}, {1, 1}}, 0), std::invalid_argument);
  const FunctionCase other_domain;
  EXPECT_THROW(sample(run, &other_domain, point, 0), std::invalid_argument);
  SavedRun empty = run;
  for (SavedLevel& level : empty.levels) level.values.clear();
  EXPECT_THROW(sample(empty, nullptr, point, 0), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::amr
