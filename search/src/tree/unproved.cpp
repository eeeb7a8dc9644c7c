#include "tree/unproved.hpp"

#include <algorithm>
#include <mutex>

#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::search::detail::tree {

Unproved::Place Unproved::add() {
  const std::lock_guard lock(mutex_);
  const Place place = connections_.emplace(connections_.end());
  if (is_stopped_) place->stop.request_stop();
  most_ = std::max(most_, connections_.size());
  return place;
}

void Unproved::remove(Place place) {
  const std::lock_guard lock(mutex_);
  connections_.erase(place);
  removed_.notify_all();
}

void Unproved::note_greeting(Place place) {
  const std::lock_guard lock(mutex_);
  place->has_greeted = true;
}

/// The oldest of the connections that have not greeted if these hold half of the places, otherwise
/// the oldest of those that have. So neither kind can take all places from the other. A process
/// that joins is of both kinds, first for as long as a message travels and then for as long as two
/// do.
Unproved::Place Unproved::most_dispensable() {
  const auto has_greeted = [](const Connection& each) { return each.has_greeted; };
  const auto greeted = std::count_if(connections_.begin(), connections_.end(), has_greeted);
  const bool silent_hold_half = static_cast<std::size_t>(greeted) * 2 <= connections_.size();
  return std::find_if(connections_.begin(), connections_.end(),
                      [&](const Connection& each) { return each.has_greeted != silent_hold_half; });
}

void Unproved::make_room(std::size_t most) {
  std::unique_lock lock(mutex_);
  if (connections_.size() < most) return;
  lock.unlock();
  // First, connections whose greeting has arrived in the meantime read it.
  runtime::this_thread::poll_events();
  lock.lock();
  while (connections_.size() >= most) {
    most_dispensable()->stop.request_stop();
    removed_.wait(lock);
  }
}

bool Unproved::close_one() {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = connections_.size();
  }
  if (count == 0) return false;
  make_room(count);
  return true;
}

void Unproved::stop_all() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  for (Connection& each : connections_) each.stop.request_stop();
}

std::size_t Unproved::most() const {
  const std::lock_guard lock(mutex_);
  return most_;
}

}  // namespace kumiko::search::detail::tree
