#include "run/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <unistd.h>

#include "run/ranks.hpp"
#include "run/run_summary.hpp"
#include "run/setup.hpp"

namespace kumiko::app {

namespace {

constexpr std::chrono::milliseconds kInterval{200};
/// How long ranks have to say what they do.
constexpr std::chrono::seconds kPatience{1};
constexpr double kPercent = 100.0;
constexpr int kShortestBar = 8;
constexpr int kLongestBar = 40;

/// "45 s", "12:05", "3:20:00".
std::string clock_text(double seconds) {
  constexpr int kMinute = 60;
  constexpr int kHour = 3600;
  constexpr double kLongest = 1e8;
  const auto whole = static_cast<int>(std::ceil(std::min(seconds, kLongest)));
  if (whole < kMinute) return fmt::format("{} s", whole);
  if (whole < kHour) return fmt::format("{}:{:02}", whole / kMinute, whole % kMinute);
  return fmt::format("{}:{:02}:{:02}", whole / kHour, whole / kMinute % kMinute, whole % kMinute);
}

/// Of `width` columns, without colours.
std::string plain_bar(double share, int width) {
  const int inside = width - 2;
  const int full = std::clamp(static_cast<int>(share * inside), 0, inside);
  return fmt::format("[{:#<{}}{:-<{}}]", "", full, "", inside - full);
}

/// Filled by eighths of a column.
std::string block_bar(double share, int width, bool colour) {
  constexpr std::array<std::string_view, 8> kPart = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = std::clamp(static_cast<int>(share * width * 8), 0, width * 8);
  const int full = eighths / 8;
  const std::string_view part = kPart[static_cast<std::size_t>(eighths % 8)];
  const int rest = width - full - (part.empty() ? 0 : 1);
  const std::string done = fmt::format("{:█<{}}{}", "", full, part);
  const std::string ahead = fmt::format("{:░<{}}", "", rest);
  // Cyan on dark grey: apart for colour-blind readers, and on dark and light ground.
  return colour ? "\x1b[36m" + done + "\x1b[90m" + ahead + "\x1b[0m" : done + ahead;
}

std::string bar(const Terminal& terminal, double share, int width) {
  return terminal.utf8 ? block_bar(share, width, terminal.colour) : plain_bar(share, width);
}

/// The beginning of a text in UTF-8, of so many bytes at most, with whole characters.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  // Bytes that continue a character are 10xxxxxx.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most);
}

/// The parts, the most important first, as far as they fit on a line; the bar takes what is left.
/// All are ASCII, so that a byte is a column, but the label, which is cut to its bytes.
std::string line_of(const Terminal& terminal, const std::string& label, double share,
                    const std::vector<std::string>& parts) {
  constexpr std::size_t kLongestLabel = 24;
  // Writing into the last column would make some terminals begin a new line.
  int room = std::max(0, Terminal::width() - 1 - kShortestBar);
  std::string before = cut(label, kLongestLabel) + "  ";
  if (static_cast<int>(before.size()) > room / 2) before.clear();
  room -= static_cast<int>(before.size());
  std::string after;
  for (const std::string& part : parts) {
    const int more = static_cast<int>(part.size()) + 2;
    if (more > room) break;
    after += "  " + part;
    room -= more;
  }
  const int width = std::min(kShortestBar + room, kLongestBar);
  return before + bar(terminal, share, width) + after;
}

sigset_t status_signal() {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return set;
}

/// A length of time with the unit that suits it.
std::string since_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  return seconds < 1.0 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.1f} s", seconds);
}

std::string describe(const amr::WorkerActivity& worker) {
  if (!worker.is_busy) return fmt::format("idle for {}", since_text(worker.seconds));
  return fmt::format("{} of {}, base step {}, for {}", to_string(worker.kind),
                     to_string(worker.patch), worker.base_step, since_text(worker.seconds));
}

/// "  worker 3: idle for 5 us", a line for each.
std::string lines_of(const std::vector<amr::WorkerActivity>& workers, int first,
                     std::string_view indent) {
  std::string text;
  for (const amr::WorkerActivity& worker : workers) {
    text += fmt::format("{}worker {}: {}\n", indent, first++, describe(worker));
  }
  return text;
}

}  // namespace

void hold_status_signal() {
  const sigset_t set = status_signal();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

StatusSignal::StatusSignal(Asked asked) : asked_(std::move(asked)), thread_([this] { wait(); }) {}

StatusSignal::~StatusSignal() {
  ends_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

EarlyStatus::EarlyStatus(std::string work)
    : work_(std::move(work)), signal_([this](bool /*is_handed_on*/) {
        const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin_;
        print_to_stderr("kumiko: no base step yet: {}, for {}\n", work_,
                        since_text(lasted.count()));
        std::fflush(stderr);
      }) {}

void StatusSignal::wait() {
  const sigset_t set = status_signal();
  while (true) {
    siginfo_t signal{};
    if (sigwaitinfo(&set, &signal) < 0) continue;
    if (ends_) return;
    // Of two that come at once the system keeps the first: the user's is not taken for another's.
    asked_(signal.si_pid == ::getpid());
  }
}

void erase_progress() {
  const Terminal terminal = Terminal::of_stderr();
  if (terminal.exists) print_to_stderr("{}", terminal.erase_line());
}

void hand_on_status_signal() noexcept { ::kill(::getpid(), SIGUSR2); }

Progress::Figures::Figures(const amr::Simulation& simulation)
    : step(simulation.step()),
      time(simulation.time()),
      updates(simulation.counters().updates()),
      cfl(simulation.counters().largest_cfl),
      imbalance(simulation.counters().sum_of_means > 0.0 ? simulation.counters().imbalance()
                                                         : 0.0) {
  if (simulation.workers_by_rank().size() > 1) ranks = loads_by_rank(simulation);
}

Progress::Progress(bool quiet, std::string label, const Setup& setup,
                   const amr::Simulation& simulation, Ranks* ranks)
    : simulation_(simulation),
      ranks_(ranks),
      visible_(!quiet && terminal_.exists),
      label_(std::move(label)),
      last_step_(setup.stop_step),
      end_time_(setup.end_time()),
      first_(simulation),
      signal_([this](bool is_handed_on) { answer(is_handed_on); }) {}

Progress::~Progress() {
  if (shown_) print_to_stderr("{}", terminal_.erase_line());
}

double Progress::rate() const {
  const std::chrono::duration<double> elapsed = latest_.when - first_.when;
  return static_cast<double>(latest_.updates - first_.updates) / elapsed.count();
}

double Progress::share_of(const Figures& figures) const {
  if (last_step_ == Setup::kNoStep) return figures.time / end_time_;
  return static_cast<double>(figures.step) / std::max(1, last_step_);
}

std::string Progress::step_text(std::string_view between) const {
  if (last_step_ == Setup::kNoStep) return fmt::format("{}", latest_.step);
  return fmt::format("{}{}{}", latest_.step, between, last_step_);
}

std::vector<double> Progress::busy() const {
  std::vector<double> all;
  if (latest_.step == first_.step) return all;
  for (std::size_t rank = 0; rank < latest_.ranks.size(); ++rank) {
    const double busy_s = latest_.ranks[rank].busy_s - first_.ranks[rank].busy_s;
    const double wait_s = latest_.ranks[rank].wait_s - first_.ranks[rank].wait_s;
    all.push_back(busy_s > 0.0 ? kPercent * busy_s / (busy_s + wait_s) : 0.0);
  }
  return all;
}

void Progress::show() {
  const std::lock_guard lock(mutex_);
  latest_ = Figures(simulation_);
  if (!visible_ || latest_.when < next_) return;
  next_ = latest_.when + kInterval;
  shown_ = true;
  const double share = share_of(latest_);
  const double before = share_of(first_);
  std::vector<std::string> parts = {fmt::format("{:3.0f} %", std::floor(100.0 * share))};
  if (share > before) {
    const std::chrono::duration<double> taken = latest_.when - first_.when;
    parts.push_back(clock_text(taken.count() * (1.0 - share) / (share - before)) + " left");
    parts.push_back(fmt::format("{:.0f} M updates/s", rate() * 1e-6));
  }
  if (latest_.imbalance > 0.0) parts.push_back(fmt::format("imbalance {:.2f}", latest_.imbalance));
  if (latest_.cfl > 0.0) parts.push_back(fmt::format("CFL up to {:.2g}", latest_.cfl));
  if (const std::vector<double> busy = this->busy(); !busy.empty()) {
    const auto [least, most] = std::ranges::minmax(busy);
    parts.push_back(fmt::format("{} ranks {:.0f}-{:.0f} % busy", busy.size(), least, most));
  }
  parts.push_back(fmt::format("patches {}", fmt::join(patches_per_level(simulation_), "+")));
  parts.push_back(fmt::format("step {}  t = {:#.5g}", step_text("/"), latest_.time));
  print_to_stderr("{}{}", terminal_.erase_line(), line_of(terminal_, label_, share, parts));
  std::fflush(stderr);
}

void Progress::answer(bool is_handed_on) {
  if (is_handed_on && Clock::now() - answered_ < kPatience) return;
  // One write, so that no other line comes between.
  write_to_stderr(status());
  std::fflush(stderr);
  answered_ = Clock::now();
}

std::string Progress::status() {
  // Asks the ranks without the lock, because the loop would wait for it.
  const std::string workers = ranks_ != nullptr && ranks_->are_many()
                                  ? status_of_ranks()
                                  : lines_of(simulation_.activity(), 0, "  ");
  const std::lock_guard lock(mutex_);
  std::string text = terminal_.exists ? terminal_.erase_line() : std::string();
  text += fmt::format("{}: base step {}, t = {:.6g}", label_, step_text(" of "), latest_.time);
  if (latest_.step > first_.step) text += fmt::format(", {:.3g} updates/s", rate());
  if (latest_.cfl > 0.0) text += fmt::format(", CFL numbers up to {:.3g}", latest_.cfl);
  if (latest_.imbalance > 0.0) text += fmt::format(", imbalance {:.3f}", latest_.imbalance);
  const std::chrono::duration<double> ago = Clock::now() - latest_.when;
  text += fmt::format(
      "; {} ago{}\n", since_text(ago.count()),
      latest_.step == last_step_ ? "; all steps are done, results are being written" : "");
  return text + workers;
}

std::string Progress::status_of_ranks() {
  constexpr double kMegabyte = 1e6;
  const auto processes = ranks_->processes_within(kPatience);
  std::vector<double> busy;
  std::vector<amr::WorkerLoad> loads;
  std::uint64_t updates = 0;
  {
    const std::lock_guard lock(mutex_);
    busy = this->busy();
    loads = latest_.ranks;
    updates = latest_.updates - first_.updates;
  }
  std::string text;
  int first_worker = 0;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const std::optional<Ranks::Process>& process = processes[rank];
    std::vector<std::string> figures;
    if (!process) figures.push_back(fmt::format("no answer within {} s", kPatience.count()));
    if (!busy.empty() && updates > 0) {
      const std::uint64_t own = loads[rank].updates - first_.ranks[rank].updates;
      figures.push_back(fmt::format(
          "{:.1f} % of the updates, busy {:.1f} %",
          kPercent * static_cast<double>(own) / static_cast<double>(updates), busy[rank]));
    }
    if (process) {
      figures.push_back(fmt::format("{} messages sent, {:.0f} MB at the peak",
                                    process->statistics.messages_sent,
                                    static_cast<double>(process->peak_rss_bytes) / kMegabyte));
    }
    text += fmt::format("  rank {}{}: {}\n", rank, process ? " on " + process->host : "",
                        fmt::join(figures, ", "));
    if (process) text += lines_of(process->workers, first_worker, "    ");
    first_worker += simulation_.workers_by_rank()[rank];
  }
  return text;
}

}  // namespace kumiko::app
