// Pictures of a run's states for its report.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <kumiko/viz/report.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

namespace {

// Two stand side by side, each on half as many pixels of the page (style.css) as it has.
constexpr int kPictureWidth = 1170;
constexpr double kLettering = 1.6;

/// What one row of pictures shows.
struct Subject {
  Quantity quantity;
  std::string heading;
  std::string name = {};  ///< of the field's component
  int component = 0;      ///< of the field
};

std::vector<Subject> subjects_of(std::span<const io::StoredState> states) {
  const io::Checkpoint& first = states.front().checkpoint;
  const int fields = static_cast<int>(first.attributes.component_names.size()) - first.run.extras;
  std::vector<Subject> subjects;
  for (int at = 0; at < fields; ++at) {
    const std::string& name = first.attributes.component_names[static_cast<std::size_t>(at)];
    subjects.push_back({Quantity::kField, fields == 1 ? "field" : "field " + name, name, at});
  }
  const bool extras = std::all_of(states.begin(), states.end(), [](const io::StoredState& state) {
    return has_extras(state.checkpoint.run);
  });
  if (!extras) return subjects;
  subjects.push_back({Quantity::kWorker, "worker"});
  subjects.push_back({Quantity::kCost, "cost"});
  subjects.push_back({Quantity::kIndicator, "indicator"});
  return subjects;
}

/// One range of colours for all states.
Range range_of(std::span<const io::StoredState> states, const Subject& subject) {
  const auto of = [&](const io::StoredState& state) {
    return value_range(state.checkpoint.run, subject.quantity, subject.component);
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
    StateImageOptions options;
    options.quantity = subject.quantity;
    options.name = subject.name;
    options.component = subject.component;
    options.width = kPictureWidth;
    options.lettering = kLettering;
    options.range = range_of(states, subject);
    for (const io::StoredState& state : states) {
      const io::Checkpoint& checkpoint = state.checkpoint;
      LayeredImage image = draw_state_in_layers(checkpoint.run, state.geometry, options);
      pictures.push_back({checkpoint.run.step, checkpoint.attributes.time, checkpoint.run.unnested,
                          subject.heading, describe(subject, checkpoint), std::move(image.colours),
                          std::move(image.lettering)});
    }
  }
  return pictures;
}

}  // namespace kumiko::viz
