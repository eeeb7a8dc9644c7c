// kumiko report: finished runs, or a search that processes shared, as one HTML page.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/run_folder.hpp>
#include <kumiko/io/search_record.hpp>
#include <kumiko/io/trace_file.hpp>
#include <kumiko/viz/report.hpp>
#include <kumiko/viz/state_image.hpp>

#include "options/commands.hpp"
#include "run/published.hpp"
#include "run/shared_options.hpp"
#include "terminal/counted.hpp"
#include "terminal/named_path.hpp"
#include "terminal/saved_results.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPictures = 4;  // of each quantity, unless times are named

struct ReportRequest {
  std::vector<fs::path> folders;  ///< of runs
  fs::path output;                ///< the page; empty: in the first folder
  fs::path tables;                ///< folder for the numbers of the charts
  std::vector<double> times;      ///< of the pictures; none: some of the run
  std::string title;
  bool quiet = false;
  std::vector<fs::path> plugin_path;
};

/// A run with what its configuration names, where that can be found.
struct Subject {
  viz::ReportRun run;
  std::unique_ptr<Setup> setup;
  std::string why_no_setup;
};

/// The folder's name; all of its path where several runs have the same.
std::string name_of(const fs::path& folder, const std::vector<fs::path>& all) {
  const auto last = [](const fs::path& path) {
    // A link's own name, unless what is above a folder is asked for.
    const bool climbs = std::ranges::find(path, "..") != path.end();
    const fs::path whole =
        climbs ? fs::weakly_canonical(path) : fs::absolute(path).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename();
  };
  const auto alike = std::ranges::count(all, last(folder), last);
  return alike > 1 ? folder.string() : last(folder).string();
}

/// A run that went on from a checkpoint, with other workers or otherwise, may have the trace of an
/// earlier part: a sentence where that can be seen.
std::string difference_of(const viz::ReportRun& run) {
  const amr::Trace& trace = *run.trace;
  const nlohmann::ordered_json& summary = *run.folder.summary;
  if (summary.at("workers") == trace.workers && summary.at("backend") == trace.backend &&
      summary.value("schedule", trace.schedule) == trace.schedule) {
    return {};
  }
  return fmt::format(
      "The trace of {} was recorded with {}, backend {} and schedule {}, but its summary lists "
      "others: the trace is of an earlier part of the run.",
      run.name, counted(trace.workers, "worker"), trace.backend, trace.schedule);
}

/// Warns of the texts of a run that were changed after it wrote them. \return them, for the page
void look_at_files(viz::ReportRun& run) {
  if (run.folder.altered.empty()) return;
  const std::string faults = to_string(run.folder.altered);
  run.about_files = fmt::format(
      "The files of {} have changed since the run wrote them, so its numbers may be wrong: {}.",
      run.name, faults);
  print_warning("the files in '{}' have changed since the run wrote them: {}",
                run.folder.path.string(), faults);
}

void read_trace(viz::ReportRun& run) {
  if (!run.folder.has_trace) {
    run.about_trace = fmt::format(
        "{} has no trace; run it with --set trace.from=0 to see what each worker did.", run.name);
    return;
  }
  run.trace = io::read_trace(run.folder.path);
  run.about_trace = difference_of(run);
  if (run.trace->pieces.empty()) {
    run.about_trace = fmt::format(
        "The trace of {} is empty; set trace.from to a base step of the run.", run.name);
  }
}

Subject read_subject(const fs::path& folder, const ReportRequest& request,
                     std::shared_ptr<const plugin::Registry> plugins) {
  Subject subject;
  viz::ReportRun& run = subject.run;
  constexpr std::array<std::string_view, 5> kRead = {io::kSummaryFile, io::kConfigurationFile,
                                                     "diagnostics.csv", "load.csv", io::kTraceFile};
  for (const std::string_view name : kRead) type_of_named(folder / name);
  refusing<io::NotARun, io::NotATrace>([&] {
    run.folder = io::read_run_folder(folder);
    run.name = name_of(folder, request.folders);
    look_at_files(run);
    read_trace(run);
  });
  const SetupRequest own{.config = folder / io::kConfigurationFile, .plugins = std::move(plugins)};
  try {
    subject.setup = std::make_unique<Setup>(load_setup(own));
  } catch (const RequestError& error) {
    subject.why_no_setup = error.what();
  }
  return subject;
}

using States = std::map<std::int64_t, fs::path>;  // files by step

/// Some of the states: evenly spread, with the first and the last.
States spread(const States& states) {
  if (states.size() <= kPictures) return states;
  States some;
  for (std::size_t at = 0; at < kPictures; ++at) {
    const std::size_t place = at * (states.size() - 1) / (kPictures - 1);
    some.insert(*std::next(states.begin(), static_cast<std::ptrdiff_t>(place)));
  }
  return some;
}

/// The time after so many base steps: between two rows as if their steps were of one length.
double time_of(std::int64_t step, const std::vector<io::DiagnosticsRow>& rows) {
  const auto after = std::ranges::lower_bound(rows, step, {}, &io::DiagnosticsRow::step);
  if (after == rows.end()) return rows.back().time;
  if (after->step == step || after == rows.begin()) return after->time;
  const io::DiagnosticsRow& before = *std::prev(after);
  const double part =
      static_cast<double>(step - before.step) / static_cast<double>(after->step - before.step);
  return before.time + part * (after->time - before.time);
}

/// The states nearest to the times.
States nearest(const io::RunFolder& folder, const std::vector<double>& times) {
  States chosen;
  const States& states = folder.states;
  for (const double time : times) {
    const auto distance = [&](const auto& state) {
      return std::abs(time_of(state.first, folder.diagnostics) - time);
    };
    chosen.insert(*std::ranges::min_element(states, {}, distance));
  }
  return chosen;
}

std::vector<io::StoredState> read_states(const io::RunFolder& folder,
                                         const std::vector<double>& times) {
  std::vector<io::StoredState> states;
  for (const auto& [step, file] : times.empty() ? spread(folder.states) : nearest(folder, times)) {
    type_of_named(file);
    try {
      states.push_back(io::read_state(file));
    } catch (const io::NotACheckpoint& error) {
      // A file of the user's that has the name of one of the run's.
      print_warning("{}; the report leaves it out", error.what());
    }
  }
  return states;
}

void add_pictures(viz::ReportRun& run, const std::vector<double>& times) {
  if (!viz::pictures_available()) {
    run.about_pictures =
        "This build cannot draw pictures; build Kumiko with -D KUMIKO_WITH_VTK=ON.";
    return;
  }
  if (run.folder.states.empty()) {
    run.about_pictures = fmt::format(
        "{} has no states; set output.every=N to write one every N base steps.", run.name);
    return;
  }
  const std::vector<io::StoredState> states = read_states(run.folder, times);
  if (states.empty()) {
    run.about_pictures = fmt::format("{} has no state that can be read.", run.name);
    return;
  }
  run.pictures = viz::draw_pictures(states);
  const bool extras = std::ranges::all_of(
      states, [](const io::StoredState& state) { return viz::has_extras(state.checkpoint.run); });
  if (!extras) {
    run.about_pictures = fmt::format(
        "The states of {} have no data about its patches; run it with --set output.extras=true to "
        "see ranks, costs and the refinement indicator.",
        run.name);
  }
}

viz::ReportOptions options_of(const ReportRequest& request, const std::vector<Subject>& subjects) {
  viz::ReportOptions options;
  options.version = KUMIKO_VERSION;
  std::vector<FinishedRun> finished;
  std::set<std::string> cases;
  for (const Subject& subject : subjects) {
    finished.push_back({*subject.run.folder.summary, subject.setup.get()});
    cases.insert(subject.run.folder.summary->at("case").get<std::string>());
  }
  PublishedTable published = published_table(finished);
  options.published = std::move(published.rows);
  options.about_published = std::move(published.about_others);
  if (options.published.empty() && options.about_published.empty()) {
    options.about_published = "No values are published for this case.";
  }
  for (const Subject& subject : subjects) {
    if (subject.setup == nullptr) options.about_published = subject.why_no_setup;
  }
  options.title = request.title.empty()
                      ? fmt::format("{}: {}", fmt::join(cases, ", "),
                                    subjects.size() == 1 ? subjects.front().run.name
                                                         : fmt::format("{} runs", subjects.size()))
                      : request.title;
  return options;
}

/// Each is there, and named once.
void check_folders(const std::vector<fs::path>& named) {
  std::set<fs::path> folders;
  for (const fs::path& folder : named) {
    const fs::file_type type = type_of_named(folder);
    refuse_if(type == fs::file_type::not_found,
              "there is no folder '{}'; name that of a finished run", folder.string());
    refuse_if(type != fs::file_type::directory, "'{}' is not a folder; name the one that holds it",
              folder.string());
    refuse_if(!folders.insert(fs::weakly_canonical(folder)).second, "'{}' is named twice",
              folder.string());
  }
}

/// A missing folder is made later, once there is something to write into it.
void check_tables(const fs::path& folder) {
  std::error_code missing;
  if (folder.empty()) return;
  refuse_if(fs::exists(folder, missing) && !fs::is_directory(folder, missing),
            "--csv: '{}' is not a folder; name another one", folder.string());
  check_for<io::OutputError>("--csv", [&] { io::check_writable_folder(folder); });
}

/// Calls write(), whose errors advise a folder with --output; they advise `place` here.
template <class Write>
auto advising(const char* place, Write write) {
  constexpr std::string_view kUsual = "a folder elsewhere with --output";
  try {
    return write();
  } catch (const io::OutputError& error) {
    std::string text = error.what();
    const std::size_t at = text.find(kUsual);
    if (at == text.npos) throw;
    throw io::OutputError(text.replace(at, kUsual.size(), place));
  }
}

/// The tables that were asked for, written before the page: they may be refused.
template <class Subject>
std::vector<fs::path> write_tables(const ReportRequest& request, const Subject& subject) {
  if (request.tables.empty()) return {};
  return refusing<viz::ForeignTable>([&] {
    return advising("a folder elsewhere with --csv",
                    [&] { return viz::write_report_tables(request.tables, subject); });
  });
}

/// Or an empty file, which may become one.
bool is_report(const fs::path& file) {
  constexpr std::streamsize kHead = 1024;
  std::string head(kHead, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), kHead);
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return stream.is_open() && (head.empty() || head.find("content=\"Kumiko report\"") != head.npos);
}

/// Refuses a wrong request before any run is read, because reading may take long.
void check(const ReportRequest& request, const fs::path& page) {
  refuse_if(!viz::report_available(),
            "this build cannot write reports; build Kumiko with -D KUMIKO_WITH_REPORT=ON");
  check_folders(request.folders);
  refusing<io::OutputError>([&] {
    io::check_writable(page);
    check_tables(request.tables);
  });
  refuse_if(!request.tables.empty() && is_at_or_above(page, request.tables),
            "--output: the page '{}' would be where --csv makes a folder; name another file",
            page.string());
  refuse_if(fs::exists(page) && !is_report(page),
            "'{}' exists and is not a report; name another file with --output", page.string());
}

constexpr const char* kOtherPage = "a file elsewhere with --output";

void tell_files(const ReportRequest& request, const fs::path& page,
                const std::vector<fs::path>& tables) {
  if (request.quiet) return;
  print_saved(fmt::format("the report is written to '{}'", page.string()), [&] {
    fmt::print("{}\n", page.string());
    for (const fs::path& file : tables) fmt::print("{}\n", file.string());
  });
}

int make_search_report(const ReportRequest& request, const fs::path& page) {
  const fs::path& folder = request.folders.front();
  refuse_if(!request.times.empty(),
            "--times selects states of runs, but '{}' is the folder of a search; leave --times out",
            folder.string());
  type_of_named(folder / io::kSearchFile);
  const viz::ReportSearch search{name_of(folder, request.folders), io::read_search(folder)};
  viz::ReportOptions options;
  options.version = KUMIKO_VERSION;
  options.title = request.title.empty()
                      ? fmt::format("Search: {}", search.record->at("title").get<std::string>())
                      : request.title;
  const std::vector<fs::path> tables = write_tables(request, search);
  advising(kOtherPage, [&] { viz::write_report(page, search, options); });
  tell_files(request, page, tables);
  return kDone;
}

int make_report(const ReportRequest& request) {
  const fs::path page =
      request.output.empty() ? request.folders.front() / "report.html" : request.output;
  check(request, page);
  const auto search = std::ranges::find_if(request.folders, io::holds_search);
  if (search != request.folders.end()) {
    refuse_if(
        request.folders.size() > 1,
        "'{}' is the folder of a search, which needs a report of its own: name this folder alone",
        search->string());
    return make_search_report(request, page);
  }
  const auto plugins = find_plugins(request.plugin_path);
  std::vector<Subject> subjects;
  for (const fs::path& folder : request.folders)
    subjects.push_back(read_subject(folder, request, plugins));
  for (Subject& subject : subjects) add_pictures(subject.run, request.times);
  const viz::ReportOptions options = options_of(request, subjects);
  std::vector<viz::ReportRun> runs;
  for (Subject& subject : subjects) runs.push_back(std::move(subject.run));
  const std::vector<fs::path> tables = write_tables(request, runs);
  advising(kOtherPage, [&] { viz::write_report(page, runs, options); });
  tell_files(request, page, tables);
  return kDone;
}

}  // namespace

Action report_command(Options& options) {
  const auto request = std::make_shared<ReportRequest>();
  options.add("DIR", &request->folders, "folders of finished runs, or one of a search",
              {.is_required = true});
  options.add("-o,--output", &request->output, "the page (default: report.html in the first DIR)",
              {.check = not_empty()});
  options.add("--csv", &request->tables, "write the numbers of all charts to this folder too",
              {.check = not_empty()});
  options.add("--times", &request->times,
              "T1,T2,...: show the states nearest to these times (default: four of the run)",
              {.lists = true, .check = any_number()});
  options.add("--title", &request->title, "of the page (default: the cases' names)",
              {.check = not_empty()});
  add_quiet(options, request->quiet);
  add_plugin_path(options, request->plugin_path);
  return [request] { return make_report(*request); };
}

}  // namespace kumiko::app
