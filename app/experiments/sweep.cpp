#include "experiments/sweep.hpp"

#include <string_view>

#include <fmt/core.h>

#include "run/execute.hpp"
#include "run/run_parts.hpp"
#include "terminal/saved_results.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

io::RunSummary measure(const CaseRequest& request, const Setup& setup, const std::string& backend,
                       const std::string& label) {
  const auto workers = load_backend(backend, setup);
  const auto simulation = make_simulation(setup, *workers);
  Progress progress(request.quiet, label, setup, *simulation);
  return execute(setup, *workers, *simulation, progress);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

bool Repetitions::add(double seconds) {
  const bool is_fastest = !is_measured() || seconds < least_wall_s();
  wall_s.push_back(seconds);
  return is_fastest;
}

void print_found(const std::filesystem::path& folder, const std::filesystem::path& summary,
                 const std::string& text) {
  const auto print = [&] {
    fmt::print("{}", text);
    if (!folder.empty()) fmt::print("\nfiles in {}/\n", folder.string());
  };
  if (folder.empty() && while_running(summary).empty()) return print();
  const std::filesystem::path& place = folder.empty() ? summary : folder;
  print_saved(fmt::format("the results are in '{}'", place.string()), print);
}

void refuse_quiet_for_nothing(const CaseRequest& request, const std::filesystem::path& output,
                              const std::string& what, const std::string& remedy) {
  refuse_if(request.quiet && output.empty() && request.summary.empty(),
            "--quiet: the results of the {} would be lost; {}, or leave out --quiet", what, remedy);
}

void warn_of_files(const std::vector<std::string>& overrides, const std::string& what) {
  for (const std::string& text : overrides) {
    const std::string_view table = std::string_view(text).substr(0, text.find('.'));
    if (table != "output" && table != "checkpoint" && table != "trace") continue;
    print_warning("--set {} has no effect: the runs of a {} write no files of their own", text,
                  what);
  }
}

void check_sweep_file(const std::filesystem::path& folder, const char* name, bool overwrite,
                      const std::string& what) {
  if (folder.empty()) return;
  // A folder may hold other files: of them only these are written.
  check_output(folder, io::Earlier::kContinue);
  if (overwrite || !std::filesystem::exists(folder / name)) return;
  throw RequestError(
      "'{}' already exists; replace the {} in that folder with --overwrite, or name another folder "
      "with --output",
      (folder / name).string(), what);
}

}  // namespace kumiko::app
