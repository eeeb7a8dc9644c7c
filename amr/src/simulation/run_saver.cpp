#include "simulation/run_saver.hpp"

#include <utility>

#include <kumiko/amr/memory_limit.hpp>

namespace kumiko::amr {

SavedShare RunSaver::save_share(const RegridPlan& plan, int extras) {
  return save(plan, extras, record_ranges(run_.hierarchy.mesh(), run_.communicator.size()));
}

SavedRun RunSaver::save_whole(const RegridPlan& plan, int extras) {
  std::vector<std::vector<PatchRange>> ranges(static_cast<std::size_t>(run_.communicator.size()));
  ranges.front() = record_ranges(run_.hierarchy.mesh(), 1).front();
  SavedShare share = save(plan, extras, std::move(ranges));
  for (RangeRecords& level : share.records.ranges) {
    share.run.levels[static_cast<std::size_t>(level.patches.level)].values =
        std::move(level.values);
  }
  return std::move(share.run);
}

/// \param ranges  the records that each rank gets, by rank
SavedShare RunSaver::save(const RegridPlan& plan, int extras,
                          std::vector<std::vector<PatchRange>> ranges) {
  const Mesh<2>& mesh = run_.hierarchy.mesh();
  const auto components = static_cast<std::size_t>(run_.hierarchy.shape().components + extras);
  SavedShare share{{mesh,
                    run_.steps.step(),
                    run_.steps.time(),
                    run_.steps.dt(),
                    run_.steps.saved_choice(),
                    run_.regrids.next(),
                    run_.next_check,
                    plan.unnested(),
                    run_.scales.saved(),
                    {},
                    run_.observer().counters(),
                    extras},
                   {}};
  RecordExchange records(mesh, run_.communicator, std::move(ranges), components * kPatchPoints);
  run_.backend.run([&] {
    for (int level = 0; level < run_.hierarchy.used_levels(); ++level) {
      share.run.levels.push_back(save_level(level, plan, records));
    }
    if (extras > 0) save_extras(records);
    if (run_.communicator.size() > 1) records.swap(run_.stepper.shadows().mailbox(), share.run);
  });
  share.records = records.take();
  return share;
}

/// The field's values go into the records, all else into the result.
SavedLevel RunSaver::save_level(int level, const RegridPlan& plan, RecordExchange& records) {
  SavedLevel saved;
  const auto histories = plan.histories(level);
  saved.histories.assign(histories.begin(), histories.end());
  for (const PatchMotion& motion : run_.stepper.motion().level(level)) {
    saved.cfl.push_back(motion.cfl);
    saved.travelled.push_back(motion.travelled);
  }
  const Level& patches = run_.hierarchy.level(level);
  run_.backend.for_each(
      patches, [&](std::size_t slot, int) { copy(patches.patch(slot), records.own(level, slot)); });
  return saved;
}

/// Adds the values of kExtraNames. The indicator needs ghosts, as for a regrid.
void RunSaver::save_extras(RecordExchange& records) {
  RefinementOptions exact = run_.options.refinement;
  exact.threshold = 0.0;  // computes indicators of any size
  exact.derefine_threshold = 0.0;
  const Indicator indicator = run_.indicator_for(exact);
  for (int index = 0; index < run_.hierarchy.used_levels(); ++index) {
    const Level& level = run_.hierarchy.level(index);
    run_.fill_ghosts(index);
    run_.backend.for_each(level, [&](std::size_t slot, int) {
      const Patch& patch = level.patch(slot);
      IndicatorField values;
      indicator(patch, run_.steps.time(), values);
      const Observer::PatchWork work = run_.observer().work(index, slot);
      copy_extras(patch, work.worker, run_.observer().seconds(work.ticks), values,
                  records.own(index, slot));
    });
  }
}

void RunSaver::restore(const SavedRun& saved) {
  for (int level = 0; level < saved.mesh.levels(); ++level) {
    restore_field(level, saved);
    restore_motion(level, saved);
  }
}

void RunSaver::restore_field(int index, const SavedRun& saved) {
  Hierarchy& hierarchy = run_.hierarchy;
  if (index > 0) {
    const std::span<const PatchId> ids = saved.mesh.ids(index);
    check_nesting(ids, hierarchy);
    std::vector<PatchId> wanted(ids.begin(), ids.end());
    check_memory(hierarchy, index, wanted, run_.options.refinement.memory_limit);
    hierarchy.change(index, std::move(wanted));
  }
  Level& level = hierarchy.level(index);
  run_.stepper.prepare(index, run_.slots(index), run_.steps.time(),
                       [&](std::size_t slot) { copy(saved, slot, level.patch(slot)); });
}

void RunSaver::restore_motion(int index, const SavedRun& saved) {
  for (std::size_t slot = 0; slot < run_.hierarchy.level(index).size(); ++slot) {
    PatchMotion& motion = run_.stepper.motion().at(index, slot);
    // With steps of another length, the CFL number is the one that prepare() has computed.
    if (run_.steps.may_grow() && saved.dt == run_.steps.dt()) {
      motion.cfl = saved.level(index).cfl[slot];
    }
    motion.travelled = saved.level(index).travelled[slot];
  }
}

}  // namespace kumiko::amr
