#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sampling.hpp"

namespace kumiko::amr {

namespace {

/// Calls visit(i, j) for the leaf points of a patch, quadrant by quadrant.
template <class Visit>
void for_each_leaf(const Patch& patch, Visit visit) {
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    if (patch.children[static_cast<std::size_t>(quadrant)] >= 0) continue;
    const int i0 = kQuadrantSize * (quadrant & 1);
    const int j0 = kQuadrantSize * (quadrant >> 1);
    for (int j = j0; j < j0 + kQuadrantSize; ++j) {
      for (int i = i0; i < i0 + kQuadrantSize; ++i) visit(i, j);
    }
  }
}

/// Figures of every patch in parallel, joined in canonical order, so that the bits do not depend on
/// who computed them.
template <class Part, class Compute, class Join>
void reduce(const Hierarchy& hierarchy, Backend& backend, Compute compute, Join join) {
  backend.run([&] {
    for (int index = 0; index < hierarchy.max_levels(); ++index) {
      const Level& level = hierarchy.level(index);
      std::vector<Part> parts(level.size());
      backend.for_each(level,
                       [&](std::size_t slot, int) { compute(level.patch(slot), parts[slot]); });
      for (const Part& part : parts) join(part);
    }
  });
}

double point_area(const Hierarchy& hierarchy, const Patch& patch) {
  const double h = hierarchy.geometry().spacing(patch.id().level);
  return h * h;
}

struct FigurePart {
  double sum = 0.0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

struct ErrorPart {
  double square = 0.0;
  double absolute = 0.0;
  double exact = 0.0;
  double area = 0.0;
  double largest = 0.0;
};

ErrorPart error_part(const Patch& patch, double area, std::span<const double> exact) {
  ErrorPart part;
  for_each_leaf(patch, [&](int i, int j) {
    const double reference = exact[static_cast<std::size_t>(j * kPatchSize + i)];
    const double error = patch.now()(i, j) - reference;
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
  FigurePart total;
  reduce<FigurePart>(
      hierarchy, backend,
      [&](const Patch& patch, FigurePart& part) {
        for_each_leaf(patch, [&](int i, int j) {
          const double u = patch.now()(i, j);
          part.sum += u;
          part.minimum = std::min(part.minimum, u);
          part.maximum = std::max(part.maximum, u);
          part.finite = part.finite && std::isfinite(u);
        });
        part.sum *= point_area(hierarchy, patch);
      },
      [&](const FigurePart& part) {
        total.sum += part.sum;
        total.minimum = std::min(total.minimum, part.minimum);
        total.maximum = std::max(total.maximum, part.maximum);
        total.finite = total.finite && part.finite;
      });
  return {total.sum, total.minimum, total.maximum, total.finite};
}

std::optional<ErrorNorms> error_norms(const Hierarchy& hierarchy, const Case& problem, double time,
                                      Backend& backend) {
  ErrorPart total;
  std::atomic<bool> known = true;
  reduce<ErrorPart>(
      hierarchy, backend,
      [&](const Patch& patch, ErrorPart& part) {
        std::array<double, kPatchPoints> exact;
        const auto solution = [&](Points points, std::span<double> values) {
          return problem.exact(points, 0, time, values);
        };
        if (!sample_patch(hierarchy.geometry(), patch.id(), solution, exact)) {
          known.store(false, std::memory_order_relaxed);
          return;
        }
        part = error_part(patch, point_area(hierarchy, patch), exact);
      },
      [&](const ErrorPart& part) {
        total.square += part.square;
        total.absolute += part.absolute;
        total.exact += part.exact;
        total.area += part.area;
        total.largest = std::max(total.largest, part.largest);
      });
  // Relaxed suffices: the end of the parallel loop orders the stores before this load.
  if (!known.load(std::memory_order_relaxed)) return std::nullopt;
  return ErrorNorms{std::sqrt(total.square / total.area),
                    total.exact > 0.0 ? total.absolute / total.exact : 0.0, total.absolute,
                    total.largest};
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
