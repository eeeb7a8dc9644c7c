#include <algorithm>
#include <cmath>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/uniform_field.hpp>

#include "simulation/state_sampler.hpp"

namespace kumiko::amr {

namespace {

int quotient_up(int value, int divisor) { return (value + divisor - 1) / divisor; }

std::size_t width(const Box<2>& box) { return static_cast<std::size_t>(box.end[0] - box.begin[0]); }
std::size_t height(const Box<2>& box) {
  return static_cast<std::size_t>(box.end[1] - box.begin[1]);
}

/// The points from `low` to `high` along an axis.
void find_points(const Geometry& geometry, int level, double low, double high, int count,
                 int& begin, int& end) {
  constexpr double kSlack = 1e-6;
  const double spacing = geometry.spacing(level);
  const double offset = geometry.coordinate(level, 0) / spacing;
  const auto limited = [&](double index) {
    return static_cast<int>(std::clamp(index, 0.0, static_cast<double>(count)));
  };
  begin = limited(std::ceil(low / spacing - offset - kSlack));
  end = limited(std::floor(high / spacing - offset + kSlack) + 1.0);
}

void check_request(const SavedRun& run, const Geometry& geometry, const Case* problem,
                   const Box<2>& window, std::span<const std::size_t> components) {
  require(window.level >= 0 && window.level < kLargestLevelCount,
          "the window is of level {}; a level is 0 to {}", window.level, kLargestLevelCount - 1);
  require(!window.empty() && (window & all_points(geometry, window.level)) == window,
          "the window has points {} to {} in x and {} to {} in y, ends excluded; it must not be "
          "empty, and level {} has {} x {} points",
          window.begin[0], window.end[0], window.begin[1], window.end[1], window.level,
          geometry.points_x(window.level), geometry.points_y(window.level));
  require(!run.levels.empty() && !run.levels.front().values.empty(),
          "the saved run holds no values; read it with its values");
  for (const std::size_t component : components) {
    require(component < run.components(), "component {} is wanted of {}", component,
            run.components());
  }
  if (problem == nullptr) return;
  const Extent extent = problem->extent();
  require(extent.x == geometry.extent().x && extent.y == geometry.extent().y,
          "the case's domain is {} x {}, and that of the state {} x {}", extent.x, extent.y,
          geometry.extent().x, geometry.extent().y);
}

/// The points of the window's level that a patch covers; of cells, any part of which it covers.
Box<2> covered_points(const Box<2>& window, Centring centring, const PatchId& id) {
  Box<2> points = window;
  for (int axis = 0; axis < kAxes; ++axis) {
    const int begin = id.along(axis) * kPatchSize;
    int& first = points.begin[static_cast<std::size_t>(axis)];
    int& end = points.end[static_cast<std::size_t>(axis)];
    if (id.level <= window.level) {
      first = begin << (window.level - id.level);
      end = (begin + kPatchSize) << (window.level - id.level);
    } else {
      const int ratio = 1 << (id.level - window.level);
      first = centring == Centring::kCell ? begin / ratio : quotient_up(begin, ratio);
      end = quotient_up(begin + kPatchSize, ratio);
    }
  }
  return points & window;
}

std::vector<std::int8_t> levels_of(const Mesh<2>& mesh, Centring centring, const Box<2>& window) {
  std::vector<std::int8_t> levels(width(window) * height(window), 0);
  for (int level = 1; level < mesh.levels(); ++level) {
    for (const PatchId& id : mesh.ids(level)) {
      const Box<2> points = covered_points(window, centring, id);
      if (points.empty()) continue;
      const auto first = static_cast<std::size_t>(points.begin[0] - window.begin[0]);
      for (int j = points.begin[1]; j < points.end[1]; ++j) {
        const auto row = static_cast<std::size_t>(j - window.begin[1]) * width(window);
        std::fill_n(levels.begin() + static_cast<std::ptrdiff_t>(row + first), width(points),
                    static_cast<std::int8_t>(level));
      }
    }
  }
  return levels;
}

/// The places whose patches would cover the window.
PlaceRange places_of(const Box<2>& window) {
  return {window.level, window.begin[0] / kPatchSize, quotient_up(window.end[0], kPatchSize),
          window.begin[1] / kPatchSize, quotient_up(window.end[1], kPatchSize)};
}

std::vector<double> sample_component(StateSampler& sampler, const Box<2>& window) {
  std::vector<double> result(width(window) * height(window));
  sampler.visit(places_of(window), [&](const PatchId& place, std::span<const double> values) {
    const Box<2> points = box_of(place) & window;
    for (int j = points.begin[1]; j < points.end[1]; ++j) {
      const int from =
          (j - place.j * kPatchSize) * kPatchSize + points.begin[0] - place.i * kPatchSize;
      const std::size_t to = static_cast<std::size_t>(j - window.begin[1]) * width(window) +
                             static_cast<std::size_t>(points.begin[0] - window.begin[0]);
      std::copy_n(values.begin() + from, width(points),
                  result.begin() + static_cast<std::ptrdiff_t>(to));
    }
  });
  return result;
}

}  // namespace

Box<2> all_points(const Geometry& geometry, int level) {
  return {level, {0, 0}, {geometry.points_x(level), geometry.points_y(level)}};
}

Box<2> points_within(const Geometry& geometry, int level, const Rectangle& rectangle) {
  Box<2> box{level, {}, {}};
  find_points(geometry, level, rectangle.x0, rectangle.x1, geometry.points_x(level), box.begin[0],
              box.end[0]);
  find_points(geometry, level, rectangle.y0, rectangle.y1, geometry.points_y(level), box.begin[1],
              box.end[1]);
  return box;
}

double uniform_bytes(const Box<2>& window, std::size_t components) {
  const double points = static_cast<double>(width(window)) * static_cast<double>(height(window));
  const double of_result = static_cast<double>(components * sizeof(double) + sizeof(std::int8_t));
  return points * (of_result + sizeof(double) / 3.0);
}

UniformField sample_uniform(const SavedRun& run, const Geometry& geometry, const Case* problem,
                            const Box<2>& window, std::span<const std::size_t> components) {
  check_request(run, geometry, problem, window, components);
  const Geometry bounded(geometry.points_x(0), geometry.points_y(0), geometry.extent(),
                         problem == nullptr ? Boundaries() : problem->boundaries(),
                         geometry.centring());
  UniformField field;
  field.window = window;
  field.spacing = geometry.spacing(window.level);
  field.centring = geometry.centring();
  for (int i = window.begin[0]; i < window.end[0]; ++i) {
    field.x.push_back(geometry.coordinate(window.level, i));
  }
  for (int j = window.begin[1]; j < window.end[1]; ++j) {
    field.y.push_back(geometry.coordinate(window.level, j));
  }
  field.levels = levels_of(run.mesh, geometry.centring(), window);
  for (const std::size_t component : components) {
    StateSampler sampler(run, bounded, problem, component);
    field.components.push_back(sample_component(sampler, window));
    field.is_one_sided |= sampler.is_one_sided();
  }
  return field;
}

}  // namespace kumiko::amr
