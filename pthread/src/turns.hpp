// Makes a thread that polls in a loop yield now and then, since lightweight threads are not
// preempted.
#pragma once

#include <cstdint>

namespace kumiko::pthread {

// Threads are not preempted: one that polls until another has done something could keep that one
// from its worker for ever. So lightweight threads give way where programs that poll pass by: at
// attempts to lock something and at calls for I/O. They do so after a number of turns, and after a
// slice of time, for a program may look at a variable of its own a million times between two calls.
//
// The clock is read once in a number of turns that follows the thread: it doubles while turns are
// quick and becomes one when they are slow. So a thread that locks all the time hardly reads it,
// and one that spins between two locks gives way at the second.
//
// The calls that tell the time are left alone though programs poll them too: they may be called in
// signal handlers, which must not give way.

inline constexpr unsigned kTurnsPerYield = 1024;
inline constexpr unsigned kWeightOfFailure = 64;
inline constexpr unsigned kWeightOfCall = 8;

/// The turns of one thread; each lightweight one has its own, as all thread-local variables.
struct Turns {
  unsigned taken = 0;      ///< since it gave way
  unsigned next_look = 1;  ///< at the clock, when so many have been taken
  unsigned between_looks = 1;
  std::int64_t slice_begin = 0;  ///< nanoseconds; 0: to be read at the next look
  std::int64_t last_look = 0;
};
extern thread_local constinit Turns turns;

/// Takes signals, and gives way if it is time, if the caller is a lightweight thread.
void look_at_turns();

/// Begins a new slice: the caller comes back from a wait, in which others may have had the worker.
inline void begin_slice() noexcept { turns.slice_begin = 0; }

/// Called where a program may poll: with kWeightOfCall at calls for I/O, 1 at attempts to lock
/// something, with kWeightOfFailure where one has failed. Gives way every so often. Cost: a
/// thread-local counter.
inline void count_turn(unsigned weight) {
  turns.taken += weight;
  if (turns.taken >= turns.next_look) [[unlikely]]
    look_at_turns();
}

}  // namespace kumiko::pthread
