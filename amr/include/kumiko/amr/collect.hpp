// Global reductions over the mesh: gathers per-patch values from all owners in canonical order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

/// An owner's value for a patch, or for one item of it, such as a component or a quadrant.
template <class Value>
struct Part {
  PatchId patch;
  int item = 0;
  Value value{};

  friend bool operator<(const Part& a, const Part& b) {
    return std::tie(a.patch, a.item) < std::tie(b.patch, b.item);
  }
};

/// One of the owners of a mesh, with communication to the others.
class Owner {
 public:
  virtual ~Owner() = default;

  /// Sends bytes to all other owners and returns theirs, concatenated in any order. Every owner
  /// must call it the same number of times. May block the calling OS thread until the others have
  /// sent theirs.
  virtual std::vector<std::byte> exchange(std::span<const std::byte> own) = 0;
  /// This owner's number in Mesh::owners().
  virtual std::int32_t number() const = 0;
  /// The number of owners.
  virtual std::int32_t count() const { return 1; }

  /// Sends a message to another owner's receiver. Messages may overtake each other. For any
  /// lightweight thread, which may suspend. Throws if that owner is lost.
  virtual void send(std::int32_t /*to*/, std::span<const std::byte> /*message*/) {
    throw std::logic_error("this owner sends no messages");
  }
  /// Handles a message of another owner. The message's bytes are valid during the call. Called on
  /// any lightweight thread.
  using Receiver = std::function<void(std::int32_t from, std::span<const std::byte> message)>;
  /// Sets the receiver of the other owners' messages; an empty one removes it.
  virtual void set_receiver(const Receiver& /*receiver*/) {}
  /// Sends a question to another owner's answerer and waits for the answer; other calls continue
  /// meanwhile. For any lightweight thread, which may suspend. Throws if that owner is lost or no
  /// longer has an answerer; if the answerer throws, throws with its message.
  virtual std::vector<std::byte> ask(std::int32_t /*to*/, std::span<const std::byte> /*question*/) {
    throw std::logic_error("this owner asks nobody");
  }
  /// Answers a question of another owner. The question's bytes are valid during the call. Called on
  /// any lightweight thread.
  using Answerer = std::function<std::vector<std::byte>(std::span<const std::byte> question)>;
  /// Sets the function that answers the other owners' questions; an empty one removes it. Waits for
  /// answers in progress.
  virtual void set_answerer(const Answerer& /*answerer*/) {}
  /// Throws if another owner is lost or has ended.
  virtual void check_others() {}

  /// Whether this owner owns a patch.
  bool has(const Mesh<2>& mesh, int level, std::size_t slot) const {
    return mesh.owners(level)[slot] == number();
  }
};

/// The owner of all patches of a mesh that is not shared.
class SoleOwner final : public Owner {
 public:
  std::vector<std::byte> exchange(std::span<const std::byte> /*own*/) override { return {}; }
  std::int32_t number() const override { return 0; }
};

/// The owner of a mesh that is not shared.
inline Owner& sole_owner() {
  static SoleOwner owner;
  return owner;
}

/// The parts of all owners in canonical order, from this owner's parts, which must be in that
/// order. A fold over the result has the same bits for every owner, however the patches are
/// distributed. Parts of the same patch and item are in any order.
template <class Value>
std::vector<Part<Value>> collect(Owner& owner, std::vector<Part<Value>> parts) {
  static_assert(std::is_trivially_copyable_v<Part<Value>>, "parts are sent as bytes");
  const std::vector<std::byte> others = owner.exchange(std::as_bytes(std::span(parts)));
  if (others.empty()) return parts;
  const std::size_t own = parts.size();
  parts.resize(own + others.size() / sizeof(Part<Value>));
  std::memcpy(parts.data() + own, others.data(), others.size());
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// Collects several lists of parts in one exchange. Every owner adds lists of the same types in the
/// same order, calls exchange(), and then takes them in that order.
class Gathering {
 public:
  /// Adds this owner's parts, which must be in canonical order.
  template <class Value>
  void add(const std::vector<Part<Value>>& parts) {
    static_assert(std::is_trivially_copyable_v<Part<Value>>, "parts are sent as bytes");
    ++lists_;
    append(std::as_bytes(std::span(parts)));
  }
  void exchange(Owner& owner) {
    const std::vector<std::byte> others = owner.exchange(texts_);
    texts_.insert(texts_.end(), others.begin(), others.end());
    for (std::size_t at = 0; at < texts_.size();) {
      next_.push_back(at);
      for (std::size_t list = 0; list < lists_; ++list) at = after(at);
    }
  }
  /// The next list with the parts of all owners, as collect() gives it.
  template <class Value>
  std::vector<Part<Value>> take() {
    std::vector<Part<Value>> all;
    for (std::size_t& at : next_) {
      const std::size_t begin = at + sizeof(std::uint64_t);
      at = after(at);
      const std::size_t before = all.size();
      all.resize(before + (at - begin) / sizeof(Part<Value>));
      if (at > begin) std::memcpy(all.data() + before, texts_.data() + begin, at - begin);
    }
    if (next_.size() > 1) std::sort(all.begin(), all.end());
    return all;
  }

 private:
  void append(std::span<const std::byte> list) {
    const std::uint64_t size = list.size();
    const auto head = std::as_bytes(std::span(&size, 1));
    texts_.insert(texts_.end(), head.begin(), head.end());
    texts_.insert(texts_.end(), list.begin(), list.end());
  }
  /// Where the list after that at a place begins.
  std::size_t after(std::size_t at) const {
    std::uint64_t size = 0;
    std::memcpy(&size, texts_.data() + at, sizeof(size));
    return at + sizeof(size) + static_cast<std::size_t>(size);
  }

  std::vector<std::byte> texts_;   ///< one owner's after the other's
  std::size_t lists_ = 0;          ///< of each owner
  std::vector<std::size_t> next_;  ///< where each owner's next list begins
};

/// Folds one value of each owner. The result must not depend on the order, as for a maximum or a
/// sum of integers.
template <class Value, class Fold>
Value collect_value(Owner& owner, Value own, Fold fold) {
  const std::vector<Part<Value>> parts = collect<Value>(owner, {{{}, 0, own}});
  Value all = parts.front().value;
  for (const Part<Value>& part : std::span(parts).subspan(1)) all = fold(all, part.value);
  return all;
}

}  // namespace kumiko::amr
