#include "set_clock.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include <sys/syscall.h>
#include <unistd.h>

namespace kumiko::model {

namespace {

constexpr const char* kThreads = "/proc/self/task";

/// How often a thread has gone to sleep, if it sleeps.
std::optional<std::string> sleeps_of(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  bool sleeps = false;
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("State:")) sleeps = line.find("S (sleeping)") != std::string::npos;
    if (sleeps && line.starts_with("voluntary_ctxt_switches:")) return line;
  }
  return std::nullopt;
}

}  // namespace

SetClock::SetClock() : mover_([this] { move_on(); }) {}

SetClock::~SetClock() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  mover_.join();
}

bool SetClock::is_possible() {
  std::ifstream status("/proc/thread-self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("voluntary_ctxt_switches:")) return true;
  }
  return false;
}

void SetClock::sleep_for(std::int64_t nanoseconds) {
  std::unique_lock lock(mutex_);
  const std::int64_t until = now_ + nanoseconds;
  const auto place = awaited_.insert(until);
  moved_.wait(lock, [this, until] { return now_ >= until; });
  awaited_.erase(place);
}

std::int64_t SetClock::now() {
  const std::lock_guard lock(mutex_);
  return now_;
}

SetClock::Sleeps SetClock::sleeps_of_others(const std::string& self) {
  Sleeps sleeps;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(kThreads, error)) {
    const std::string name = thread.path().filename();
    if (name == self) continue;
    const std::optional<std::string> times = sleeps_of(thread.path());
    if (!times) return {};
    sleeps.emplace(name, *times);
  }
  return sleeps;
}

bool SetClock::do_all_sleep(const std::string& self) {
  const Sleeps before = sleeps_of_others(self);
  return !before.empty() && sleeps_of_others(self) == before;
}

void SetClock::move_on() {
  const std::string self = std::to_string(syscall(SYS_gettid));
  for (;;) {
    const bool all_sleep = do_all_sleep(self);
    {
      const std::lock_guard lock(mutex_);
      if (ends_) return;
      if (all_sleep && !awaited_.empty()) {
        now_ = *awaited_.begin();
        moved_.notify_all();
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace kumiko::model
