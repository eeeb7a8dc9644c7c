#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "observation/own_parts.hpp"
#include "observation/patch_error.hpp"
#include "transfer/sampling.hpp"

namespace kumiko::amr {

namespace {

/// The figures of all components together, and of each where there are several.
template <class Figures, class Figure>
Figures figures_of(const std::vector<Figure>& each) {
  Figure all;
  for (const Figure& figure : each) all += figure;
  Figures figures = all.figures();
  if (each.size() < 2) return figures;
  for (const Figure& figure : each) figures.components.push_back(figure.figures());
  return figures;
}

double point_area(const Geometry& geometry, const PatchId& id) {
  const double h = geometry.spacing(id.level);
  return h * h;
}

struct FieldFigure {
  double sum = 0.0;
  double absolute = 0.0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  bool finite = true;

  FieldFigure& operator+=(const FieldFigure& other) {
    sum += other.sum;
    absolute += other.absolute;
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    finite = finite && other.finite;
    return *this;
  }
  FieldFigures figures() const { return {sum, minimum, maximum, finite, {}, absolute}; }
};

FieldFigure field_figure(ConstPatchView field, unsigned covered, int component, double area) {
  FieldFigure part;
  for_each_leaf(covered, [&](int i, int j) {
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

/// A sum of squares that neither overflows nor vanishes: of the values over a power of two. The
/// bits are those of a plain sum where that does neither.
struct SquareSum {
  double sum = 0.0;  ///< of (value · 2^-exponent)²
  int exponent = std::numeric_limits<int>::min();

  /// The exponent for values of up to this magnitude; 2 to its power and to minus that are normal
  /// numbers.
  static int exponent_for(double largest) {
    constexpr int kMost = 1000;
    return std::isfinite(largest) ? std::clamp(std::ilogb(largest), -kMost, kMost) : kMost;
  }
  SquareSum& operator+=(const SquareSum& other) {
    const int common = std::max(exponent, other.exponent);
    sum = at(common) + other.at(common);
    exponent = common;
    return *this;
  }
  /// The root of the sum over a number.
  double root_over(double number) const {
    return sum == 0.0 ? 0.0 : std::scalbn(std::sqrt(sum / number), exponent);
  }

 private:
  double at(int common) const {
    return sum == 0.0 ? 0.0 : std::scalbn(sum, 2 * (exponent - common));
  }
};

/// Sums are weighted by a point's share of one of level 0, a power of two.
struct ErrorFigure {
  SquareSum square = {};
  double absolute = 0.0;
  double exact = 0.0;
  double points = 0.0;
  double largest = 0.0;
  bool has_nan = false;
  double point_area = 0.0;  ///< of a point of level 0
  bool known = true;

  ErrorFigure& operator+=(const ErrorFigure& other) {
    square += other.square;
    absolute += other.absolute;
    exact += other.exact;
    points += other.points;
    largest = std::max(largest, other.largest);
    has_nan = has_nan || other.has_nan;
    point_area = std::max(point_area, other.point_area);
    known = known && other.known;
    return *this;
  }
  ErrorNorms figures() const {
    if (has_nan) {
      constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      return {kNan, kNan, kNan, kNan};
    }
    return {square.root_over(points), exact == 0.0 ? 0.0 : absolute / exact, absolute * point_area,
            largest};
  }
};

ErrorFigure error_figure(const PartlyCovered& leaves, int component,
                         std::span<const double> exact) {
  ErrorFigure part;
  const ConstPatchView field = leaves.patch.now();
  const auto reference = [&](int i, int j) {
    return exact[static_cast<std::size_t>(j * kPatchSize + i)];
  };
  for_each_leaf(leaves.covered, [&](int i, int j) {
    const double error = std::abs(field(i, j, component) - reference(i, j));
    part.absolute += error;
    part.exact += std::abs(reference(i, j));
    part.points += 1.0;
    part.largest = std::max(part.largest, error);
    part.has_nan = part.has_nan || std::isnan(error);
  });
  if (part.absolute != 0.0) {
    part.square.exponent = SquareSum::exponent_for(part.largest);
    const double scale = std::scalbn(1.0, -part.square.exponent);
    for_each_leaf(leaves.covered, [&](int i, int j) {
      const double scaled = (field(i, j, component) - reference(i, j)) * scale;
      part.square.sum += scaled * scaled;
    });
  }
  const double weight = std::scalbn(1.0, -2 * leaves.patch.id().level);
  part.square.sum *= weight;
  part.absolute *= weight;
  part.exact *= weight;
  part.points *= weight;
  return part;
}

/// Part of every hash, so that hashes of two kinds differ.
constexpr std::int32_t kStateHashVersion = 2;

/// XXH3 of a leaf block's values [component][j][i], and its points along a side.
struct BlockHash {
  std::uint64_t hash = 0;
  std::int32_t size = kPatchSize;
};

BlockHash block_hash(ConstPatchView values, int quadrant, int size) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const int j0 = quadrant_begin(quadrant, 1);
  for (int component = 0; component < values.components(); ++component) {
    for (int j = j0; j < j0 + size; ++j) {
      XXH3_64bits_update(&state, &values(quadrant_begin(quadrant, 0), j, component),
                         static_cast<std::size_t>(size) * sizeof(double));
    }
  }
  return {XXH3_64bits_digest(&state), size};
}

/// A patch without children is one block.
void list_block_hashes(const PatchId& id, ConstPatchView values, unsigned covered,
                       std::vector<PatchValue<BlockHash>>& to) {
  if (covered == 0) {
    to.push_back({id, 0, block_hash(values, 0, kPatchSize)});
    return;
  }
  for_each_leaf_quadrant<2>(covered, [&](int quadrant) {
    to.push_back({id, quadrant, block_hash(values, quadrant, kQuadrantSize)});
  });
}

/// \param blocks  in canonical order
std::string hash_of_blocks(const std::vector<PatchValue<BlockHash>>& blocks) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const auto add = [&state](const auto& value) {
    XXH3_64bits_update(&state, &value, sizeof(value));
  };
  add(kStateHashVersion);
  for (const auto& [id, quadrant, block] : blocks) {
    add(std::array<std::int32_t, 4>{id.level, id.i * kPatchSize + quadrant_begin(quadrant, 0),
                                    id.j * kPatchSize + quadrant_begin(quadrant, 1), block.size});
    add(block.hash);
  }
  return fmt::format("v{}-{:016x}", kStateHashVersion, XXH3_64bits_digest(&state));
}

}  // namespace

FieldFigures field_figures(const Hierarchy& hierarchy, Backend& backend,
                           Communicator& communicator) {
  return figures_of<FieldFigures>(reduce_parts<FieldFigure>(
      hierarchy, backend, communicator, [&](const PartlyCovered& leaves, int component) {
        return field_figure(leaves.patch.now(), leaves.covered, component,
                            point_area(hierarchy.geometry(), leaves.patch.id()));
      }));
}

std::optional<ErrorNorms> error_norms(const Hierarchy& hierarchy, const Case& problem, double time,
                                      Backend& backend, Communicator& communicator) {
  const auto compute = [&](const PartlyCovered& leaves, int component) -> ErrorFigure {
    std::array<double, kPatchPoints> exact;
    const auto solution = [&](Points points, std::span<double> values) {
      return problem.exact(points, component, time, values);
    };
    const bool is_known = in_patch("the exact solution", leaves.patch.id(), time, [&] {
      return sample_patch(hierarchy.geometry(), leaves.patch.id(), solution, exact);
    });
    if (!is_known) return {.known = false};
    ErrorFigure part = error_figure(leaves, component, exact);
    const double h = hierarchy.geometry().spacing(0);
    part.point_area = h * h;
    return part;
  };
  const auto each = reduce_parts<ErrorFigure>(hierarchy, backend, communicator, compute);
  if (!std::ranges::all_of(each, &ErrorFigure::known)) return std::nullopt;
  return figures_of<ErrorNorms>(each);
}

std::string state_hash(const Hierarchy& hierarchy, Backend& backend, Communicator& communicator) {
  std::vector<PatchValue<BlockHash>> blocks;
  backend.run([&] {
    const auto list = [](const PartlyCovered& leaves, std::vector<PatchValue<BlockHash>>& to) {
      list_block_hashes(leaves.patch.id(), leaves.patch.now(), leaves.covered, to);
    };
    blocks = collect_parts<BlockHash>(hierarchy, backend, communicator, list);
  });
  return hash_of_blocks(blocks);
}

std::string state_hash(const Hierarchy& hierarchy) {
  return state_hash(hierarchy, *make_backend("serial", 1));
}

StoredDiagnostics diagnose(
    const Mesh<2>& mesh, const Geometry& geometry, std::size_t components,
    const std::function<void(int level, std::size_t slot, std::span<double> into)>& read) {
  std::vector<double> record(components * kPatchPoints);
  const ConstPatchView values(record.data(), static_cast<int>(components), 0);
  std::vector<FieldFigure> each(components);
  std::vector<PatchValue<BlockHash>> blocks;
  for (int level = 0; level < mesh.levels(); ++level) {
    const std::vector<std::uint8_t> covered = mesh.covered_quadrants(level);
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      const PatchId& id = mesh.ids(level)[slot];
      read(level, slot, record);
      list_block_hashes(id, values, covered[slot], blocks);
      for (std::size_t component = 0; component < components; ++component) {
        each[component] += field_figure(values, covered[slot], static_cast<int>(component),
                                        point_area(geometry, id));
      }
    }
  }
  return {figures_of<FieldFigures>(each), hash_of_blocks(blocks)};
}

}  // namespace kumiko::amr
