#include "exchange/run_stops.hpp"

#include <optional>

namespace kumiko::search::detail {

void RunStops::add(std::uint64_t run) {
  const std::lock_guard lock(mutex_);
  sources_.try_emplace(run);
}

void RunStops::remove(std::uint64_t run) {
  const std::lock_guard lock(mutex_);
  sources_.erase(run);
}

std::stop_token RunStops::token_of(std::uint64_t run) const {
  const std::lock_guard lock(mutex_);
  return sources_.at(run).get_token();
}

void RunStops::stop(std::uint64_t run) {
  std::optional<std::stop_source> source;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = sources_.find(run); found != sources_.end()) source = found->second;
  }
  if (source) source->request_stop();
}

void RunStops::stop_all() {
  std::unordered_map<std::uint64_t, std::stop_source> sources;
  {
    const std::lock_guard lock(mutex_);
    sources = sources_;
  }
  for (auto& [run, source] : sources) source.request_stop();
}

}  // namespace kumiko::search::detail
