#include <kumiko/amr/require.hpp>
#include <kumiko/model/rank_model.hpp>

#include "rank_tasks.hpp"
#include "ranks_at_work.hpp"
#include "schedule_replay.hpp"

namespace kumiko::model {

namespace {

/// What it takes until all ranks know something that is found from what each of them says: as many
/// messages there and back as doublings lead to all ranks.
double agreement(int ranks, const Network& network) {
  return 2.0 * doublings(ranks) * (2.0 * network.overhead + network.latency);
}

}  // namespace

RankModel::RankModel(const amr::Trace& trace, const Overheads& overheads)
    : trace_(trace), overheads_(overheads) {
  amr::require(!trace.pieces.empty(),
               "the trace holds no pieces of work: no base step was recorded");
}

RankPrediction RankModel::predict(int ranks, const RankOptions& options) const {
  amr::require(ranks >= 1 && ranks <= kMostRanks, "{} ranks cannot be modelled; 1 to {} can", ranks,
               kMostRanks);
  amr::require(options.workers >= 1 && options.workers <= ScheduleModel::kMostWorkers,
               "{} workers cannot be modelled; 1 to {} can", options.workers,
               ScheduleModel::kMostWorkers);
  const double piece =
      overhead_of_piece(trace_, overheads_, ScheduleKind::kDataflow, options.workers);
  RanksAtWork work(trace_, ranks, options, piece);
  RankPrediction prediction{.ranks = ranks, .imbalance = 0.0};
  KnownCosts known;
  double now = 0.0;
  double busy = 0.0;
  for (const amr::TraceStretch& stretch : trace_.stretches) {
    RankTasks tasks(trace_, stretch, known, options, ranks);
    known.measure(trace_, stretch);
    if (recorded_schedule(trace_) == ScheduleKind::kDataflow) {
      now += set_up(trace_, stretch, overheads_);
    }
    now = work.run(now, tasks) + agreement(ranks, options.network);
    prediction.imbalance += tasks.imbalance() / static_cast<double>(trace_.stretches.size());
  }
  for (const amr::TracePiece& done : trace_.pieces) busy += cost_of(done);
  const double workers = static_cast<double>(ranks) * options.workers;
  double between = 0.0;
  for (const amr::TraceSpan& span : trace_.spans) {
    const double loops = work_in_loops(trace_, span);
    between += length_of(span) - loops_of(span) + loops / workers;
    if (span.what == "regrid") between += (trace_.levels - 1) * agreement(ranks, options.network);
    busy += loops;
  }
  now += between;
  prediction.seconds = now * 1e-9;
  prediction.regrid_seconds = between * 1e-9;
  prediction.utilisation = now > 0.0 ? busy / (workers * now) : 1.0;
  prediction.messages = work.traffic().messages;
  prediction.edges = work.traffic().edges;
  prediction.bytes = work.traffic().bytes;
  return prediction;
}

}  // namespace kumiko::model
