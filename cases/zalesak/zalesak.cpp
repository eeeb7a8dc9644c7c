// Zalesak's slotted disk in solid rotation.
#include <string>

#include <kumiko/plugin/plugin.hpp>

#include "slotted_disk.hpp"
#include "solid_rotation.hpp"

namespace kumiko::cases {

namespace {

using namespace amr;

constexpr SlottedDisk kRudmansDisk = {0.6875, 0.125, 0.015, 0.7125};

std::vector<PublishedValue> of_thesis() {
  constexpr const char* kThesis = "reference thesis, 2011";
  return {{"rms.coarse", 6.000e-2, kThesis, "rms", 256},
          {"rms.amr", 4.114e-2, kThesis, "rms", 1024},
          {"rms.fine", 3.566e-2, kThesis, "rms", 1024},
          // Two values are printed for each ratio.
          {"wall.fine_over_amr", 1.6, kThesis},
          {"wall.fine_over_amr", 3.1, kThesis},
          {"wall.threads_over_pthread", 0.82, kThesis},
          {"wall.threads_over_pthread", 0.71, kThesis}};
}

/// Domain means of |error| are its integral over the unit square.
std::vector<PublishedValue> of_vof_literature() {
  constexpr const char* kRudman = "Rudman 1997, Int. J. Numer. Meth. Fluids 24";
  constexpr const char* kMstacs = "the paper that proposes MSTACS";
  return {{"SLIC", 8.38e-2, kRudman, "l1_relative", 200},
          {"Hirt-Nichols", 9.62e-2, kRudman, "l1_relative", 200},
          {"FCT-VOF", 3.29e-2, kRudman, "l1_relative", 200},
          {"Youngs", 1.09e-2, kRudman, "l1_relative", 200},
          {"CICSAM, Courant number 0.25", 3.60e-3, kMstacs, "l1", 200},
          {"STACS, Courant number 0.25", 5.20e-3, kMstacs, "l1", 200},
          {"SAISH, Courant number 0.25", 3.84e-3, kMstacs, "l1", 200},
          {"MSTACS, Courant number 0.25", 3.65e-3, kMstacs, "l1", 200},
          {"MSTACS", 4.16e-3, kMstacs, "l1", 100},
          {"MSTACS", 3.71e-3, kMstacs, "l1", 200},
          {"MSTACS", 3.59e-3, kMstacs, "l1", 400}};
}

/// Velocity (-(y - 0.5), x - 0.5); one revolution takes 2π; 0 outside. u = 1 on a disk less a slot,
/// else 0, by case.variant:
///
/// - thesis: the unit square, radius 0.15 about (0.5, 0.75), slot 0.05 wide up to y = 0.85. After
///   Zalesak 1979, J. Comput. Phys. 31, as the reference thesis has it.
/// - zalesak1979: the same disk, for Zalesak's 100 × 100 cells. The domain is [0, 1.12]², so that
/// 112 cells, a multiple of 16, have the spacing of 1/100; the disk stays within the unit square.
/// - vof200: the disk of the volume-of-fluid literature (Rudman 1997, Int. J. Numer. Meth. Fluids
///   24: on [0, 4]², radius 0.5 about (2, 2.75), slot 0.12 wide and 0.6 deep), scaled to the unit
///   square: radius 0.125 about (0.5, 0.6875), slot 0.03 wide up to y = 0.7125. The domain is
///   [0, 1.04]²: 208 cells have the spacing of 1/200.
///
/// What vof200 publishes is quoted at second hand; "points" counts those of the unit square.
class Zalesak final : public SolidRotation {
 public:
  static Description describe() {
    return {"zalesak",
            "Zalesak's slotted disk, one revolution in solid rotation",
            {choice("variant", {"thesis", "zalesak1979", "vof200"}, "thesis",
                    "whose disk and grid: the thesis's, Zalesak's, or that of the "
                    "volume-of-fluid literature")}};
  }

  explicit Zalesak(const ParameterSet& parameters)
      : variant_(parameters.text("variant")),
        disk_(variant_ == "vof200" ? kRudmansDisk : kZalesaksDisk) {}

  Extent extent() const override {
    if (variant_ == "zalesak1979") return {1.12, 1.12};
    if (variant_ == "vof200") return {1.04, 1.04};
    return {};
  }

  double end_time() const override { return kRevolution; }

  void initial(Points points, int, std::span<double> values) const override {
    evaluate(points, values, [this](double x, double y) { return disk_.at(x, y); });
  }

  std::vector<PublishedValue> published_values() const override {
    if (variant_ == "thesis") return of_thesis();
    if (variant_ == "vof200") return of_vof_literature();
    return {};
  }

 private:
  std::string variant_;
  SlottedDisk disk_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Zalesak)
