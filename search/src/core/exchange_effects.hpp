// The actions that follow from a change of an ExchangeState.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/exchange_message.hpp"

namespace kumiko::search::detail {

/// Receives the result of a part that was given away.
struct Delivery;

/// The actions that the caller of an ExchangeState takes after its functions have returned.
struct ExchangeEffects {
  struct Send {
    Way to;
    ExchangeMessage message;
    Way on_behalf_of = {};  ///< the process whose message is passed on, if not this one
  };
  struct Start {
    std::uint64_t run;
    Task task;
  };
  struct Finish {
    PartName part;
    std::shared_ptr<Delivery> delivery;
    Outcome outcome;
    std::shared_ptr<const Frame> bytes;
  };
  /// An event of a part, for the process's log. If this process does a part of its own, the part
  /// is taken from the empty way.
  struct Note {
    enum What : std::uint8_t {
      kGiven,      ///< it was given to `other`
      kBack,       ///< its result has arrived and counts
      kAgain,      ///< the process that had it does not do it; it is given away again
      kWithdrawn,  ///< nobody wants its result
      kTaken,      ///< it was taken from `other`
      kTold,       ///< it has ended here, and its giver gets the result
      kDropped,    ///< it has ended here, and nobody wants the result
    };

    What what;
    PartName part{};              ///< all but kTold and kDropped
    Way other{};                  ///< kGiven, kTaken
    std::uint64_t run = 0;        ///< kTaken, kTold, kDropped
    std::uint32_t divisions = 0;  ///< kGiven, kTaken
    std::uint64_t bytes = 0;      ///< of the part, or of the result
  };

  std::vector<Send> sends;
  std::vector<Start> starts;                             ///< tasks to do here
  std::vector<Finish> finishes;                          ///< results of parts given away
  std::vector<std::uint64_t> stops;                      ///< runs that are to end soon
  std::vector<std::shared_ptr<Delivery>> stop_searches;  ///< whose searches are to stop
  std::vector<Note> notes;                               ///< in the order of events
  bool refused = false;  ///< the own ask was answered without a part
  bool asked = false;    ///< another process waits for a part
  bool wakes = false;    ///< there may be a part for this process, if it rests
};

}  // namespace kumiko::search::detail
