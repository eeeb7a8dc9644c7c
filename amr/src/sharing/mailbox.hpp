// Messages between the ranks of a shared mesh, round by round.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::amr {

/// All ranks go through the same *rounds*, one after the other, and a message belongs to the round
/// in which it was sent. A message that arrives before its receiver has begun the round is kept
/// until then, so that it does not overwrite values that are still needed.
///
/// The driver calls begin(), collect(), open() and close(), and may suspend in them; any
/// lightweight thread may call send() within the round.
class Mailbox {
 public:
  /// The interval at which a waiting thread checks that the other ranks are there.
  static constexpr std::chrono::milliseconds kAskEvery{50};

  struct Message {
    std::int32_t from = 0;
    std::vector<std::byte> text;

    /// Of a message that was sent by send_value().
    template <class Value>
    Value value() const {
      return cluster::unpacked<Value>(text);
    }
  };
  using Reader = std::function<void(std::int32_t from, std::span<const std::byte> text)>;

  /// Each rank makes one.
  explicit Mailbox(Communicator& communicator);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;

  /// Begins the next round.
  void begin();
  /// Sends a text to another rank.
  void send(std::int32_t to, std::span<const std::byte> text);
  /// Sends a value of a type that can be packed.
  template <class Value>
  void send_value(std::int32_t to, Value value) {
    send(to, cluster::packed(std::move(value)));
  }
  /// Waits for so many messages of this round. Throws if a rank is lost.
  std::vector<Message> collect(std::size_t count);

  /// Hands this round's messages to `read` as they come, by any lightweight threads and several at
  /// once, until close().
  void open(Reader read);
  /// Waits until all messages of this round have been read. Each rank calls it when it has sent
  /// its last message. Throws if a rank is lost.
  void close();
  /// Hands on no more messages, and waits for calls of the reader in progress.
  void abandon() noexcept;

 private:
  void receive(std::int32_t from, std::uint64_t round, std::span<const std::byte> text);
  template <class Ready>
  void wait(std::unique_lock<runtime::Mutex>& lock, Ready ready);
  void read(std::unique_lock<runtime::Mutex>& lock, std::int32_t from,
            std::span<const std::byte> text);

  Communicator& communicator_;
  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  // All that follows is guarded by the mutex.
  std::uint64_t round_ = 0;
  bool is_open_ = false;
  Reader reader_;                    ///< stays while a call is in progress
  std::size_t reading_ = 0;          ///< calls of reader_ in progress
  std::size_t read_ = 0;             ///< messages of this round
  std::exception_ptr failed_;        ///< of the first reader that has thrown
  std::vector<std::uint32_t> sent_;  ///< in this round, by rank
  std::map<std::uint64_t, std::vector<Message>> kept_;

  std::optional<cluster::Twin<Mailbox>> twin_;  ///< the first member to go, and the last to come
};

}  // namespace kumiko::amr
