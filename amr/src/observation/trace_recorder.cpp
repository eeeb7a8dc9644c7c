#include "observation/trace_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "observation/trace_assembly.hpp"

namespace kumiko::amr {

namespace {

/// The bytes of a piece in a trace, without the edges that lead to it.
constexpr std::size_t kPieceBytes = sizeof(TracePiece) + sizeof(std::uint64_t);

std::int64_t as_time(std::uint64_t ticks) { return static_cast<std::int64_t>(ticks); }

/// Upper bounds of a window's pieces and edges. In the level-synchronous schedule all patches of a
/// level that blends do so.
struct Size {
  std::size_t pieces = 0;
  std::size_t edges = 0;
};

Size size_of(const Window& window, const Mesh<2>& mesh, const StepRules& rules) {
  constexpr std::size_t kChildren = 4;
  const ReadPlan& plan = rules.plan();
  Size size;
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto steps = static_cast<std::size_t>(window.steps(level));
    const bool may_blend = window.blends_in_time && level + 1 < mesh.levels();
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      const PatchReads reads = plan.of(level, slot);
      const std::size_t beside = reads.siblings.size();
      const std::size_t own_and_read = 1 + beside + reads.coarser.size();
      size.pieces += steps;
      size.edges += steps * (own_and_read + 1);  // the parent, too
      if (may_blend) {
        size.pieces += steps;
        size.edges += steps * own_and_read;
      }
      if (!rules.finishes(level, slot)) continue;
      const std::size_t families = rules.reads_siblings_children() ? 1 + beside : 1;
      size.pieces += steps;
      size.edges += steps * (1 + beside + kChildren * families);
    }
  }
  return size;
}

}  // namespace

void TraceRecorder::start(std::size_t most_bytes) {
  trace_ = {};
  kept_.clear();
  records_.start(static_cast<std::size_t>(backend_.workers()));
  is_on_ = true;
  is_full_ = false;
  is_in_window_ = false;
  most_bytes_ = most_bytes;
  bytes_ = pieces_ = edges_ = 0;
  end_ = 0;
  clocks_at_start_ = compare_clocks(communicator_);
  began_at_ns_ = steady_now_ns();
  begin_ = read_ticks();
}

void TraceRecorder::begin_window(const Window& window, const Mesh<2>& mesh,
                                 const StepRules& rules) {
  drop_unfinished();
  try {
    if (make_room(window, mesh, rules)) {
      kept_.push_back({window, mesh, rules.flux_form(), records_.ends()});
      is_in_window_ = true;
      return;
    }
  } catch (const std::bad_alloc&) {
    // As when most_bytes_ does not suffice.
  }
  become_full();
}

/// Ends the recording because there is no room left.
void TraceRecorder::become_full() {
  is_on_ = false;
  is_full_ = true;
  end_ = read_ticks();
}

/// Makes room for the records of a window. \return false if they would exceed the limit of the
/// trace. Throws std::bad_alloc without memory. The bytes of a window that fails stay counted.
bool TraceRecorder::make_room(const Window& window, const Mesh<2>& mesh, const StepRules& rules) {
  const Size size = size_of(window, mesh, rules);
  const std::size_t bytes =
      mesh.memory_bytes() + size.pieces * kPieceBytes + size.edges * sizeof(std::uint32_t);
  if (bytes_ + bytes > most_bytes_ ||
      pieces_ + size.pieces >= std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  records_.make_room(size.pieces);
  bytes_ += bytes;
  pieces_ += size.pieces;
  edges_ += size.edges;
  return true;
}

void TraceRecorder::end_window(std::uint64_t begin, std::uint64_t end,
                               std::vector<std::size_t> blocks) {
  if (!is_in_window_) return;
  is_in_window_ = false;
  kept_.back().begin_ticks = begin;
  kept_.back().end_ticks = end;
  if (!blocks.empty()) kept_.back().blocks = {std::move(blocks)};
  end_ = end;
  loops_at_end_ = backend_.loop_time();
}

TraceRecorder::Span::Span(TraceRecorder& recorder, const char* what, int base_step)
    : recorder_(recorder.is_on_ ? &recorder : nullptr),
      what_(what),
      base_step_(base_step),
      begin_(read_ticks()),
      loops_(recorder.backend_.loop_time()) {}

TraceRecorder::Span::~Span() {
  if (recorder_ == nullptr) return;
  recorder_->add_span(what_, base_step_, begin_, read_ticks(),
                      recorder_->backend_.loop_time() - loops_);
}

void TraceRecorder::note_return(int base_step) {
  if (!is_on_ || end_ == 0) return;
  add_span("output", base_step, end_, read_ticks(), backend_.loop_time() - loops_at_end_);
}

void TraceRecorder::add_span(const char* what, int base_step, std::uint64_t begin,
                             std::uint64_t end, std::chrono::nanoseconds loops) {
  try {
    trace_.spans.push_back({what, as_time(begin), as_time(end), base_step, loops.count()});
  } catch (const std::bad_alloc&) {
    become_full();
  }
}

Trace TraceRecorder::stop() {
  drop_unfinished();
  trace_.end_ns = as_time(is_full_ ? end_ : read_ticks());
  is_on_ = false;
  Trace trace = std::exchange(trace_, {});
  const std::vector<RecordedWindow> kept = std::exchange(kept_, {});
  trace.pieces.reserve(pieces_);
  trace.successors_begin.reserve(pieces_ + 1);
  trace.successors.reserve(edges_);
  const PieceRecords& records = communicator_.size() > 1 ? gathered_ : records_;
  TraceAssembly assembly(records, by_level_, trace);
  for (std::size_t at = 0; at < kept.size(); ++at) {
    assembly.add(kept[at], at + 1 < kept.size() ? kept[at + 1].before : records.ends());
  }
  trace.successors_begin.push_back(trace.successors.size());
  records_.start(0);
  gathered_.start(0);
  to_nanoseconds(trace);
  keep_in_order(trace);
  return trace;
}

// --- Of a shared mesh ---

void TraceRecorder::end() {
  drop_unfinished();
  clocks_at_end_ = compare_clocks(communicator_);
}

RankTrace TraceRecorder::hand_over() {
  RankTrace trace;
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto time_of = [&](std::uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - begin_));
    return static_cast<std::uint64_t>(began_at_ns_ + std::llround(per_tick * since));
  };
  for (std::size_t at = 0; at < kept_.size(); ++at) {
    const RecordedWindow& window = kept_[at];
    auto& [blocks, records] = trace.emplace_back();
    if (!window.blocks.empty()) blocks = window.blocks.front();
    const PieceRecords::Ends after = at + 1 < kept_.size() ? kept_[at + 1].before : records_.ends();
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      std::vector<PieceRecord>& of_worker = records.emplace_back();
      for (std::size_t index = window.before[worker]; index < after[worker]; ++index) {
        of_worker.push_back(records_.at(worker, index));
        of_worker.back().begin = time_of(of_worker.back().begin);
        of_worker.back().end = time_of(of_worker.back().end);
      }
    }
  }
  is_on_ = false;
  trace_ = {};
  kept_.clear();
  records_.start(0);
  return trace;
}

/// Merges the records of all ranks, with times in this one's ticks.
void TraceRecorder::take(const std::map<std::int32_t, RankTrace>& others) {
  std::size_t windows = kept_.size();
  for (const auto& [rank, trace] : others) windows = std::min(windows, trace.size());
  while (kept_.size() > windows) kept_.pop_back();
  const PieceRecords::Ends ends = records_.ends();
  std::size_t workers = records_.workers();
  std::size_t records = std::accumulate(ends.begin(), ends.end(), std::size_t{0});
  for (const auto& [rank, trace] : others) {
    if (windows > 0) workers += trace.front().second.size();
    for (const auto& window : trace) {
      for (const std::vector<PieceRecord>& of_worker : window.second) records += of_worker.size();
    }
  }
  gathered_.start(workers);
  gathered_.make_room(records);
  for (std::size_t at = 0; at < windows; ++at) {
    const PieceRecords::Ends after = at + 1 < windows ? kept_[at + 1].before : ends;
    const PieceRecords::Ends before = std::exchange(kept_[at].before, gathered_.ends());
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      for (std::size_t index = before[worker]; index < after[worker]; ++index) {
        gathered_.add(worker, records_.at(worker, index));
      }
    }
    std::size_t first_worker = records_.workers();
    for (const auto& [rank, trace] : others) {
      take_window(rank, trace[at], first_worker, kept_[at]);
      first_worker += trace[at].second.size();
    }
  }
}

/// Adds the records of a window of another rank.
/// \param first_worker  the number of its first worker among those of all ranks
void TraceRecorder::take_window(std::int32_t rank, const RankWindow& from, std::size_t first_worker,
                                RecordedWindow& window) {
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto ticks_of = [&](std::uint64_t ns) {
    const std::int64_t here =
        by_first_rank(static_cast<std::int64_t>(ns), static_cast<std::size_t>(rank),
                      clocks_at_start_, clocks_at_end_);
    const auto since = static_cast<double>(here - began_at_ns_);
    return begin_ + static_cast<std::uint64_t>(std::llround(since / per_tick));
  };
  if (!from.first.empty()) window.blocks.push_back(from.first);
  for (const std::vector<PieceRecord>& of_worker : from.second) {
    for (PieceRecord record : of_worker) {
      record.begin = ticks_of(record.begin);
      record.end = ticks_of(record.end);
      gathered_.add(first_worker, record);
    }
    ++first_worker;
  }
}

/// Drops a window that has failed, of which some pieces may be missing.
void TraceRecorder::drop_unfinished() {
  if (!is_in_window_) return;
  is_in_window_ = false;
  records_.cut(kept_.back().before);
  kept_.pop_back();
}

void TraceRecorder::to_nanoseconds(Trace& trace) const {
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto convert = [&](std::int64_t& ticks) {
    ticks = std::llround(per_tick * static_cast<double>(ticks - as_time(begin_)));
  };
  const auto convert_all = [&](auto& all) {
    for (auto& one : all) {
      convert(one.begin_ns);
      convert(one.end_ns);
    }
  };
  convert_all(trace.pieces);
  convert_all(trace.windows);
  convert_all(trace.spans);
  convert(trace.end_ns);
}

/// The clocks of two cores may be a little apart, and an OS thread may go from one to another: what
/// seems to be over before it began has taken no time, and a piece belongs to its window.
void TraceRecorder::keep_in_order(Trace& trace) {
  const auto follow = [](auto& all) {
    std::int64_t until = 0;
    for (auto& one : all) {
      one.begin_ns = std::max(one.begin_ns, until);
      one.end_ns = until = std::max(one.end_ns, one.begin_ns);
    }
    return until;
  };
  trace.end_ns = std::max({trace.end_ns, follow(trace.windows), follow(trace.spans)});
  for (const TraceWindow& window : trace.windows) {
    for (std::uint32_t phase = window.first_phase; phase < window.end_phase; ++phase) {
      for (std::uint32_t at = trace.phases[phase].first_piece; at < trace.phases[phase].end_piece;
           ++at) {
        TracePiece& piece = trace.pieces[at];
        piece.begin_ns = std::clamp(piece.begin_ns, window.begin_ns, window.end_ns);
        piece.end_ns = std::clamp(piece.end_ns, piece.begin_ns, window.end_ns);
      }
    }
  }
}

}  // namespace kumiko::amr
