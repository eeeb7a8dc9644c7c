#include "experiments/rank_launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/shell_word.hpp>

#include "run/signals.hpp"
#include "terminal/counted.hpp"
#include "terminal/programs.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kRanks = "{ranks}";
constexpr std::string_view kWorkers = "{workers}";
constexpr std::string_view kErrorMark = "kumiko: error: ";

/// Settings of a run that only steps, so that its seconds are those of the steps.
constexpr std::string_view kWithoutFiles[] = {"output.every=0", "checkpoint.every=0",
                                              "diagnostics.every=1000000000", "trace.from=-1"};

/// The options that give an MPI's launcher the number of ranks.
std::string options_of(const std::string& mpi) {
  // Open MPI would bind each of two ranks to one core, and refuses more ranks than cores.
  const std::string_view own = mpi == "openmpi" ? " --oversubscribe --bind-to none" : "";
  return fmt::format("{} -n {}", own, kRanks);
}

/// The launcher of ranks on this machine: mpirun by its name in Debian, or by the usual one.
std::string usual_command() {
  const std::vector<std::string> mpis = cluster::linked_mpis();
  for (const std::string& mpi : mpis) {
    const std::string program = "mpirun." + mpi;
    if (is_program(program)) return program + options_of(mpi);
  }
  if (mpis.size() == 1 && is_program("mpirun")) return "mpirun" + options_of(mpis.front());
  refuse_if(
      mpis.empty(),
      "--ranks: this Kumiko was built without an MPI; configure it by 'cmake --preset release' "
      "and build it again; Debian has MPIs in openmpi-bin and libopenmpi-dev, and in mpich and "
      "libmpich-dev");
  throw RequestError(
      "--ranks: found no launcher for {}; install mpirun.{}, or name a launcher with --launcher "
      "'mpirun -n {}'",
      fmt::join(mpis, " or "), fmt::join(mpis, " or mpirun."), kRanks);
}

void replace_all(std::string& text, std::string_view what, int number) {
  const std::string digits = std::to_string(number);
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), digits);
  }
}

/// `kumiko run`, with what the request says, in the shell's words.
std::string run_words(const CaseRequest& request, int workers, const fs::path& folder) {
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "run",
                                    request.config.string()};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  for (const std::string& setting : request.overrides) add("--set", setting);
  for (const std::string_view setting : kWithoutFiles) add("--set", std::string(setting));
  for (const fs::path& path : request.plugin_path) add("--plugin-path", path.string());
  add("--workers", std::to_string(workers));
  add("--output", folder.string());
  words.emplace_back("--quiet");
  std::string text;
  for (const std::string& word : words) text += " " + io::shell_word(word);
  return text;
}

/// True if a launcher draws this line between paragraphs.
bool is_ruler(const std::string& line) {
  return line.find_first_not_of("-=* ") == std::string::npos;
}

/// The reason of a run's failure: its own error, or else the launcher's words within rulers, or
/// else the last line.
std::string reason(const fs::path& messages) {
  std::ifstream stream(messages);
  std::string paragraph;
  int rulers = 0;
  for (std::string line; std::getline(stream, line);) {
    if (const std::size_t at = line.find(kErrorMark); at != std::string::npos) {
      return line.substr(at + kErrorMark.size());
    }
    if (is_ruler(line)) {
      if (!line.empty()) ++rulers;
    } else if (rulers == 1) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  return paragraph.empty() ? last_line(messages) : paragraph;
}

}  // namespace

RankLauncher::RankLauncher(const std::string& command)
    : command_(command.empty() ? usual_command() : command) {
  refuse_if(command_.find(kRanks) == std::string::npos,
            "--launcher '{}': {} must stand where the number of ranks belongs, such as 'mpirun -n "
            "{}'",
            command_, kRanks, kRanks);
}

Json RankLauncher::run(const CaseRequest& request, const fs::path& folder, int ranks,
                       int workers) const {
  const ScratchFolder scratch(folder.empty() ? fs::temp_directory_path() : folder, "ranks");
  const fs::path run = scratch.path() / "run";
  const fs::path messages = scratch.path() / "messages.txt";
  std::string launcher = command_;
  replace_all(launcher, kRanks, ranks);
  replace_all(launcher, kWorkers, workers);
  const std::string command =
      fmt::format("( {}{} ) </dev/null >/dev/null 2>{}", launcher, run_words(request, workers, run),
                  io::shell_word(messages.string()));
  const int code = run_program(command, end_requested);
  if (end_requested()) throw std::runtime_error("ended by a signal");
  const std::string who = fmt::format("{}, {} each, by '{}'", counted(ranks, "rank"),
                                      counted(workers, "worker"), launcher);
  if (code != 0) {
    constexpr std::string_view kAsRoot = "--allow-run-as-root";
    const std::string why = reason(messages);
    const bool is_root_refused = why.find(kAsRoot) != std::string::npos;
    const std::size_t word = command_.find(' ');
    throw std::runtime_error(fmt::format(
        "{}: ended with status {}: {}{}", who, code, why,
        is_root_refused
            ? fmt::format("; here that is --launcher '{} {}{}'", command_.substr(0, word), kAsRoot,
                          command_.substr(std::min(word, command_.size())))
            : ""));
  }
  std::ifstream summary(run / "summary.json");
  Json json = Json::parse(summary, nullptr, false);
  if (!json.is_object()) {
    throw std::runtime_error(fmt::format(
        "{}: '{}' has no summary; name a folder with --output that the hosts of all ranks share",
        who, run.string()));
  }
  const std::size_t found = json.contains("ranks") ? json.at("ranks").size() : 1;
  if (found != static_cast<std::size_t>(ranks)) {
    throw std::runtime_error(fmt::format("{}: the run had {}; use a launcher of {}", who,
                                         counted(found, "rank"),
                                         fmt::join(cluster::linked_mpis(), " or ")));
  }
  return json;
}

}  // namespace kumiko::app
