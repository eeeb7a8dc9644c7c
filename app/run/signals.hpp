// The signals that end a run, or request a checkpoint of it.
#pragma once

namespace kumiko::app {

/// Lets SIGINT, SIGTERM and SIGHUP end execute() at its next stop, and the program at once before
/// begin_stepping(); SIGUSR1 ask it for a checkpoint, and SIGUSR2 wait for a Progress. The first
/// one that ends it is answered on stderr, by rank 0. Before there are other threads.
/// \param with_checkpoints  whether the end leaves one, for the answer
void heed_signals(bool with_checkpoints);
/// From now on the signals that end a run are noted, for whoever takes steps or directs those who
/// do. execute() calls it.
void begin_stepping();
/// From now on a signal that ends the run gets no answer: the steps are done.
void end_stepping();

/// Whether one of the signals that end execute() has come.
bool end_requested();
/// The signal that ends the run; 0 for none.
int ending_signal();
/// Whether a checkpoint was requested since the last call.
bool take_checkpoint_request();

/// What signals have asked for.
struct AskedBySignals {
  int end = 0;  ///< by this signal; 0 = not
  int checkpoint = 0;

  bool any() const { return end != 0 || checkpoint != 0; }
};
/// What has been asked for since the last call.
AskedBySignals take_signals();
/// As if the signals had come to this process. From any thread.
void hand_on_signals(AskedBySignals asked);

}  // namespace kumiko::app
