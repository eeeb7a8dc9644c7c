// Entries that other ranks assign, and tokens for them, which can be sent.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/entry.hpp>

namespace kumiko::cluster {

template <std::movable T>
class RemoteEntry;

namespace detail {

/// The right to assign an entry of some rank, without its type.
class TokenCore {
 public:
  TokenCore() noexcept = default;
  /// The right to assign the entry with this ticket on rank `home`, after `moves` moves.
  TokenCore(Node& node, int home, Ticket ticket, std::uint32_t moves = 0) noexcept
      : node_(&node), home_(home), ticket_(ticket), moves_(moves) {}
  /// Takes the right over.
  /// \{
  TokenCore(TokenCore&& other) noexcept
      : node_(std::exchange(other.node_, nullptr)),
        home_(other.home_),
        ticket_(other.ticket_),
        moves_(other.moves_) {}
  TokenCore& operator=(TokenCore&& other) noexcept;
  /// \}
  ~TokenCore() { drop(); }

  /// True if it has the right.
  explicit operator bool() const noexcept { return node_ != nullptr; }

  /// Uses the right. \throws std::logic_error if it was used before
  /// \{
  void assign(Packer pack);
  void fail(std::string_view what);
  /// \}

  /// A token in a message.
  struct Packed {
    int home;             ///< the rank of the entry
    std::uint32_t moves;  ///< the number of this move
    Ticket ticket;        ///< of the entry
  };
  /// This token as the next message contains it.
  Packed packed() const noexcept { return {home_, moves_ + 1, ticket_}; }

  /// Writes the right to a message; pass_on() follows once the message is complete. \throws as
  /// assign()
  void pack(Writer& writer);
  /// Passes the right on with the message to `destination`.
  void pass_on(int destination);
  /// Takes the right over from a message.
  static TokenCore unpack(Reader& reader);

 private:
  void drop() noexcept;
  Node& used();

  Node* node_ = nullptr;
  int home_ = 0;
  Ticket ticket_{};
  std::uint32_t moves_ = 0;
};

/// Makes an entry known to its rank.
Ticket add_entry(Node& node, Pending& entry);
/// Returns false if another thread assigns the entry now.
bool take_entry(Node& node, Ticket ticket);

}  // namespace detail

/// The right to assign a RemoteEntry, on any rank. It is sent by std::move() as an argument or a
/// result of an invoked function, and is used once. If it is destroyed unused, or its rank is lost,
/// an exception is sent, so that no reader waits forever. The Cluster must outlive it.
template <std::movable T>
class RemoteToken {
 public:
  /// A token without the right to assign anything.
  RemoteToken() noexcept = default;

  /// Assigns the entry. Does not suspend. \throws std::logic_error if the token was used or moved
  void send(T value) {
    core_.assign([&](Writer& writer) { Packing<T>::pack(writer, value); });
  }

  /// Sends an exception instead, which the reader gets as a RemoteError. \throws as send()
  void send_failure(std::string_view what) { core_.fail(what); }

  /// True if the token has the right to assign an entry.
  explicit operator bool() const noexcept { return static_cast<bool>(core_); }

 private:
  friend class RemoteEntry<T>;
  friend struct Packing<RemoteToken>;

  explicit RemoteToken(detail::TokenCore core) noexcept : core_(std::move(core)) {}

  detail::TokenCore core_;
};

template <class T>
struct Packing<RemoteToken<T>> {
  static void pack(Writer& writer, RemoteToken<T>& token) { token.core_.pack(writer); }
  static RemoteToken<T> unpack(Reader& reader) {
    return RemoteToken<T>(detail::TokenCore::unpack(reader));
  }
};

/// A cell that is assigned once, from any rank, and whose readers wait for it, like a
/// runtime::Entry. It stays on the rank that made it. The Cluster must outlive it.
template <std::movable T>
class RemoteEntry {
 public:
  /// An empty entry of this rank.
  explicit RemoteEntry(const Here& here)
      : node_(detail::node_of(here)),
        rank_(here.rank()),
        ticket_(detail::add_entry(node_, cell_)) {}
  RemoteEntry(const RemoteEntry&) = delete;
  RemoteEntry& operator=(const RemoteEntry&) = delete;

  /// A value sent later is dropped.
  ~RemoteEntry() {
    // If another thread has taken the cell, it assigns the cell now.
    if (!detail::take_entry(node_, ticket_)) cell_.entry.wait();
  }

  /// The right to assign this entry, of which there is one.
  /// \throws std::logic_error if token() was called before.
  RemoteToken<T> token() {
    if (std::exchange(token_given_, true)) {
      throw std::logic_error("RemoteEntry: its token was given before");
    }
    return RemoteToken<T>(detail::TokenCore(node_, rank_, ticket_));
  }

  /// True if the entry has been assigned.
  bool full() const noexcept { return cell_.entry.full(); }

  /// Waits until the entry has been assigned. Suspends a lightweight caller, blocks an OS thread.
  void wait() const noexcept { cell_.entry.wait(); }
  /// As wait(), but for `duration` at most. Returns true if the entry has been assigned.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    return cell_.entry.wait_for(duration);
  }

  /// The value. Waits as wait() does. \throws RemoteError if an exception was sent or the token was
  /// destroyed unused, RankLost if the rank that has the token is lost
  const T& get() const { return cell_.entry.get(); }

 private:
  struct Cell final : detail::Pending {
    runtime::Entry<T> entry;
    runtime::Token<T> token = entry.token();

    const void* waited_at() const noexcept override { return &entry; }

    void finish(detail::Answer answer) override {
      try {
        token.send(detail::unpack_answer<T>(answer));
      } catch (...) {
        token.send_exception(std::current_exception());
      }
    }
  };

  Cell cell_;
  detail::Node& node_;
  int rank_;
  detail::Ticket ticket_;
  bool token_given_ = false;
};

}  // namespace kumiko::cluster
