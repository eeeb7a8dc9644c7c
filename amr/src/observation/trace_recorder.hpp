// Records a trace during a run, without locks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/trace.hpp>

#include "observation/piece_records.hpp"
#include "observation/rank_clocks.hpp"
#include "observation/ticks.hpp"
#include "observation/trace_assembly.hpp"

namespace kumiko::amr {

/// The records of one rank in a window, as they are sent to rank 0: the patches of its blocks
/// (StepSchedule::blocks()), and the pieces of each worker, with times of the steady clock.
using RankWindow = std::pair<std::vector<std::size_t>, std::vector<std::vector<PieceRecord>>>;
/// The records of one rank, window by window.
using RankTrace = std::vector<RankWindow>;

/// Makes room for the records of a window before it begins; then each worker writes the records of
/// its pieces into a list of its own, so that nothing is locked and little is written. Keeps a copy
/// of each window's mesh, and finds the edges between pieces when the recording ends. Only the
/// driver may call the members, except add(), which workers call.
///
/// On a shared mesh every rank records its own pieces, and all call start() and end(). Then the
/// others hand over their records, and rank 0 takes them before it makes the trace. Workers are
/// numbered rank by rank. Times are by rank 0's clock; the others' clocks are compared with it
/// at start() and at end().
class TraceRecorder {
 public:
  /// \param by_level  whether windows are level-synchronous
  TraceRecorder(const Backend& backend, const TickClock& clock, bool by_level,
                Communicator& communicator)
      : backend_(backend), clock_(clock), by_level_(by_level), communicator_(communicator) {}

  /// Starts a recording and discards the one before. Records windows up to the one with which the
  /// trace would exceed `most_bytes`.
  void start(std::size_t most_bytes);
  /// Ends the recording and returns the trace, without the records of a failed window. Times are
  /// such as check() demands. Throws std::bad_alloc without memory for the edges; the trace is then
  /// lost.
  Trace stop();

  // Of a shared mesh:

  /// Ends the recording on all ranks. Suspends.
  void end();
  /// Removes and returns this rank's records, for take().
  RankTrace hand_over();
  /// Adds the records that the others have handed over, by rank. Leaves out windows for which a
  /// rank had no room.
  void take(const std::map<std::int32_t, RankTrace>& others);

  /// True if windows are recorded.
  bool is_on() const { return is_on_; }
  /// True if there was too little room; nothing is recorded any more.
  bool is_full() const { return is_full_; }

  /// Starts a window on this mesh, if is_on(). Drops a window that was begun and not ended, since
  /// it has failed. O(patches).
  void begin_window(const Window& window, const Mesh<2>& mesh, const StepRules& rules);
  /// Ends the window.
  /// \param begin, end  readings of the time stamp counter
  /// \param blocks      see StepSchedule::blocks()
  void end_window(std::uint64_t begin, std::uint64_t end, std::vector<std::size_t> blocks);

  /// True if pieces are to be recorded: within a window.
  bool wants_pieces() const { return is_in_window_; }
  /// Records a piece, after the worker's earlier ones. Only if wants_pieces().
  void add(int worker, const PieceRecord& record) {
    records_.add(static_cast<std::size_t>(worker), record);
  }

  /// Records work other than steps, from construction to destruction.
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
  /// Records the time since the latest base step as a span, before the run continues.
  void note_return(int base_step);

 private:
  void take_window(std::int32_t rank, const RankWindow& from, std::size_t first_worker,
                   RecordedWindow& window);
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
  Communicator& communicator_;
  bool is_on_ = false;
  bool is_full_ = false;
  bool is_in_window_ = false;  ///< the last one of kept_ has not ended
  std::size_t most_bytes_ = 0;
  std::size_t bytes_ = 0;  ///< of the trace that will be made, at most; so the next
  std::size_t pieces_ = 0;
  std::size_t edges_ = 0;
  std::uint64_t begin_ = 0;       ///< ticks
  std::int64_t began_at_ns_ = 0;  ///< by the steady clock
  RankClocks clocks_at_start_;
  RankClocks clocks_at_end_;
  std::uint64_t end_ = 0;  ///< of the latest window; when the room did not suffice
  std::chrono::nanoseconds loops_at_end_{0};
  Trace trace_;  ///< has spans only, and times are ticks, until the end
  std::vector<RecordedWindow> kept_;
  PieceRecords records_;   ///< this rank's
  PieceRecords gathered_;  ///< those of all ranks of a shared mesh
};

}  // namespace kumiko::amr
