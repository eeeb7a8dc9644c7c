// Shows the checks of `solver check` and `case check` as they go.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include <kumiko/plugin/conformance.hpp>

#include "run/progress.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

/// Writes to stdout at once. The end of main() reports a text that could not be written.
void print_at_once(const std::string& text);

/// Prints a line when a check ends, on a terminal also the running one, which each SIGUSR2 prints
/// on stderr. Make it after hold_status_signal().
class CheckView {
 public:
  /// \param json  true if stdout is for JSON, without lines of findings
  explicit CheckView(bool json);

  /// Begins the checks of something, such as "solver 'upwind1'". \return their observer, which
  /// refers to this
  plugin::CheckObserver begin(const std::string& whose, const std::string& heading);

  void end(const std::string& summary) const;

 private:
  using Clock = std::chrono::steady_clock;

  void begins(const char* check);
  void ends(const plugin::Finding& finding) const;
  /// Answers a SIGUSR2.
  void answer();

  const bool json_;
  const Terminal terminal_ = Terminal::of_stderr();
  const bool shows_running_;

  std::string heading_;  ///< empty once it is printed

  std::mutex mutex_;  ///< guards the members below
  std::string whose_;
  const char* check_ = nullptr;
  Clock::time_point since_;

  StatusSignal signal_;
};

}  // namespace kumiko::app
