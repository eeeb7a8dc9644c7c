// Global reductions over the mesh: gathers per-patch values from all ranks in canonical order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <kumiko/amr/communicator.hpp>
#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

/// A rank's value for a patch, or for one item of it, such as a component or a quadrant.
template <class Value>
struct PatchValue {
  PatchId patch;
  int item = 0;
  Value value{};

  friend bool operator<(const PatchValue& a, const PatchValue& b) {
    return std::tie(a.patch, a.item) < std::tie(b.patch, b.item);
  }
};

/// The parts of all ranks in canonical order, from this rank's parts, which must be in that
/// order. A fold over the result has the same bits for every rank, however the patches are
/// distributed. Parts of the same patch and item are in any order.
template <class Value>
std::vector<PatchValue<Value>> collect(Communicator& communicator,
                                       std::vector<PatchValue<Value>> parts) {
  static_assert(std::is_trivially_copyable_v<PatchValue<Value>>, "parts are sent as bytes");
  const std::vector<std::byte> others = communicator.all_gather(std::as_bytes(std::span(parts)));
  if (others.empty()) return parts;
  const std::size_t own = parts.size();
  parts.resize(own + others.size() / sizeof(PatchValue<Value>));
  std::memcpy(parts.data() + own, others.data(), others.size());
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// Collects several lists of parts in one exchange. Every rank adds lists of the same types in the
/// same order, calls exchange(), and then takes them in that order.
class Gathering {
 public:
  /// Adds this rank's parts, which must be in canonical order.
  template <class Value>
  void add(const std::vector<PatchValue<Value>>& parts) {
    static_assert(std::is_trivially_copyable_v<PatchValue<Value>>, "parts are sent as bytes");
    ++lists_;
    append(std::as_bytes(std::span(parts)));
  }
  void exchange(Communicator& communicator) {
    const std::vector<std::byte> others = communicator.all_gather(texts_);
    texts_.insert(texts_.end(), others.begin(), others.end());
    for (std::size_t at = 0; at < texts_.size();) {
      next_.push_back(at);
      for (std::size_t list = 0; list < lists_; ++list) at = after(at);
    }
  }
  /// The next list with the parts of all ranks, as collect() gives it.
  template <class Value>
  std::vector<PatchValue<Value>> take() {
    std::vector<PatchValue<Value>> all;
    for (std::size_t& at : next_) {
      const std::size_t begin = at + sizeof(std::uint64_t);
      at = after(at);
      const std::size_t before = all.size();
      all.resize(before + (at - begin) / sizeof(PatchValue<Value>));
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

  std::vector<std::byte> texts_;   ///< one rank's after the other's
  std::size_t lists_ = 0;          ///< of each rank
  std::vector<std::size_t> next_;  ///< where each rank's next list begins
};

/// Folds one value of each rank. The result must not depend on the order, as for a maximum or a
/// sum of integers.
template <class Value, class Fold>
Value collect_value(Communicator& communicator, Value own, Fold fold) {
  const std::vector<PatchValue<Value>> parts = collect<Value>(communicator, {{{}, 0, own}});
  Value all = parts.front().value;
  for (const PatchValue<Value>& part : std::span(parts).subspan(1)) all = fold(all, part.value);
  return all;
}

}  // namespace kumiko::amr
