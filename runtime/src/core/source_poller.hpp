// A source that the program brings, as a poller.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <kumiko/runtime/message_source.hpp>

#include "core/poller.hpp"

namespace kumiko::runtime::detail {

/// Polls a MessageSource, one OS thread at a time: who comes while another is there goes on.
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
    return source_->has_unsent();
  }
  int pollable(std::size_t /*instance*/) const noexcept override { return source_->pollable(); }
  std::size_t waits() const noexcept override { return source_->is_open() ? 1 : 0; }

 private:
  int poll_source(bool idle) noexcept {
    int events = 0;
    while_nobody_polls([&] { events = source_->poll(idle); });
    return events;
  }

  template <class Action>
  void while_nobody_polls(Action action) noexcept {
    // relaxed first, so that those who search leave the line alone. acquire: pairs with the
    // release below, for what the last one to poll has left in the source.
    if (polled_.load(std::memory_order_relaxed) ||
        polled_.exchange(true, std::memory_order_acquire)) {
      return;
    }
    action();
    polled_.store(false, std::memory_order_release);
  }

  const std::shared_ptr<MessageSource> source_;
  alignas(64) std::atomic<bool> polled_{false};
};

}  // namespace kumiko::runtime::detail
