#include "run/signals.hpp"

#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include <kumiko/cluster/launch.hpp>

#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t checkpoint_signal = 0;
/// Whether base steps are taken: from then on a signal ends the run where nothing is lost.
volatile std::sig_atomic_t stepping = 0;
/// Whether this process answers a signal that ends the run, for all ranks, while steps are taken.
volatile std::sig_atomic_t may_answer = 0;
volatile std::sig_atomic_t answers_signals = 0;
volatile std::sig_atomic_t writes_checkpoints = 0;
/// Whether a progress bar may stand where the answer begins.
volatile std::sig_atomic_t is_on_terminal = 0;
// What other processes have been asked for.
std::atomic<int> others_end_signal = 0;
std::atomic<int> others_checkpoint_signal = 0;

/// Ends the program as the signal does by itself.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// By functions that a handler may call.
void tell_in_handler(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void note_end(int signal) {
  if (stepping == 0) {
    // There is nothing to keep, and what the program waits for may never come.
    tell_in_handler("kumiko: ended by a signal before the first base step\n");
    return end_by(signal);
  }
  const bool is_first = end_signal == 0;
  end_signal = signal;
  if (!is_first || answers_signals == 0) return;
  if (is_on_terminal != 0) tell_in_handler("\n");
  tell_in_handler("kumiko: ending after the base steps under way");
  if (writes_checkpoints != 0) tell_in_handler(", with a checkpoint");
  tell_in_handler(signal == SIGINT ? "; Ctrl-C once more ends at once\n"
                                   : "; Ctrl-C twice ends at once\n");
}

}  // namespace

void heed_signals(bool with_checkpoints) {
  is_on_terminal = Terminal::of_stderr().exists ? 1 : 0;
  may_answer = cluster::leads_by_environment() ? 1 : 0;
  writes_checkpoints = with_checkpoints ? 1 : 0;
  std::signal(SIGTERM, note_end);
  // Sent where a soft limit on CPU time is reached (ulimit -S -t), before the hard one's SIGKILL.
  std::signal(SIGXCPU, note_end);
  // Ctrl-C once more does not wait for the run's next stop; batch systems repeat SIGTERM.
  std::signal(SIGINT, [](int signal) {
    if (end_signal == signal) {
      tell_in_handler(
          writes_checkpoints != 0
              ? "kumiko: ended at once by the second Ctrl-C, without a last checkpoint\n"
              : "kumiko: ended at once by the second Ctrl-C\n");
      return end_by(signal);
    }
    note_end(signal);
  });
  // Of a terminal that is gone; nohup's runs go on.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) std::signal(SIGHUP, note_end);
  std::signal(SIGUSR1, [](int signal) { checkpoint_signal = signal; });
}

void begin_stepping() {
  stepping = 1;
  answers_signals = may_answer;
}

void end_stepping() { answers_signals = 0; }

bool end_requested() { return ending_signal() != 0; }

int ending_signal() { return end_signal != 0 ? end_signal : others_end_signal.load(); }

bool take_checkpoint_request() {
  const bool asked = checkpoint_signal != 0 || others_checkpoint_signal != 0;
  if (asked) checkpoint_signal = others_checkpoint_signal = 0;
  return asked;
}

AskedBySignals take_signals() {
  const AskedBySignals asked{end_signal, checkpoint_signal};
  if (asked.end != 0) end_signal = 0;
  if (asked.checkpoint != 0) checkpoint_signal = 0;
  return asked;
}

void hand_on_signals(AskedBySignals asked) {
  if (asked.end != 0) others_end_signal = asked.end;
  if (asked.checkpoint != 0) others_checkpoint_signal = asked.checkpoint;
}

}  // namespace kumiko::app
