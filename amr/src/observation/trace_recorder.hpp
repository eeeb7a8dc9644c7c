// Records a trace while a run goes on, without locks.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/trace.hpp>

#include "observation/ticks.hpp"
#include "schedule/patch_graph.hpp"
#include "schedule/window.hpp"

namespace kumiko::amr {

/// Makes room for the pieces of a stretch before it begins; each is then written by the worker that
/// does it, and before that by the one that makes it ready, so that nothing is locked. What is not
/// needed at once, the edges above all, is made at the end: until then the recorder keeps the graph
/// of each stretch. The driver alone may call the members, except piece() and index(), which
/// anybody may call.
class TraceRecorder {
 public:
  /// \param by_level  whether stretches are level-synchronous
  TraceRecorder(const Backend& backend, const TickClock& clock, bool by_level)
      : backend_(backend), clock_(clock), by_level_(by_level) {}

  /// Begins, and forgets what it had. Stretches are recorded up to the one that would need more
  /// than `most_bytes`, all in all.
  void start(std::size_t most_bytes);
  /// Ends it. What a failed stretch has left is not part of the trace. Times are such as check()
  /// demands. Throws std::bad_alloc without memory for the edges; the trace is then lost.
  Trace stop();

  /// Whether stretches are recorded.
  bool is_on() const { return is_on_; }
  /// Whether the room has not sufficed; nothing is recorded any more.
  bool is_full() const { return is_full_; }

  /// A window follows, on the mesh as it is, when is_on(). A stretch that was begun and not ended
  /// has failed, and goes. O(pieces).
  void begin_stretch(const Window& window, Hierarchy& hierarchy, const StepRules& rules);
  /// The stretch is done, from one reading of the time stamp counter to another.
  void end_stretch(std::uint64_t begin, std::uint64_t end);

  /// The record of a piece of this stretch; nullptr if none is wanted. Inline, and a single
  /// comparison without a trace.
  TracePiece* piece(const Piece& piece) {
    if (now_ == nullptr) return nullptr;
    const PatchGraph::Node& node = now_->graph.level(piece.step.level)[piece.slot];
    return node.has(piece.kind) ? &trace_.pieces[now_->index(node, piece.kind, piece.step.number)]
                                : nullptr;
  }
  /// Where it is in Trace::pieces.
  std::uint32_t index(const Piece& piece) const {
    return now_->index(now_->graph.level(piece.step.level)[piece.slot], piece.kind,
                       piece.step.number);
  }

  /// What the run does besides steps, from construction to destruction.
  class Span {
   public:
    Span(TraceRecorder& recorder, const char* what, int base_step);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    TraceRecorder* recorder_;  ///< nullptr when nothing is recorded
    const char* what_;
    int base_step_;
    std::uint64_t begin_;
    std::chrono::nanoseconds loops_;
  };
  /// The run goes on with base steps: what was between them is a span of its own.
  void note_return(int base_step);

 private:
  /// For each step of a level, the first piece of each kind.
  using Firsts = std::vector<std::array<std::uint32_t, PatchGraph::kKinds>>;
  /// A stretch; what it leaves for the end.
  struct Stretch {
    Window window;
    PatchGraph graph;
    std::vector<Firsts> first_pieces;  ///< by level

    std::uint32_t index(const PatchGraph::Node& node, PieceKind kind, int number) const {
      const auto what = static_cast<std::size_t>(kind);
      return first_pieces[node.level][static_cast<std::size_t>(number)][what] + node.rank[what];
    }
  };
  /// What was there before a stretch began.
  struct Before {
    std::size_t patches;
    std::size_t phases;
    std::size_t pieces;
    std::size_t stretches;
    std::size_t bytes;
  };

  bool make_room(const Stretch& stretch);
  void become_full();
  void add_stretch(Stretch& stretch);
  void add_phase(PieceKind kind, const LevelStep& step, Stretch& stretch,
                 std::uint32_t first_patch);
  void add_span(const char* what, int base_step, std::uint64_t begin, std::uint64_t end,
                std::chrono::nanoseconds loops);
  void drop_unfinished();
  static void add_edges(Trace& trace, const TraceStretch& stretch, Stretch& kept);
  void note_level_waits(Trace& trace, const TraceStretch& stretch) const;
  void to_nanoseconds(Trace& trace) const;
  static void keep_in_order(Trace& trace);

  const Backend& backend_;
  const TickClock& clock_;
  const bool by_level_;
  bool is_on_ = false;
  bool is_full_ = false;
  Stretch* now_ = nullptr;  ///< the stretch that goes on, among kept_
  std::size_t most_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t begin_ = 0;  ///< ticks
  std::uint64_t end_ = 0;    ///< of the latest stretch; when the room did not suffice
  std::chrono::nanoseconds loops_at_end_{0};
  Trace trace_;  ///< times are ticks until the end
  std::vector<Stretch> kept_;
  Before before_{};  ///< the latest stretch
};

}  // namespace kumiko::amr
