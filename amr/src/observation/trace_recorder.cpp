#include "observation/trace_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <utility>

#include "observation/trace_assembly.hpp"

namespace kumiko::amr {

namespace {

/// What a piece takes in a trace, without the edges that lead to it.
constexpr std::size_t kPieceBytes = sizeof(TracePiece) + sizeof(std::uint64_t);

std::int64_t as_time(std::uint64_t ticks) { return static_cast<std::int64_t>(ticks); }

/// How many pieces a window has, and how many others wait for them. Level by level all patches of
/// a level that blends do so: not less than there are.
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
  is_in_stretch_ = false;
  most_bytes_ = most_bytes;
  bytes_ = pieces_ = edges_ = 0;
  end_ = 0;
  clocks_at_start_ = compare_clocks(owner_);
  began_at_ns_ = steady_now_ns();
  begin_ = read_ticks();
}

void TraceRecorder::begin_stretch(const Window& window, const Mesh<2>& mesh,
                                  const StepRules& rules) {
  drop_unfinished();
  try {
    if (make_room(window, mesh, rules)) {
      kept_.push_back({window, mesh, rules.flux_form(), records_.ends()});
      is_in_stretch_ = true;
      return;
    }
  } catch (const std::bad_alloc&) {
    // As when most_bytes_ does not suffice.
  }
  become_full();
}

/// Ends the recording for want of room.
void TraceRecorder::become_full() {
  is_on_ = false;
  is_full_ = true;
  end_ = read_ticks();
}

/// Whether there is room for the stretch, also in the trace that will be made; throws
/// std::bad_alloc if there is none at all. A stretch that fails leaves its bytes counted.
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

void TraceRecorder::end_stretch(std::uint64_t begin, std::uint64_t end,
                                std::vector<std::size_t> blocks) {
  if (!is_in_stretch_) return;
  is_in_stretch_ = false;
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
  const std::vector<RecordedStretch> kept = std::exchange(kept_, {});
  trace.pieces.reserve(pieces_);
  trace.successors_begin.reserve(pieces_ + 1);
  trace.successors.reserve(edges_);
  const PieceRecords& records = owner_.count() > 1 ? gathered_ : records_;
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
  clocks_at_end_ = compare_clocks(owner_);
}

/// As numbers and then the records, stretch by stretch and worker by worker, whose times are the
/// steady clock's.
std::vector<std::byte> TraceRecorder::hand_over() {
  std::vector<std::uint64_t> numbers{kept_.size(), records_.workers()};
  std::vector<PieceRecord> records;
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto time_of = [&](std::uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - begin_));
    return static_cast<std::uint64_t>(began_at_ns_ + std::llround(per_tick * since));
  };
  for (std::size_t at = 0; at < kept_.size(); ++at) {
    const RecordedStretch& stretch = kept_[at];
    const std::vector<std::size_t> none;
    const auto& blocks = stretch.blocks.empty() ? none : stretch.blocks.front();
    numbers.push_back(blocks.size());
    numbers.insert(numbers.end(), blocks.begin(), blocks.end());
    const PieceRecords::Ends after = at + 1 < kept_.size() ? kept_[at + 1].before : records_.ends();
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      numbers.push_back(after[worker] - stretch.before[worker]);
      for (std::size_t index = stretch.before[worker]; index < after[worker]; ++index) {
        PieceRecord record = records_.at(worker, index);
        record.begin = time_of(record.begin);
        record.end = time_of(record.end);
        records.push_back(record);
      }
    }
  }
  numbers.insert(numbers.begin(), numbers.size());
  const auto head = std::as_bytes(std::span(numbers));
  const auto rest = std::as_bytes(std::span(records));
  std::vector<std::byte> text(head.begin(), head.end());
  text.insert(text.end(), rest.begin(), rest.end());
  is_on_ = false;
  trace_ = {};
  kept_.clear();
  records_.start(0);
  return text;
}

namespace {

/// Reads what another owner has recorded.
class Recorded {
 public:
  explicit Recorded(std::span<const std::byte> text) : numbers_(text), records_(text) {
    records_ = text.subspan(number() * sizeof(std::uint64_t) + sizeof(std::uint64_t));
  }
  std::uint64_t number() { return next<std::uint64_t>(numbers_); }
  PieceRecord record() { return next<PieceRecord>(records_); }

 private:
  template <class Value>
  static Value next(std::span<const std::byte>& from) {
    Value value;
    std::memcpy(&value, from.data(), sizeof value);
    from = from.subspan(sizeof value);
    return value;
  }

  std::span<const std::byte> numbers_;
  std::span<const std::byte> records_;
};

}  // namespace

/// Puts the records of all owners together, with times in this one's ticks.
void TraceRecorder::take(const std::map<std::int32_t, std::vector<std::byte>>& others) {
  struct Other {
    std::size_t owner;
    Recorded recorded;
    std::size_t workers;
    std::size_t first_worker;
  };
  std::vector<Other> all;
  std::size_t stretches = kept_.size();
  std::size_t workers = records_.workers();
  std::size_t bytes = 0;
  for (const auto& [owner, text] : others) {
    Other& other = all.emplace_back(Other{static_cast<std::size_t>(owner), Recorded(text), 0, 0});
    stretches = std::min(stretches, static_cast<std::size_t>(other.recorded.number()));
    other.workers = static_cast<std::size_t>(other.recorded.number());
    other.first_worker = std::exchange(workers, workers + other.workers);
    bytes += text.size();
  }
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto ticks_of = [&](std::uint64_t ns, std::size_t owner) {
    const std::int64_t here =
        by_first_owner(static_cast<std::int64_t>(ns), owner, clocks_at_start_, clocks_at_end_);
    const auto since = static_cast<double>(here - began_at_ns_);
    return begin_ + static_cast<std::uint64_t>(std::llround(since / per_tick));
  };
  const PieceRecords::Ends ends = records_.ends();
  gathered_.start(workers);
  gathered_.make_room(std::accumulate(ends.begin(), ends.end(), bytes / sizeof(PieceRecord)));
  for (std::size_t at = 0; at < stretches; ++at) {
    RecordedStretch& stretch = kept_[at];
    const PieceRecords::Ends after = at + 1 < kept_.size() ? kept_[at + 1].before : ends;
    const PieceRecords::Ends before = std::exchange(stretch.before, gathered_.ends());
    for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
      for (std::size_t index = before[worker]; index < after[worker]; ++index) {
        gathered_.add(worker, records_.at(worker, index));
      }
    }
    for (Other& other : all) {
      std::vector<std::size_t> blocks(other.recorded.number());
      for (std::size_t& count : blocks) count = other.recorded.number();
      if (!blocks.empty()) stretch.blocks.push_back(std::move(blocks));
      for (std::size_t worker = 0; worker < other.workers; ++worker) {
        for (std::uint64_t left = other.recorded.number(); left > 0; --left) {
          PieceRecord record = other.recorded.record();
          record.begin = ticks_of(record.begin, other.owner);
          record.end = ticks_of(record.end, other.owner);
          gathered_.add(other.first_worker + worker, record);
        }
      }
    }
  }
  while (kept_.size() > stretches) kept_.pop_back();
}

/// Drops a stretch that has failed, of which some pieces may be missing.
void TraceRecorder::drop_unfinished() {
  if (!is_in_stretch_) return;
  is_in_stretch_ = false;
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
  convert_all(trace.stretches);
  convert_all(trace.spans);
  convert(trace.end_ns);
}

/// The clocks of two cores may be a little apart, and an OS thread may go from one to another: what
/// seems to be over before it began has taken no time, and a piece belongs to its stretch.
void TraceRecorder::keep_in_order(Trace& trace) {
  const auto follow = [](auto& all) {
    std::int64_t until = 0;
    for (auto& one : all) {
      one.begin_ns = std::max(one.begin_ns, until);
      one.end_ns = until = std::max(one.end_ns, one.begin_ns);
    }
    return until;
  };
  trace.end_ns = std::max({trace.end_ns, follow(trace.stretches), follow(trace.spans)});
  for (const TraceStretch& stretch : trace.stretches) {
    for (std::uint32_t phase = stretch.first_phase; phase < stretch.end_phase; ++phase) {
      for (std::uint32_t at = trace.phases[phase].first_piece; at < trace.phases[phase].end_piece;
           ++at) {
        TracePiece& piece = trace.pieces[at];
        piece.begin_ns = std::clamp(piece.begin_ns, stretch.begin_ns, stretch.end_ns);
        piece.end_ns = std::clamp(piece.end_ns, piece.begin_ns, stretch.end_ns);
      }
    }
  }
}

}  // namespace kumiko::amr
