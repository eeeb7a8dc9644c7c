// How a Parker blocks and is woken, whatever it is made of.
#pragma once

#include <atomic>

#include <kumiko/runtime/detail/parker.hpp>

namespace kumiko::runtime::detail {

template <class Machine>
void BasicParker<Machine>::park() noexcept {
  // acquire: pairs with the release in unpark(). The kernel sleeps only if the word is still 0, and
  // compares under its own lock, so a signal between our look and its look is not lost.
  while (signalled_.exchange(0, std::memory_order_acquire) == 0) {
    Machine::sleep_while(signalled_, 0);
  }
}

template <class Machine>
bool BasicParker<Machine>::park_until(Deadline deadline) noexcept {
  // acquire: as in park().
  while (signalled_.exchange(0, std::memory_order_acquire) == 0) {
    if (!Machine::sleep_while_until(signalled_, 0, deadline)) {
      return signalled_.exchange(0, std::memory_order_acquire) != 0;
    }
  }
  return true;
}

template <class Machine>
bool BasicParker<Machine>::park_undisturbed(const Deadline* deadline) noexcept {
  // acquire: as in park().
  while (signalled_.exchange(0, std::memory_order_acquire) == 0) {
    if (!Machine::sleep_while_undisturbed(signalled_, 0, deadline)) return false;
  }
  return true;
}

template <class Machine>
bool BasicParker<Machine>::begin_watch() noexcept {
  Number expected = 0;
  // release: pairs with the acquire in unpark(), which reads bell_; acquire: as in park().
  if (signalled_.compare_exchange_strong(expected, kWatching, std::memory_order_acq_rel)) {
    return true;
  }
  signalled_.store(0, std::memory_order_relaxed);
  return false;
}

template <class Machine>
bool BasicParker<Machine>::end_watch() noexcept {
  return signalled_.exchange(0, std::memory_order_acquire) == kSignalled;
}

template <class Machine>
void BasicParker<Machine>::unpark() noexcept {
  // release: pairs with the acquire in park() and its fellows.
  if (signalled_.exchange(kSignalled, std::memory_order_acq_rel) != kWatching) {
    Machine::wake(signalled_);
    return;
  }
  Machine::ring(bell_);
}

}  // namespace kumiko::runtime::detail
