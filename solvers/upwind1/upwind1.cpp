// The whole of a solver: a class that says what it needs, prepares each patch, and advances it.
#include <kumiko/solvers/face_velocities.hpp>
#include <kumiko/solvers/patch_fluxes.hpp>
#include <kumiko/solvers/plugin.hpp>

namespace {

using namespace kumiko::solvers;
namespace amr = kumiko::amr;

/// A patch's coefficients: the spacing, then the Courant numbers v Δt/h of its faces.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kCourant = 1;

class Upwind1 final : public amr::Solver {
 public:
  /// What `kumiko solver list` shows and the configuration offers. Parameters stand in the braces.
  static amr::Description describe() {
    return {"upwind1", "first-order upwind (donor cell) advection of cell averages", {}};
  }

  /// What the engine needs to know before it lays out memory and chooses steps.
  explicit Upwind1(const amr::ParameterSet&) {
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
    for (int c = 0; c < before.components(); ++c) {
      fluxes_of(before, coefficients, c).advance(before, after, c);
    }
  }

  /// The same, where the spacing may change beside the patch: what leaves it enters the next.
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    for (int c = 0; c < before.components(); ++c) {
      const PatchFluxes through_faces = fluxes_of(before, coefficients, c);
      through_faces.advance(before, after, c);
      through_faces.store(coefficients[kSpacing], fluxes, c);
    }
  }

 private:
  /// Through each face flows what the cell upwind of it holds.
  static PatchFluxes fluxes_of(amr::ConstPatchView u, std::span<const double> coefficients, int c) {
    const Faces vx = faces_x(&coefficients[kCourant], 0);
    const Faces vy = faces_y(&coefficients[kCourant], 0);
    PatchFluxes fluxes;
    for (int j = 0; j <= amr::kPatchSize; ++j) {
      for (int i = 0; i <= amr::kPatchSize; ++i) {
        if (j < amr::kPatchSize) fluxes.x[j][i] = vx(i, j) * u(vx(i, j) > 0.0 ? i - 1 : i, j, c);
        if (i < amr::kPatchSize) fluxes.y[j][i] = vy(i, j) * u(i, vy(i, j) > 0.0 ? j - 1 : j, c);
      }
    }
    return fluxes;
  }

  amr::SolverTraits traits_;
};

}  // namespace

KUMIKO_PLUGIN(Upwind1)
