// Reads from the system whether others want this process's cores, or have taken them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/cpu_groups.hpp"
#include "machine/unique_descriptor.hpp"

namespace kumiko::runtime::detail {

/// What the system counts about this process's cores: time stolen from them by a hypervisor,
/// throttling by the control group's quota or that of an ancestor (version 1 and 2), time in which
/// somebody waited for a core (pressure stall information), and in which own threads did. It keeps
/// the files open but for those of own threads, and never throws after its construction. Not for
/// several threads at once.
class CpuPressure {
 public:
  using Clock = std::chrono::steady_clock;

  /// How much lost time counts as shared cores: this share of a core, on the average of all.
  static constexpr double kShare = 0.15;

  /// \param root see cgroup_cores()
  /// \param cpus the processors that the process may run on
  CpuPressure(const std::filesystem::path& root, std::vector<int> cpus);
  CpuPressure(const CpuPressure&) = delete;
  CpuPressure& operator=(const CpuPressure&) = delete;

  /// How shared the cores have been since the last call: from 1 on they were. The first call says
  /// 0, and so does each source whose total has gone back since, or cannot be read now.
  double level(Clock::time_point now) noexcept;

  /// Whether the system has any such file but those of the process's own threads.
  bool sees_system() const noexcept { return !sure_.empty() || waits_; }

 private:
  /// The difference of a running total.
  class Total {
   public:
    /// \param full what it grows by in a second at level 1
    explicit Total(double full) noexcept : full_(full) {}
    double level(std::optional<std::uint64_t> now, double seconds) noexcept;

   private:
    double full_;
    std::optional<std::uint64_t> last_;
  };

  /// A file with such a total.
  struct Source {
    UniqueDescriptor file;
    std::function<std::optional<std::uint64_t>(std::string_view)> find;
    Total total;
  };

  std::optional<Source> open(const std::filesystem::path& path, double full,
                             decltype(Source::find) find);
  std::optional<std::uint64_t> read(const Source& source) noexcept;
  std::string_view text_of(int file) noexcept;
  std::optional<std::uint64_t> own_delay() noexcept;
  void open_waits(const std::filesystem::path& root, const std::vector<CpuGroup>& groups);
  bool has_all_processors(const std::filesystem::path& root);

  std::vector<int> cpus_;
  std::vector<char> buffer_;
  std::vector<Source> sure_;     ///< each of them is enough to say so
  std::optional<Source> waits_;  ///< somebody waits for a core, though not necessarily for ours
  std::string tasks_path_;       ///< has a folder for each thread
  Total delayed_;
  Clock::time_point last_{};
};

}  // namespace kumiko::runtime::detail
