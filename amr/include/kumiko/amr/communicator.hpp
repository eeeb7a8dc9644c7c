// Communication between the ranks that share a mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

/// A rank and its communication with the others that share a mesh.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// Sends bytes to all other ranks and returns theirs, concatenated in any order. Every rank
  /// must call it the same number of times. May block the calling OS thread until the others have
  /// sent theirs.
  virtual std::vector<std::byte> all_gather(std::span<const std::byte> own) = 0;
  /// This rank's number, from 0, as in Mesh::ranks().
  virtual std::int32_t rank() const = 0;
  /// The number of ranks.
  virtual std::int32_t size() const { return 1; }

  /// Sends a message to another rank's receiver. Messages may overtake each other. For any
  /// lightweight thread, which may suspend. Throws if that rank is lost.
  virtual void send(std::int32_t /*to*/, std::span<const std::byte> /*message*/) {
    throw std::logic_error("this rank sends no messages");
  }
  /// Handles a message of another rank. The message's bytes are valid during the call. Called on
  /// any lightweight thread.
  using Receiver = std::function<void(std::int32_t from, std::span<const std::byte> message)>;
  /// Sets the receiver of the other ranks' messages; an empty one removes it.
  virtual void set_receiver(const Receiver& /*receiver*/) {}
  /// Sends a question to another rank's answerer and waits for the answer; other calls continue
  /// meanwhile. For any lightweight thread, which may suspend. Throws if that rank is lost or no
  /// longer has an answerer; if the answerer throws, throws with its message.
  virtual std::vector<std::byte> ask(std::int32_t /*to*/, std::span<const std::byte> /*question*/) {
    throw std::logic_error("this rank asks nobody");
  }
  /// Answers a question of another rank. The question's bytes are valid during the call. Called on
  /// any lightweight thread.
  using Answerer = std::function<std::vector<std::byte>(std::span<const std::byte> question)>;
  /// Sets the function that answers the other ranks' questions; an empty one removes it. Waits for
  /// answers in progress.
  virtual void set_answerer(const Answerer& /*answerer*/) {}
  /// Throws if another rank is lost or has ended.
  virtual void check_others() {}

  /// True if this rank holds the data of a patch.
  bool has(const Mesh<2>& mesh, int level, std::size_t slot) const {
    return mesh.ranks(level)[slot] == rank();
  }
};

/// The only rank of a mesh that is not shared.
class SingleRank final : public Communicator {
 public:
  std::vector<std::byte> all_gather(std::span<const std::byte> /*own*/) override { return {}; }
  std::int32_t rank() const override { return 0; }
};

/// The communicator of a mesh that is not shared.
inline Communicator& single_rank() {
  static SingleRank alone;
  return alone;
}

}  // namespace kumiko::amr
