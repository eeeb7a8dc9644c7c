// The signals that end a run, or request a checkpoint of it.
#pragma once

namespace kumiko::app {

/// Lets SIGINT, SIGTERM and SIGHUP end execute() at its next stop, and the program at once before
/// begin_stepping(); SIGUSR1 request a checkpoint, and SIGUSR2 wait for a Progress. Rank 0 answers
/// the first one that ends the run on stderr, except SIGTERM to one of several ranks. Call it
/// before there are other threads. \param with_checkpoints  whether the answer mentions a
/// checkpoint at the end
void heed_signals(bool with_checkpoints);
/// From now on the signals that end a run are noted, and take effect between steps. execute() calls
/// it.
void begin_stepping();
/// From now on a signal that ends the run gets no answer: the steps are done.
void end_stepping();

/// True if one of the signals that end execute() has come.
bool end_requested();
/// The signal that ends the run; 0 for none.
int ending_signal();
/// True if a checkpoint was requested since the last call.
bool take_checkpoint_request();

/// Requests by signals.
struct AskedBySignals {
  int end = 0;  ///< the signal; 0 for none
  int checkpoint = 0;

  bool any() const { return end != 0 || checkpoint != 0; }
};
/// The requests since the last call.
AskedBySignals take_signals();
/// Acts as if this process had got the signals. From any thread.
void hand_on_signals(AskedBySignals asked);

}  // namespace kumiko::app
