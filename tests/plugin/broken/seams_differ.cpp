// Asks the case for its stream function beyond the domain: the faces of a seam then have other bits
// from its two sides.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

namespace {

/// The flow of a case as of one without seams.
class Endless final : public amr::Case {
 public:
  explicit Endless(const amr::Case& problem) : problem_(problem) {}

  double end_time() const override { return problem_.end_time(); }
  amr::Boundaries boundaries() const override { return {}; }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    problem_.initial(points, component, values);
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    problem_.velocity(points, time, velocity);
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    return problem_.stream_function(points, time, values);
  }

 private:
  const amr::Case& problem_;
};

}  // namespace

class SeamsDiffer final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"seams_differ", "gives the faces of a seam other velocities from its two sides", {}};
  }

  explicit SeamsDiffer(const amr::ParameterSet&) : Upwind1(describe()) {}
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return Upwind1::prepare(Endless(problem), patch, time, dt, coefficients);
  }
};

amr::Factory<amr::Solver> seams_differ() { return amr::factory_of<amr::Solver, SeamsDiffer>(); }

}  // namespace kumiko::broken
