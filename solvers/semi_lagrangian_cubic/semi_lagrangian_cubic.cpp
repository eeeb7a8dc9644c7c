// Semi-Lagrangian advection and nothing else.
#include "semi_lagrangian.hpp"

namespace kumiko::solvers {

namespace {

class SemiLagrangianCubic final : public cubic::SemiLagrangian {
 public:
  static amr::Description describe() {
    return {"semi_lagrangian_cubic", "cubic or quintic semi-Lagrangian advection of nodal values",
            parameters()};
  }

  using SemiLagrangian::SemiLagrangian;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::SemiLagrangianCubic)
