// Fluxes and tendencies against the change that advance() makes.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::FaceAxis;
using amr::kPatchSize;
using amr::kQuadrantSize;

/// What flows through the half of a line that borders on a quadrant.
double through(amr::FaceFluxes fluxes, FaceAxis axis, int line, int half, int component) {
  const double* const faces = fluxes.line(axis, line, component) + half * kQuadrantSize;
  double sum = 0.0;
  for (int k = 0; k < kQuadrantSize; ++k) sum += faces[k];
  return sum;
}

/// The largest difference between a quadrant's gain and its fluxes, over the quadrant's content.
double imbalance(PatchStep& step) {
  double largest = 0.0;
  const amr::FaceFluxes fluxes = step.fluxes();
  for (int component = 0; component < step.components(); ++component) {
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const int qi = quadrant & 1;
      const int qj = quadrant >> 1;
      const auto part = [&](amr::ConstPatchView view) {
        return view.interior(component).block<kQuadrantSize, kQuadrantSize>(kQuadrantSize * qj,
                                                                            kQuadrantSize * qi);
      };
      const double gain = part(step.after()).sum() - part(step.before()).sum();
      const double net = through(fluxes, FaceAxis::kX, qi, qj, component) -
                         through(fluxes, FaceAxis::kX, qi + 1, qj, component) +
                         through(fluxes, FaceAxis::kY, qj, qi, component) -
                         through(fluxes, FaceAxis::kY, qj + 1, qi, component);
      const double content = part(step.before()).abs().sum();
      raise(largest, std::abs(gain - net / kSpacing) / content);
    }
  }
  return largest;
}

constexpr int kCells = 64;  ///< of the periodic unit square along an axis
static_assert(kCells * kSpacing == 1.0);

/// A patch of a periodic level that holds noise, after a step of `dt` with fluxes.
PatchStep step_at(const Subject& subject, const Flow& flow, double dt, int first_i, int first_j) {
  const auto values = [&, of_level = rough_values(subject)](int i, int j, int component) {
    return of_level((first_i + i + kCells) % kCells, (first_j + j + kCells) % kCells, component);
  };
  PatchStep step(subject, Place(subject, first_i, first_j), values);
  step.prepare(flow, dt);
  step.advance_with_fluxes();
  return step;
}

/// Faces between a patch and the next one along an axis to which the two give other bits.
int differing_faces(FaceAxis axis, PatchStep& here, PatchStep& next) {
  int count = 0;
  for (int component = 0; component < here.components(); ++component) {
    const double* const mine = here.fluxes().line(axis, 2, component);
    const double* const theirs = next.fluxes().line(axis, 0, component);
    for (int k = 0; k < kPatchSize; ++k) {
      count += same_bits({mine + k, 1}, {theirs + k, 1}) ? 0 : 1;
    }
  }
  return count;
}

/// Such faces between a patch from cell (16, 32) on and its right and upper neighbours.
int differing_within(const Subject& subject, const Flow& flow, double dt, PatchStep& here) {
  PatchStep right = step_at(subject, flow, dt, 32, 32);
  PatchStep above = step_at(subject, flow, dt, 16, 48);
  return differing_faces(FaceAxis::kX, here, right) + differing_faces(FaceAxis::kY, here, above);
}

/// Such faces between patches on both sides of the level's seams.
int differing_across_seams(const Subject& subject, const Flow& flow, double dt) {
  if (!flow.periodic) return 0;
  constexpr int kLast = kCells - kPatchSize;
  PatchStep left = step_at(subject, flow, dt, 0, 32);
  PatchStep right = step_at(subject, flow, dt, kLast, 32);
  PatchStep bottom = step_at(subject, flow, dt, 16, 0);
  PatchStep top = step_at(subject, flow, dt, 16, kLast);
  return differing_faces(FaceAxis::kX, right, left) + differing_faces(FaceAxis::kY, top, bottom);
}

/// Whether advance() alone gives the bits of the step with fluxes.
bool bits_are_those_of_advance(PatchStep& step) {
  std::vector<double> with_fluxes;
  append(step.after(), 0, with_fluxes);
  step.advance();
  std::vector<double> alone;
  append(step.after(), 0, alone);
  return same_bits(with_fluxes, alone);
}

}  // namespace

Finding check_fluxes(Subject& subject) {
  if (!subject.traits.flux_form) return skipped("no flux form declared");
  const Place place(subject);
  double largest = 0.0;
  int faces = 0;
  int across_seams = 0;
  int other_bits = 0;
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    PatchStep guess(subject, place, rough_values(subject));
    // Neighbours' numbers may be larger: twice as large in the rotation.
    const double dt = 0.25 * guess.prepare_for(flow, subject.traits.cfl_limit);
    PatchStep step = step_at(subject, flow, dt, 16, 32);
    largest = std::max(largest, imbalance(step));
    faces += differing_within(subject, flow, dt, step);
    across_seams += differing_across_seams(subject, flow, dt);
    other_bits += bits_are_those_of_advance(step) ? 0 : 1;
  }
  const Numbers numbers = {{"imbalance", largest},
                           {"differing_faces", faces},
                           {"differing_faces_across_seams", across_seams},
                           {"runs_with_other_bits", other_bits}};
  Complaints faults;
  complain_if(
      !(largest <= 1e-12), faults,
      "a quadrant's change differs from what its fluxes bring by {:.2e} of its content; a flux "
      "is in units of u × length, and the change is (west - east + south - north) / spacing",
      largest);
  complain_if(faces > 0, faults,
              "neighbours disagree on {} of their common faces; compute a face from what both see, "
              "in one order",
              faces);
  complain_if(across_seams > 0, faults,
              "patches on both sides of a periodic seam disagree on {} of their common faces; ask "
              "the case at the place that a face stands for, as fill_face_velocities() does",
              across_seams);
  complain_if(other_bits > 0, faults,
              "advance() and advance_with_fluxes() give different bits; let one call the other's "
              "arithmetic");
  if (!faults.empty()) return failed(numbers, "{}", fmt::join(faults, "; "));
  return passed(numbers,
                "fluxes make the change to {:.1e}, neighbours agree bit for bit, across seams too",
                largest);
}

namespace {

/// The largest difference between the change of a step and the tendency, over the largest change.
double tendency_error(const Subject& subject, const Flow& flow, double cfl) {
  PatchStep step(subject, Place(subject), smooth_values(subject));
  step.prepare_for(flow, cfl);
  step.advance();
  step.find_rates({0, kPatchSize, 0, kPatchSize});
  double error = 0.0;
  double largest = 0.0;
  for (int component = 0; component < step.components(); ++component) {
    const auto change =
        (step.after().interior(component) - step.before().interior(component)).eval();
    const auto difference = (change - step.rates().interior(component)).abs();
    raise(error, difference.maxCoeff<Eigen::PropagateNaN>());
    largest = std::max(largest, change.abs().maxCoeff());
  }
  return error / largest;
}

/// Whether a tendency that is computed part by part has the bits of the whole one.
bool parts_have_the_bits_of_the_whole(const Subject& subject, const Flow& flow) {
  PatchStep step(subject, Place(subject), rough_values(subject));
  step.prepare_for(flow, subject.traits.cfl_limit);
  const auto rates_of = [&](std::initializer_list<amr::PointRange> ranges) {
    std::ranges::fill(step.rate_values.values(), 0.0);
    for (const amr::PointRange& range : ranges) step.find_rates(range);
    std::vector<double> values;
    append(step.rates(), amr::kTendencyGhosts, values);
    return values;
  };
  return same_bits(
      rates_of({kTendencyRange}),
      rates_of({{-2, 5, -2, 18}, {5, 18, -2, 3}, {5, 6, 3, 18}, {6, 18, 3, 17}, {6, 18, 17, 18}}));
}

}  // namespace

Finding check_tendency(Subject& subject) {
  if (!subject.traits.tendency) return skipped("no tendency declared");
  const Place place(subject);
  constexpr double kLong = 1e-3;
  constexpr double kShort = 1e-4;
  double of_long = 0.0;
  double of_short = 0.0;
  bool ranges_agree = true;
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    of_long = std::max(of_long, tendency_error(subject, flow, kLong));
    of_short = std::max(of_short, tendency_error(subject, flow, kShort));
    ranges_agree = ranges_agree && parts_have_the_bits_of_the_whole(subject, flow);
  }
  const Numbers numbers = {{"error_at_cfl_1e-3", of_long},
                           {"error_at_cfl_1e-4", of_short},
                           {"ranges_agree", ranges_agree ? 1.0 : 0.0}};
  const std::string text = fmt::format(
      "differs from the change of a step by {:.1e} of it at CFL {:g}, by {:.1e} at {:g}", of_long,
      kLong, of_short, kShort);
  // First order: a tenth of the step, a tenth of the error, but for round-off.
  const bool is_first_order = of_short <= std::max(0.2 * of_long, 1e-8) && of_short <= 0.01;
  // Beyond what two approximations of smooth data's derivative differ by, limiters included.
  if (of_short > 0.25) {
    return failed(numbers, "{}; it is to be the step times the derivative at the step's start",
                  text);
  }
  if (!ranges_agree) {
    return failed(numbers,
                  "the bits of a point depend on the range that is asked for; use one order of "
                  "arithmetic for each point");
  }
  if (!is_first_order) {
    return noted(numbers, "{}: an approximation of its own; the same bits in any range", text);
  }
  return passed(numbers, "{}; the same bits in any range", text);
}

}  // namespace kumiko::plugin::conformance
