// Runs a piece of work for either schedule: keeps the books and catches failures.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include <kumiko/amr/trace.hpp>

#include "observation/work_ledger.hpp"
#include "stepping/first_failure.hpp"
#include "stepping/patch_stepper.hpp"

namespace kumiko::amr {

class PieceRunner {
 public:
  PieceRunner(Hierarchy& hierarchy, const PatchStepper& patches, WorkLedger& ledger,
              FirstFailure& failures)
      : hierarchy_(hierarchy), patches_(patches), ledger_(ledger), failures_(failures) {}

  /// Does a piece, unless a failure has made its step void; what it throws becomes a failure.
  /// \param record  where a trace wants to know of it, or nullptr
  /// \return when it ended, in ticks
  std::uint64_t run(PieceKind kind, const LevelStep& step, std::size_t slot, int worker,
                    TracePiece* record) {
    Patch& patch = hierarchy_.level(step.level).patch(slot);
    WorkLedger::Work work(ledger_, worker, step.base_step, kind, patch, record);
    if (failures_.makes_void(step)) return work.end();
    try {
      perform(kind, step, slot, work);
    } catch (...) {
      failures_.keep({step, slot, 0.0, std::current_exception()});
    }
    return work.end();
  }

  /// Does the advance of the patches in slots first .. last - 1 as one piece, in one call of the
  /// solver for those whose step is not void and whose CFL number it serves. Where it fails it is
  /// asked for each patch, so that the failure is the same however the patches are dealt out.
  /// \param record_of  where a trace wants to know of a slot's advance, or nullptr
  template <class RecordOf>
  void run_list(const LevelStep& step, std::size_t first, std::size_t last, int worker,
                RecordOf record_of) {
    std::vector<Patch*> patches;
    for (std::size_t slot = first; slot < last; ++slot) {
      patches.push_back(&hierarchy_.level(step.level).patch(slot));
    }
    WorkLedger::ListWork work(ledger_, worker, step.base_step, PieceKind::kAdvance, patches,
                              record_of(first));
    std::vector<std::size_t> slots;
    std::vector<PatchAdvance> list;
    for (std::size_t slot = first; slot < last && !failures_.makes_void(step); ++slot) {
      try {
        patches_.fill_ghosts(step, slot);
        work.count_updates(kPatchPoints);
        const double cfl = patches_.begin_advance(step, slot);
        if (!patches_.serves(cfl)) {
          failures_.keep({step, slot, cfl, nullptr});
          continue;
        }
        list.push_back(patches_.hand_over(step, slot));
        slots.push_back(slot);
      } catch (...) {
        failures_.keep({step, slot, 0.0, std::current_exception()});
      }
    }
    try {
      if (!list.empty()) patches_.advance_list(list);
      for (const std::size_t slot : slots) patches_.end_advance(step, slot);
    } catch (...) {
      keep_failures(step, slots, list, std::current_exception());
    }
    work.end([&](std::size_t at) { return record_of(first + at); });
  }

 private:
  /// Of a list for which the solver has failed: each patch's own failure, or `of_all` if none fails
  /// by itself.
  void keep_failures(const LevelStep& step, std::span<const std::size_t> slots,
                     std::span<const PatchAdvance> list, const std::exception_ptr& of_all) {
    bool found = false;
    for (std::size_t at = 0; at < list.size(); ++at) {
      try {
        patches_.advance_list(list.subspan(at, 1));
      } catch (...) {
        failures_.keep({step, slots[at], 0.0, std::current_exception()});
        found = true;
      }
    }
    if (!found) failures_.keep({step, slots.front(), 0.0, of_all});
  }

  void perform(PieceKind kind, const LevelStep& step, std::size_t slot, WorkLedger::Work& work) {
    if (kind == PieceKind::kBlend) return patches_.fill_next_ghosts(step, slot);
    if (kind == PieceKind::kFinish) return patches_.finish(step, slot);
    patches_.fill_ghosts(step, slot);
    const double cfl = patches_.advance(step, slot);
    if (!patches_.serves(cfl)) failures_.keep({step, slot, cfl, nullptr});
    work.count_updates(kPatchPoints);
  }

  Hierarchy& hierarchy_;
  const PatchStepper& patches_;
  WorkLedger& ledger_;
  FirstFailure& failures_;
};

}  // namespace kumiko::amr
