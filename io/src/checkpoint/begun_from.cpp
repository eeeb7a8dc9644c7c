#include <cmath>

#include <nlohmann/json.hpp>

#include <kumiko/io/begun_from.hpp>

namespace kumiko::io {

double BegunFrom::mass_change() const {
  double farthest = 0.0;
  for (const MassChange& of_one : mass) {
    if (std::abs(of_one.relative()) > std::abs(farthest)) farthest = of_one.relative();
  }
  return farthest;
}

nlohmann::ordered_json to_json(const BegunFrom& begun) {
  auto masses = nlohmann::ordered_json::array();
  for (const MassChange& mass : begun.mass) {
    masses.push_back({{"before", mass.before}, {"after", mass.after}, {"absolute", mass.absolute}});
  }
  return {{"file", begun.file},
          {"case", begun.case_name},
          {"step", begun.step},
          {"time", begun.time},
          {"state_hash", begun.state_hash},
          {"begun_at", begun.begun_at},
          {"has_exact", begun.has_exact},
          {"mass_change", begun.mass_change()},
          {"mass", std::move(masses)}};
}

}  // namespace kumiko::io
