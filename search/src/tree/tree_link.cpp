#include "tree/tree_link.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

namespace kumiko::search::detail::tree {

namespace io = runtime::io;

namespace {

/// Makes a system call that waits for at most `patience`. If this process was itself stopped for
/// that time, bytes that have arrived meanwhile are there, and a second call without a wait takes
/// them.
template <class Call>
io::Result<std::size_t> patiently(std::chrono::milliseconds patience, const std::stop_token& stop,
                                  Call call) {
  const io::Result<std::size_t> done = call(io::within(patience, stop));
  if (done || done.error() != std::errc::timed_out) return done;
  return call(io::within(std::chrono::milliseconds(0), stop));
}

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(std::chrono::duration<double>(time).count());
  return text.substr(0, text.find('.') + 2) + " s";
}

}  // namespace

TreeLink::TreeLink(std::uint16_t number, io::Socket socket, const SessionKeys& keys,
                   const TreeOptions& options, Traffic& traffic)
    : number_(number),
      limits_{options.largest_frame, options.longest_route},
      most_unsent_bytes_(options.most_unsent_bytes),
      heartbeat_every_(options.heartbeat_every),
      lost_after_(options.lost_after),
      traffic_(traffic),
      socket_(std::move(socket)),
      outgoing_(keys.send),
      incoming_(keys.receive) {}

bool TreeLink::queue(Frame frame) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kOpen || !has_writer_) return false;
    if (frame.size() <= most_unsent_bytes_ - unsent_bytes_) {
      const std::size_t size = frame.size();
      queue_.push_back(std::move(frame));
      unsent_bytes_ += size;
      changed_.notify_all();
      return true;
    }
  }
  close("it receives frames too slowly: more than " + std::to_string(most_unsent_bytes_) +
        " bytes wait for it");
  return false;
}

void TreeLink::finish() noexcept {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOpen) state_ = State::kFinishing;
  changed_.notify_all();
}

void TreeLink::close(std::string reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kClosed) reason_ = std::move(reason);
    state_ = State::kClosed;
    changed_.notify_all();
  }
  stop_.request_stop();
}

std::error_code TreeLink::read_all(std::span<std::byte> into) {
  while (!into.empty()) {
    const io::Result<std::size_t> count =
        patiently(lost_after_, stop_.get_token(),
                  [&](const io::Limits& limits) { return socket_.read(into, limits); });
    if (!count) return count.error();
    if (*count == 0) return std::make_error_code(std::errc::not_connected);
    traffic_.bytes_received.fetch_add(*count, std::memory_order_relaxed);
    into = into.subspan(*count);
  }
  return {};
}

std::optional<Frame> TreeLink::read() {
  // A call that need not wait does not check for a stop.
  if (stop_.stop_requested()) return std::nullopt;
  std::array<std::byte, kLengthBytes> length{};
  if (const std::error_code error = read_all(length)) {
    explain_lost(error, "nothing has come from it for ");
    return std::nullopt;
  }
  const std::optional<std::size_t> size = sealed_size(length, limits_);
  if (!size) {
    close("it has sent a frame that is longer than largest_frame, or a malformed one");
    return std::nullopt;
  }
  Frame frame(*size);
  std::copy(length.begin(), length.end(), frame.begin());
  if (const std::error_code error = read_all(std::span(frame).subspan(kLengthBytes))) {
    explain_lost(error, "nothing has come from it for ");
    return std::nullopt;
  }
  if (!incoming_.fits(frame)) {
    close("a frame of it was changed, repeated or inserted on the way");
    return std::nullopt;
  }
  return frame;
}

void TreeLink::explain_lost(std::error_code error, const char* silence) {
  if (error == std::errc::operation_canceled) return;
  if (error == std::errc::timed_out) return close(silence + seconds(lost_after_));
  if (error == std::errc::not_connected || error == std::errc::connection_reset ||
      error == std::errc::broken_pipe) {
    return close("the connection has ended, maybe with its process");
  }
  close("the connection has failed: " + error.message());
}

std::string TreeLink::end() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !has_writer_; });
  lock.unlock();
  // An error would be about sent bytes, which is not reported anyway.
  static_cast<void>(socket_.close());
  return std::move(reason_);
}

TreeLink::Next TreeLink::take_queued(std::deque<Frame>& frames) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, heartbeat_every_,
                    [&] { return !queue_.empty() || state_ != State::kOpen; });
  if (state_ == State::kClosed) return Next::kEnd;
  frames = std::exchange(queue_, {});
  if (!frames.empty()) return Next::kSend;
  const bool is_last = state_ == State::kFinishing;
  frames.push_back(make_frame(is_last ? Kind::kBye : Kind::kHeartbeat, {}, {}, {}));
  unsent_bytes_ += frames.back().size();
  return is_last ? Next::kSendLast : Next::kSend;
}

std::error_code TreeLink::send(Frame& frame) {
  outgoing_.close(frame);
  for (Bytes left(frame); !left.empty();) {
    const io::Result<std::size_t> count =
        patiently(lost_after_, stop_.get_token(),
                  [&](const io::Limits& limits) { return socket_.write(left, limits); });
    if (!count) return count.error();
    traffic_.bytes_sent.fetch_add(*count, std::memory_order_relaxed);
    left = left.subspan(*count);
  }
  const std::lock_guard lock(mutex_);
  unsent_bytes_ -= frame.size();
  return {};
}

void TreeLink::write() noexcept {
  try {
    for (Next next = Next::kSend; next != Next::kSendLast;) {
      std::deque<Frame> frames;
      next = take_queued(frames);
      if (next == Next::kEnd) return;
      for (; !frames.empty(); frames.pop_front()) {
        const std::error_code error = send(frames.front());
        if (error == std::errc::timed_out) explain_lost(error, "it has received nothing for ");
        // The reader also finds that the connection has ended, and may find a goodbye before that.
        if (error) return;
      }
    }
    // The neighbour's reader finds the end. It may have ended already.
    static_cast<void>(socket_.finish_writing());
  } catch (const std::exception&) {
    close("no memory");
  }
}

void TreeLink::writer_ended() noexcept {
  const std::lock_guard lock(mutex_);
  has_writer_ = false;
  queue_.clear();
  changed_.notify_all();
}

}  // namespace kumiko::search::detail::tree
