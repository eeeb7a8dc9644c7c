#include <stdexcept>

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

void Case::boundary_values(Side, Points, int, double, std::span<double>) const {
  throw std::logic_error(
      "it declares a side of BoundaryKind::kPrescribed but does not override boundary_values()");
}

}  // namespace kumiko::amr
