#include "export_pictures.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/state_writer.hpp>

#include "animation.hpp"
#include "named_path.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

viz::Quantity quantity_of(const std::string& name) {
  using viz::Quantity;
  static const std::map<std::string, Quantity> quantities = {{"field", Quantity::kField},
                                                             {"worker", Quantity::kWorker},
                                                             {"cost", Quantity::kCost},
                                                             {"indicator", Quantity::kIndicator}};
  return quantities.at(name);
}

/// Of "LOW,HIGH"; nothing for an empty text.
std::optional<viz::Range> parse_range(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t comma = text.find(',');  // without one both are the whole text
  const auto low = read_number<double>(std::string_view(text).substr(0, comma));
  const auto high = read_number<double>(std::string_view(text).substr(comma + 1));
  if (low && high && *low < *high) return viz::Range{*low, *high};
  throw RequestError("--range {}: give a lower and a higher number, such as --range 0,1", text);
}

std::vector<std::filesystem::path> states_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& [step, file] : io::OutputFolder::numbered(folder, io::kStateFiles)) {
    files.push_back(file);
  }
  refuse_if(files.empty(), "'{}' holds no states (state_NNNNNN.hdf); name a run's folder, or files",
            folder.string());
  return files;
}

/// What has been named: a file, or a folder for its states.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& named) {
  if (type_of_named(named) == std::filesystem::file_type::directory) return states_of(named);
  require_file(named, "name a checkpoint, a state, or the folder of a run");
  return {named};
}

/// The field's components alone.
std::vector<std::string> field_names(const io::Checkpoint& checkpoint) {
  const std::vector<std::string>& names = checkpoint.attributes.component_names;
  return {names.begin(), names.end() - checkpoint.run.extras};
}

int component_of(const PictureRequest& request, const io::Checkpoint& checkpoint) {
  if (request.component.empty()) return 0;
  const std::vector<std::string> names = field_names(checkpoint);
  const auto found = std::ranges::find(names, request.component);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw RequestError("has no component '{}'; it has: {}", request.component,
                     fmt::join(names, ", "));
}

/// What pictures of this request are called, and animations.
std::string stem(const PictureRequest& request) {
  if (request.quantity != "field") return request.quantity;
  return request.component.empty() ? "field" : request.component;
}

std::string picture_name(const PictureRequest& request, int step) {
  const bool is_plain = request.quantity == "field" && request.component.empty();
  return is_plain ? fmt::format("frame_{:06}.png", step)
                  : fmt::format("frame_{}_{:06}.png", stem(request), step);
}

/// Draws one file after the other.
class Drawing {
 public:
  explicit Drawing(const PictureRequest& request)
      : request_(request),
        quantity_(quantity_of(request.quantity)),
        range_(parse_range(request.range)) {}

  /// Reads a file for what all pictures need to know together.
  void survey(const std::filesystem::path& file) {
    type_of_named(file);
    const io::StoredState state = io::read_state(file);
    const viz::Range own =
        viz::value_range(state.checkpoint.run, quantity_, component_of(request_, state.checkpoint));
    const int step = state.checkpoint.run.step;
    const auto [other, is_new] = steps_.emplace(step, file);
    if (!is_new) {
      throw std::runtime_error(fmt::format(
          "is of base step {} as '{}' is; export the files of each run to a folder of its own",
          step, other->second.string()));
    }
    values_ = values_ ? viz::joined(*values_, own) : own;
  }

  /// The surveyed files, by step.
  const std::map<int, std::filesystem::path>& files() const { return steps_; }

  std::string draw(const std::filesystem::path& file) const {
    const io::StoredState state = io::read_state(file);
    const io::RunAttributes& attributes = state.checkpoint.attributes;
    const amr::SavedRun& run = state.checkpoint.run;
    const auto source = io::parse_config(attributes.configuration, file.string());
    viz::StateImageOptions options;
    options.quantity = quantity_;
    options.component = component_of(request_, state.checkpoint);
    options.name = attributes.component_names[static_cast<std::size_t>(options.component)];
    options.title = fmt::format("{}   step {}   t = {:.4f}", source.text("case.name"), run.step,
                                attributes.time);
    options.range = range_ ? range_ : values_;
    options.width = request_.width;
    return viz::draw_state(run, state.geometry, options);
  }

 private:
  const PictureRequest& request_;
  viz::Quantity quantity_;
  std::optional<viz::Range> range_;   ///< asked for
  std::optional<viz::Range> values_;  ///< of all that was surveyed
  std::map<int, std::filesystem::path> steps_;
};

int failure(const std::filesystem::path& file, const std::exception& error) {
  const std::string what = error.what();
  const bool is_named = what.find(file.string()) != std::string::npos;
  // A component or a quantity that the file does not have is a wrong request too.
  const bool is_foreign = dynamic_cast<const io::NotACheckpoint*>(&error) != nullptr ||
                          dynamic_cast<const RequestError*>(&error) != nullptr ||
                          dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
  return error_line(is_named ? what : fmt::format("'{}' {}", file.string(), what),
                    is_foreign ? kWrongRequest : kRunFailed);
}

/// \return kDone, or the code of what was wrong with the file
int survey(Drawing& drawing, const std::filesystem::path& file) {
  try {
    drawing.survey(file);
    return kDone;
  } catch (const std::exception& error) {
    return failure(file, error);
  }
}

void check_request(const PictureRequest& request) {
  refuse_if(!request.component.empty() && request.quantity != "field",
            "--component goes with --quantity field, not {}", request.quantity);
  parse_range(request.range);
}

void tell(const PictureRequest& request, const std::filesystem::path& result) {
  if (!request.quiet) fmt::print("{}\n", result.string());
}

/// Surveys all that was named. \return kDone, or the code of what was wrong with some of it
int survey_all(Drawing& drawing, const PictureRequest& request) {
  int code = kDone;
  for (const std::filesystem::path& named : request.files) {
    try {
      for (const std::filesystem::path& file : files_of(named))
        code = std::max(code, survey(drawing, file));
    } catch (const RequestError& error) {
      code = std::max(code, error_line(error.what(), kWrongRequest));
    }
  }
  return code;
}

}  // namespace

void add_picture_options(Options& options, PictureRequest& request) {
  options.add("--quantity", &request.quantity,
              "what pictures show; all but the field want states written with output.figures=true",
              {.check = one_of({"field", "worker", "cost", "indicator"})});
  options.add("--component", &request.component, "of the field, by name (default: the first one)",
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

int export_pictures(const PictureRequest& request) {
  check_request(request);
  Drawing drawing(request);
  const int code = survey_all(drawing, request);
  for (const auto& [step, file] : drawing.files()) {
    const std::filesystem::path picture = request.output / picture_name(request, step);
    io::write_text_file(picture, drawing.draw(file));
    tell(request, picture);
  }
  return code;
}

int export_animation(const PictureRequest& request) {
  check_request(request);
  find_ffmpeg(request.format);
  Drawing drawing(request);
  const int code = survey_all(drawing, request);
  if (drawing.files().empty()) return code;
  Animation animation(request.output / fmt::format("{}.{}", stem(request), request.format),
                      request.format, request.fps);
  for (const auto& [step, file] : drawing.files()) animation.add(drawing.draw(file));
  animation.finish();
  tell(request, animation.file());
  return code;
}

}  // namespace kumiko::app
