#include "progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "execute.hpp"

namespace kumiko::app {

namespace {

constexpr std::chrono::milliseconds kInterval{200};
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

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int time = 0; time < times; ++time) text += piece;
  return text;
}

/// Of `width` columns, without colours.
std::string plain_bar(double share, int width) {
  const int inside = width - 2;
  const int full = std::clamp(static_cast<int>(share * inside), 0, inside);
  return '[' + repeated("#", full) + repeated("-", inside - full) + ']';
}

/// Filled by eighths of a column.
std::string block_bar(double share, int width, bool colour) {
  constexpr std::array<std::string_view, 8> kPart = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = std::clamp(static_cast<int>(share * width * 8), 0, width * 8);
  const int full = eighths / 8;
  const std::string_view part = kPart[static_cast<std::size_t>(eighths % 8)];
  const int rest = width - full - (part.empty() ? 0 : 1);
  const std::string done = repeated("█", full) + std::string(part);
  if (!colour) return done + repeated("░", rest);
  // Cyan on dark grey: apart for colour-blind readers, and on dark and light ground.
  return "\x1b[36m" + done + "\x1b[90m" + repeated("░", rest) + "\x1b[0m";
}

std::string bar(const Terminal& terminal, double share, int width) {
  return terminal.utf8 ? block_bar(share, width, terminal.colour) : plain_bar(share, width);
}

/// The beginning of a text in UTF-8, of so many bytes at most, with whole characters.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto goes_on = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  while (most > 0 && goes_on(most)) --most;
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

}  // namespace

Progress::Progress(bool quiet, std::string label, const amr::Simulation& simulation, int last_step)
    : visible_(!quiet && terminal_.exists),
      label_(std::move(label)),
      last_step_(last_step),
      first_step_(simulation.step()),
      updates_before_(simulation.counters().updates()),
      status_(label_, simulation, last_step) {}

Progress::~Progress() {
  if (shown_) print_to_stderr("{}", terminal_.erase_line());
}

void Progress::show(const amr::Simulation& simulation) {
  status_.note(simulation);
  const Clock::time_point now = Clock::now();
  if (!visible_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const int step = simulation.step();
  const int taken = step - first_step_;
  const double share = static_cast<double>(step) / std::max(1, last_step_);
  const amr::WorkCounters& counters = simulation.counters();
  const double rate = static_cast<double>(counters.updates() - updates_before_) / elapsed;
  std::vector<std::string> parts = {fmt::format("{:3.0f} %", std::floor(100.0 * share))};
  if (taken > 0) {
    parts.push_back(clock_text(elapsed / taken * (last_step_ - step)) + " left");
    parts.push_back(fmt::format("{:.0f} M updates/s", rate * 1e-6));
  }
  if (counters.sum_of_means > 0.0) {
    parts.push_back(fmt::format("balance {:.2f}", counters.balance_efficiency()));
  }
  parts.push_back(fmt::format("patches {}", fmt::join(patches_per_level(simulation), "+")));
  parts.push_back(fmt::format("step {}/{}  t = {:.4f}", step, last_step_, simulation.time()));
  print_to_stderr("{}{}", terminal_.erase_line(), line_of(terminal_, label_, share, parts));
  std::fflush(stderr);
}

}  // namespace kumiko::app
