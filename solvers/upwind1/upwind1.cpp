// The whole of a solver: a class that says what it needs, prepares each patch, and advances it.
#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

namespace {

using namespace kumiko::plugin;
namespace amr = kumiko::amr;

/// A patch's coefficients: the spacing, then the Courant numbers v Δt/h of its faces.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kCourant = 1;

class Upwind1Solver final : public amr::Solver {
 public:
  /// What `kumiko solver list` shows and the configuration offers. Parameters would stand in the
  /// braces.
  static amr::Description describe() {
    return {"upwind1", "first-order upwind (donor cell) advection of cell averages", {}};
  }

  /// What the engine needs to know before it lays out memory and chooses steps.
  explicit Upwind1Solver(const amr::ParameterSet&) {
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = 1;
    traits_.cfl_limit = 1.0;
    traits_.order = 1.0;
    traits_.flux_form = true;
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCourant + face_values(0); }

  /// Once per patch for a steady velocity, else before each of its steps.
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const std::span<double> courant = coefficients.subspan(kCourant);
    coefficients[kSpacing] = patch.spacing;
    fill_face_velocities(problem, patch, time, dt, 0, courant);
    return cfl_number(courant, 0);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    for (int c = 0; c < before.components(); ++c) step(before, coefficients, c, after);
  }

  /// Advances as advance() does, and gives the fluxes: called where the mesh changes its spacing
  /// beside the patch or may do so.
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    for (int c = 0; c < before.components(); ++c) {
      step(before, coefficients, c, after).store(coefficients[kSpacing], c, fluxes);
    }
  }

 private:
  /// What flows through the face between two cells.
  static double donor(double courant, double lower, double upper) {
    return courant * (courant >= 0.0 ? lower : upper);
  }

  /// One step of one component; returns what has flowed.
  static PatchFluxes step(amr::ConstPatchView u, std::span<const double> coefficients, int c,
                          amr::PatchView after) {
    const Faces vx = faces_x(&coefficients[kCourant], 0);
    const Faces vy = faces_y(&coefficients[kCourant], 0);
    const PatchFluxes flux(
        [&](int i, int j) { return donor(vx(i, j), u(i - 1, j, c), u(i, j, c)); },
        [&](int i, int j) { return donor(vy(i, j), u(i, j - 1, c), u(i, j, c)); });
    flux.add_to(u, c, after);
    return flux;
  }

  amr::SolverTraits traits_;
};

}  // namespace

KUMIKO_PLUGIN(Upwind1Solver)
