// Pictures of a run's states for its report.
#include <algorithm>

#include <fmt/format.h>

#include <kumiko/viz/report.hpp>

namespace kumiko::viz {

namespace {

// Two stand side by side, each on half as many pixels of the page (style.css) as it has.
constexpr int kPictureWidth = 1170;
constexpr double kLettering = 1.6;

/// The quantity that one row of pictures shows.
struct Subject {
  std::string heading;
  StateImageOptions options;
};

std::vector<Subject> subjects_of(std::span<const io::StoredState> states) {
  const io::Checkpoint& first = states.front().checkpoint;
  std::vector<Subject> subjects;
  for (const std::string& name : first.field_names()) {
    const std::string heading = first.field_names().size() == 1 ? "field" : "field " + name;
    const auto component = static_cast<int>(subjects.size());
    subjects.push_back({heading, {.name = name, .component = component}});
  }
  const bool extras = std::ranges::all_of(
      states, [](const io::StoredState& state) { return has_extras(state.checkpoint.run); });
  if (!extras) return subjects;
  subjects.push_back({"worker", {.quantity = Quantity::kWorker}});
  subjects.push_back({"cost", {.quantity = Quantity::kCost}});
  subjects.push_back({"indicator", {.quantity = Quantity::kIndicator}});
  return subjects;
}

/// One range of colours for all states.
Range range_of(std::span<const io::StoredState> states, const Subject& subject) {
  const auto of = [&](const io::StoredState& state) {
    return value_range(state.checkpoint.run, subject.options.quantity, subject.options.component);
  };
  Range range = of(states.front());
  for (const io::StoredState& state : states.subspan(1)) range = joined(range, of(state));
  return range;
}

std::string describe(const Subject& subject, const io::Checkpoint& state) {
  std::size_t patches = 0;
  const int levels = state.run.mesh.levels();
  for (int level = 0; level < levels; ++level) patches += state.run.mesh.size(level);
  return fmt::format("{} after base step {}, t = {:.5g}, with the outlines of {} {} on {} {}",
                     subject.heading, state.run.step, state.attributes.time, patches,
                     patches == 1 ? "patch" : "patches", levels, levels == 1 ? "level" : "levels");
}

}  // namespace

std::vector<ReportPicture> draw_pictures(std::span<const io::StoredState> states) {
  std::vector<ReportPicture> pictures;
  if (states.empty()) return pictures;
  for (const Subject& subject : subjects_of(states)) {
    StateImageOptions options = subject.options;
    options.width = kPictureWidth;
    options.lettering = kLettering;
    options.range = range_of(states, subject);
    for (const io::StoredState& state : states) {
      const io::Checkpoint& checkpoint = state.checkpoint;
      pictures.push_back({checkpoint.run.step, checkpoint.attributes.time, checkpoint.run.unnested,
                          subject.heading, describe(subject, checkpoint),
                          draw_state_in_layers(checkpoint.run, state.geometry, options)});
    }
  }
  return pictures;
}

}  // namespace kumiko::viz
