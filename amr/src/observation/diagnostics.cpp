#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "transfer/sampling.hpp"

namespace kumiko::amr {

namespace {

/// A patch, and which of its quadrants are covered.
struct PartlyCovered {
  const Patch& patch;
  unsigned covered;
};

/// Calls visit(i, j) for the leaf points of a patch, quadrant by quadrant, for whole patches too:
/// so a sum has the same order wherever its neighbours are refined.
template <class Visit>
void for_each_leaf(const PartlyCovered& part, Visit visit) {
  for_each_leaf_quadrant<2>(part.covered, [&](int quadrant) {
    const int i0 = quadrant_begin(quadrant, 0);
    const int j0 = quadrant_begin(quadrant, 1);
    for (int j = j0; j < j0 + kQuadrantSize; ++j) {
      for (int i = i0; i < i0 + kQuadrantSize; ++i) visit(i, j);
    }
  });
}

/// Figures of each component: of every patch in parallel, joined in canonical order, so that the
/// bits do not depend on who computed them.
/// \param compute  fills the parts of a patch's components
template <class Part, class Compute>
std::vector<Part> reduce(const Hierarchy& hierarchy, Backend& backend, Compute compute) {
  const auto components = static_cast<std::size_t>(hierarchy.shape().components);
  std::vector<Part> total(components);
  backend.run([&] {
    for (int index = 0; index < hierarchy.max_levels(); ++index) {
      const Level& level = hierarchy.level(index);
      const std::vector<std::uint8_t> covered = hierarchy.mesh().covered_quadrants(index);
      std::vector<Part> parts(level.size() * components);
      backend.for_each(level, [&](std::size_t slot, int) {
        compute({level.patch(slot), covered[slot]},
                std::span(parts).subspan(slot * components, components));
      });
      for (std::size_t at = 0; at < parts.size(); ++at) total[at % components] += parts[at];
    }
  });
  return total;
}

/// The figures of all components together, and of each where there are several.
template <class Figures, class Part>
Figures figures_of(const std::vector<Part>& parts) {
  Part all;
  for (const Part& part : parts) all += part;
  Figures figures = all.figures();
  if (parts.size() < 2) return figures;
  for (const Part& part : parts) figures.components.push_back(part.figures());
  return figures;
}

double point_area(const Hierarchy& hierarchy, const Patch& patch) {
  const double h = hierarchy.geometry().spacing(patch.id().level);
  return h * h;
}

struct FigurePart {
  double sum = 0.0;
  double absolute = 0.0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  bool finite = true;

  FigurePart& operator+=(const FigurePart& other) {
    sum += other.sum;
    absolute += other.absolute;
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    finite = finite && other.finite;
    return *this;
  }
  FieldFigures figures() const { return {sum, minimum, maximum, finite, {}, absolute}; }
};

FigurePart figure_part(const PartlyCovered& leaves, int component, double area) {
  FigurePart part;
  const ConstPatchView field = leaves.patch.now();
  for_each_leaf(leaves, [&](int i, int j) {
    const double u = field(i, j, component);
    part.sum += u;
    part.absolute += std::abs(u);
    part.minimum = std::min(part.minimum, u);
    part.maximum = std::max(part.maximum, u);
    part.finite = part.finite && std::isfinite(u);
  });
  part.sum *= area;
  part.absolute *= area;
  return part;
}

struct ErrorPart {
  double square = 0.0;
  double absolute = 0.0;
  double exact = 0.0;
  double area = 0.0;
  double largest = 0.0;

  ErrorPart& operator+=(const ErrorPart& other) {
    square += other.square;
    absolute += other.absolute;
    exact += other.exact;
    area += other.area;
    largest = std::max(largest, other.largest);
    return *this;
  }
  ErrorNorms figures() const {
    return {std::sqrt(square / area), exact == 0.0 ? 0.0 : absolute / exact, absolute, largest};
  }
};

ErrorPart error_part(const PartlyCovered& leaves, int component, double area,
                     std::span<const double> exact) {
  ErrorPart part;
  const ConstPatchView field = leaves.patch.now();
  for_each_leaf(leaves, [&](int i, int j) {
    const double reference = exact[static_cast<std::size_t>(j * kPatchSize + i)];
    const double error = field(i, j, component) - reference;
    part.square += error * error;
    part.absolute += std::abs(error);
    part.exact += std::abs(reference);
    part.area += 1.0;
    part.largest = std::max(part.largest, std::abs(error));
  });
  part.square *= area;
  part.absolute *= area;
  part.exact *= area;
  part.area *= area;
  return part;
}

}  // namespace

FieldFigures field_figures(const Hierarchy& hierarchy, Backend& backend) {
  return figures_of<FieldFigures>(reduce<FigurePart>(
      hierarchy, backend, [&](const PartlyCovered& leaves, std::span<FigurePart> parts) {
        const double area = point_area(hierarchy, leaves.patch);
        int component = 0;
        for (FigurePart& part : parts) part = figure_part(leaves, component++, area);
      }));
}

std::optional<ErrorNorms> error_norms(const Hierarchy& hierarchy, const Case& problem, double time,
                                      Backend& backend) {
  std::atomic<bool> known = true;
  const auto compute = [&](const PartlyCovered& leaves, std::span<ErrorPart> parts) {
    const Patch& patch = leaves.patch;
    const double area = point_area(hierarchy, patch);
    std::array<double, kPatchPoints> exact;
    int component = 0;
    for (ErrorPart& part : parts) {
      const auto solution = [&](Points points, std::span<double> values) {
        return problem.exact(points, component, time, values);
      };
      if (!sample_patch(hierarchy.geometry(), patch.id(), solution, exact)) {
        known.store(false, std::memory_order_relaxed);
        return;
      }
      part = error_part(leaves, component++, area, exact);
    }
  };
  const std::vector<ErrorPart> parts = reduce<ErrorPart>(hierarchy, backend, compute);
  // Relaxed suffices: the end of the parallel loop orders the stores before this load.
  if (!known.load(std::memory_order_relaxed)) return std::nullopt;
  return figures_of<ErrorNorms>(parts);
}

std::string state_hash(const Hierarchy& hierarchy) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    for (const LeafBlock& block : hierarchy.leaf_blocks(index)) {
      const PatchId& id = block.patch->id();
      const std::array<std::int32_t, 4> place = {index, id.i * kPatchSize + block.i0,
                                                 id.j * kPatchSize + block.j0, block.size};
      XXH3_64bits_update(state.get(), place.data(), sizeof(place));
      const ConstPatchView values = block.patch->now();
      for (int component = 0; component < values.components(); ++component) {
        for (int j = block.j0; j < block.j0 + block.size; ++j) {
          XXH3_64bits_update(state.get(), &values(block.i0, j, component),
                             static_cast<std::size_t>(block.size) * sizeof(double));
        }
      }
    }
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

}  // namespace kumiko::amr
