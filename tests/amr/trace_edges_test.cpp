// Contract: a trace has the pieces that the rules at BlockGraph name, in the order of
// level-synchronous stepping, and as edges exactly what those rules say that each waits for. Here
// both follow from the patches' places alone.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "trace_runs.hpp"

namespace kumiko::amr {
namespace {

using test::Scheme;
using test::TracedRun;
using test::Way;

/// The mesh of a window as a set of places, and what the rules make of it.
class Rules {
 public:
  using Piece = std::tuple<PatchId, int, PieceKind>;

  Rules(const Trace& trace, const TraceWindow& window, const Scheme& scheme)
      : trace_(trace),
        scheme_(scheme),
        patches_(trace.patches.begin() + window.first_patch,
                 trace.patches.begin() + window.end_patch),
        ratio_(scheme.subcycling ? 2 : 1),
        blends_in_time_(scheme.subcycling &&
                        scheme.interpolation != TimeInterpolation::kCharacteristic),
        fluxes_(scheme.solver.starts_with("finite_volume")) {
    for (const PatchId& id : patches_) {
      for (const PatchId& source : coarse_sources(id)) sources_.insert(source);
    }
  }

  bool blends(const PatchId& id) const { return blends_in_time_ && sources_.count(id) > 0; }

  bool finishes(const PatchId& id) const {
    if (!children(id).empty()) return true;
    const std::set<PatchId> beside = siblings(id);
    return fluxes_ && std::any_of(beside.begin(), beside.end(),
                                  [&](const PatchId& other) { return !children(other).empty(); });
  }

  /// Pieces of a step that the patch has.
  std::vector<PieceKind> kinds(const PatchId& id) const {
    std::vector<PieceKind> all = {PieceKind::kAdvance};
    if (blends(id)) all.push_back(PieceKind::kBlend);
    if (finishes(id)) all.push_back(PieceKind::kFinish);
    return all;
  }

  std::set<Piece> waits_of(const PatchId& id, int n, PieceKind kind) const {
    if (kind == PieceKind::kAdvance) return waits_of_advance(id, n);
    if (kind == PieceKind::kBlend) return waits_of_blend(id, n);
    return waits_of_finish(id, n);
  }

  const std::set<PatchId>& patches() const { return patches_; }

 private:
  std::set<Piece> waits_of_advance(const PatchId& id, int n) const {
    std::set<Piece> waits;
    add_state(waits, id, n);
    for (const PatchId& sibling : siblings(id)) add_state(waits, sibling, n);
    const bool begins = n % ratio_ == 0;
    for (const PatchId& coarse : coarse_sources(id)) {
      if (begins) waits.insert({coarse, n / ratio_, PieceKind::kAdvance});
      if (!begins && blends_in_time_) waits.insert({coarse, n / ratio_, PieceKind::kBlend});
    }
    if (id.level > 0 && (n + 1) % ratio_ == 0) add_state(waits, id.parent(), n / ratio_);
    return waits;
  }

  std::set<Piece> waits_of_blend(const PatchId& id, int n) const {
    std::set<Piece> waits = {{id, n, PieceKind::kAdvance}};
    for (const PatchId& sibling : siblings(id)) waits.insert({sibling, n, PieceKind::kAdvance});
    for (const PatchId& coarse : coarse_sources(id)) {
      waits.insert({coarse, n / ratio_, PieceKind::kBlend});
    }
    return waits;
  }

  std::set<Piece> waits_of_finish(const PatchId& id, int n) const {
    std::set<Piece> waits = {{id, n, blends(id) ? PieceKind::kBlend : PieceKind::kAdvance}};
    const auto add_children = [&](const PatchId& of) {
      for (const PatchId& child : children(of)) add_state(waits, child, ratio_ * (n + 1));
    };
    add_children(id);
    if (!blends_in_time_ && !fluxes_) return waits;
    for (const PatchId& sibling : siblings(id)) {
      add_children(sibling);
      if (blends(sibling)) waits.insert({sibling, n, PieceKind::kBlend});
    }
    return waits;
  }

  /// State n of a patch is final: by the last piece of the step before.
  void add_state(std::set<Piece>& waits, const PatchId& id, int n) const {
    if (n > 0) waits.insert({id, n - 1, kinds(id).back()});
  }

  /// The places around a patch, within the domain.
  std::set<PatchId> places(const PatchId& id) const {
    const int width = (trace_.points_x << id.level) / kPatchSize;
    const int height = (trace_.points_y << id.level) / kPatchSize;
    std::set<PatchId> all;
    for (int dj = -1; dj <= 1; ++dj) {
      for (int di = -1; di <= 1; ++di) {
        PatchId place = {id.level, id.i + di, id.j + dj};
        if (scheme_.periodic) {
          place.i = (place.i + width) % width;
          place.j = (place.j + height) % height;
        }
        const bool inside = place.i >= 0 && place.i < width && place.j >= 0 && place.j < height;
        if (inside && place != id) all.insert(place);
      }
    }
    return all;
  }

  std::set<PatchId> siblings(const PatchId& id) const {
    std::set<PatchId> all;
    for (const PatchId& place : places(id)) {
      if (patches_.count(place) > 0) all.insert(place);
    }
    return all;
  }

  /// The patches of the level below that cover the places without a sibling.
  std::set<PatchId> coarse_sources(const PatchId& id) const {
    std::set<PatchId> all;
    for (const PatchId& place : places(id)) {
      if (patches_.count(place) == 0) all.insert(place.parent());
    }
    return all;
  }

  std::set<PatchId> children(const PatchId& id) const {
    std::set<PatchId> all;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if (patches_.count(id.child(quadrant)) > 0) all.insert(id.child(quadrant));
    }
    return all;
  }

  const Trace& trace_;
  const Scheme& scheme_;
  std::set<PatchId> patches_;
  int ratio_;
  bool blends_in_time_;
  bool fluxes_;
  std::set<PatchId> sources_;  ///< of finer patches' ghosts
};

class EveryScheme : public ::testing::TestWithParam<Scheme> {
 protected:
  EveryScheme() : trace_(TracedRun({"threads", 2, Schedule::kDataflow}, GetParam()).trace()) {}

  Rules::Piece name_of(std::uint32_t piece) const {
    const TracePhase& phase = trace_.phases[trace_.pieces[piece].phase];
    return {trace_.patches[trace_.pieces[piece].patch], phase.number, phase.kind};
  }

  Trace trace_;
};

TEST_P(EveryScheme, GivenAMeshOfThreeLevelsThenTheEdgesAreThoseOfTheRules) {
  const auto predecessors = test::predecessors_of(trace_);
  std::size_t edges = 0;
  for (const TraceWindow& window : trace_.windows) {
    const Rules rules(trace_, window, GetParam());
    const std::uint32_t first = trace_.phases[window.first_phase].first_piece;
    const std::uint32_t end = trace_.phases[window.end_phase - 1].end_piece;
    for (std::uint32_t piece = first; piece < end; ++piece) {
      std::set<Rules::Piece> waits;
      for (const std::uint32_t earlier : predecessors[piece]) waits.insert(name_of(earlier));
      const auto& [id, number, kind] = name_of(piece);
      ASSERT_EQ(waits, rules.waits_of(id, number, kind))
          << to_string(id) << ", step " << number << ", " << to_string(kind);
      ASSERT_EQ(waits.size(), predecessors[piece].size()) << "an edge stands there twice";
      edges += waits.size();
    }
  }
  EXPECT_EQ(trace_.successors.size(), edges);
}

TEST_P(EveryScheme, GivenAMeshOfThreeLevelsThenThePiecesAreThoseOfTheRules) {
  for (const TraceWindow& window : trace_.windows) {
    const Rules rules(trace_, window, GetParam());
    std::set<Rules::Piece> expected;
    for (const PatchId& id : rules.patches()) {
      const int steps = window.steps << (trace_.subcycling ? id.level : 0);
      for (int number = 0; number < steps; ++number) {
        for (const PieceKind kind : rules.kinds(id)) expected.insert({id, number, kind});
      }
    }
    std::set<Rules::Piece> recorded;
    for (std::uint32_t at = window.first_phase; at < window.end_phase; ++at) {
      const TracePhase& phase = trace_.phases[at];
      EXPECT_LT(phase.first_piece, phase.end_piece);
      for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
        EXPECT_TRUE(recorded.insert(name_of(piece)).second);
        if (piece == phase.first_piece) continue;
        EXPECT_LT(std::get<0>(name_of(piece - 1)), std::get<0>(name_of(piece)));
      }
    }
    EXPECT_EQ(recorded, expected);
  }
}

TEST_P(EveryScheme, GivenTheOrderOfThePhasesThenItIsThatOfBergerAndOliger) {
  // The last phase of each number and level must come after the finer steps within it, and before
  // the level's next; which the base steps and numbers say without recursion.
  for (const TraceWindow& window : trace_.windows) {
    std::map<int, int> steps;  // begun, by level
    for (std::uint32_t at = window.first_phase; at < window.end_phase; ++at) {
      const TracePhase& phase = trace_.phases[at];
      const int shift = trace_.subcycling ? phase.level : 0;
      EXPECT_EQ(phase.base_step, window.first_step + (phase.number >> shift));
      if (phase.kind == PieceKind::kAdvance) {
        EXPECT_EQ(phase.number, steps[phase.level]++);
        const int within = trace_.subcycling ? phase.number / 2 : phase.number;
        EXPECT_TRUE(phase.level == 0 || within == steps[phase.level - 1] - 1);
      } else {
        EXPECT_EQ(phase.number, steps[phase.level] - 1);
      }
      if (phase.kind == PieceKind::kFinish) {
        const int ratio = trace_.subcycling ? 2 : 1;
        EXPECT_EQ(steps[phase.level + 1], ratio * (phase.number + 1));
      }
    }
  }
}

TEST_P(EveryScheme, GivenTheRunThenItShowsWhatTheSchemeAsksFor) {
  ASSERT_EQ(trace_.windows.size(), 4u);  // base steps 2, 3 to 4, 5, 6 to 8
  EXPECT_EQ(trace_.levels, 3);
  EXPECT_TRUE(std::any_of(trace_.patches.begin(), trace_.patches.end(),
                          [](const PatchId& id) { return id.level == 2; }));
  const auto has = [&](PieceKind kind) {
    return std::any_of(trace_.phases.begin(), trace_.phases.end(),
                       [&](const TracePhase& phase) { return phase.kind == kind; });
  };
  EXPECT_TRUE(has(PieceKind::kFinish));
  EXPECT_EQ(
      has(PieceKind::kBlend),
      GetParam().subcycling && GetParam().interpolation != TimeInterpolation::kCharacteristic);
}

INSTANTIATE_TEST_SUITE_P(With, EveryScheme, ::testing::ValuesIn(test::traced_schemes()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace kumiko::amr
