// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "kernel.hpp"
#include "rows.hpp"

namespace kumiko::solvers::upwind3 {

namespace {

using flux_form::kCells;

/// Values of cells or of their lower faces -5 .. 22 by -5 .. 21 of a patch, x fastest.
struct Plane {
  static constexpr int kReach = kMargins[0] + 1;
  static constexpr std::ptrdiff_t kStride = 28;
  double values[(kCells + 2 * kReach + 1) * kStride];

  double* row(int j) { return values + (j + kReach) * kStride + kReach; }
  const double* row(int j) const { return values + (j + kReach) * kStride + kReach; }
};

/// Fluxes of one stage through the lower faces of cells.
struct StageFluxes {
  Plane x;
  Plane y;
};

/// Means of u over a row of faces: the upwind quadratic's, on differences, so that constants are
/// kept.
/// \param u     the cells above the faces
/// \param step  from a cell to the next across the face
template <int Count>
void mean_row(const double* u, std::ptrdiff_t step, const double* v, double* __restrict means) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    const double farther_below = u[i - 2 * step];
    const double below = u[i - step];
    const double above = u[i];
    const double farther_above = u[i + step];
    const double jump = above - below;
    const double from_below = below + (1.0 / 6.0) * (2.0 * jump + (below - farther_below));
    const double from_above = above - (1.0 / 6.0) * (2.0 * jump + (farther_above - above));
    means[i] = v[i] >= 0.0 ? from_below : from_above;
  }
}

/// Mean fluxes through a row of faces, as Courant numbers × u.
/// \param along, along_v  from a face to the next along it, in the means and in v
template <int Count>
void flux_row(const double* means, std::ptrdiff_t along, const double* v, std::ptrdiff_t along_v,
              double* __restrict fluxes) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    const double shear = v[i + along_v] - v[i - along_v];
    fluxes[i] = v[i] * means[i] + (1.0 / 48.0) * (shear * (means[i + along] - means[i - along]));
  }
}

/// The fluxes of the cells within `Margin` layers, from cells within two layers more.
template <int Margin>
void stage_fluxes(const double* u, std::ptrdiff_t stride, const StageFaces& v,
                  StageFluxes& fluxes) {
  constexpr int kFaces = kCells + 1 + 2 * Margin;
  constexpr int kEnd = kCells + Margin;
  Plane means;
  for (int j = -Margin - 1; j <= kEnd; ++j) {
    mean_row<kFaces>(u + j * stride - Margin, 1, v.x + j * v.x_stride - Margin,
                     means.row(j) - Margin);
  }
  for (int j = -Margin; j < kEnd; ++j) {
    flux_row<kFaces>(means.row(j) - Margin, Plane::kStride, v.x + j * v.x_stride - Margin,
                     v.x_stride, fluxes.x.row(j) - Margin);
  }
  for (int j = -Margin; j <= kEnd; ++j) {
    mean_row<kFaces + 1>(u + j * stride - Margin - 1, stride, v.y + j * v.y_stride - Margin - 1,
                         means.row(j) - Margin - 1);
  }
  for (int j = -Margin; j <= kEnd; ++j) {
    flux_row<kFaces - 1>(means.row(j) - Margin, 1, v.y + j * v.y_stride - Margin, 1,
                         fluxes.y.row(j) - Margin);
  }
}

/// The Courant numbers of a stage's faces, in `x` and `y` where they have to be scaled.
template <int Margin>
StageFaces scaled(const StageFaces& faces, Plane& x, Plane& y) {
  if (!faces.is_scaled) return faces;
  constexpr int kFaces = kCells + 1 + 2 * Margin;
  constexpr int kEnd = kCells + Margin;
  for (int j = -Margin - 1; j <= kEnd; ++j) {
    const double* const from = faces.x + j * faces.x_stride - Margin;
    double* __restrict const to = x.row(j) - Margin;
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kFaces; ++i) to[i] = faces.scale * from[i];
  }
  for (int j = -Margin; j <= kEnd; ++j) {
    const double* const from = faces.y + j * faces.y_stride - Margin - 1;
    double* __restrict const to = y.row(j) - Margin - 1;
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kFaces + 1; ++i) to[i] = faces.scale * from[i];
  }
  return {x.row(0), Plane::kStride, y.row(0), Plane::kStride, false, 1.0};
}

/// The gains of a row of cells.
struct Gains {
  const double* x;
  const double* south;
  const double* north;
  double operator()(int i) const { return (x[i] - x[i + 1]) + (south[i] - north[i]); }
};

Gains gains_of(const StageFluxes& fluxes, int j) {
  return {fluxes.x.row(j), fluxes.y.row(j), fluxes.y.row(j + 1)};
}

/// Sets `sum`, on the faces of the patch's cells, to scale × (sum + weight × the stage's).
void add(const StageFluxes& stage, double weight, double scale, flux_form::Fluxes& sum) {
  for (int j = 0; j <= kCells; ++j) {
    double* const x = sum.x.row(j);
    double* const y = sum.y.row(j);
    const double* const of_x = stage.x.row(j);
    const double* const of_y = stage.y.row(j);
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kCells; ++i) y[i] = scale * (y[i] + weight * of_y[i]);
    if (j == kCells) break;
    KUMIKO_INDEPENDENT
    for (int i = 0; i <= kCells; ++i) x[i] = scale * (x[i] + weight * of_x[i]);
  }
}

void copy(const StageFluxes& stage, flux_form::Fluxes& sum) {
  for (int j = 0; j <= kCells; ++j) {
    for (int i = 0; i < kCells; ++i) sum.y.row(j)[i] = stage.y.row(j)[i];
    if (j == kCells) break;
    for (int i = 0; i <= kCells; ++i) sum.x.row(j)[i] = stage.x.row(j)[i];
  }
}

}  // namespace

void KUMIKO_KERNEL_NAME(const Step& step) {
  Plane state;
  Plane x;
  Plane y;
  StageFluxes stage;
  const auto start = [&](int j) { return step.before + j * step.before_stride; };

  stage_fluxes<kMargins[0]>(step.before, step.before_stride,
                            scaled<kMargins[0]>(step.faces[0], x, y), stage);
  copy(stage, *step.fluxes);
  for (int j = -kMargins[0]; j < kCells + kMargins[0]; ++j) {
    const double* const u = start(j);
    const Gains gain = gains_of(stage, j);
    double* __restrict const now = state.row(j);
    KUMIKO_INDEPENDENT
    for (int i = -kMargins[0]; i < kCells + kMargins[0]; ++i) now[i] = u[i] + gain(i);
  }

  stage_fluxes<kMargins[1]>(state.row(0), Plane::kStride, scaled<kMargins[1]>(step.faces[1], x, y),
                            stage);
  add(stage, 1.0, 1.0, *step.fluxes);
  for (int j = -kMargins[1]; j < kCells + kMargins[1]; ++j) {
    const double* const u = start(j);
    const Gains gain = gains_of(stage, j);
    double* const now = state.row(j);
    KUMIKO_INDEPENDENT
    for (int i = -kMargins[1]; i < kCells + kMargins[1]; ++i) {
      now[i] = u[i] + 0.25 * ((now[i] - u[i]) + gain(i));
    }
  }

  stage_fluxes<kMargins[2]>(state.row(0), Plane::kStride, scaled<kMargins[2]>(step.faces[2], x, y),
                            stage);
  add(stage, 4.0, 1.0 / 6.0, *step.fluxes);
  for (int j = 0; j < kCells; ++j) {
    const double* const u = start(j);
    const Gains gain{step.fluxes->x.row(j), step.fluxes->y.row(j), step.fluxes->y.row(j + 1)};
    double* const after = step.after + j * step.after_stride;
    KUMIKO_INDEPENDENT
    for (int i = 0; i < kCells; ++i) after[i] = u[i] + gain(i);
  }
}

}  // namespace kumiko::solvers::upwind3
