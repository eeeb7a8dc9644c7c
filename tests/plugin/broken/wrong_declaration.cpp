// Declares nine ghost layers, where eight are the most.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WrongDeclaration final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"wrong_declaration", "declares too many ghost layers", {}};
  }

  explicit WrongDeclaration(const amr::ParameterSet&) : Upwind1(describe()) { traits_.ghosts = 9; }
};

amr::Factory<amr::Solver> wrong_declaration() {
  return amr::factory_of<amr::Solver, WrongDeclaration>();
}

}  // namespace kumiko::broken
