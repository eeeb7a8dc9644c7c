#include "commands/exported_states.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/state_writer.hpp>

#include "run/run_start.hpp"
#include "terminal/named_path.hpp"
#include "terminal/request.hpp"
#include "terminal/saved_results.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> states_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& [step, file] : io::OutputFolder::numbered(folder, io::kStateFiles)) {
    files.push_back(file);
  }
  if (!files.empty()) return files;
  const auto newest = newest_checkpoint(folder);
  throw RequestError("'{}' holds no states (state_NNNNNN.hdf); name {}", folder.string(),
                     newest ? fmt::format("its newest checkpoint '{}'", newest->string())
                            : "a run's folder, or files");
}

/// The file that is named, or the states of the folder.
std::vector<fs::path> files_of(const fs::path& named) {
  if (type_of_named(named) == fs::file_type::directory) return states_of(named);
  require_file(named, "name a checkpoint, a state, or the folder of a run");
  return {named};
}

/// Prints failures of a request's files, and remembers the worst code.
class Failures {
 public:
  /// In the handler of an exception.
  void add(const fs::path& file, const std::exception& error) {
    // A component or a quantity that the file does not have is a wrong request too.
    const bool is_of_request = dynamic_cast<const RequestError*>(&error) != nullptr;
    const bool is_foreign = is_of_request ||
                            dynamic_cast<const io::NotACheckpoint*>(&error) != nullptr ||
                            dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
    const int code = is_foreign ? kWrongRequest : kRunFailed;
    code_ = std::max(code_, code);
    const std::string what = error.what() + remedy_of(error);
    if (is_of_request && !told_.insert(without(file.string(), what)).second) return;
    const auto* const output = dynamic_cast<const io::OutputError*>(&error);
    is_disk_full_ = output != nullptr && output->is_disk_full;
    const bool is_named = output != nullptr || what.find(file.string()) != std::string::npos;
    error_line(is_named ? what : fmt::format("'{}' {}", file.string(), what), code);
  }

  int code() const { return code_; }
  bool is_disk_full() const { return is_disk_full_; }

 private:
  /// A message without the name of its file, so that those of several files can be compared.
  static std::string without(const std::string& name, std::string text) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name)) {
      text.erase(at, name.size());
    }
    return text;
  }

  int code_ = kDone;
  bool is_disk_full_ = false;
  std::set<std::string> told_;
};

}  // namespace

void add_step(std::map<int, fs::path>& steps, int step, const fs::path& file) {
  const auto [other, is_new] = steps.emplace(step, file);
  if (is_new) return;
  throw std::runtime_error(
      fmt::format("'{}' has the same base step, {}, as '{}'; export the files of each run to a "
                  "separate folder",
                  file.string(), step, other->second.string()));
}

int exit_code(int code, bool has_written) {
  return has_written && code == kWrongRequest ? kRunFailed : code;
}

void print_result(const ExportRequest& request, const fs::path& result) {
  if (request.quiet) return;
  print_saved(fmt::format("'{}' is complete", result.string()),
              [&] { fmt::print("{}\n", result.string()); });
}

std::size_t component_index(const io::Checkpoint& checkpoint, const std::string& name) {
  const std::span<const std::string> names = checkpoint.field_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw RequestError("has no component '{}'; it has: {}", name, fmt::join(names, ", "));
}

int for_each_state(const ExportRequest& request,
                   const std::function<void(const fs::path& file)>& visit) {
  Failures failures;
  const auto try_visit = [&](const fs::path& file) {
    try {
      type_of_named(file);
      visit(file);
    } catch (const std::exception& error) {
      failures.add(file, error);
    }
  };
  for (const fs::path& named : request.files) {
    try {
      for (const fs::path& file : files_of(named)) {
        try_visit(file);
        if (failures.is_disk_full()) return failures.code();
      }
    } catch (const RequestError& error) {
      failures.add(named, error);
    }
  }
  return failures.code();
}

}  // namespace kumiko::app
