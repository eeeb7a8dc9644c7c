// Traces made by hand: a column of patches, one above the other, that take steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <kumiko/amr/trace.hpp>
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::model::test {

/// Nothing is paid besides the pieces.
inline Overheads no_overheads() {
  Overheads none;
  none.piece = none.beside = none.phase = {};
  none.barrier = none.steal = none.look = {};
  return none;
}

/// Of one worker on one level. Times are in microseconds.
class TraceBuilder {
 public:
  explicit TraceBuilder(int patches) {
    trace_.backend = "threads";
    trace_.schedule = "dataflow";
    trace_.points_x = amr::kPatchSize;
    trace_.points_y = amr::kPatchSize * patches;
    for (int j = 0; j < patches; ++j) trace_.patches.push_back({{0, 0, j}});
  }

  /// All patches advance, one after the other, with pauses between.
  TraceBuilder& step(const std::vector<double>& costs, double pause = 0.0) {
    const auto number = static_cast<std::int32_t>(trace_.phases.size() - first_phase_);
    return phase({first_step_ + number, 0, number, amr::PieceKind::kAdvance}, 0, costs, pause);
  }

  /// Pieces of the patches from `first` on, one after the other, with pauses between.
  TraceBuilder& phase(amr::TracePhase phase, std::size_t first, const std::vector<double>& costs,
                      double pause = 0.0) {
    phase.first_piece = size();
    for (std::size_t at = 0; at < costs.size(); ++at) {
      amr::TracePiece piece;
      piece.begin_ns = now_ += nanoseconds(pause);
      piece.end_ns = now_ += nanoseconds(costs[at]);
      piece.patch = static_cast<std::uint32_t>(first + at);
      piece.phase = static_cast<std::uint32_t>(trace_.phases.size());
      piece.worker = 0;
      trace_.pieces.push_back(piece);
    }
    phase.end_piece = size();
    trace_.phases.push_back(phase);
    return *this;
  }

  /// A patch of level 1, the last one of all.
  TraceBuilder& finer_patch() {
    trace_.levels = 2;
    trace_.patches.push_back({{1, 0, 0}});
    return *this;
  }

  /// A piece that another one waits for.
  TraceBuilder& edge(std::uint32_t from, std::uint32_t to) {
    edges_.emplace_back(from, to);
    return *this;
  }

  /// Each patch waits for itself and the patches above and below, a step before.
  TraceBuilder& stencil() {
    const auto patches = static_cast<std::uint32_t>(trace_.patches.size());
    for (std::uint32_t from = 0; from + patches < size(); ++from) {
      const std::uint32_t patch = from % patches;
      for (std::uint32_t to = patch == 0 ? 0 : patch - 1; to <= patch + 1 && to < patches; ++to) {
        edge(from, from - patch + patches + to);
      }
    }
    return *this;
  }

  TraceBuilder& span(double length, double loops) {
    trace_.spans.push_back(
        {"regrid", now_, now_ + nanoseconds(length), first_step_, nanoseconds(loops)});
    now_ += nanoseconds(length);
    return *this;
  }

  /// Ends the window, all of whose phases are base steps, by a regrid that keeps the mesh.
  TraceBuilder& regrid(double length, double loops) {
    end_window(trace_);
    first_phase_ = static_cast<std::uint32_t>(trace_.phases.size());
    first_step_ = trace_.windows.back().first_step + trace_.windows.back().steps;
    span(length, loops);
    window_begin_ = now_;
    return *this;
  }

  /// What was built.
  amr::Trace trace() {
    amr::Trace result = trace_;
    end_window(result);
    for (std::uint32_t piece = 0; piece < size(); ++piece) {
      result.successors_begin.push_back(result.successors.size());
      for (const auto& [from, to] : edges_) {
        if (from == piece) result.successors.push_back(to);
      }
    }
    result.successors_begin.push_back(result.successors.size());
    result.end_ns = now_;
    return result;
  }

 private:
  static std::int64_t nanoseconds(double microseconds) {
    return static_cast<std::int64_t>(microseconds * 1000.0);
  }
  void end_window(amr::Trace& trace) const {
    const auto phases = static_cast<std::uint32_t>(trace.phases.size());
    const auto patches = static_cast<std::uint32_t>(trace.patches.size());
    const std::int64_t end = trace.pieces.empty() ? 0 : trace.pieces.back().end_ns;
    trace.windows.push_back({window_begin_, end, first_step_,
                             static_cast<std::int32_t>(phases - first_phase_), first_phase_, phases,
                             0, patches});
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(trace_.pieces.size()); }

  amr::Trace trace_;
  std::int64_t now_ = 0;
  std::int64_t window_begin_ = 0;
  std::int32_t first_step_ = 0;    ///< of the window
  std::uint32_t first_phase_ = 0;  ///< of the window
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace kumiko::model::test
