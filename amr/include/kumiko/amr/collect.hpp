// Global reductions over the mesh: gathers per-patch values from all ranks in canonical order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <kumiko/amr/communicator.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/cluster/packing.hpp>

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

/// The values of all ranks by rank, also of a single one. A value may be of any type that can be
/// packed.
template <class Value>
std::vector<Value> gather(Communicator& communicator, Value own) {
  std::vector<Value> all;
  if (communicator.size() > 1) {
    for (const std::vector<std::byte>& text :
         communicator.all_gather(cluster::packed(std::move(own)))) {
      all.push_back(cluster::unpacked<Value>(text));
    }
  } else {
    all.push_back(std::move(own));
  }
  return all;
}

/// Collects several lists of parts in one exchange. Every rank adds lists of the same types in the
/// same order, calls exchange(), and then takes them in that order.
class Gathering {
 public:
  /// Adds this rank's parts, which must be in canonical order.
  template <class Value>
  void add(std::span<const PatchValue<Value>> parts) {
    cluster::Packing<std::span<const PatchValue<Value>>>::pack(writer_, parts);
  }
  template <class Value>
  void add(const std::vector<PatchValue<Value>>& parts) {
    add(std::span(parts));
  }
  void exchange(Communicator& communicator) {
    texts_ = communicator.all_gather(own_);
    if (texts_.empty()) texts_.emplace_back(own_.begin(), own_.end());
    for (const std::vector<std::byte>& text : texts_) readers_.emplace_back(text);
  }
  /// The next list with the parts of all ranks, as collect() gives it.
  template <class Value>
  std::vector<PatchValue<Value>> take() {
    std::vector<PatchValue<Value>> all;
    for (cluster::Reader& reader : readers_) {
      const auto parts = cluster::Packing<std::span<const PatchValue<Value>>>::unpack(reader);
      all.insert(all.end(), parts.begin(), parts.end());
    }
    if (readers_.size() > 1) std::sort(all.begin(), all.end());
    return all;
  }

 private:
  cluster::Frame own_;
  cluster::Writer writer_{own_, 0};
  std::vector<std::vector<std::byte>> texts_;  ///< by rank
  std::vector<cluster::Reader> readers_;
};

/// The parts of all ranks in canonical order, from this rank's parts, which must be in that
/// order. A fold over the result has the same bits for every rank, however the patches are
/// distributed. Parts of the same patch and item are in any order.
template <class Value>
std::vector<PatchValue<Value>> collect(Communicator& communicator,
                                       std::vector<PatchValue<Value>> parts) {
  if (communicator.size() == 1) return parts;
  Gathering all;
  all.add(parts);
  all.exchange(communicator);
  return all.take<Value>();
}

/// Folds one value of each rank. The result must not depend on the order, as for a maximum or a
/// sum of integers.
template <class Value, class Fold>
Value collect_value(Communicator& communicator, Value own, Fold fold) {
  const std::vector<Value> values = gather(communicator, own);
  return std::accumulate(values.begin() + 1, values.end(), values.front(), fold);
}

}  // namespace kumiko::amr
