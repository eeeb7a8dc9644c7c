#include <stdexcept>

#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

void Solver::displacement(const Case&, Points, double, double, Vectors) const {
  throw std::logic_error("solver '" + traits().name + "' declares no characteristic ghosts");
}

}  // namespace kumiko::amr
