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
/// True once base steps are taken: from then on a signal ends the run where nothing is lost.
volatile std::sig_atomic_t stepping = 0;
/// True if this process answers, for all ranks, a signal that ends the run while steps are taken.
volatile std::sig_atomic_t may_answer = 0;
volatile std::sig_atomic_t answers_signals = 0;
volatile std::sig_atomic_t writes_checkpoints = 0;
/// True if SIGTERM may be the launcher's, which sends it to all ranks when one of them is lost.
volatile std::sig_atomic_t has_launcher = 0;
/// True if there may be a progress bar where the answer begins.
volatile std::sig_atomic_t is_on_terminal = 0;
// Requests to other processes.
std::atomic<int> others_end_signal = 0;
std::atomic<int> others_checkpoint_signal = 0;

/// Ends the program by the default action of the signal.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Writes to stderr by functions that a handler may call.
void tell_in_handler(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void note_end(int signal) {
  if (stepping == 0) {
    // The run has no results yet, and the program may be waiting for something that never comes.
    tell_in_handler("kumiko: ended by a signal before the first base step\n");
    return end_by(signal);
  }
  const bool is_first = end_signal == 0;
  end_signal = signal;
  if (!is_first || answers_signals == 0) return;
  if (signal == SIGTERM && has_launcher != 0) return;
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
  has_launcher = cluster::ranks_of_environment() > 1 ? 1 : 0;
  writes_checkpoints = with_checkpoints ? 1 : 0;
  std::signal(SIGTERM, note_end);
  // Sent when a soft limit on CPU time is reached (ulimit -S -t), before the hard limit's SIGKILL.
  std::signal(SIGXCPU, note_end);
  // A second Ctrl-C does not wait for the run's next stop. Batch systems repeat SIGTERM.
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
  // Sent when the terminal is closed; runs by nohup continue.
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
