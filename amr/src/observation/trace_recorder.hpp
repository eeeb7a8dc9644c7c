// Records a trace while a run goes on, without locks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/trace.hpp>

#include "observation/owner_clocks.hpp"
#include "observation/piece_records.hpp"
#include "observation/ticks.hpp"
#include "observation/trace_assembly.hpp"

namespace kumiko::amr {

/// Makes room for the records of a stretch before it begins; each piece's is then written by the
/// worker that does it, into a list of its own, so that nothing is locked and little is written.
/// Of a stretch's mesh a copy is kept. What pieces there were, and which waited for which, is found
/// when the recording ends. The driver alone may call the members, except add(), which workers
/// call.
///
/// Of a shared mesh every owner records its own pieces, and all call start() and end(). Then the
/// others hand over what they have, which owner 0 takes before it makes the trace. Workers are
/// numbered through, owner by owner. Times are by owner 0's clock, with which the others' are
/// compared at start() and at end().
class TraceRecorder {
 public:
  /// \param by_level  whether stretches are level-synchronous
  TraceRecorder(const Backend& backend, const TickClock& clock, bool by_level, Owner& owner)
      : backend_(backend), clock_(clock), by_level_(by_level), owner_(owner) {}

  /// Begins, and forgets what it had. Stretches are recorded up to the one that would need more
  /// than `most_bytes`, all in all.
  void start(std::size_t most_bytes);
  /// Ends it. What a failed stretch has left is not part of the trace. Times are such as check()
  /// demands. Throws std::bad_alloc without memory for the edges; the trace is then lost.
  Trace stop();

  // Of a shared mesh:

  /// Ends the recording on all owners. Suspends.
  void end();
  /// What this owner has recorded, for take(); it is forgotten here.
  std::vector<std::byte> hand_over();
  /// Adds what the others have handed over, by owner. Stretches for which one had no room are left
  /// out.
  void take(const std::map<std::int32_t, std::vector<std::byte>>& others);

  /// Whether stretches are recorded.
  bool is_on() const { return is_on_; }
  /// Whether the room has not sufficed; nothing is recorded any more.
  bool is_full() const { return is_full_; }

  /// A window follows, on this mesh, when is_on(). A stretch that was begun and not ended has
  /// failed, and goes. O(patches).
  void begin_stretch(const Window& window, const Mesh<2>& mesh, const StepRules& rules);
  /// The stretch is done, from one reading of the time stamp counter to another.
  /// \param blocks  see StepSchedule::blocks()
  void end_stretch(std::uint64_t begin, std::uint64_t end, std::vector<std::size_t> blocks);

  /// Whether pieces are wanted now: within a stretch.
  bool wants_pieces() const { return is_in_stretch_; }
  /// A worker has done a piece, in time with its others. If wants_pieces() only.
  void add(int worker, const PieceRecord& record) {
    records_.add(static_cast<std::size_t>(worker), record);
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
  bool make_room(const Window& window, const Mesh<2>& mesh, const StepRules& rules);
  void become_full();
  void add_span(const char* what, int base_step, std::uint64_t begin, std::uint64_t end,
                std::chrono::nanoseconds loops);
  void drop_unfinished();
  void to_nanoseconds(Trace& trace) const;
  static void keep_in_order(Trace& trace);

  const Backend& backend_;
  const TickClock& clock_;
  const bool by_level_;
  Owner& owner_;
  bool is_on_ = false;
  bool is_full_ = false;
  bool is_in_stretch_ = false;  ///< the last one of kept_ goes on
  std::size_t most_bytes_ = 0;
  std::size_t bytes_ = 0;  ///< of the trace that will be made, at most; so the next
  std::size_t pieces_ = 0;
  std::size_t edges_ = 0;
  std::uint64_t begin_ = 0;       ///< ticks
  std::int64_t began_at_ns_ = 0;  ///< by the steady clock
  OwnerClocks clocks_at_start_;
  OwnerClocks clocks_at_end_;
  std::uint64_t end_ = 0;  ///< of the latest stretch; when the room did not suffice
  std::chrono::nanoseconds loops_at_end_{0};
  Trace trace_;  ///< has spans only, and times are ticks, until the end
  std::vector<RecordedStretch> kept_;
  PieceRecords records_;   ///< this owner's
  PieceRecords gathered_;  ///< those of all owners of a shared mesh
};

}  // namespace kumiko::amr
