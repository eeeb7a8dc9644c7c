// Steps level by level: every phase is one parallel loop.
#pragma once

#include "stepping/step_schedule.hpp"

namespace kumiko::amr {

/// Subcycling as Berger & Oliger have it (J. Comput. Phys. 53, 1984): every phase is one parallel
/// loop over the patches of one level, and the next begins when all are done.
class LevelSchedule final : public StepSchedule {
 public:
  using StepSchedule::StepSchedule;
  std::string_view name() const override { return "level"; }
  void take(const Window& window) override;
};

}  // namespace kumiko::amr
