// The whole of a solver: a class that says what it needs, prepares each patch, and advances it.
#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/patch_fluxes.hpp>
#include <kumiko/plugin/plugin.hpp>

namespace {

using namespace kumiko::plugin;
namespace amr = kumiko::amr;

/// Layers of ghost cells whose faces the scheme needs: none.
constexpr int kMargin = 0;

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
    traits_.rescales = true;
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  /// Of a patch: its spacing, and the Courant numbers v Δt/h of its faces.
  std::size_t coefficients() const override { return face_flow_values(kMargin); }

  /// Once per patch for a steady velocity, else before each of its steps.
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return fill_face_flow(problem, patch, time, dt, kMargin, coefficients);
  }

  /// Instead, before each further step in a flow that is a steady one times a factor of time.
  double rescale(const amr::Case& problem, double time, double dt,
                 std::span<double> coefficients) const override {
    return rescale_face_flow(problem, time, dt, coefficients);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    const FaceFlow<kMargin> flow(coefficients);
    for (int c = 0; c < before.components(); ++c) step(before, flow, c, after);
  }

  /// Advances as advance() does, and gives the fluxes: in runs with several levels this is called
  /// instead.
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    const FaceFlow<kMargin> flow(coefficients);
    for (int c = 0; c < before.components(); ++c) {
      step(before, flow, c, after).store(flow.spacing(), c, fluxes);
    }
  }

 private:
  /// What flows through the face between two cells.
  static double donor(double courant, double lower, double upper) {
    return courant * (courant >= 0.0 ? lower : upper);
  }

  /// One step of one component; returns what has flowed.
  static PatchFluxes step(amr::ConstPatchView u, const FaceFlow<kMargin>& flow, int c,
                          amr::PatchView after) {
    const Faces vx = flow.x();
    const Faces vy = flow.y();
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
