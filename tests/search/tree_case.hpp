// Processes of trees for tests, a neighbour that a test drives byte by byte, and the fixture.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/frame.hpp"
#include "tree/handshake.hpp"

namespace kumiko::search::trees {

using namespace std::chrono_literals;
namespace io = runtime::io;
using detail::tree::Bytes;
using detail::tree::FrameLimits;
using detail::tree::FrameView;
using detail::tree::Handshake;
using detail::tree::Kind;
using detail::tree::make_frame;
using detail::tree::Role;
using detail::tree::Seal;

/// The time for which a test waits for an event that must come, even on a busy machine.
inline constexpr auto kPatience = 60s;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
inline Frame frame_of(std::string_view text) {
  const Bytes bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}
inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Records the events of a tree.
class Recorder final : public TreeReceiver {
 public:
  struct Message {
    Route from;
    std::string text;

    friend bool operator==(const Message&, const Message&) = default;
  };
  struct Loss {
    std::uint16_t link;
    std::string reason;
  };

  void receive(const Route& from, Frame frame) override {
    if (react) react(from, frame);
    const std::lock_guard lock(mutex_);
    messages_.push_back({from, text_of(frame)});
    changed_.notify_all();
  }
  void joined(std::uint16_t link) override {
    const std::lock_guard lock(mutex_);
    joined_.push_back(link);
    changed_.notify_all();
  }
  void lost(std::uint16_t link, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    losses_.push_back({link, reason});
    changed_.notify_all();
  }

  /// Waits until there are `count` messages, and removes and returns them.
  std::vector<Message> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return messages_.size() >= count; }));
    return std::exchange(messages_, {});
  }
  void wait_for_joined(std::uint16_t link) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] {
      return std::find(joined_.begin(), joined_.end(), link) != joined_.end();
    }));
  }
  /// Waits for the first loss, which must be that of this link, and returns its reason.
  std::string wait_for_loss(std::uint16_t link) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return !losses_.empty(); }));
    if (losses_.empty()) return "";
    EXPECT_EQ(losses_.front().link, link);
    return losses_.front().reason;
  }
  std::size_t losses() {
    const std::lock_guard lock(mutex_);
    return losses_.size();
  }

  /// Called for each frame. Set it before frames come.
  std::function<void(const Route& from, const Frame& frame)> react;

 private:
  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  std::vector<Message> messages_;
  std::vector<std::uint16_t> joined_;
  std::vector<Loss> losses_;
};

inline TreeOptions test_options() {
  TreeOptions options;
  options.secret = "what the tests know";
  options.program = 42;
  return options;
}

/// A process of a tree.
struct Process {
  explicit Process(runtime::Runtime& runtime, TreeOptions options = test_options())
      : tree(runtime, events, std::move(options)) {}

  io::Address listen() { return tree.listen(io::Address::loopback()); }

  Recorder events;
  Tree tree;
};

/// A child that the test drives byte by byte, so that it may break the protocol. It blocks the OS
/// thread of the test.
class RawChild {
 public:
  explicit RawChild(const io::Address& parent)
      : socket_(io::Socket::connect(parent, io::within(kPatience)).value()) {}

  void join(const TreeOptions& options = test_options()) {
    greet(options);
    prove();
  }
  void greet(const TreeOptions& options) {
    secret_ = options.secret;
    handshake_.emplace(Role::kJoins, secret_, options.program);
    limits_ = {options.largest_frame, options.longest_route};
    write(handshake_->hello());
    detail::tree::Hello hello;
    ASSERT_TRUE(read_exactly(hello));
    ASSERT_EQ(handshake_->take_hello(hello), std::nullopt);
  }
  void prove() {
    write(handshake_->proof());
    detail::tree::Verdict verdict;
    ASSERT_TRUE(read_exactly(verdict));
    ASSERT_EQ(handshake_->take_verdict(verdict), std::nullopt);
    outgoing_.emplace(handshake_->keys().send);
    incoming_.emplace(handshake_->keys().receive);
  }

  void write(Bytes bytes) { static_cast<void>(socket_.write_all(bytes, io::within(kPatience))); }

  Frame sealed(Frame frame) {
    outgoing_->close(frame);
    return frame;
  }
  Frame sealed_data(std::string_view text) {
    return sealed(make_frame(Kind::kData, {}, {}, bytes_of(text)));
  }

  /// Waits for the next frame, and returns its kind.
  std::optional<Kind> read_kind() {
    std::array<std::byte, 4> length;
    if (!read_exactly(length)) return std::nullopt;
    Frame frame(detail::tree::sealed_size(length, limits_).value());
    std::copy(length.begin(), length.end(), frame.begin());
    if (!read_exactly(std::span(frame).subspan(4)) || !incoming_->fits(frame)) return std::nullopt;
    return FrameView::parse(frame, limits_).value().kind();
  }

  bool read_exactly(std::span<std::byte> into) {
    return socket_.read_exactly(into, io::within(kPatience)).bytes == into.size();
  }

  /// Reads until the other side closes.
  bool is_closed() {
    std::array<std::byte, 1024> bytes;
    for (;;) {
      const auto count = socket_.read(bytes, io::within(kPatience));
      if (!count) return count.error() != std::errc::timed_out;
      if (*count == 0) return true;
    }
  }

 private:
  io::Socket socket_;
  std::string secret_;
  std::optional<Handshake> handshake_;
  std::optional<Seal> outgoing_;
  std::optional<Seal> incoming_;
  FrameLimits limits_{};
};

/// Listens, and calls serve() with the first connection.
class Server {
 public:
  explicit Server(std::function<void(io::Socket&)> serve)
      : listener_(io::Listener::listen(io::Address::loopback()).value()),
        thread_([this, serve = std::move(serve)] {
          io::Result<io::Socket> socket = listener_.accept(io::within(kPatience));
          if (socket) serve(*socket);
        }) {}
  ~Server() { thread_.join(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  io::Address address() const { return listener_.address().value(); }

 private:
  io::Listener listener_;
  std::thread thread_;
};

class TreeTest : public testing::Test {
 protected:
  using Message = Recorder::Message;

  /// Expects that joining fails for this cause, and that the text names the address.
  static void expect_refused(Process& process, const io::Address& address, Refusal cause,
                             const std::string& word) {
    try {
      process.tree.join(address);
      ADD_FAILURE() << "has joined";
    } catch (const JoinError& error) {
      EXPECT_EQ(error.cause(), cause) << error.what();
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(address.to_string()), std::string::npos);
    }
  }

  /// Waits for a condition on counters, which change after others can see the event.
  template <class Condition>
  static void expect_soon(Condition holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(holds());
  }
  static void expect_counted(const Process& process, Refusal cause) {
    expect_soon([&] { return process.tree.statistics().refused_for(cause) == 1; });
  }

  runtime::Runtime runtime{{.workers = 2}};
};

}  // namespace kumiko::search::trees
