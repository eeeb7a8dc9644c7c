// Pictures of a run's states for its report.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <kumiko/viz/report.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

namespace {

constexpr int kWidth = 640;  // pixels

/// What one row of pictures shows.
struct Subject {
  Quantity quantity;
  std::string heading;
  std::string name;   ///< of the colours
  int component;      ///< of the records
  bool spans_values;  ///< its colours stand for a range of values
};

std::vector<Subject> subjects_of(std::span<const io::Checkpoint> states) {
  const io::Checkpoint& first = states.front();
  const int fields = static_cast<int>(first.attributes.component_names.size()) - first.run.figures;
  std::vector<Subject> subjects;
  for (int at = 0; at < fields; ++at) {
    const std::string& name = first.attributes.component_names[static_cast<std::size_t>(at)];
    subjects.push_back({Quantity::kField, fields == 1 ? "field" : "field " + name, name, at, true});
  }
  const bool figures = std::all_of(states.begin(), states.end(), [](const io::Checkpoint& state) {
    return has_figures(state.run);
  });
  if (!figures) return subjects;
  subjects.push_back({Quantity::kWorker, "worker", "worker", fields + 1, false});
  subjects.push_back({Quantity::kCost, "cost", "seconds", fields + 2, true});
  subjects.push_back({Quantity::kIndicator, "indicator", "indicator", fields + 3, true});
  return subjects;
}

/// Of a component of the records, in all states.
std::optional<Range> range_of(std::span<const io::Checkpoint> states, int component) {
  double least = INFINITY;
  double largest = -INFINITY;
  for (const io::Checkpoint& state : states) {
    const std::size_t components = state.attributes.component_names.size();
    for (const amr::SavedLevel& level : state.run.levels) {
      for (std::size_t slot = 0; slot < level.patches.size(); ++slot) {
        const double* const record =
            level.values.data() +
            (slot * components + static_cast<std::size_t>(component)) * amr::kPatchPoints;
        const auto [low, high] = std::minmax_element(record, record + amr::kPatchPoints);
        least = std::min(least, *low);
        largest = std::max(largest, *high);
      }
    }
  }
  if (!(least < largest)) return std::nullopt;
  return Range{least, largest};
}

std::string describe(const Subject& subject, const io::Checkpoint& state) {
  std::size_t patches = 0;
  for (const amr::SavedLevel& level : state.run.levels) patches += level.patches.size();
  return fmt::format("{} after base step {}, t = {:.5g}, with the outlines of {} patches on {} {}",
                     subject.heading, state.run.step, state.attributes.time, patches,
                     state.run.levels.size(), state.run.levels.size() == 1 ? "level" : "levels");
}

}  // namespace

std::vector<ReportPicture> draw_pictures(std::span<const io::Checkpoint> states,
                                         const amr::Geometry& geometry) {
  std::vector<ReportPicture> pictures;
  if (states.empty()) return pictures;
  for (const Subject& subject : subjects_of(states)) {
    StateImageOptions options;
    options.quantity = subject.quantity;
    options.name = subject.name;
    options.component = subject.quantity == Quantity::kField ? subject.component : 0;
    options.width = kWidth;
    if (subject.spans_values) options.range = range_of(states, subject.component);
    for (const io::Checkpoint& state : states) {
      options.title = fmt::format("{}   t = {:.4f}", subject.heading, state.attributes.time);
      pictures.push_back({state.run.step, state.attributes.time, subject.heading,
                          describe(subject, state), draw_state(state.run, geometry, options)});
    }
  }
  return pictures;
}

}  // namespace kumiko::viz
