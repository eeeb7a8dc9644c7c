// The implementation of a Tree: accepts and joins, keeps the table of links, and runs the threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/tree_link.hpp"
#include "tree/unproved.hpp"

namespace kumiko::search::detail::tree {

/// Implements the functions of Tree, which documents its threads and why they do not deadlock.
/// Invariant: links_ holds the links whose reader runs in serve(), and threads_ counts all threads
/// for which leave() waits.
class Core {
 public:
  Core(runtime::Runtime& runtime, TreeReceiver& receiver, TreeOptions options);

  runtime::io::Address listen(const runtime::io::Address& address);
  void join(const runtime::io::Address& address);
  void send(const Route& to, const Frame& frame, const Route& on_behalf_of);
  std::vector<std::uint16_t> neighbours() const;
  void leave() noexcept;
  TreeStatistics statistics() const;

 private:
  /// The result of an attempt to join.
  struct Attempt {
    std::optional<Refusal> refusal;
    std::string system;  ///< the message of a system error, if that was the cause
    bool has_ended = false;
  };

  /// Runs `body` as a thread that leave() waits for. \throws std::logic_error after leave(), and
  /// what Runtime::submit() throws.
  template <class Body>
  void start(Body body);
  /// As start(), on a lightweight thread that runs until it waits before this returns (child
  /// first).
  template <class Body>
  void start_at_once(Body body);
  template <class Body, class Launch>
  void start_by(Launch launch, Body body);

  // The thread that accepts.
  void accept(runtime::io::Listener listener);
  void add_unproved(runtime::io::Socket socket);

  // A thread for each connection.
  void shake_hands(runtime::io::Socket socket, Unproved::Place place);
  void connect(const runtime::io::Address& address, Attempt& attempt);
  std::shared_ptr<TreeLink> make_child(runtime::io::Socket socket, Unproved::Place place,
                                       std::uint16_t& number, std::optional<Refusal>& refusal);
  std::optional<Refusal> admit(runtime::io::Socket& socket, Handshake& handshake,
                               Unproved::Place place, std::uint16_t& number);
  std::optional<Refusal> reserve_child(std::uint16_t& number);
  void release_child();
  void count(Refusal refusal) noexcept;

  /// Puts the link into the table. Returns false if there is no memory.
  bool enter(const std::shared_ptr<TreeLink>& link) noexcept;
  /// Reads the link until it ends, then takes it from the table.
  void serve(const std::shared_ptr<TreeLink>& link) noexcept;
  void start_writer(const std::shared_ptr<TreeLink>& link);
  void take(TreeLink& link, Frame frame);
  /// Returns whether the frame has been queued.
  bool queue(std::uint16_t link, Frame frame);

  /// Relaxed: a caller that depends on it holds the mutex; others may notice it a little later.
  bool is_leaving() const noexcept { return leaving_.load(std::memory_order_relaxed); }

  runtime::Runtime& runtime_;
  TreeReceiver& receiver_;
  const TreeOptions options_;
  const FrameLimits limits_;

  std::stop_source stop_;             ///< stops accepting and joining
  std::atomic<bool> leaving_{false};  ///< written under the mutex

  Unproved unproved_;

  mutable runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  std::map<std::uint16_t, std::shared_ptr<TreeLink>> links_;  ///< guarded; so is what follows
  std::size_t children_ = 0;
  std::uint32_t next_child_ = 1;
  std::size_t threads_ = 0;
  bool listens_ = false;
  bool has_parent_ = false;  ///< has or had a parent, or is joining one
  bool is_closing_ = false;  ///< leave() has waited for long enough

  Traffic traffic_;
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> frames_received_{0};
  std::atomic<std::uint64_t> frames_passed_on_{0};
  std::atomic<std::uint64_t> frames_dropped_{0};
  std::array<std::atomic<std::uint64_t>, kRefusals> refused_{};
};

}  // namespace kumiko::search::detail::tree
