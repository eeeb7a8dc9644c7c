#include "commands/export_pictures.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/read_number.hpp>

#include "commands/animation.hpp"
#include "terminal/programs.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

/// In the order of viz::Quantity.
const std::vector<std::string> kQuantities = {"field", "worker", "cost", "indicator"};
static_assert(static_cast<int>(viz::Quantity::kIndicator) == 3);

viz::Quantity quantity_of(const std::string& name) {
  return static_cast<viz::Quantity>(std::ranges::find(kQuantities, name) - kQuantities.begin());
}

/// Of "LOW,HIGH"; nothing for an empty text.
std::optional<viz::Range> parse_range(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t comma = text.find(',');  // without one both are the whole text
  const auto low = io::read_number<double>(std::string_view(text).substr(0, comma));
  const auto high = io::read_number<double>(std::string_view(text).substr(comma + 1));
  if (low && high && *low < *high) return viz::Range{*low, *high};
  throw RequestError("--range {}: give a lower and a higher number, such as --range 0,1", text);
}

int component_of(const ExportRequest& request, const io::Checkpoint& checkpoint) {
  return request.component.empty()
             ? 0
             : static_cast<int>(component_index(checkpoint, request.component));
}

/// The beginning of the names of this request's pictures and animations.
std::string stem(const ExportRequest& request) {
  if (request.quantity != "field") return request.quantity;
  return request.component.empty() ? "field" : request.component;
}

std::string picture_name(const ExportRequest& request, int step) {
  const bool is_plain = request.quantity == "field" && request.component.empty();
  return is_plain ? fmt::format("frame_{:06}.png", step)
                  : fmt::format("frame_{}_{:06}.png", stem(request), step);
}

/// Draws one file after the other.
class Drawing {
 public:
  explicit Drawing(const ExportRequest& request)
      : request_(request),
        quantity_(quantity_of(request.quantity)),
        range_(parse_range(request.range)) {
    refuse_if(!request.component.empty() && request.quantity != "field",
              "--component cannot be combined with --quantity {}, only with field",
              request.quantity);
  }

  /// Reads a file for what all pictures need to know together.
  void survey(const fs::path& file) {
    const io::StoredState state = io::read_state(file);
    const viz::Range own =
        viz::value_range(state.checkpoint.run, quantity_, component_of(request_, state.checkpoint));
    add_step(steps_, state.checkpoint.run.step, file);
    values_ = values_ ? viz::joined(*values_, own) : own;
  }

  /// The surveyed files, by step.
  const std::map<int, fs::path>& files() const { return steps_; }

  std::string draw(const fs::path& file) const {
    const io::StoredState state = io::read_state(file);
    const io::RunAttributes& attributes = state.checkpoint.attributes;
    const amr::SavedRun& run = state.checkpoint.run;
    const auto source = io::parse_config(attributes.configuration, file.string());
    viz::StateImageOptions options;
    options.quantity = quantity_;
    options.component = component_of(request_, state.checkpoint);
    options.name = attributes.component_names[static_cast<std::size_t>(options.component)];
    options.title = fmt::format("{}   step {}   t = {:#.5g}", source.text("case.name"), run.step,
                                attributes.time);
    options.range = range_ ? range_ : values_;
    options.width = request_.width;
    return viz::draw_state(run, state.geometry, options);
  }

 private:
  const ExportRequest& request_;
  viz::Quantity quantity_;
  std::optional<viz::Range> range_;   ///< asked for
  std::optional<viz::Range> values_;  ///< of all that was surveyed
  std::map<int, fs::path> steps_;
};

/// Throws std::runtime_error.
void write_animation(const Drawing& drawing, const ExportRequest& request,
                     const fs::path& animation) {
  io::write_file_by_name(animation, [&](const fs::path& part) {
    Animation pictures(part, request.format, request.fps);
    for (const auto& [step, file] : drawing.files()) pictures.add(drawing.draw(file));
    try {
      pictures.finish();
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("'{}' not made: {}", animation.string(), error.what()));
    }
  });
}

}  // namespace

void add_picture_options(Options& options, ExportRequest& request) {
  options.add("--quantity", &request.quantity,
              "what pictures show; all but the field want states written with output.extras=true",
              {.check = one_of(kQuantities)});
  options.add("--component", &request.component,
              "of the field, by name (default: of pictures the first one, of uniform grids all)",
              {.check = not_empty()});
  options.add("--range", &request.range,
              "LOW,HIGH: values of the first and the last colour (default: the least and the "
              "largest value of all files)",
              {.check = not_empty()});
  options.add("--fps", &request.fps, "pictures a second of an animation",
              {.check = between(1, 120)});
  options.add("--width", &request.width, "of a picture of a square domain, in pixels",
              {.check = between(300, 8000)});
}

int export_pictures(const ExportRequest& request) {
  Drawing drawing(request);
  const int code = for_each_state(request, [&](const fs::path& file) { drawing.survey(file); });
  for (const auto& [step, file] : drawing.files()) {
    const fs::path picture = request.output / picture_name(request, step);
    io::write_text_file(picture, drawing.draw(file));
    print_result(request, picture);
  }
  return exit_code(code, !drawing.files().empty());
}

int export_animation(const ExportRequest& request) {
  Drawing drawing(request);
  refuse_if(!is_program("ffmpeg"),
            "--format {}: the program ffmpeg is not found; install it (on Debian: apt install "
            "ffmpeg), or choose --format png",
            request.format);
  const int code = for_each_state(request, [&](const fs::path& file) { drawing.survey(file); });
  if (drawing.files().empty()) return code;
  const fs::path animation = request.output / fmt::format("{}.{}", stem(request), request.format);
  write_animation(drawing, request, animation);
  print_result(request, animation);
  return exit_code(code, true);
}

}  // namespace kumiko::app
