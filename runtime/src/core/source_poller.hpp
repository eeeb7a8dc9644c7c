// A source that the program brings, as a poller.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <kumiko/runtime/message_source.hpp>

#include "core/poll_turn.hpp"
#include "core/poller.hpp"

namespace kumiko::runtime::detail {

/// Polls a MessageSource, one OS thread at a time. Who comes while another is there leaves the poll
/// to that one (see PollTurn): so a worker that lies down has had its poll.
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
    turn_.alone([&] { found = source_->has_news(); });
    return found;
  }
  bool is_shared() const noexcept override { return true; }
  bool has_unsubmitted(std::size_t /*instance*/) const noexcept override {
    return source_->has_unsent() || turn_.is_wanted();
  }
  int pollable(std::size_t /*instance*/) const noexcept override { return source_->pollable(); }
  std::size_t waits() const noexcept override { return source_->is_open() ? 1 : 0; }

 private:
  int poll_source(bool idle) noexcept {
    return turn_.poll(idle, [this](bool by_idle) { return source_->poll(by_idle); });
  }

  const std::shared_ptr<MessageSource> source_;
  PollTurn turn_;
};

}  // namespace kumiko::runtime::detail
