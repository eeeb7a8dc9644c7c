// The connections to a listener that have not yet proved that they know the secret.
#pragma once

#include <cstddef>
#include <list>
#include <stop_token>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::search::detail::tree {

/// Bounds the number of unproved connections: a new one takes the place of an old one. The thread
/// that shakes hands on a connection owns its Place and stops when place->stop is requested. All
/// functions may be called by any lightweight thread. Invariant: a connection that is in the list
/// when stop_all() is called, or is added later, has been asked to stop.
class Unproved {
 public:
  struct Connection {
    std::stop_source stop{};
    bool has_greeted = false;  ///< has begun to speak the protocol; guarded
  };
  using Place = std::list<Connection>::iterator;

  /// Adds a connection, as the newest one.
  Place add();
  /// Removes it: it is closed, or has become a link.
  void remove(Place place);
  /// Its greeting has arrived.
  void note_greeting(Place place);

  /// Waits until there are fewer than `most` connections, and stops some to that end.
  void make_room(std::size_t most);
  /// Stops a connection and waits until one is closed. Returns false if there is none.
  bool close_one();
  void stop_all();

  /// The largest number of connections so far.
  std::size_t most() const;

 private:
  Place most_dispensable();

  mutable runtime::Mutex mutex_;
  runtime::ConditionVariable removed_;
  std::list<Connection> connections_;  ///< guarded, the oldest first; so is the rest
  std::size_t most_ = 0;
  bool is_stopped_ = false;
};

}  // namespace kumiko::search::detail::tree
