#include <set>

#include <kumiko/amr/require.hpp>
#include <kumiko/model/rank_model.hpp>

#include "ranks/rank_deals.hpp"
#include "ranks/rank_exchange.hpp"
#include "ranks/rank_tasks.hpp"
#include "ranks/ranks_at_work.hpp"
#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

namespace {

/// The times of a recorded run between windows, in nanoseconds.
class Spans {
 public:
  explicit Spans(const amr::Trace& trace) {
    for (const amr::TraceSpan& span : trace.spans) {
      alike_ += length_of(span) - loops_of(span);
      loops_ += work_in_loops(trace, span);
      if (span.what == "regrid") regrids_.insert(span.base_step);
    }
  }

  /// In no loop.
  double alike() const { return alike_; }
  /// In loops over patches, of all workers.
  double loops() const { return loops_; }
  bool has_regrid_before(const amr::TraceWindow& window) const {
    return regrids_.contains(window.first_step);
  }

 private:
  double alike_ = 0.0;
  double loops_ = 0.0;
  std::set<std::int32_t> regrids_;  ///< base steps before which there is one
};

void check(int ranks, const RankOptions& options) {
  amr::require(ranks >= 1 && ranks <= RankModel::kMostRanks,
               "{} ranks cannot be modelled; 1 to {} can", ranks, RankModel::kMostRanks);
  amr::require(options.workers >= 1 && options.workers <= ScheduleModel::kMostWorkers,
               "{} workers cannot be modelled; 1 to {} can", options.workers,
               ScheduleModel::kMostWorkers);
}

}  // namespace

RankModel::RankModel(const amr::Trace& trace, const Overheads& overheads)
    : trace_(trace), overheads_(overheads) {
  amr::require(!trace.pieces.empty(),
               "the trace holds no pieces of work: no base step was recorded");
}

RankPrediction RankModel::predict(int ranks, const RankOptions& options) const {
  check(ranks, options);
  return predict(ranks, options, nullptr);
}

std::vector<std::string> RankModel::actions(int ranks, const RankOptions& options) const {
  check(ranks, options);
  amr::require(options.workers == 1,
               "the actions of ranks can be replayed where each has one worker, not {}",
               options.workers);
  RankLog log(ranks);
  predict(ranks, options, &log);
  return log.texts();
}

RankPrediction RankModel::predict(int ranks, const RankOptions& options, RankLog* log) const {
  const double piece =
      overhead_of_piece(trace_, overheads_, ScheduleKind::kDataflow, options.workers);
  const double workers = static_cast<double>(ranks) * options.workers;
  RanksAtWork work(trace_, ranks, options, piece, log);
  RankDeals deals(trace_, options, ranks);
  const Meetings meetings(ranks, options.network, log);
  const Spans spans(trace_);
  RankPrediction prediction{.ranks = ranks, .imbalance = 0.0};
  double now = 0.0;  // without the time between windows
  double alike = spans.alike();
  for (const amr::TraceWindow& window : trace_.windows) {
    const bool is_after_regrid = spans.has_regrid_before(window);
    const Meetings::Moves moves = deals.follow(window, is_after_regrid);
    for (const auto& [way, count] : moves) prediction.moved_patches += count;
    if (is_after_regrid) alike += meetings.regrid(deals.mesh(), moves);
    alike += meetings.begin_window(deals.mesh());
    now = work.run(now + set_up_of(window, ranks, log),
                   RankTasks(trace_, window, deals.ranks(), options, ranks));
    alike += meetings.end_window(window.steps, options.workers);
    prediction.imbalance += deals.imbalance() / static_cast<double>(trace_.windows.size());
  }
  const double shared = spans.loops() / workers;
  if (log != nullptr) {
    // Its position does not matter, because all ranks wait for each other between windows.
    for (int rank = 0; rank < ranks; ++rank) log->compute(rank, spans.alike() + shared);
  }
  double busy = spans.loops();
  for (const amr::TracePiece& done : trace_.pieces) busy += cost_of(done);
  now += alike + shared;
  prediction.seconds = now * 1e-9;
  prediction.regrid_seconds = (alike + shared) * 1e-9;
  prediction.alike_seconds = alike * 1e-9;
  prediction.utilisation = now > 0.0 ? busy / (workers * now) : 1.0;
  prediction.messages = work.traffic().messages;
  prediction.edges = work.traffic().edges;
  prediction.bytes = work.traffic().bytes;
  return prediction;
}

/// The time of every rank before its first piece of a window.
double RankModel::set_up_of(const amr::TraceWindow& window, int ranks, RankLog* log) const {
  if (recorded_schedule(trace_) != ScheduleKind::kDataflow) return 0.0;
  const double taken = set_up(trace_, window, overheads_);
  for (int rank = 0; log != nullptr && rank < ranks; ++rank) log->compute(rank, taken);
  return taken;
}

}  // namespace kumiko::model
