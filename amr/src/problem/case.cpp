#include <stdexcept>

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

void Case::boundary_values(Side, Points, int, double, std::span<double>) const {
  throw std::logic_error(
      "it declares a side of BoundaryKind::kPrescribed but does not override boundary_values()");
}

std::vector<std::string> Case::component_names() const {
  if (components() == 1) return {"u"};
  std::vector<std::string> names;
  for (int at = 0; at < components(); ++at) names.push_back(std::string("u") += std::to_string(at));
  return names;
}

}  // namespace kumiko::amr
