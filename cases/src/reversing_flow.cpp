#include "reversing_flow.hpp"

#include <cmath>
#include <string>

#include "sine_forms.hpp"

namespace kumiko::cases {

namespace {

constexpr double kRadius = 0.15;

}  // namespace

ReversingFlow::ReversingFlow(const amr::ParameterSet& parameters, double centre_x, double centre_y)
    : period_(parameters.number("period")),
      disk_(parameters.text("initial") == "disk"),
      bell_{centre_x, centre_y, parameters.number("sigma")} {}

std::vector<amr::ParameterSpec> ReversingFlow::parameters() {
  amr::ParameterSpec initial{"initial", std::string("disk"),
                             "what is drawn out: the disk of the literature, or a Gaussian"};
  initial.choices = {"disk", "gaussian"};
  return {
      {"period", 8.0, "T, the length of the whole run; the flow reverses at T / 2", 1e-3, 1000.0},
      initial,
      {"sigma", 0.05, "standard deviation of the Gaussian", 1e-3, 1.0}};
}

void ReversingFlow::initial(amr::Points points, int, std::span<double> values) const {
  if (!disk_) return bell_.sample(points, values);
  for (std::size_t at = 0; at < points.size(); ++at) {
    const double dx = points.x[at] - bell_.x;
    const double dy = points.y[at] - bell_.y;
    values[at] = dx * dx + dy * dy <= kRadius * kRadius ? 1.0 : 0.0;
  }
}

bool ReversingFlow::exact(amr::Points points, int component, double time,
                          std::span<double> values) const {
  constexpr double kSlack = 1e-9;
  const double turn = time / period_;
  if (std::abs(turn) > kSlack && std::abs(turn - 1.0) > kSlack) return false;
  initial(points, component, values);
  return true;
}

double ReversingFlow::strength(double time) const {
  return sine_forms(0.5 * (time / period_)).cosine();
}

}  // namespace kumiko::cases
