// A later version of the plugin several.cpp, in which the environment says what has changed.
#include <cstdlib>
#include <string_view>

#include "still.hpp"

namespace kumiko::test {

namespace {

bool has_changed(std::string_view what) {
  const char* const changed = std::getenv("KUMIKO_TEST_CHANGED");
  return changed != nullptr && what == changed;
}

class StillNodes final : public Still {
 public:
  static amr::Description describe() {
    amr::Description description{
        "still_nodes", "leaves values as they are", {{"weight", 0.5, "of nothing", 0.25, 4.0}}};
    if (has_changed("keys")) description.parameters.clear();
    return description;
  }
  explicit StillNodes(const amr::ParameterSet&) {
    if (has_changed("centring")) traits_.centring = amr::Centring::kCell;
  }
};

class Ramp final : public amr::Case {
 public:
  static amr::Description describe() { return {"ramp", "a ramp in still air", {}}; }
  explicit Ramp(const amr::ParameterSet&) {}

  double end_time() const override { return 1.0; }
  amr::Extent extent() const override {
    return has_changed("extent") ? amr::Extent{2.0, 2.0} : amr::Extent{};
  }
  int components() const override { return has_changed("components") ? 2 : 1; }
  void initial(amr::Points points, int, std::span<double> values) const override {
    std::copy(points.x.begin(), points.x.end(), values.begin());
  }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 0.0);
    std::fill(velocity.y.begin(), velocity.y.end(), 0.0);
  }
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::StillNodes, kumiko::test::Ramp)
