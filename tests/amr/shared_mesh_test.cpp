// Contract: whoever owns which patches, every result of the whole mesh has the same bits; a rank
// reads no patch of another.
#include <array>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/finite_check.hpp>

#include "fixtures.hpp"
#include "observation/rank_clocks.hpp"
#include "refinement/regrid_interval.hpp"
#include "refinement/regrid_plan.hpp"
#include "stepping/first_failure.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;

/// Two ranks in one process, each on a thread of its own.
class TwoRanks {
 public:
  /// Calls ask(rank) for both, and passes on what either throws.
  void run(const std::function<void(Communicator&)>& ask) {
    std::array<std::exception_ptr, 2> thrown;
    const auto one = [&](std::size_t number) {
      try {
        ask(ends_[number]);
      } catch (...) {
        thrown[number] = std::current_exception();
        sent_[number] = {};
        meeting_.arrive_and_drop();
      }
    };
    std::thread other(one, 1);
    one(0);
    other.join();
    for (const std::exception_ptr& error : thrown) {
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  class End final : public Communicator {
   public:
    End(TwoRanks& both, std::int32_t number) : both_(both), number_(number) {}
    std::int32_t rank() const override { return number_; }
    std::int32_t size() const override { return 2; }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> own) override {
      both_.sent_[static_cast<std::size_t>(number_)] = own;
      both_.meeting_.arrive_and_wait();
      std::vector<std::vector<std::byte>> copies;
      for (const auto& sent : both_.sent_) copies.emplace_back(sent.begin(), sent.end());
      both_.meeting_.arrive_and_wait();
      return copies;
    }

   private:
    TwoRanks& both_;
    std::int32_t number_;
  };

  std::barrier<> meeting_{2};
  std::array<std::span<const std::byte>, 2> sent_;
  std::array<End, 2> ends_ = {End(*this, 0), End(*this, 1)};
};

/// In no order that a patch's place would suggest.
std::int32_t rank_of(const PatchId& id) { return (id.i * 5 + id.j * 3 + id.level) % 7 < 3 ? 1 : 0; }

/// Gives own patches two components, of values whose sums are rounded.
void fill_waves(Hierarchy& hierarchy) {
  for (int index = 0; index < 3; ++index) {
    Level& level = hierarchy.level(index);
    for (const std::uint32_t slot : level.own()) {
      Patch& patch = level.patch(slot);
      const double phase = 1.3 * patch.id().i + 0.7 * patch.id().j + index;
      for (int at = 0; at < kPatchPoints; ++at) {
        const int i = at % kPatchSize;
        const int j = at / kPatchSize;
        patch.now()(i, j, 0) = std::sin(phase + 0.1 * i - 0.3 * j);
        patch.now()(i, j, 1) = std::cos(3.0 * phase - 0.2 * i * j);
      }
    }
  }
}

/// Shares a mesh out: nobody has what he has no business to read.
void share(Hierarchy& hierarchy) {
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    std::vector<std::int32_t> ranks;
    for (const PatchId& id : hierarchy.mesh().ids(index)) ranks.push_back(rank_of(id));
    hierarchy.set_ranks(index, ranks);
  }
}

std::unique_ptr<Hierarchy> wavy_island(const Communicator& communicator = single_rank()) {
  auto hierarchy = test::island({}, {2, 2, 0}, communicator.rank());
  if (&communicator != &single_rank()) share(*hierarchy);
  fill_waves(*hierarchy);
  return hierarchy;
}

/// What ask() gives of the island: to the rank of all, and to each of two.
template <class Ask>
auto answers(const Ask& ask) {
  std::array<decltype(ask(std::declval<Hierarchy&>(), single_rank())), 3> all;
  all[2] = ask(*wavy_island(), single_rank());
  TwoRanks().run([&](Communicator& communicator) {
    const auto hierarchy = wavy_island(communicator);
    all[static_cast<std::size_t>(communicator.rank())] = ask(*hierarchy, communicator);
  });
  return all;
}

struct WavyCase : FunctionCase {
  int components() const override { return 2; }
  bool exact(Points points, int component, double, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = std::sin(9.0 * points.x[at] + component) * points.y[at];
    }
    return true;
  }
};

void expect_same(const FieldFigures& a, const FieldFigures& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.absolute_mass, b.absolute_mass);
  EXPECT_EQ(a.minimum, b.minimum);
  EXPECT_EQ(a.maximum, b.maximum);
  EXPECT_EQ(a.finite, b.finite);
  ASSERT_EQ(a.components.size(), b.components.size());
  for (std::size_t at = 0; at < a.components.size(); ++at) {
    expect_same(a.components[at], b.components[at]);
  }
}

void expect_same(const ErrorNorms& a, const ErrorNorms& b) {
  EXPECT_EQ(a.rms, b.rms);
  EXPECT_EQ(a.l1, b.l1);
  EXPECT_EQ(a.l1_relative, b.l1_relative);
  EXPECT_EQ(a.linf, b.linf);
  ASSERT_EQ(a.components.size(), b.components.size());
  for (std::size_t at = 0; at < a.components.size(); ++at) {
    expect_same(a.components[at], b.components[at]);
  }
}

TEST(Ranks, GivenTwoThenFiguresHaveTheBitsOfOne) {
  const auto all = answers([](Hierarchy& hierarchy, Communicator& communicator) {
    return field_figures(hierarchy, *make_backend("serial", 1), communicator);
  });
  ASSERT_TRUE(all[2].finite);
  for (const std::size_t one : {0, 1}) expect_same(all[one], all[2]);
}

TEST(Ranks, GivenTwoThenErrorsHaveTheBitsOfOne) {
  const auto all = answers([](Hierarchy& hierarchy, Communicator& communicator) {
    return error_norms(hierarchy, WavyCase(), 0.0, *make_backend("serial", 1), communicator);
  });
  for (const std::size_t one : {0, 1}) {
    ASSERT_TRUE(all[one] && all[2]);
    expect_same(*all[one], *all[2]);
  }
}

TEST(Ranks, GivenTwoThenTheStateHasTheHashOfOneByAnyBackend) {
  const auto all = answers([](Hierarchy& hierarchy, Communicator& communicator) {
    return state_hash(hierarchy, *make_backend("serial", 1), communicator);
  });
  EXPECT_EQ(all[0], all[2]);
  EXPECT_EQ(all[1], all[2]);
  const auto hierarchy = wavy_island();
  EXPECT_EQ(state_hash(*hierarchy, *make_backend("threads", 3)), all[2]);
  EXPECT_EQ(state_hash(*hierarchy), all[2]);
}

TEST(Ranks, GivenTwoThenTheNextRegridIsThatOfOne) {
  const auto all = answers([](Hierarchy& hierarchy, Communicator& communicator) {
    PatchTable<PatchMotion> motion;
    motion.follow(hierarchy.mesh());
    for (int index = 0; index < 3; ++index) {
      for (std::size_t slot = 0; slot < hierarchy.level(index).size(); ++slot) {
        const double own = 0.15 - 0.01 * std::abs(static_cast<int>(slot) - 5);
        motion.at(index, slot).cfl = communicator.has(hierarchy.mesh(), index, slot) ? own : 1e9;
      }
    }
    return automatic_interval(hierarchy, motion, StepClock(Stretch::whole_run(1.0, 64), true), 7,
                              communicator);
  });
  EXPECT_EQ(all[2], 23) << "7 points at 0.15 points a step, twice a base step";
  EXPECT_EQ(all[0], all[2]);
  EXPECT_EQ(all[1], all[2]);
}

/// What a regrid decides.
struct Regridded {
  std::vector<Mesh<2>> meshes;
  std::size_t unnested = 0;
  std::vector<int> unwanted;
};

/// Two regrids of the island, which refines where the waves are high.
Regridded regrid_twice(Hierarchy& hierarchy, Communicator& communicator) {
  RefinementOptions options;
  options.threshold = 0.97;
  options.derefine_threshold = 0.9;
  options.buffer = 3;
  options.hysteresis = 1;
  options.regions = {{0.1, 0.3, 0.1, 0.3, 2, 1}};
  const auto backend = make_backend("serial", 1);
  const auto indicator = [](const Patch& patch, double, IndicatorField& values) {
    for (int at = 0; at < kPatchPoints; ++at) {
      values.values[static_cast<std::size_t>(at)] =
          patch.now()(at % kPatchSize, at / kPatchSize, 0);
    }
  };
  const auto no_ghosts = [](int, std::size_t) {};
  RegridPlan plan(hierarchy, *backend, communicator, options, indicator);
  Regridded result;
  for (const int step : {4, 8}) {
    plan.begin(step);
    for (const int level : {0, 1}) {
      const std::vector<std::size_t> came =
          hierarchy.change(level + 1, plan.children(level, 0.0, no_ghosts));
      plan.note_arrivals(level + 1, came);
      if (&communicator != &single_rank()) share(hierarchy);
      fill_waves(hierarchy);
      for (const RegridHistory& history : plan.histories(level + 1)) {
        result.unwanted.push_back(history.unwanted + 1000 * history.since);
      }
    }
    result.meshes.push_back(hierarchy.mesh());
    result.unnested += plan.unnested();
  }
  return result;
}

/// A mesh but for its ranks.
std::vector<PatchId> ids_of(const Mesh<2>& mesh) { return mesh.space_filling_order(); }

TEST(Ranks, GivenTwoThenRegridsMakeTheMeshesOfOne) {
  const auto all = answers(regrid_twice);
  for (const std::size_t one : {0, 1}) {
    for (const std::size_t regrid : {0, 1}) {
      EXPECT_EQ(ids_of(all[one].meshes[regrid]), ids_of(all[2].meshes[regrid]));
    }
    EXPECT_EQ(all[one].unnested, all[2].unnested);
    EXPECT_EQ(all[one].unwanted, all[2].unwanted);
  }
  EXPECT_EQ(all[0].meshes, all[1].meshes);
  EXPECT_GT(all[2].meshes[1].size(2), 8U);
  EXPECT_GT(all[2].unnested, 0U);
}

TEST(Ranks, GivenAChangeThenPatchesKeepTheirOwnersAndNewOnesHaveTheirParents) {
  const auto hierarchy = wavy_island();
  for (int index = 0; index < 3; ++index) {
    std::vector<std::int32_t> ranks;
    for (const PatchId& id : hierarchy->mesh().ids(index)) ranks.push_back(rank_of(id));
    hierarchy->set_ranks(index, ranks);
  }
  const Mesh<2> before = hierarchy->mesh();
  std::vector<PatchId> wanted(before.ids(1).begin(), before.ids(1).end());
  wanted.erase(wanted.begin());
  const PatchId in_the_corner{1, 0, 0};
  ASSERT_EQ(before.find(in_the_corner), -1);
  wanted.push_back(in_the_corner);
  hierarchy->change(1, wanted);
  const Mesh<2>& after = hierarchy->mesh();
  ASSERT_GT(after.size(2), 0U);
  for (const int level : {1, 2}) {
    for (std::size_t slot = 0; slot < after.size(level); ++slot) {
      const PatchId id = after.ids(level)[slot];
      const bool is_new = before.find(id) < 0;
      EXPECT_EQ(after.ranks(level)[slot], rank_of(is_new ? id.parent() : id)) << to_string(id);
    }
  }
}

TEST(Ranks, GivenBrokenValuesWithBothThenBothNameTheFirstOfTheFinestLevel) {
  const auto all = answers([](Hierarchy& hierarchy, Communicator& communicator) -> std::string {
    for (int index = 0; index < 3; ++index) {
      for (const std::size_t slot : {3, 4, 5, 6, 7}) {
        if (!communicator.has(hierarchy.mesh(), index, slot)) continue;
        hierarchy.level(index).patch(slot).now()(2, static_cast<int>(slot), 1) = std::nan("");
      }
    }
    try {
      check_finite(hierarchy, *make_backend("serial", 1), 40, communicator);
    } catch (const NonFiniteError& error) {
      return error.what();
    }
    return "";
  });
  EXPECT_NE(all[2].find("(2, 3) of level 2 patch (9, 6), component 1"), std::string::npos)
      << all[2];
  EXPECT_EQ(all[0], all[2]);
  EXPECT_EQ(all[1], all[2]);
}

Failure failure(int level, double time, double cfl, const std::string& text) {
  Failure one;
  one.step.level = level;
  one.step.number = static_cast<int>(8.0 * time);
  one.step.base_step = 7;
  one.step.time = time;
  one.cfl = cfl;
  one.what = std::make_exception_ptr(std::invalid_argument(text));
  return one;
}

/// What each of two ranks throws that have these failures.
std::array<std::string, 2> thrown(const std::array<std::optional<Failure>, 2>& failures,
                                  const std::array<PatchId, 2>& patches) {
  std::array<std::string, 2> texts;
  TwoRanks().run([&](Communicator& communicator) {
    const auto self = static_cast<std::size_t>(communicator.rank());
    try {
      throw_first(communicator, failures[self], patches[self]);
    } catch (const std::exception& error) {
      texts[self] = error.what();
    }
  });
  return texts;
}

TEST(Ranks, GivenFailuresThenBothEndWithTheEarliest) {
  using Texts = std::array<std::string, 2>;
  const std::array<PatchId, 2> patches = {PatchId{1, 4, 2}, PatchId{1, 3, 2}};
  EXPECT_EQ(thrown({}, {}), (Texts{"", ""}));
  const auto both = [](const std::string& text) { return Texts{text, text}; };
  EXPECT_EQ(thrown({{{}, failure(1, 0.5, 0.0, "alone")}}, patches),
            both("alone (level 1 patch (3, 2), base step 7, t = 0.5)"));
  EXPECT_EQ(thrown({{failure(1, 0.25, 0.0, "early"), failure(1, 0.5, 0.0, "late")}}, patches),
            both("early (level 1 patch (4, 2), base step 7, t = 0.25)"));
  EXPECT_EQ(thrown({{failure(1, 0.5, 2.0, "slow"), failure(1, 0.5, 3.0, "fast")}}, patches),
            both("fast (level 1 patch (3, 2), base step 7, t = 0.5)"));
  EXPECT_EQ(thrown({{failure(1, 0.5, 0.0, "right"), failure(1, 0.5, 0.0, "left")}}, patches),
            both("left (level 1 patch (3, 2), base step 7, t = 0.5)"));
}

TEST(Ranks,
     GivenTheEarliestFailureThenAllThrowItsTextAndTypeAndItsOwnerHasTheExceptionItselfNested) {
  struct Own : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
  };
  std::array<bool, 2> is_own{};
  std::array<std::string, 2> texts;
  TwoRanks().run([&](Communicator& communicator) {
    const auto self = static_cast<std::size_t>(communicator.rank());
    std::optional<Failure> own;
    if (self == 1) {
      own = failure(0, 0.5, 0.0, "");
      own->what = std::make_exception_ptr(Own("why"));
    }
    try {
      throw_first(communicator, own, {});
    } catch (const std::invalid_argument& error) {
      texts[self] = error.what();
      try {
        std::rethrow_if_nested(error);
      } catch (const Own&) {
        is_own[self] = true;
      }
    }
  });
  EXPECT_EQ(is_own, (std::array<bool, 2>{false, true}));
  const std::string text = "why (level 0 patch (0, 0), base step 7, t = 0.5)";
  EXPECT_EQ(texts, (std::array<std::string, 2>{text, text}));
}

std::int64_t an_hour_ahead() { return steady_now_ns() + 3'600'000'000'000; }

TEST(Ranks, GivenClocksThatAreAnHourApartThenTimesAreBroughtToOwner0s) {
  constexpr double kHour = 3.6e12;
  constexpr double kSecond = 1e9;
  RankClocks apart;
  RankClocks same;
  TwoRanks().run([&](Communicator& communicator) {
    const RankClocks one =
        compare_clocks(communicator, communicator.rank() == 1 ? an_hour_ahead : steady_now_ns);
    const RankClocks other = compare_clocks(communicator);
    if (communicator.rank() != 0) return;
    apart = one;
    same = other;
  });
  EXPECT_EQ(same.ahead_ns, (std::vector<std::int64_t>{0, 0}));
  ASSERT_EQ(apart.ahead_ns.size(), 2U);
  EXPECT_EQ(apart.ahead_ns[0], 0);
  EXPECT_NEAR(static_cast<double>(apart.ahead_ns[1]), kHour, kSecond);
}

TEST(Ranks, GivenAClockThatDriftsThenATimeBetweenTheComparisonsIsBroughtHomeByItsPart) {
  const RankClocks before{1000, {0, 50}};
  const RankClocks after{2000, {0, 150}};
  EXPECT_EQ(by_first_rank(1050, 1, before, after), 1000);
  EXPECT_EQ(by_first_rank(1550, 1, before, after), 1450);
  EXPECT_EQ(by_first_rank(1550, 0, before, after), 1550);
}

}  // namespace
}  // namespace kumiko::amr
