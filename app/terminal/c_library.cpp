#include "terminal/c_library.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

namespace kumiko::app {

std::uint64_t fingerprint_of_c_library() {
  using Function = double (*)(double);
  constexpr std::array<Function, 8> kFunctions = {
      [](double x) { return std::exp(-x); },      [](double x) { return std::log(x); },
      [](double x) { return std::sin(x); },       [](double x) { return std::cos(x); },
      [](double x) { return std::tan(x); },       [](double x) { return std::tanh(x); },
      [](double x) { return std::pow(x, 1.37); }, [](double x) { return std::atan2(x, 1.7); },
  };
  constexpr int kArguments = 500;  // of which some hundred differ
  constexpr double kFirst = 0.1;
  constexpr double kStep = 0.0123;
  std::vector<double> results;
  for (int at = 0; at < kArguments; ++at) {
    for (const Function function : kFunctions) results.push_back(function(kFirst + kStep * at));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(results.data()),
                               results.size() * sizeof(double));
  return std::hash<std::string_view>()(bytes);
}

}  // namespace kumiko::app
