// The engine of every schedule: runs a piece of work, keeps the books and catches failures.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "observation/observer.hpp"
#include "stepping/first_failure.hpp"
#include "stepping/patch_stepper.hpp"

namespace kumiko::amr {

/// Whoever runs a piece says when it may run: what each waits for stands at BlockGraph. From any
/// worker, for different patches.
class PieceRunner {
 public:
  PieceRunner(const PatchStepper& patches, Observer& observer, FirstFailure& failures)
      : patches_(patches), observer_(observer), failures_(failures) {}

  const PatchStepper& patches() const { return patches_; }
  Observer& observer() { return observer_; }
  /// Whether a piece has failed: later base steps need not be taken.
  bool has_failed() const { return failures_.any(); }

  /// Does a piece, unless a failure has made its step void; what it throws becomes a failure.
  /// \return when it ended, in ticks
  std::uint64_t run(const Piece& piece, int worker) {
    const auto& [kind, step, slot] = piece;
    const auto only = static_cast<std::uint32_t>(slot);
    Observer::Work work(observer_, piece, {&only, 1}, worker);
    if (failures_.makes_void(step)) return work.end();
    try {
      if (kind == PieceKind::kBlend) {
        patches_.fill_next_ghosts(step, slot);
      } else if (kind == PieceKind::kFinish) {
        patches_.finish(step, slot);
        look_at_state(piece);
      } else {
        patches_.fill_ghosts(step, slot);
        const double cfl = patches_.begin_advance(step, slot);
        if (patches_.serves(cfl)) {
          patches_.advance(patches_.hand_over(step, slot));
          patches_.end_advance(step, slot);
          work.note_cfl(patches_.motion().level(step.level)[slot].cfl);
          look_at_state(piece);
        } else {
          failures_.keep({.step = step, .slot = slot, .cfl = cfl});
        }
        work.count_updates(kPatchPoints);
      }
    } catch (...) {
      failures_.keep({step, slot, kind, std::current_exception()});
    }
    return work.end();
  }

  /// Does the advance of several patches as one piece, in one call of the solver for those whose
  /// step is not void and whose CFL number it serves. Where it fails it is asked for each patch, so
  /// that the failure is the same however the patches are dealt out.
  /// \return when it ended, in ticks
  std::uint64_t run_list(const LevelStep& step, Slots patches, int worker) {
    const Piece piece{PieceKind::kAdvance, step, patches.front()};
    Observer::Work work(observer_, piece, patches, worker);
    std::vector<std::size_t> slots;
    std::vector<PatchAdvance> list;
    for (const std::uint32_t slot : patches) {
      if (failures_.makes_void(step)) break;
      try {
        slots.reserve(patches.size());  // so that both lists grow together
        list.reserve(patches.size());
        patches_.fill_ghosts(step, slot);
        work.count_updates(kPatchPoints);
        const double cfl = patches_.begin_advance(step, slot);
        if (!patches_.serves(cfl)) {
          failures_.keep({.step = step, .slot = slot, .cfl = cfl});
          continue;
        }
        list.push_back(patches_.hand_over(step, slot));
        slots.push_back(slot);
      } catch (...) {
        failures_.keep({step, slot, PieceKind::kAdvance, std::current_exception()});
      }
    }
    try {
      if (!list.empty()) patches_.advance_list(list);
    } catch (...) {
      keep_failures(step, slots, list, std::current_exception());
      return work.end();
    }
    for (const std::size_t slot : slots) {
      try {
        patches_.end_advance(step, slot);
        work.note_cfl(patches_.motion().level(step.level)[slot].cfl);
        look_at_state({PieceKind::kAdvance, step, slot});
      } catch (...) {
        failures_.keep({step, slot, PieceKind::kAdvance, std::current_exception()});
      }
    }
    return work.end();
  }

 private:
  void look_at_state(const Piece& piece) {
    if (const auto point = patches_.inadmissible_after(piece)) {
      failures_.keep({.step = piece.step, .slot = piece.slot, .kind = piece.kind, .point = point});
    }
  }

  /// Of a list for which the solver has failed: each patch's own failure, or `of_all` if none fails
  /// by itself.
  void keep_failures(const LevelStep& step, std::span<const std::size_t> slots,
                     std::span<const PatchAdvance> list, const std::exception_ptr& of_all) {
    bool found = false;
    for (std::size_t at = 0; at < list.size(); ++at) {
      try {
        patches_.advance_list(list.subspan(at, 1));
      } catch (...) {
        failures_.keep({step, slots[at], PieceKind::kAdvance, std::current_exception()});
        found = true;
      }
    }
    if (!found) failures_.keep({step, slots.front(), PieceKind::kAdvance, of_all});
  }

  const PatchStepper& patches_;
  Observer& observer_;
  FirstFailure& failures_;
};

}  // namespace kumiko::amr
