// Makes a trace of what was noted down while the run went on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/trace.hpp>

#include "observation/piece_records.hpp"
#include "schedule/block_graph.hpp"
#include "schedule/window.hpp"

namespace kumiko::amr {

/// A window as a recorder keeps it: enough to say later which pieces it had and what they waited
/// for.
struct RecordedWindow {
  Window window;
  Mesh<2> mesh;
  bool flux_form;             ///< whether patches kept fluxes
  PieceRecords::Ends before;  ///< the lists of records when it began
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  /// How many each rank had of each level; empty: none.
  std::vector<std::vector<std::size_t>> blocks = {};
};

/// Adds one window after the other to a trace, with all its pieces and edges. Times are ticks as
/// yet.
class TraceAssembly {
 public:
  /// \param by_level  whether windows are level-synchronous
  TraceAssembly(const PieceRecords& records, bool by_level, Trace& trace)
      : records_(records), by_level_(by_level), trace_(trace) {}

  /// \param after  the lists of records when the window was over
  /// O(pieces + edges). Throws std::bad_alloc.
  void add(const RecordedWindow& window, const PieceRecords::Ends& after);

 private:
  /// A number for each kind of piece.
  using OfKinds = std::array<std::uint32_t, BlockGraph::kKinds>;

  std::uint32_t index(PieceKind kind, int level, int number, std::size_t slot) const {
    const auto what = static_cast<std::size_t>(kind);
    const auto of_level = static_cast<std::size_t>(level);
    return first_pieces_[of_level][static_cast<std::size_t>(number)][what] +
           ranks_[of_level][slot][what];
  }
  void build_graph(const RecordedWindow& window);
  void rank_patches();
  void number_blocks(const RecordedWindow& window, int level);
  void add_phase(PieceKind kind, const LevelStep& step, std::uint32_t first_patch);
  void fill_in(const PieceRecords::Ends& before, const PieceRecords::Ends& after);
  void add_edges(const Window& window, const TraceWindow& traced);
  void note_level_waits(const TraceWindow& traced);

  const PieceRecords& records_;
  const bool by_level_;
  Trace& trace_;
  // Of the window that is being added:
  BlockGraph graph_;                                ///< its blocks are the patches
  std::vector<std::vector<OfKinds>> first_pieces_;  ///< by level and step
  /// By level and slot, which one of the level's patches it is that have such pieces.
  std::vector<std::vector<OfKinds>> ranks_;
};

}  // namespace kumiko::amr
