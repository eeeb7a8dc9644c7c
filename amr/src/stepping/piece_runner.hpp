// Runs a piece of work for either schedule: keeps the books and catches failures.
#pragma once

#include <exception>

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

 private:
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
