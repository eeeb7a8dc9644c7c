// A source that the program brings, as a poller.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <kumiko/runtime/message_source.hpp>

#include "core/poller.hpp"

namespace kumiko::runtime::detail {

/// Polls a MessageSource, one OS thread at a time. Who comes while another is there leaves a mark,
/// by which that one polls again, and goes on: so a worker that lies down has had its poll.
class SourcePoller final : public Poller {
 public:
  explicit SourcePoller(std::shared_ptr<MessageSource> source) noexcept
      : source_(std::move(source)) {}

  int poll(std::size_t /*instance*/, std::size_t /*budget*/) noexcept override {
    return poll_source(false);
  }
  int poll_idle() noexcept override { return poll_source(true); }
  bool has_news() noexcept override {
    bool found = true;  // whoever polls it now may leave something
    while_nobody_polls([&] { found = source_->has_news(); });
    return found;
  }
  bool is_shared() const noexcept override { return true; }
  bool has_unsubmitted(std::size_t /*instance*/) const noexcept override {
    return source_->has_unsent() || wanted_.load(std::memory_order_relaxed) != 0;
  }
  int pollable(std::size_t /*instance*/) const noexcept override { return source_->pollable(); }
  std::size_t waits() const noexcept override { return source_->is_open() ? 1 : 0; }

 private:
  static constexpr unsigned kWanted = 1;
  static constexpr unsigned kWantedByIdle = 2;
  /// Whoever is asked again so often leaves the rest to those who ask, and comes back soon itself,
  /// by has_unsubmitted().
  static constexpr int kRounds = 4;

  /// Who finds another one there leaves the mark and then reads polled_; that one clears polled_
  /// and then reads the mark, all sequentially consistent: one of them sees the other.
  int poll_source(bool idle) noexcept {
    const unsigned own = kWanted | (idle ? kWantedByIdle : 0);
    int events = 0;
    for (int round = 0; round < kRounds; ++round) {
      const bool is_first = round == 0;
      const bool polled = while_nobody_polls([&] {
        const unsigned asked = take_mark() | (is_first ? own : 0);
        if (asked != 0) events += source_->poll((asked & kWantedByIdle) != 0);
      });
      if (polled ? wanted_.load(std::memory_order_seq_cst) == 0 : !is_first) break;
      if (!polled) leave_mark(own);
    }
    return events;
  }

  /// A load first, here and below, so that those who find nothing to change leave the line alone.
  unsigned take_mark() noexcept {
    return wanted_.load(std::memory_order_seq_cst) == 0
               ? 0
               : wanted_.exchange(0, std::memory_order_seq_cst);
  }
  void leave_mark(unsigned mark) noexcept {
    if ((wanted_.load(std::memory_order_seq_cst) & mark) == mark) return;
    wanted_.fetch_or(mark, std::memory_order_seq_cst);
  }

  /// Returns whether nobody did. What the last one to poll has left in the source is seen.
  template <class Action>
  bool while_nobody_polls(Action action) noexcept {
    if (polled_.load(std::memory_order_seq_cst) ||
        polled_.exchange(true, std::memory_order_seq_cst)) {
      return false;
    }
    action();
    polled_.store(false, std::memory_order_seq_cst);
    return true;
  }

  const std::shared_ptr<MessageSource> source_;
  alignas(64) std::atomic<bool> polled_{false};
  std::atomic<unsigned> wanted_{0};
};

}  // namespace kumiko::runtime::detail
