// A small trace that has some of everything, and a large one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <kumiko/amr/trace.hpp>

namespace kumiko::io::test {

/// Two workers, two levels, two windows; waits of every cause, steals, spans before and between.
inline amr::Trace small_trace() {
  using amr::kNoPiece;
  using amr::PieceKind;
  using amr::WaitCause;
  amr::Trace trace;
  trace.case_name = "zalesak";
  trace.solver = "semi_lagrangian_cubic";
  trace.backend = "threads";
  trace.schedule = "dataflow";
  trace.workers = 2;
  trace.points_x = 32;
  trace.points_y = 16;
  trace.levels = 2;
  trace.end_ns = 9'000'000'001;
  trace.patches = {{{0, 0, 0}, 0}, {{0, 1, 0}, 1}, {{1, 2, 1}, 1}, {{0, 0, 0}, 0}, {{0, 1, 0}, 0}};
  trace.blocks = {0, 1, 0, 0, 0};
  trace.windows = {{1'000, 20'000'001, 100, 1, 0, 4, 0, 3},
                   {20'500'000, 8'000'000'000, 101, 2, 4, 5, 3, 5}};
  trace.phases = {{100, 0, 0, PieceKind::kAdvance, 0, 2},
                  {100, 0, 0, PieceKind::kBlend, 2, 3},
                  {100, 1, 0, PieceKind::kAdvance, 3, 4},
                  {100, 0, 0, PieceKind::kFinish, 4, 5},
                  {101, 0, 0, PieceKind::kAdvance, 5, 7}};
  trace.pieces = {
      {1'001, 5'000, 0, 0, 0, kNoPiece, WaitCause::kSibling, 0, 3, 0},
      {1'500, 6'123, 1, 0, 1, kNoPiece, WaitCause::kSibling, 2, 0, -1},
      {7'000, 9'999, 1, 1, 1, 0, WaitCause::kSibling, 0, 1, 4},
      {12'345, 15'000'678, 2, 2, 0, 2, WaitCause::kCoarser, 0, 0, 0},
      {15'001'000, 16'000'000, 1, 3, 1, 3, WaitCause::kChild, 1, -1, 0},
      {20'500'000, 7'000'000'000, 3, 4, 1, kNoPiece, WaitCause::kLevel, 0, 0, 0},
      {20'600'000, 20'700'000, 4, 4, 0, kNoPiece, WaitCause::kParent, 0, 0, 0},
  };
  trace.spans = {{"output", 0, 999, 100, 0}, {"regrid", 20'000'001, 20'499'999, 101, 250'000}};
  trace.successors_begin = {0, 1, 3, 4, 5, 5, 5, 5};
  trace.successors = {2, 2, 4, 3, 4};
  return trace;
}

/// A trace for which the run took none of its base steps.
inline amr::Trace empty_trace() {
  amr::Trace trace;
  trace.points_x = trace.points_y = amr::kPatchSize;
  trace.successors_begin = {0};
  return trace;
}

/// One window of `steps` steps of a row of patches; each piece waits for what the same patch and
/// its neighbours did in the step before.
inline amr::Trace long_trace(std::uint32_t patches, std::uint32_t steps) {
  constexpr std::int64_t kPiece = 4'000;
  amr::Trace trace;
  trace.case_name = "made up";
  trace.workers = 3;
  trace.points_x = static_cast<std::int32_t>(patches) * amr::kPatchSize;
  trace.points_y = amr::kPatchSize;
  for (int i = 0; i < static_cast<int>(patches); ++i) trace.patches.push_back({{0, i, 0}});
  std::vector<std::int64_t> free_at(3, 0);
  trace.successors_begin = {0};
  for (std::uint32_t step = 0; step < steps; ++step) {
    trace.phases.push_back({static_cast<std::int32_t>(step), 0, static_cast<std::int32_t>(step),
                            amr::PieceKind::kAdvance, step * patches, (step + 1) * patches});
    for (std::uint32_t i = 0; i < patches; ++i) {
      const std::uint32_t worker = (i + step) % 3;
      // The first ones of two workers begin in one moment.
      const std::int64_t begin = free_at[worker] + i / 2 % 7;
      free_at[worker] = begin + kPiece + static_cast<std::int64_t>(i * 2654435761U % 997);
      trace.pieces.push_back({begin, free_at[worker], i, step, static_cast<std::int32_t>(worker),
                              step == 0 ? amr::kNoPiece : (step - 1) * patches + i,
                              amr::WaitCause::kSibling, i % 5, static_cast<std::int32_t>(i % 4),
                              0});
      for (std::uint32_t near = i == 0 ? 0 : i - 1; near <= i + 1 && near < patches; ++near) {
        if (step + 1 < steps) trace.successors.push_back((step + 1) * patches + near);
      }
      trace.successors_begin.push_back(trace.successors.size());
    }
  }
  for (const std::int64_t time : free_at) trace.end_ns = std::max(trace.end_ns, time);
  trace.windows = {{0, trace.end_ns, 0, static_cast<std::int32_t>(steps), 0, steps, 0, patches}};
  return trace;
}

}  // namespace kumiko::io::test
