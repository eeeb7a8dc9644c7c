#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/plotfile.hpp>

#include "export_pictures.hpp"
#include "named_path.hpp"
#include "problem.hpp"
#include "request.hpp"
#include "trace_export.hpp"

namespace kumiko::app {

namespace {

/// The state that a file holds, as a run would go on from it.
struct Loaded {
  Problem problem;
  std::unique_ptr<amr::Backend> backend;
  std::unique_ptr<amr::Simulation> simulation;
};

io::Checkpoint read_named_state(const std::filesystem::path& file) {
  require_file(file, "name a checkpoint or a state");
  try {
    return io::read_checkpoint(file);
  } catch (const io::NotACheckpoint& error) {
    throw RequestError(error.what());
  }
}

Loaded load(const Request& request, const std::filesystem::path& file) {
  const io::Checkpoint checkpoint = read_named_state(file);
  Request own;  // without the overrides of a run
  own.plugins = request.plugins;
  Problem problem = load_problem(own, file, checkpoint);
  auto backend = amr::make_backend("serial", 1);
  auto simulation = make_simulation(problem, *backend, &checkpoint);
  // The simulation refers to what the problem owns, which stays where it is.
  return {std::move(problem), std::move(backend), std::move(simulation)};
}

std::filesystem::path export_one(const Request& request, const std::filesystem::path& file) {
  if (is_trace_format(request.format)) return export_trace(file, request.format, request.output);
  if (type_of_named(file) == std::filesystem::file_type::directory) {
    throw RequestError(fmt::format(
        "'{}' is a folder; name a checkpoint or a state in it, draw its states with --format png, "
        "mp4, gif or webm, or put its trace into another format with --format chrome, otf2 or csv",
        file.string()));
  }
  const Loaded state = load(request, file);
  const int step = state.simulation->step();
  std::filesystem::path folder = request.output / fmt::format("plt_{:06}", step);
  io::write_plotfile(folder, state.simulation->hierarchy(),
                     {step, state.simulation->time(), state.problem.the_case->component_names()});
  return folder;
}

/// The folder of the exported files. One that it makes, and that stays empty, is removed again.
class ExportFolder {
 public:
  explicit ExportFolder(const std::filesystem::path& path) : path_(path) {
    require_writable_folder(path);
    std::error_code failed;
    made_ = std::filesystem::create_directories(path, failed);
    if (!failed) return;
    throw RequestError(fmt::format("cannot make '{}': {}; name another folder with --output",
                                   path.string(), failed.message()));
  }
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;
  ~ExportFolder() {
    std::error_code full;
    if (made_) std::filesystem::remove(path_, full);
  }

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace

int export_command(const Request& request) {
  check_trace_export(request);
  const ExportFolder folder(request.output);
  if (is_picture_format(request.format)) return export_pictures(request);
  int code = kDone;
  for (const std::filesystem::path& file : request.files) {
    try {
      const std::filesystem::path result = export_one(request, file);
      if (!request.quiet) fmt::print("{}\n", result.string());
    } catch (const RequestError& error) {
      code = error_line(error.what(), kWrongRequest);
    } catch (const std::exception& error) {
      // The others are exported nevertheless.
      code = error_line(error.what(), kRunFailed);
    }
  }
  return code;
}

}  // namespace kumiko::app
