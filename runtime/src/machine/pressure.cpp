#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/runtime/policy/waiting.hpp>

#include "machine/cpu_groups.hpp"
#include "machine/cpu_pressure.hpp"
#include "machine/shared_cores.hpp"

namespace kumiko::runtime::policy {

namespace {

using detail::CpuPressure;
using detail::SharedCores;

void tell_of_blindness() {
  static std::once_flag told;
  std::call_once(told, [] {
    std::fputs(
        "kumiko: the system shows neither steal time nor throttling nor pressure of the "
        "processors; waiting policy 'pressure' uses only the times that its own threads waited for "
        "a core, if /proc/self/task shows them; otherwise it behaves like 'adaptive'\n",
        stderr);
  });
}

/// What the policy goes by where its maker has nothing else. Files are opened at the second look,
/// so that a Runtime that ends soon opens none.
class SystemsView {
 public:
  bool shares_cores() { return cores_.ask(CpuPressure::Clock::now()); }

 private:
  double level(CpuPressure::Clock::time_point now) noexcept {
    if (!std::exchange(has_looked_, true) || is_blind_) return 0;
    try {
      if (!pressure_) {
        pressure_.emplace("/", cpus_);
        if (!pressure_->sees_system()) tell_of_blindness();
      }
      return pressure_->level(now);
    } catch (const std::exception&) {  // no memory
      is_blind_ = true;
      return 0;
    }
  }

  const std::vector<int> cpus_ = detail::affine_cpus();
  bool has_looked_ = false;
  bool is_blind_ = false;
  std::optional<CpuPressure> pressure_;
  SharedCores cores_{[this](CpuPressure::Clock::time_point now) { return level(now); }};
};

}  // namespace

Pressure::Pressure(std::chrono::nanoseconds search_time)
    : search_time_(search_time), goes_by_system_(true) {
  shares_cores_ = [view = std::make_shared<SystemsView>()] { return view->shares_cores(); };
}

}  // namespace kumiko::runtime::policy
