// kumiko search: a search that processes share which join and leave while it runs, over TCP.
#include <array>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kumiko/cluster/launch.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/io/search_record.hpp>
#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search_part.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/search/search_journal.hpp>
#include <kumiko/search/search_tree.hpp>

#include "options/commands.hpp"
#include "problems/nqueens_search.hpp"
#include "problems/pentomino_search.hpp"
#include "run/shared_options.hpp"
#include "terminal/counted.hpp"
#include "terminal/status_line.hpp"

namespace kumiko::app {

namespace {

using runtime::Runtime;
using runtime::io::Address;
using search::SearchJournal;
using search::SearchTree;
using Clock = std::chrono::steady_clock;

/// Fewer could be guessed.
constexpr std::size_t kShortestSecret = 16;
constexpr std::uint64_t kMostHelpers = 1000;

struct SearchRequest {
  std::string problem;
  std::string size;
  std::string parent;  ///< whom to join
  std::string listen;
  std::filesystem::path secret;
  std::filesystem::path output;  ///< folder for the record; empty: none
  int workers = 0;               ///< 0: as many as there are cores
  int helpers = 0;               ///< who are to join before the search begins
  std::filesystem::path checkpoint;
};

/// A problem that comes with Kumiko: what is counted, for which sizes, and how.
struct SearchProblem {
  std::string name;
  std::uint64_t least;
  std::uint64_t most;
  /// Nothing where it was stopped.
  std::function<std::optional<long>(int size, search::Outside& others, const std::stop_token& stop)>
      count;
};

template <class Board, class Begin>
std::optional<long> count_ways(int size, search::Outside& others, const std::stop_token& stop,
                               Begin begin) {
  search::Search<Board> search(Board(size), others, stop);
  begin(search);
  if (search.stopped()) return std::nullopt;
  return search->ways;
}

const std::vector<SearchProblem>& problems() {
  static const std::vector<SearchProblem> all{
      {"queens", 1, examples::kMostQueens,
       [](int size, auto& others, const auto& stop) {
         return count_ways<examples::QueensBoard>(
             size, others, stop, [](auto& search) { examples::place_from(search, 0); });
       }},
      {"pentomino", 10, examples::kMostPieces,
       [](int size, auto& others, const auto& stop) {
         return count_ways<examples::PiecesBoard>(
             size, others, stop, [](auto& search) { examples::fill_from(search, 0, 0); });
       }},
  };
  return all;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const SearchProblem& problem : problems()) names.push_back(problem.name);
  return names;
}

const SearchProblem& problem_of(const SearchRequest& request) {
  for (const SearchProblem& problem : problems()) {
    if (problem.name == request.problem) return problem;
  }
  throw RequestError("there is no problem '{}'; it can be {}", request.problem,
                     listed(problem_names()));
}

/// What the file says, without the line's end.
std::string read_secret(const std::filesystem::path& file) {
  struct stat status {};
  refuse_if(::stat(file.c_str(), &status) != 0,
            "cannot read the secret '{}'; make one: head -c 32 /dev/urandom | base64 > {}; chmod "
            "600 {}",
            file.string(), file.string(), file.string());
  refuse_if((status.st_mode & (S_IRWXG | S_IRWXO)) != 0,
            "others may read the secret '{}'; keep it to yourself: chmod 600 {}", file.string(),
            file.string());
  std::ifstream stream(file, std::ios::binary);
  std::string secret{std::istreambuf_iterator<char>(stream), {}};
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  refuse_if(!stream.good() && !stream.eof(), "cannot read the secret '{}'", file.string());
  refuse_if(secret.size() < kShortestSecret,
            "the secret in '{}' has {}, which can be guessed; use {} or more: head -c "
            "32 /dev/urandom | base64 > {}",
            file.string(), counted(secret.size(), "character"), kShortestSecret, file.string());
  return secret;
}

/// The address that HOST:PORT or [HOST]:PORT stands for.
Address address_of(const std::string& text, const char* option) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const std::string fault = whole_number(0, 65535).fault(port);
  refuse_if(host.empty() || !fault.empty(),
            "{} '{}' is not an address; write HOST:PORT, as 0.0.0.0:5555 or [::1]:5555", option,
            text);
  const auto found = runtime::io::resolve(host, port);
  refuse_if(!found || found->empty(), "{}: the host '{}' is not known", option, host);
  return found->front();
}

/// Waits for Ctrl-C or SIGTERM in all of the process, and requests a stop then.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    // Threads that are made from now on inherit it.
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waits_ = std::jthread([this](const std::stop_token& ended) {
      while (!ended.stop_requested()) {
        if (sigwaitinfo(&signals_, nullptr) > 0 && !ended.stop_requested()) stop_.request_stop();
      }
    });
  }
  ~StopSignals() {
    waits_.request_stop();
    pthread_kill(waits_.native_handle(), SIGINT);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread waits_;
};

/// Wakes a thread that waits for helpers when one has joined or gone.
class HelperNews {
 public:
  void tell() {
    {
      const std::lock_guard lock(mutex_);
      is_new_ = true;
    }
    told_.notify_one();
  }
  /// Returns when it was told since the last time, or by the stop.
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    told_.wait(lock, stop, [this] { return is_new_; });
    is_new_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any told_;
  bool is_new_ = false;  ///< guarded
};

int workers_of(const SearchRequest& request) {
  return request.workers > 0 ? request.workers : cluster::workers_by_local_ranks();
}

/// How others reach an address of this machine: any of its addresses has the machine's name.
std::string reachable(const Address& address) {
  std::string text = address.to_string();
  if (!text.starts_with("0.0.0.0:") && !text.starts_with("[::]:")) return text;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return text;
  return fmt::format("{}:{}", name.data(), address.port());
}

void listen_and_tell(SearchTree& tree, const SearchRequest& request) {
  const Address wanted = address_of(request.listen, "--listen");
  Address address;
  try {
    address = tree.listen(wanted);
  } catch (const std::system_error& error) {
    throw RequestError("cannot listen at {}: {}; name an address of this machine and a free port",
                       wanted.to_string(), error.code().message());
  }
  fmt::print("listening at {}; others join: kumiko search join {} --secret {}\n",
             address.to_string(), reachable(address), request.secret.string());
  static_cast<void>(std::fflush(stdout));
}

void print_exchange(const search::ExchangeStatistics& parts) {
  const auto bytes = static_cast<double>(parts.bytes);
  fmt::print(
      "parts given to others {}, taken from others {}, given again {}; asked others {}, {} in "
      "vain; "
      "{} bytes sent\n",
      parts.given, parts.taken, parts.again, counted(parts.asks, "time"), parts.refusals,
      parts.bytes);
  fmt::print("in {:.1f} s: {:.3g} parts a second, {:.3g} bytes a second\n", parts.seconds,
             static_cast<double>(parts.given + parts.taken) / parts.seconds, bytes / parts.seconds);
}

/// Refuses a folder that cannot take the record of a search, or holds another one's, before the
/// search begins.
void check_output(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  refusing<io::OutputError>([&] { io::check_writable_folder(folder); });
  for (const std::string_view name : {io::kSearchFile, io::kSummaryFile}) {
    std::error_code hidden;
    refuse_if(std::filesystem::exists(folder / name, hidden),
              "--output '{}' holds {} already; name another folder", folder.string(), name);
  }
}

/// Waits until those who have helped have told what they did, and writes it.
void write_record(SearchTree& tree, const SearchRequest& request) {
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

/// The file that keeps the search, if one is named.
std::unique_ptr<SearchJournal> journal_of(const SearchRequest& request, SearchTree& tree,
                                          StatusLine& status) {
  if (request.checkpoint.empty()) return nullptr;
  return refusing<search::JournalError>([&] {
    return std::make_unique<SearchJournal>(
        tree.outside(), request.checkpoint, request.problem + " " + request.size,
        search::SearchJournalOptions{
            .told = [&status](const std::string& line) { status.tell(line); }});
  });
}

/// Shows how far a search is that is kept.
std::jthread show_progress(const SearchRequest& request, const SearchTree& tree,
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

/// Begins when all are there, or not at all: where nothing is left to do, or by the stop.
void await_helpers(const SearchRequest& request, const SearchTree& tree, HelperNews& news,
                   const std::stop_token& stop) {
  if (request.helpers > 0) {
    fmt::print("waiting for {}\n", counted(request.helpers, "helper"));
    static_cast<void>(std::fflush(stdout));
  }
  while (tree.neighbours() < static_cast<std::size_t>(request.helpers) && !stop.stop_requested()) {
    news.wait(stop);
  }
}

int serve(const SearchRequest& request) {
  const SearchProblem& problem = problem_of(request);
  const std::string fault = between(problem.least, problem.most).fault(request.size);
  refuse_if(!fault.empty(), "the size of {}: {}", problem.name, fault);
  const int size = std::stoi(request.size);
  const std::string secret = read_secret(request.secret);
  check_output(request.output);
  // Without a file there is nothing to go on from, so that signals end the process.
  std::optional<StopSignals> signals;
  if (!request.checkpoint.empty()) signals.emplace();
  const std::stop_token stop = signals ? signals->token() : std::stop_token();
  StatusLine status;
  HelperNews news;
  Runtime runtime({.workers = workers_of(request)});
  SearchTree tree(runtime, {.secret = secret}, [&](const std::string& line) {
    status.tell(line);
    news.tell();
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

int join(const SearchRequest& request) {
  const std::string secret = read_secret(request.secret);
  const Address parent = address_of(request.parent, "the address");
  const StopSignals signals;
  Runtime runtime({.workers = workers_of(request)});
  StatusLine status;
  SearchTree tree(runtime, {.secret = secret},
                  [&status](const std::string& line) { status.tell(line); });
  tree.join(parent);
  fmt::print("joined {}\n", parent.to_string());
  if (!request.listen.empty()) listen_and_tell(tree, request);
  static_cast<void>(std::fflush(stdout));
  const search::HelpEnd end = tree.help(signals.token());
  if (end.why == search::HelpEnd::kSearchDone) fmt::print("the search is done\n");
  if (end.why == search::HelpEnd::kStopped) fmt::print("left, as asked\n");
  print_exchange(tree.statistics());
  if (end.why != search::HelpEnd::kParentLost) return kDone;
  throw std::runtime_error(
      fmt::format("lost the connection to {}: {}; the search may still be running: join it again, "
                  "or through another process",
                  parent.to_string(), end.reason));
}

void add_shared(Options& options, SearchRequest& request, const char* listen_help,
                bool listens_always) {
  options.add("--listen", &request.listen, listen_help,
              {.is_required = listens_always, .check = not_empty()});
  options.add("--secret", &request.secret,
              "a file that all processes have and only its owner may read: a process with the same "
              "secret may join",
              {.is_required = true});
  options.add("-w,--workers", &request.workers, "OS threads that work (default: all available)",
              {.check = between(1, kMostWorkers)});
}

}  // namespace

Action serve_search_command(Options& options) {
  const auto request = std::make_shared<SearchRequest>();
  options.add("PROBLEM", &request->problem, "what is searched",
              {.is_required = true, .check = one_of(problem_names())});
  std::vector<std::string> sizes;
  for (const SearchProblem& problem : problems()) {
    sizes.push_back(fmt::format("{} {} to {}", problem.name, problem.least, problem.most));
  }
  options.add("SIZE", &request->size, "how many are to be placed: " + listed(sizes),
              {.is_required = true});
  add_shared(options, *request, "HOST:PORT at which others join; port 0 for any free one", true);
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

Action join_search_command(Options& options) {
  const auto request = std::make_shared<SearchRequest>();
  options.add("ADDRESS", &request->parent, "HOST:PORT of the search, or of a relay",
              {.is_required = true});
  add_shared(options, *request,
             "HOST:PORT at which others join this process, a relay for those that cannot reach the "
             "parent",
             false);
  return [request] { return join(*request); };
}

}  // namespace kumiko::app
