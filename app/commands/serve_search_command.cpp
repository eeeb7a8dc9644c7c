// kumiko search serve: a search that other processes join and leave while it runs, over TCP.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/search_record.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_journal.hpp>
#include <kumiko/search/search_tree.hpp>

#include "commands/search_peer.hpp"
#include "commands/search_problems.hpp"
#include "commands/stop_signals.hpp"
#include "options/commands.hpp"
#include "terminal/counted.hpp"
#include "terminal/request.hpp"
#include "terminal/status_line.hpp"

namespace kumiko::app {

namespace {

using runtime::Runtime;
using search::SearchJournal;
using search::SearchTree;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostHelpers = 1000;

struct ServeRequest : PeerRequest {
  std::string problem;
  std::string size;
  std::filesystem::path output;  ///< folder for the record; empty: none
  int helpers = 0;               ///< that join before the search begins
  std::filesystem::path checkpoint;
};

/// Wakes a thread that waits for helpers when one has joined or gone.
class HelperNews {
 public:
  void announce() {
    {
      const std::lock_guard lock(mutex_);
      is_new_ = true;
    }
    changed_.notify_one();
  }
  /// Returns after an announce() since the last call, or at the stop.
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return is_new_; });
    is_new_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_new_ = false;  ///< guarded
};

/// Refuses a folder that cannot be written, or that already holds a record, before the search
/// begins.
void check_output(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  refusing<io::OutputError>([&] { io::check_writable_folder(folder); });
  for (const std::string_view name : {io::kSearchFile, io::kSummaryFile}) {
    std::error_code hidden;
    refuse_if(std::filesystem::exists(folder / name, hidden),
              "--output '{}' holds {} already; name another folder", folder.string(), name);
  }
}

/// Waits for the reports of all helpers, and writes the record.
void write_record(SearchTree& tree, const ServeRequest& request) {
  if (request.output.empty()) return;
  const std::string record =
      tree.end_and_record(fmt::format("{} {}", request.problem, request.size));
  std::error_code failed;
  std::filesystem::create_directories(request.output, failed);
  if (failed) {
    throw io::OutputError(
        fmt::format("cannot make '{}': {}", request.output.string(), failed.message()));
  }
  io::write_text_file(request.output / io::kSearchFile, record);
  fmt::print("which process worked for which, and when: kumiko report {}\n",
             request.output.string());
}

/// The file that keeps the search; null if the request names none.
std::unique_ptr<SearchJournal> journal_of(const ServeRequest& request, SearchTree& tree,
                                          StatusLine& status) {
  if (request.checkpoint.empty()) return nullptr;
  return refusing<search::JournalError>([&] {
    return std::make_unique<SearchJournal>(
        tree.outside(), request.checkpoint, request.problem + " " + request.size,
        search::SearchJournalOptions{
            .told = [&status](const std::string& line) { status.tell(line); }});
  });
}

/// Shows the progress of a search that is kept in a file.
std::jthread show_progress(const ServeRequest& request, const SearchTree& tree,
                           const SearchJournal& journal, StatusLine& status) {
  return std::jthread([&](const std::stop_token& ended) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wakes;
    while (!ended.stop_requested()) {
      const search::SearchJournalStatistics parts = journal.statistics();
      status.show(fmt::format("{} {}: {} of {} done, {} here", request.problem, request.size,
                              parts.found + parts.done, counted(parts.parts, "part"),
                              counted(tree.neighbours(), "helper")));
      wakes.wait_for(lock, ended, std::chrono::milliseconds(200), [] { return false; });
    }
    status.clear();
  });
}

/// Waits until as many helpers as requested have joined, or until the stop.
void await_helpers(const ServeRequest& request, const SearchTree& tree, HelperNews& news,
                   const std::stop_token& stop) {
  if (request.helpers > 0) {
    fmt::print("waiting for {}\n", counted(request.helpers, "helper"));
    static_cast<void>(std::fflush(stdout));
  }
  while (tree.neighbours() < static_cast<std::size_t>(request.helpers) && !stop.stop_requested()) {
    news.wait(stop);
  }
}

int serve(const ServeRequest& request) {
  const SearchProblem& problem =
      *std::ranges::find(search_problems(), request.problem, &SearchProblem::name);
  const std::string fault = between(problem.least, problem.most).fault(request.size);
  refuse_if(!fault.empty(), "the size of {}: {}", problem.name, fault);
  const int size = std::stoi(request.size);
  const std::string secret = read_secret(request.secret);
  check_output(request.output);
  // Without a file the search cannot continue later, so signals end the process.
  std::optional<StopSignals> signals;
  if (!request.checkpoint.empty()) signals.emplace();
  const std::stop_token stop = signals ? signals->token() : std::stop_token();
  StatusLine status;
  HelperNews news;
  Runtime runtime({.workers = workers_of(request)});
  SearchTree tree(runtime, {.secret = secret}, [&](const std::string& line) {
    status.tell(line);
    news.announce();
  });
  const std::unique_ptr<SearchJournal> journal = journal_of(request, tree, status);
  listen_and_tell(tree, request);
  if (const std::uint64_t parts = journal ? journal->statistics().on_file : 0; parts > 0) {
    fmt::print("continues from {} in '{}'\n", counted(parts, "part"), request.checkpoint.string());
  }
  if (!journal || !journal->was_finished()) await_helpers(request, tree, news, stop);
  std::optional<long> ways;
  const auto begin = Clock::now();
  {
    std::jthread progress;
    if (journal) progress = show_progress(request, tree, *journal, status);
    search::Outside& others = journal ? journal->outside() : tree.outside();
    runtime.run([&] { ways = problem.count(size, others, stop); });
  }
  const std::chrono::duration<double> taken = Clock::now() - begin;
  if (!ways) {
    tree.interrupt();
    const auto parts = journal->statistics();
    throw std::runtime_error(fmt::format("stopped; '{}' has {}: the same command continues",
                                         request.checkpoint.string(),
                                         counted(parts.on_file + parts.done, "part")));
  }
  fmt::print("{} {}: {} ways in {:.3f} s\n", problem.name, size, *ways, taken.count());
  if (journal) {
    journal->finish();
    const auto parts = journal->statistics();
    fmt::print("{} in '{}', {} of them done now\n", counted(parts.parts, "part"),
               request.checkpoint.string(), parts.done);
  }
  print_exchange(tree.statistics());
  write_record(tree, request);
  return kDone;
}

}  // namespace

Action serve_search_command(Options& options) {
  const auto request = std::make_shared<ServeRequest>();
  std::vector<std::string> names;
  std::vector<std::string> sizes;
  for (const SearchProblem& problem : search_problems()) {
    names.push_back(problem.name);
    sizes.push_back(fmt::format("{} {} to {}", problem.name, problem.least, problem.most));
  }
  options.add("PROBLEM", &request->problem, "what is searched",
              {.is_required = true, .check = one_of(names)});
  options.add("SIZE", &request->size, "how many are to be placed: " + listed(sizes),
              {.is_required = true});
  add_peer(options, *request, "HOST:PORT at which others join; port 0 for any free one", true);
  options.add("--helpers", &request->helpers,
              "begin when this many have joined here; those that join at a relay do not count",
              {.check = whole_number(0, kMostHelpers)});
  options.add("-o,--output", &request->output,
              "folder for search.json, a record of which process worked for which and when, for "
              "kumiko report",
              {.check = not_empty()});
  options.add("--checkpoint", &request->checkpoint,
              "a file that keeps what is found; after a crash, a stop or a kill the same command "
              "continues from it",
              {.check = not_empty()});
  return [request] { return serve(*request); };
}

}  // namespace kumiko::app
