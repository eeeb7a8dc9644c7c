#include "machine/cpu_pressure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "machine/cpu_groups.hpp"

namespace kumiko::runtime::detail {

namespace {

namespace fs = std::filesystem;
using Amount = std::optional<std::uint64_t>;

/// /proc/stat begins with a line for each processor, of 100 bytes at most.
std::size_t buffer_size() noexcept {
  constexpr std::size_t kLine = 128;
  const long processors = sysconf(_SC_NPROCESSORS_CONF);
  return std::max(std::size_t{8} * 1024,
                  kLine * static_cast<std::size_t>(std::max(1L, processors)));
}

/// Of more threads the first ones are looked at, among which workers are as a rule: a look takes
/// three calls for each.
constexpr std::size_t kMostThreads = 64;

/// What begins with a number.
Amount number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// The rest of the text after its first line's `key`, where that line begins with `line`.
Amount after(std::string_view text, std::string_view line, std::string_view key) noexcept {
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    if (whole.starts_with(line)) {
      const std::size_t at = whole.find(key);
      return at == std::string_view::npos ? std::nullopt : number(whole.substr(at + key.size()));
    }
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
  }
  return std::nullopt;
}

/// The processor of a line of /proc/stat; nothing where the line is of something else.
std::optional<int> processor(std::string_view line) noexcept {
  if (!line.starts_with("cpu")) return std::nullopt;
  const Amount index = number(line.substr(3));
  return index ? std::optional(static_cast<int>(*index)) : std::nullopt;
}

/// Calls `visit` with each line of a processor; ends at the first other one after them, and before
/// a line that is cut off.
template <class Visit>
void for_each_processor(std::string_view stat, const Visit& visit) {
  for (std::size_t end = 0; (end = stat.find('\n')) != std::string_view::npos;) {
    const std::string_view line = stat.substr(0, end);
    if (!line.starts_with("cpu")) return;
    if (const std::optional<int> cpu = processor(line)) visit(*cpu, line);
    stat.remove_prefix(end + 1);
  }
}

/// The eighth number of a line of /proc/stat (proc(5)): ticks that went to other guests.
Amount stolen_ticks(std::string_view line) noexcept {
  constexpr int kSteal = 8;
  for (int field = 0; field < kSteal; ++field) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    line.remove_prefix(space + 1);
  }
  return number(line);
}

Amount stolen_from(std::string_view stat, const std::vector<int>& cpus) noexcept {
  Amount sum;
  for_each_processor(stat, [&](int cpu, std::string_view line) {
    if (!std::binary_search(cpus.begin(), cpus.end(), cpu)) return;
    if (const Amount ticks = stolen_ticks(line)) sum = sum.value_or(0) + *ticks;
  });
  return sum;
}

}  // namespace

double CpuPressure::Total::level(Amount now, double seconds) noexcept {
  const Amount last = std::exchange(last_, now);
  if (!last || !now || *now < *last || seconds <= 0) return 0;
  return static_cast<double>(*now - *last) / (seconds * full_);
}

CpuPressure::CpuPressure(const fs::path& root, std::vector<int> cpus)
    : cpus_(std::move(cpus)),
      buffer_(buffer_size()),
      tasks_path_(root / "proc/self/task"),
      delayed_(1e9 * kShare *
               static_cast<double>(std::clamp<std::size_t>(cpus_.size(), 1, kMostThreads))) {
  const double ticks =
      kShare * static_cast<double>(sysconf(_SC_CLK_TCK)) * static_cast<double>(cpus_.size());
  auto stolen = open(root / "proc/stat", ticks,
                     [this](std::string_view stat) { return stolen_from(stat, cpus_); });
  if (stolen) sure_.push_back(std::move(*stolen));
  const std::vector<CpuGroup> groups = cpu_groups(root);
  for (const CpuGroup& group : groups) {
    // Both versions count periods that were cut short. The time that was lost stands there only
    // once it is over. One such period in a second is enough.
    auto throttled = open(group.folder / "cpu.stat", 1,
                          [](std::string_view stat) { return after(stat, "nr_throttled ", " "); });
    if (throttled) sure_.push_back(std::move(*throttled));
  }
  open_waits(root, groups);
}

/// Whether the process may use all processors, so far as the system shows them.
bool CpuPressure::has_all_processors(const fs::path& root) {
  const UniqueDescriptor file(::open((root / "proc/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::size_t processors = 0;
  for_each_processor(text_of(file.get()), [&](int, std::string_view) { ++processors; });
  return processors > 0 && processors <= cpus_.size();
}

/// The group's own file counts the group's threads. The system's counts everybody's on all
/// processors, so it says something where the process may use them all. The group at the top of the
/// hierarchy, which has no type, is the system.
void CpuPressure::open_waits(const fs::path& root, const std::vector<CpuGroup>& groups) {
  const auto some = [](std::string_view text) { return after(text, "some ", "total="); };
  constexpr double kMicroseconds = 1e6 * kShare;
  for (const CpuGroup& group : groups) {
    // Not fs::exists(): it would bring libstdc++'s walks through folders into libkumiko_pthread.
    const fs::path type = group.folder / "cgroup.type";
    if (!group.version2 || ::access(type.c_str(), F_OK) != 0) continue;
    waits_ = open(group.folder / "cpu.pressure", kMicroseconds, some);
    if (waits_) return;
  }
  if (has_all_processors(root)) waits_ = open(root / "proc/pressure/cpu", kMicroseconds, some);
}

/// Nothing where the file does not have its total.
std::optional<CpuPressure::Source> CpuPressure::open(const fs::path& path, double full,
                                                     decltype(Source::find) find) {
  Source source{UniqueDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), std::move(find),
                Total(full)};
  if (!read(source)) return std::nullopt;
  return source;
}

std::string_view CpuPressure::text_of(int file) noexcept {
  const ssize_t size = file < 0 ? -1 : ::pread(file, buffer_.data(), buffer_.size(), 0);
  return {buffer_.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
}

Amount CpuPressure::read(const Source& source) noexcept {
  return source.find(text_of(source.file.get()));
}

/// For how many nanoseconds the process's threads have waited for a core. A thread that has ended
/// takes its part with it, so that this look shows less. The folder is opened anew each time: the
/// position of a descriptor that the program has closed, and got again for a file of its own, must
/// not be changed.
Amount CpuPressure::own_delay() noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(tasks_path_.c_str()), ::closedir);
  if (!tasks) return std::nullopt;
  Amount sum;
  std::array<char, 512> path{};
  std::size_t threads = 0;
  while (const dirent* const task = ::readdir(tasks.get())) {
    if (!number(task->d_name)) continue;
    if (++threads > kMostThreads) break;
    std::snprintf(path.data(), path.size(), "%s/%s/schedstat", tasks_path_.c_str(), task->d_name);
    const UniqueDescriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    // Time on a core, time in wait for one, turns.
    if (const Amount delay = after(text_of(file.get()), "", " ")) sum = sum.value_or(0) + *delay;
  }
  return sum;
}

double CpuPressure::level(Clock::time_point now) noexcept {
  const double seconds = std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  double highest = 0;
  for (Source& source : sure_) {
    highest = std::max(highest, source.total.level(read(source), seconds));
  }
  // Others who wait may do so elsewhere, or give way to us by their priority; own threads may wait
  // for each other. So either alone is not enough where both are known.
  const Amount delay = own_delay();
  double waits = delay ? delayed_.level(delay, seconds) : 0;
  if (waits_) {
    const double others = waits_->total.level(read(*waits_), seconds);
    waits = delay ? std::min(waits, others) : others;
  }
  return std::max(highest, waits);
}

}  // namespace kumiko::runtime::detail
