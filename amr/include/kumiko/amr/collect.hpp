// The seam that every result of the whole mesh passes: what its owners say of their own patches is
// brought together in canonical order.
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

/// What an owner says of a patch, or of one item of it: a component, a quadrant.
template <class Value>
struct Part {
  PatchId patch;
  int item = 0;
  Value value{};

  friend bool operator<(const Part& a, const Part& b) {
    return std::tie(a.patch, a.item) < std::tie(b.patch, b.item);
  }
};

/// One of the owners of a mesh, who can reach the others.
class Owner {
 public:
  virtual ~Owner() = default;

  /// Hands bytes to all other owners and returns theirs, one list after another, in any order.
  /// Every owner calls it equally often. May wait for the others, on the calling OS thread.
  virtual std::vector<std::byte> exchange(std::span<const std::byte> own) = 0;
  /// The number that Mesh::owners() has for this one.
  virtual std::int32_t number() const = 0;
  /// How many owners there are.
  virtual std::int32_t count() const { return 1; }

  /// Hands a message to another owner's receiver; messages may overtake each other. From any
  /// lightweight thread, which may suspend. Throws if that owner is lost.
  virtual void send(std::int32_t /*to*/, std::span<const std::byte> /*message*/) {
    throw std::logic_error("this owner sends no messages");
  }
  /// Takes a message of another owner, which lives as long as the call. From any lightweight
  /// thread.
  using Receiver = std::function<void(std::int32_t from, std::span<const std::byte> message)>;
  /// Whom the messages of the other owners are handed to; nobody, when that ends.
  virtual void set_receiver(const Receiver& /*receiver*/) {}
  /// Has another owner's answerer answer a question, and waits for that, while the other calls go
  /// on. From any lightweight thread, which may suspend. Throws if that owner is lost or has no
  /// answerer any more, or with what its answerer says when it throws.
  virtual std::vector<std::byte> ask(std::int32_t /*to*/, std::span<const std::byte> /*question*/) {
    throw std::logic_error("this owner asks nobody");
  }
  /// Answers a question of another owner, which lives as long as the call. From any lightweight
  /// thread.
  using Answerer = std::function<std::vector<std::byte>(std::span<const std::byte> question)>;
  /// Who answers the other owners; nobody, when that is empty. Waits for answers that are being
  /// given.
  virtual void set_answerer(const Answerer& /*answerer*/) {}
  /// Throws if another owner is lost, or has ended.
  virtual void check_others() {}

  /// Whether a patch is this owner's.
  bool has(const Mesh<2>& mesh, int level, std::size_t slot) const {
    return mesh.owners(level)[slot] == number();
  }
};

/// Who owns all patches.
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

/// The parts of all owners in canonical order, from this one's, which are in that order: a fold
/// over them has the same bits for every owner, however the patches are dealt out. Parts of one
/// patch and item come in any order.
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

/// One value of each owner, folded; the order must not matter, as for a maximum or a sum of
/// integers.
template <class Value, class Fold>
Value collect_value(Owner& owner, Value own, Fold fold) {
  const std::vector<Part<Value>> parts = collect<Value>(owner, {{{}, 0, own}});
  Value all = parts.front().value;
  for (const Part<Value>& part : std::span(parts).subspan(1)) all = fold(all, part.value);
  return all;
}

}  // namespace kumiko::amr
