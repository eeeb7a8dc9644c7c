#include "conformance/flows.hpp"

#include <cmath>
#include <numbers>

namespace kumiko::plugin::conformance {

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

using Vector = std::array<double, 2>;

/// Where a particle was `tau` before it is at (x, y), minus where it is.
Vector departure_of(const Flow& flow, double x, double y, double time, double tau) {
  constexpr int kSteps = 16;
  const double dt = -tau / kSteps;
  Vector d = {0.0, 0.0};
  const auto speed = [&](double dx, double dy, double t) {
    return Vector{flow.vx(x + d[0] + dx, y + d[1] + dy, t),
                  flow.vy(x + d[0] + dx, y + d[1] + dy, t)};
  };
  for (int step = 0; step < kSteps; ++step) {
    const double t = time + step * dt;
    const Vector k1 = speed(0.0, 0.0, t);
    const Vector k2 = speed(0.5 * dt * k1[0], 0.5 * dt * k1[1], t + 0.5 * dt);
    const Vector k3 = speed(0.5 * dt * k2[0], 0.5 * dt * k2[1], t + 0.5 * dt);
    const Vector k4 = speed(dt * k3[0], dt * k3[1], t + dt);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      d[axis] += dt / 6.0 * (k1[axis] + 2.0 * (k2[axis] + k3[axis]) + k4[axis]);
    }
  }
  return d;
}

/// Vortices of a strength, on a constant flow times another factor.
Flow vortices_of(const std::function<double(double)>& strength,
                 const std::function<double(double)>& of_constant) {
  Flow flow;
  flow.name = "vortices";
  flow.psi = [=](double x, double y, double t) {
    return strength(t) * (0.5 * std::sin(kTwoPi * x) * std::cos(kTwoPi * y) / kTwoPi) +
           of_constant(t) * (0.3 * y - 0.2 * x);
  };
  flow.vx = [=](double x, double y, double t) {
    return strength(t) * (-0.5 * std::sin(kTwoPi * x) * std::sin(kTwoPi * y)) +
           of_constant(t) * 0.3;
  };
  flow.vy = [=](double x, double y, double t) {
    return strength(t) * (-0.5 * std::cos(kTwoPi * x) * std::cos(kTwoPi * y)) +
           of_constant(t) * 0.2;
  };
  return flow;
}

double always(double) { return 1.0; }

}  // namespace

bool Flow::exact_displacement(amr::Points points, double time, double tau,
                              amr::Vectors displacement) const {
  return evaluate(points, displacement,
                  [&](double x, double y) { return departure_of(*this, x, y, time, tau); });
}

Flow constant_flow(double vx, double vy) {
  Flow flow;
  flow.name = "constant flow";
  flow.psi = [=](double x, double y, double) { return vx * y - vy * x; };
  flow.vx = [=](double, double, double) { return vx; };
  flow.vy = [=](double, double, double) { return vy; };
  return flow;
}

Flow rotation(double centre_x, double centre_y) {
  Flow flow;
  flow.name = "rotation";
  flow.periodic = false;
  flow.psi = [=](double x, double y, double) {
    return -0.5 * ((x - centre_x) * (x - centre_x) + (y - centre_y) * (y - centre_y));
  };
  flow.vx = [=](double, double y, double) { return centre_y - y; };
  flow.vy = [=](double x, double, double) { return x - centre_x; };
  return flow;
}

Flow vortices() { return vortices_of(always, always); }

Flow unsteady_vortices() {
  Flow flow =
      vortices_of([](double t) { return 1.0 + 0.5 * std::sin(kTwoPi * (t + 0.1)); }, always);
  flow.name = "unsteady vortices";
  flow.steady = false;
  return flow;
}

Flow pulsing_vortices() {
  const auto factor = [](double t) { return std::cos(kTwoPi * t); };
  Flow flow = vortices_of(factor, factor);
  flow.name = "pulsing vortices";
  flow.steady = false;
  flow.factor = factor;
  return flow;
}

Flow transposed(const Flow& flow) {
  Flow result = flow;
  result.psi = [flow](double x, double y, double t) { return -flow.psi(y, x, t); };
  result.vx = [flow](double x, double y, double t) { return flow.vy(y, x, t); };
  result.vy = [flow](double x, double y, double t) { return flow.vx(y, x, t); };
  return result;
}

Flow mirrored_x(const Flow& flow, double centre) {
  Flow result = flow;
  const double twice = 2.0 * centre;
  result.psi = [=](double x, double y, double t) { return -flow.psi(twice - x, y, t); };
  result.vx = [=](double x, double y, double t) { return -flow.vx(twice - x, y, t); };
  result.vy = [=](double x, double y, double t) { return flow.vy(twice - x, y, t); };
  return result;
}

Flow mirrored_y(const Flow& flow, double centre) {
  return transposed(mirrored_x(transposed(flow), centre));
}

std::vector<Flow> flows_around(double centre_x, double centre_y) {
  return {constant_flow(1.0, 1.0),   constant_flow(-1.0, 1.0),     constant_flow(1.0, -1.0),
          constant_flow(-1.0, -1.0), rotation(centre_x, centre_y), vortices(),
          unsteady_vortices()};
}

}  // namespace kumiko::plugin::conformance
