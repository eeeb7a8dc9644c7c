#include "commands/export_uniform.hpp"

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/amr/uniform_field.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/io/uniform_files.hpp>

#include "run/shared_options.hpp"
#include "run/state_case.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

struct UniformFormat {
  std::string_view name;
  const char* suffix;
  void (*write)(const fs::path& file, const io::UniformState& state);
};
constexpr std::array<UniformFormat, 3> kUniformFormats = {{{"npz", "npz", io::write_npz},
                                                           {"vti", "vti", io::write_vti},
                                                           {"table", "txt", io::write_table}}};

/// Of "X0,X1,Y0,Y1"; nothing for an empty text.
std::optional<amr::Rectangle> parse_box(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::vector<double> numbers;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto number = io::read_number<double>(rest.substr(0, comma));
    numbers.push_back(number && std::isfinite(*number) ? *number : NAN);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  // False for NAN, too.
  if (numbers.size() == 4 && numbers[0] < numbers[1] && numbers[2] < numbers[3]) {
    return amr::Rectangle{numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  throw RequestError(
      "--box {}: give X0,X1,Y0,Y1 with X0 < X1 and Y0 < Y1, in the case's length units, such as "
      "--box 0,0.5,0.25,0.75",
      text);
}

/// Writes one file after the other.
class UniformExport {
 public:
  explicit UniformExport(const ExportRequest& request)
      : request_(request),
        format_(*std::ranges::find(kUniformFormats, request.format, &UniformFormat::name)),
        box_(parse_box(request.box)),
        plugins_(find_plugins(request.plugin_path)) {
    if (request.plugin_path.empty()) return;
    const auto broken = tell_of_plugins(*plugins_, request.plugin_path);
    refuse_if(!broken.empty(), "{}", broken.empty() ? "" : broken.front().reason);
  }

  void write(const fs::path& file) {
    const io::StoredState state = io::read_state(file);
    const amr::Box<2> window = window_of(state, file);
    const std::vector<std::size_t> components = components_of(state.checkpoint);
    check_free_memory(window, components.size(), file);
    add_step(steps_, state.checkpoint.run.step, file);
    const fs::path result = request_.output / name_of(state.checkpoint.run.step);
    try {
      format_.write(result, sampled(state, window, components, file));
    } catch (const std::bad_alloc&) {
      throw std::runtime_error(fmt::format("'{}': not enough memory for {} of level {}; {}",
                                           file.string(), size_in_words(window), window.level,
                                           kSmaller));
    }
    has_written_ = true;
    print_result(request_, result);
  }

  bool has_written() const { return has_written_; }

 private:
  static constexpr const char* kSmaller =
      "choose a coarser level with --uniform, a --box, or one --component";

  static std::string size_in_words(const amr::Box<2>& window) {
    return fmt::format("{} x {} points", window.end[0] - window.begin[0],
                       window.end[1] - window.begin[1]);
  }

  /// The points to write. Throws RequestError if there are none.
  amr::Box<2> window_of(const io::StoredState& state, const fs::path& file) const {
    const int level =
        io::read_number<int>(request_.uniform).value_or(state.checkpoint.run.mesh.levels() - 1);
    if (!box_) return amr::all_points(state.geometry, level);
    const amr::Extent extent = state.geometry.extent();
    refuse_if(box_->x1 < 0.0 || box_->x0 > extent.x || box_->y1 < 0.0 || box_->y0 > extent.y,
              "--box {}: it lies outside the domain of '{}', which reaches from 0 to {} in x and "
              "from 0 to {} in y",
              request_.box, file.string(), extent.x, extent.y);
    const amr::Box<2> window = amr::points_within(state.geometry, level, *box_);
    const bool has_cells = state.geometry.centring() == amr::Centring::kCell;
    refuse_if(window.empty(),
              "--box {}: no {} of level {} of '{}' lies in it; their spacing is {}; widen the box, "
              "or choose a finer level with --uniform",
              request_.box, has_cells ? "cell's centre" : "node", level, file.string(),
              state.geometry.spacing(level));
    return window;
  }

  std::vector<std::size_t> components_of(const io::Checkpoint& checkpoint) const {
    if (!request_.component.empty()) return {component_index(checkpoint, request_.component)};
    std::vector<std::size_t> all(checkpoint.field_names().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  void check_free_memory(const amr::Box<2>& window, std::size_t components,
                         const fs::path& file) const {
    constexpr double kMebibyte = 1024.0 * 1024.0;
    const double needed = amr::uniform_bytes(window, components);
    const auto there = static_cast<double>(amr::available_memory());
    refuse_if(needed > there,
              "'{}' on level {} has {}, which take {:.0f} MiB, and {:.0f} MiB are available; {}",
              file.string(), window.level, size_in_words(window), needed / kMebibyte,
              there / kMebibyte, kSmaller);
  }

  std::string name_of(int step) const {
    return request_.component.empty()
               ? fmt::format("uniform_{:06}.{}", step, format_.suffix)
               : fmt::format("uniform_{}_{:06}.{}", request_.component, step, format_.suffix);
  }

  io::UniformState sampled(const io::StoredState& state, const amr::Box<2>& window,
                           const std::vector<std::size_t>& components, const fs::path& file) {
    const io::Checkpoint& checkpoint = state.checkpoint;
    const StateCase its_case = case_of_state(*plugins_, checkpoint, file);
    io::UniformState result;
    result.field = amr::sample_uniform(checkpoint.run, state.geometry, its_case.made.get(), window,
                                       components);
    for (const std::size_t component : components) {
      result.names.push_back(checkpoint.field_names()[component]);
    }
    result.time = checkpoint.attributes.time;
    result.step = checkpoint.run.step;
    if (result.field.is_one_sided && !has_warned_) {
      has_warned_ = true;
      print_warning(
          "'{}': the case's boundaries are not known, since {}; next to the domain's sides, where "
          "the mesh is coarser than the grid, values are interpolated from one side; name the "
          "folder of the case's plugin with --plugin-path",
          file.string(), its_case.lack);
    }
    return result;
  }

  const ExportRequest& request_;
  const UniformFormat& format_;
  std::optional<amr::Rectangle> box_;
  std::shared_ptr<const plugin::Registry> plugins_;
  std::map<int, fs::path> steps_;
  bool has_written_ = false;
  bool has_warned_ = false;
};

}  // namespace

void add_uniform_options(Options& options, ExportRequest& request) {
  options.add("--uniform", &request.uniform,
              "level of the grid of npz, vti and table (default: the finest with patches)",
              {.check = between(0, amr::kLargestLevelCount - 1)});
  options.add("--box", &request.box,
              "X0,X1,Y0,Y1: only the points between these coordinates, edges included",
              {.check = not_empty()});
  add_plugin_path(options, request.plugin_path);
}

int export_uniform(const ExportRequest& request) {
  UniformExport result(request);
  const int code = for_each_state(request, [&](const fs::path& file) { result.write(file); });
  return exit_code(code, result.has_written());
}

}  // namespace kumiko::app
