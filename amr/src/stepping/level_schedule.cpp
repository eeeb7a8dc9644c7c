#include "stepping/level_schedule.hpp"

namespace kumiko::amr {

/// Filling a patch's ghosts writes that patch alone and reads interiors, which the advance of
/// others leaves as they are: the two need no barrier between them.
void LevelSchedule::take(const Window& window) {
  const bool by_lists = pieces_.patches().has_list_kernel();
  const StepRules& rules = pieces_.patches().rules();
  shadows_.begin_window();
  for_each_phase(window, [&](PieceKind kind, const LevelStep& step) {
    const Level& level = hierarchy_.level(step.level);
    if (by_lists && kind == PieceKind::kAdvance) {
      backend_.for_each(level,
                        [&](Slots slots, int worker) { pieces_.run_list(step, slots, worker); });
    } else {
      backend_.for_each(level, [&](std::size_t slot, int worker) {
        if (kind == PieceKind::kFinish && !rules.finishes(step.level, slot)) return;
        pieces_.run({kind, step, slot}, worker);
      });
    }
    pieces_.observer().note_phase(step.base_step);
    shadows_.exchange(kind, step);
    // Others do not know of a failure here, and wait for what its phases would bring.
    return shadows_.is_shared() || !pieces_.has_failed();
  });
}

}  // namespace kumiko::amr
