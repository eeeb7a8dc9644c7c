// kumiko export: states and traces in the formats of other programs.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/plotfile.hpp>
#include <kumiko/io/trace_file.hpp>
#include <kumiko/viz/state_image.hpp>

#include "commands/export_pictures.hpp"
#include "commands/export_uniform.hpp"
#include "commands/exported_states.hpp"
#include "options/commands.hpp"
#include "run/run_start.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"
#include "terminal/request.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

/// A library that a build may lack.
struct OptionalLibrary {
  bool (*is_there)();
  const char* lack;  ///< what a build without it does not
  const char* option;
};
constexpr OptionalLibrary kVtk = {viz::pictures_available, "draws no pictures", "KUMIKO_WITH_VTK"};
constexpr OptionalLibrary kOtf2 = {io::otf2_available, "has no OTF2", "KUMIKO_WITH_OTF2"};

/// Writers: of one state; of all states together, also those of folders; of a trace. They return
/// the files that they have written; for states, the exit code.
using WriteState = fs::path (*)(const io::StoredState& state, const fs::path& output);
using WriteStates = int (*)(const ExportRequest& request);
using WriteTrace = fs::path (*)(const amr::Trace& trace, const fs::path& output);
using Writer = std::variant<WriteState, WriteStates, WriteTrace>;

struct ExportFormat {
  std::string name;
  std::string help;  ///< empty: that of the next format
  Writer write;
  const OptionalLibrary* needs = nullptr;

  bool takes_states() const { return std::holds_alternative<WriteStates>(write); }
  bool takes_trace() const { return std::holds_alternative<WriteTrace>(write); }
  bool is_animation() const { return write == Writer(export_animation); }
  bool is_uniform() const { return write == Writer(export_uniform); }
  bool is_picture() const { return takes_states() && !is_uniform(); }
  bool is_there() const { return needs == nullptr || needs->is_there(); }
};

/// Throws RequestError where the folder exists.
fs::path new_folder(fs::path folder) {
  std::error_code hidden;  // of a place that the writer refuses
  refuse_if(fs::exists(folder, hidden),
            "'{}' already exists; remove it, or name another folder with --output",
            folder.string());
  return folder;
}

/// Throws RequestError where there is a file that does not begin as those that would replace it.
fs::path own_file(fs::path file, std::string_view head) {
  std::string found(head.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  refuse_if(stream.gcount() > 0 && found != head,
            "'{}' exists and is not an exported trace; name another folder with --output",
            file.string());
  return file;
}

fs::path export_plotfile(const io::StoredState& state, const fs::path& output) {
  fs::path folder = new_folder(output / fmt::format("plt_{:06}", state.checkpoint.run.step));
  io::write_plotfile(folder, state);
  return folder;
}

fs::path export_chrome(const amr::Trace& trace, const fs::path& output) {
  fs::path file = own_file(output / "trace.json", io::kChromeTraceHead);
  io::write_text_file(file, [&](std::ostream& out) { io::write_chrome_trace(out, trace); });
  return file;
}

fs::path export_otf2(const amr::Trace& trace, const fs::path& output) {
  fs::path folder = new_folder(output / "trace_otf2");
  io::write_otf2(folder, trace);
  return folder;
}

fs::path export_csv(const amr::Trace& trace, const fs::path& output) {
  fs::path file = own_file(output / "trace.csv", io::kTraceTableHead);
  io::write_text_file(file, [&](std::ostream& out) { io::write_trace_csv(out, trace); });
  return file;
}

/// The formats as the help lists them.
const std::vector<ExportFormat>& formats() {
  static const std::vector<ExportFormat> all = {
      {"plotfile", "AMReX's folder plt_NNNNNN", export_plotfile},
      {"png", "pictures frame_NNNNNN.png", export_pictures, &kVtk},
      {"mp4", "", export_animation, &kVtk},
      {"gif", "", export_animation, &kVtk},
      {"webm", "an animation by ffmpeg", export_animation, &kVtk},
      {"npz", "", export_uniform},
      {"vti", "", export_uniform},
      {"table", "the field on a uniform grid", export_uniform},
      {"chrome", "a file trace.json for Perfetto", export_chrome},
      {"otf2", "a folder trace_otf2", export_otf2, &kOtf2},
      {"csv", "a table trace.csv", export_csv}};
  return all;
}

/// Names of the formats that fit.
template <class Fits>
std::vector<std::string> names_of(Fits fits) {
  std::vector<std::string> names;
  for (const ExportFormat& format : formats()) {
    if (std::invoke(fits, format)) names.push_back(format.name);
  }
  return names;
}

/// The formats of traces, or those of states, and what they are.
std::string list_of(bool of_traces) {
  std::string list;
  for (const ExportFormat& format : formats()) {
    if (format.takes_trace() != of_traces) continue;
    list += format.name + ", " + format.help + (format.help.empty() ? "" : "; ");
  }
  return list.substr(0, list.size() - 2);
}

io::StoredState read_named_state(const fs::path& file) {
  require_file(file, "name a checkpoint or a state");
  return refusing<io::NotACheckpoint>([&] { return io::read_state(file); });
}

/// A folder is for the formats that know what to take from it.
void refuse_folder(const fs::path& path) {
  if (type_of_named(path) != fs::file_type::directory) return;
  const auto newest = newest_checkpoint(path);
  throw RequestError(
      "'{}' is a folder; name {}, export its states with --format {}, or put its trace into "
      "another "
      "format with --format {}",
      path.string(),
      newest ? fmt::format("a checkpoint or a state in it, such as '{}'", newest->string())
             : "a checkpoint or a state",
      listed(names_of(&ExportFormat::takes_states)), listed(names_of(&ExportFormat::takes_trace)));
}

/// The folder of the exported files. One that it makes, and that stays empty, is removed again.
class ExportFolder {
 public:
  explicit ExportFolder(const fs::path& path) : path_(path), made_(make_folder(path)) {}
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;
  ~ExportFolder() {
    std::error_code full;
    if (made_) fs::remove(path_, full);
  }

 private:
  fs::path path_;
  bool made_;
};

/// The formats that an option is for.
struct OptionUse {
  const char* option;
  bool (ExportFormat::*fits)() const;
};
constexpr std::array<OptionUse, 8> kOptionUses = {{{"--quantity", &ExportFormat::is_picture},
                                                   {"--component", &ExportFormat::takes_states},
                                                   {"--range", &ExportFormat::is_picture},
                                                   {"--fps", &ExportFormat::is_animation},
                                                   {"--width", &ExportFormat::is_picture},
                                                   {"--uniform", &ExportFormat::is_uniform},
                                                   {"--box", &ExportFormat::is_uniform},
                                                   {"--plugin-path", &ExportFormat::is_uniform}}};

/// None is taken and then ignored.
void check_options(const Options& options, const ExportFormat& chosen) {
  for (const OptionUse& use : kOptionUses) {
    if ((chosen.*use.fits)() || !options.is_given(use.option)) continue;
    throw RequestError("{} cannot be combined with --format {}, only with {}", use.option,
                       chosen.name, listed(names_of(use.fits), "and"));
  }
}

/// Throws RequestError where this build lacks the format, or when traces would have one name.
void check_format(const ExportFormat& chosen, std::size_t files) {
  if (!chosen.is_there()) {
    const auto others = names_of([&](const ExportFormat& other) {
      return other.is_there() && other.takes_trace() == chosen.takes_trace();
    });
    throw RequestError("--format {}: this build {}; configure it with {}=ON, or choose {}",
                       chosen.name, chosen.needs->lack, chosen.needs->option, listed(others));
  }
  refuse_if(chosen.takes_trace() && files > 1,
            "--format {}: the results of the {} traces would have the same name; export one trace "
            "at a time, each with its own --output",
            chosen.name, files);
}

/// \param steps  of the states before
fs::path export_one(const ExportFormat& format, const fs::path& file, const ExportRequest& request,
                    std::map<int, fs::path>& steps) {
  if (const auto* const write = std::get_if<WriteTrace>(&format.write)) {
    return (*write)(read_named_trace(file), request.output);
  }
  refuse_folder(file);
  const io::StoredState state = read_named_state(file);
  add_step(steps, state.checkpoint.run.step, file);
  return std::get<WriteState>(format.write)(state, request.output);
}

/// Throws RequestError where a file of states is missing, or named twice.
void check_names(const std::vector<fs::path>& files) {
  std::set<fs::path> places;
  for (const fs::path& file : files) {
    refuse_if(type_of_named(file) == fs::file_type::not_found,
              "there is no file '{}'; name a checkpoint, a state, or the folder of a run",
              file.string());
    refuse_if(!places.insert(fs::canonical(file)).second, "'{}' is named twice", file.string());
  }
}

/// In the handler of an exception.
bool is_disk_full_now() {
  try {
    throw;
  } catch (const io::OutputError& error) {
    return error.is_disk_full;
  } catch (const std::exception&) {
    return false;
  }
}

int export_files(const Options& options, ExportRequest& request) {
  const ExportFormat& format = *std::ranges::find(formats(), request.format, &ExportFormat::name);
  check_options(options, format);
  check_format(format, request.files.size());
  if (!format.takes_trace()) check_names(request.files);
  if (request.output.empty()) request.output = ".";
  const ExportFolder folder(request.output);
  if (const auto* const write = std::get_if<WriteStates>(&format.write)) return (*write)(request);
  int code = kDone;
  bool has_written = false;
  std::map<int, fs::path> steps;
  for (const fs::path& file : request.files) {
    try {
      const fs::path result = export_one(format, file, request, steps);
      has_written = true;
      print_result(request, result);
    } catch (const std::exception&) {
      // The others are exported nevertheless.
      const Failure failure = failure_now();
      code = std::max(code, error_line(failure.line, failure.code));
      if (is_disk_full_now()) break;
    }
  }
  return exit_code(code, has_written);
}

}  // namespace

Action export_command(Options& options) {
  const auto request = std::make_shared<ExportRequest>();
  request->format = formats().front().name;
  options.add(
      "FILE", &request->files,
      "checkpoints or states, or a run's folder, for all its states (not for plotfile); or a "
      "trace, or the folder of a run that has one",
      {.is_required = true});
  options.add("--format", &request->format,
              fmt::format("of a state: {}. Of a trace: {}", list_of(false), list_of(true)),
              {.check = one_of(names_of([](const ExportFormat&) { return true; }))});
  options.add("-o,--output", &request->output, "folder for the results (default: the current one)");
  add_quiet(options, request->quiet);
  add_picture_options(options, *request);
  add_uniform_options(options, *request);
  return [options, request] { return export_files(options, *request); };
}

}  // namespace kumiko::app
