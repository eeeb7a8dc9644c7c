#include "commands/check_view.hpp"

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace kumiko::app {

void print_at_once(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

CheckView::CheckView(bool json)
    : json_(json),
      shows_running_(terminal_.exists && terminal_.moves && (json || ::isatty(STDOUT_FILENO) != 0)),
      signal_([this](bool) { answer(); }) {}

plugin::CheckObserver CheckView::begin(const std::string& whose, const std::string& heading) {
  heading_ = heading;
  {
    const std::lock_guard lock(mutex_);
    whose_ = whose;
    check_ = nullptr;
  }
  return {[this](const char* check) { begins(check); },
          [this](const plugin::Finding& finding) { ends(finding); }};
}

void CheckView::end(const std::string& summary) const {
  if (!json_) print_at_once(summary);
}

void CheckView::begins(const char* check) {
  {
    const std::lock_guard lock(mutex_);
    check_ = check;
    since_ = Clock::now();
  }
  // Printed afterwards, so that a signal gets an answer as soon as there is a line.
  if (!json_) print_at_once(std::exchange(heading_, {}));
  if (shows_running_) print_to_stderr("  running  {} ...", check);
}

void CheckView::ends(const plugin::Finding& finding) const {
  if (shows_running_) print_to_stderr("{}", terminal_.erase_line());
  if (!json_) print_at_once(plugin::to_text(finding));
}

void CheckView::answer() {
  const std::lock_guard lock(mutex_);
  if (check_ == nullptr) return;
  const std::chrono::duration<double> time = Clock::now() - since_;
  print_to_stderr("{}kumiko: {}, check {}: for {:.1f} s\n", shows_running_ ? "\n" : "", whose_,
                  check_, time.count());
}

}  // namespace kumiko::app
