#include "conformance/patch_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/core.h>

namespace kumiko::plugin::conformance {

namespace {

using amr::kPatchSize;

/// The value of the guards, which no arithmetic gives.
constexpr std::uint64_t kCanary = 0xC0DEC0DEC0DEC0DEULL;

}  // namespace

Place::Place(const Subject& subject, int first_i, int first_j, double spacing)
    : first_i_(first_i), first_j_(first_j), spacing_(spacing) {
  const double offset = subject.is_cell_centred() ? 0.5 : 0.0;
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      const auto at = static_cast<std::size_t>(j * kPatchSize + i);
      x_[at] = (first_i + i + offset) * spacing;
      y_[at] = (first_j + j + offset) * spacing;
    }
  }
}

Guarded::Guarded(std::size_t count, std::size_t guard)
    : guard_(guard), bits_(kCanary), memory_(count + 2 * guard, std::bit_cast<double>(kCanary)) {}

void Guarded::fill_guards(std::uint64_t bits) {
  bits_ = bits;
  std::fill_n(memory_.begin(), guard_, std::bit_cast<double>(bits));
  std::fill_n(memory_.rbegin(), guard_, std::bit_cast<double>(bits));
}

int Guarded::written() const {
  const auto is_written = [this](double value) {
    return std::bit_cast<std::uint64_t>(value) != bits_;
  };
  const auto end = memory_.end();
  const auto guard = static_cast<std::ptrdiff_t>(guard_);
  return static_cast<int>(std::count_if(memory_.begin(), memory_.begin() + guard, is_written) +
                          std::count_if(end - guard, end, is_written));
}

PatchStep::PatchStep(const Subject& subject, const Place& place, const Values& values,
                     int components, std::size_t guard)
    : before_values(amr::PatchView::size(components, subject.traits.ghosts + kSpareLayers), guard),
      after_values(before_values.values().size(), guard),
      coefficient_values(subject.solver->coefficients(), guard),
      flux_values(amr::FaceFluxes::size(components), guard),
      rate_values(before_values.values().size(), guard),
      subject_(subject),
      place_(place),
      components_(components),
      layers_(subject.traits.ghosts + kSpareLayers) {
  for_view(before(), layers_,
           [&](int i, int j, int component, double& value) { value = values(i, j, component); });
}

void PatchStep::poison(int first, double poison) {
  const auto layer = [](int i) { return std::max(-i, i - kPatchSize + 1); };
  for_view(before(), layers_, [&](int i, int j, int /*component*/, double& value) {
    if (std::max(layer(i), layer(j)) >= first) value = poison;
  });
}

double PatchStep::prepare(const amr::Case& problem, double dt) {
  const amr::Solver& solver = *subject_.solver;
  const double cfl = solver.prepare(problem, place_.points(), 0.0, dt, coefficient_values.values());
  if (!subject_.traits.nonlinear || !(cfl >= 0.0)) return cfl;
  return std::max(cfl, solver.state_cfl(before(), coefficients()));
}

double PatchStep::rescale(const amr::Case& problem, double other_time, double other_dt, double dt) {
  const amr::Solver& solver = *subject_.solver;
  solver.prepare(problem, place_.points(), other_time, other_dt, coefficient_values.values());
  const double cfl = solver.rescale(problem, 0.0, dt, coefficient_values.values());
  if (!subject_.traits.nonlinear || !(cfl >= 0.0)) return cfl;
  return std::max(cfl, solver.state_cfl(before(), coefficients()));
}

/// Searches by proportion, which departure schemes need not quite keep to, and by halving, in
/// turns.
double PatchStep::prepare_for(const amr::Case& problem, double target) {
  double below = 0.0;
  double above = std::numeric_limits<double>::infinity();
  double dt = 0.1 * place_.points().spacing;
  double cfl = 0.0;
  for (int attempt = 0; attempt < 120; ++attempt) {
    cfl = prepare(problem, dt);
    if (!std::isfinite(cfl) || cfl <= 0.0) break;
    if (cfl <= target && cfl >= target * (1.0 - 1e-9)) return dt;
    (cfl <= target ? below : above) = dt;
    const bool is_bracketed = below > 0.0 && std::isfinite(above);
    const double proportional = dt * (target / cfl) * (1.0 - 1e-11);
    const bool is_useful = proportional > below && proportional < above && attempt % 2 == 0;
    dt = is_bracketed && !is_useful ? std::sqrt(below * above) : proportional;
  }
  throw std::runtime_error(
      fmt::format("no step gives the CFL number {:g}: the last one tried, {:g}, gave {:g}; the "
                  "number must grow with the step in a flow that does not rest",
                  target, dt, cfl));
}

void PatchStep::advance_list() {
  amr::PatchAdvance one{before(), coefficients(), after()};
  if (subject_.traits.flux_form) one.fluxes = fluxes();
  subject_.solver->advance_list(std::span(&one, 1));
}

std::vector<double> PatchStep::outputs() {
  std::vector<double> values;
  advance();
  append(after(), 0, values);
  if (subject_.traits.flux_form) {
    advance_with_fluxes();
    append(after(), 0, values);
    const std::span<const double> through = flux_values.values();
    values.insert(values.end(), through.begin(), through.end());
  }
  if (subject_.traits.tendency) {
    find_rates(kTendencyRange);
    append(rates(), amr::kTendencyGhosts, values);
  }
  return values;
}

Guarded roomy_coefficients(const Subject& subject) {
  return Guarded(subject.solver->coefficients(), amr::kMostCoefficients);
}

double prepare_short_step(const Subject& subject, const Place& place, const amr::Case& problem,
                          Guarded& coefficients) {
  return subject.solver->prepare(problem, place.points(), 0.0, 0.1 * kSpacing,
                                 coefficients.values());
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

PatchStep::Values rough_values(const Subject& subject) {
  return [&subject](int i, int j, int component) {
    return subject.value(component, noise(i, j, component));
  };
}

PatchStep::Values smooth_values(const Subject& subject) {
  return [&subject](int i, int j, int component) {
    return subject.value(component, std::sin(0.3 * i + component) * std::cos(0.2 * j));
  };
}

void append(amr::PatchView view, int layers, std::vector<double>& values) {
  for_view(view, layers, [&](int, int, int, double value) { values.push_back(value); });
}

double largest_difference(amr::PatchView a, amr::PatchView b,
                          const std::function<std::array<int, 2>(int, int)>& map) {
  double largest = 0.0;
  for_view(a, 0, [&](int i, int j, int component, double value) {
    const auto [ib, jb] = map(i, j);
    raise(largest, std::abs(value - b(ib, jb, component)));
  });
  return largest;
}

}  // namespace kumiko::plugin::conformance
