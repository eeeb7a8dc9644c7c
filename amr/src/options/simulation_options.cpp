#include <kumiko/amr/simulation_options.hpp>

namespace kumiko::amr {

const char* to_string(TimeInterpolation interpolation) {
  switch (interpolation) {
    case TimeInterpolation::kLinear:
      return "linear";
    case TimeInterpolation::kQuadratic:
      return "quadratic";
    case TimeInterpolation::kCharacteristic:
      break;
  }
  return "characteristic";
}

}  // namespace kumiko::amr
