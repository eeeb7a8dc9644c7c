// Nothing wrong: two solvers and a case in one file.
#include "still.hpp"

namespace kumiko::test {

namespace {

class StillNodes final : public Still {
 public:
  static amr::Description describe() {
    return {"still_nodes",
            "leaves values at nodes as they are",
            {{"weight", 0.5, "of nothing", 0.25, 4.0}}};
  }
  explicit StillNodes(const amr::ParameterSet&) {}
};

class StillCells final : public Still {
 public:
  static amr::Description describe() {
    return {"still_cells", "leaves averages of cells as they are", {}};
  }
  explicit StillCells(const amr::ParameterSet&) { traits_.centring = amr::Centring::kCell; }
};

class Ramp final : public amr::Case {
 public:
  static amr::Description describe() { return {"ramp", "a ramp in still air", {}}; }
  explicit Ramp(const amr::ParameterSet&) {}

  double end_time() const override { return 1.0; }
  void initial(amr::Points points, int, std::span<double> values) const override {
    std::copy(points.x.begin(), points.x.end(), values.begin());
  }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 0.0);
    std::fill(velocity.y.begin(), velocity.y.end(), 0.0);
  }
  bool exact(amr::Points points, int component, double, std::span<double> values) const override {
    initial(points, component, values);
    return true;
  }
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::StillNodes, kumiko::test::StillCells, kumiko::test::Ramp)
