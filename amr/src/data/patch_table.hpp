// What somebody keeps for each patch beside its data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

/// A value for each patch of a mesh by level and slot, which stays with its patch when the mesh
/// changes. Different patches' values may be used from many threads between changes.
template <class T>
class PatchTable {
 public:
  /// Makes the slots those of the mesh: patches that were there before keep their values, those
  /// that came have T{}. O(patches).
  void follow(const Mesh<2>& mesh) {
    levels_.resize(static_cast<std::size_t>(mesh.levels()));
    for (int index = 0; index < mesh.levels(); ++index) {
      LevelTable& level = levels_[static_cast<std::size_t>(index)];
      const std::span<const PatchId> ids = mesh.ids(index);
      if (std::ranges::equal(level.ids, ids)) continue;
      std::vector<T> values(ids.size());
      for (const auto& [old, slot] : level_difference<PatchId>(level.ids, ids).kept) {
        values[slot] = std::move(level.values[old]);
      }
      level.ids.assign(ids.begin(), ids.end());
      level.values = std::move(values);
    }
  }

  T& at(int level, std::size_t slot) {
    return levels_[static_cast<std::size_t>(level)].values[slot];
  }
  /// Whose value it is.
  const PatchId& id(int level, std::size_t slot) const {
    return levels_[static_cast<std::size_t>(level)].ids[slot];
  }
  /// The values of a level's patches by slot; none on levels that the mesh has not.
  std::span<const T> level(int index) const {
    const auto at = static_cast<std::size_t>(index);
    return at < levels_.size() ? std::span<const T>(levels_[at].values) : std::span<const T>();
  }

  /// Calls visit with every value.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const LevelTable& level : levels_) {
      for (const T& value : level.values) visit(value);
    }
  }

  /// Bytes of the lists, without what the values hold elsewhere.
  std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    for (const LevelTable& level : levels_) {
      bytes += level.ids.capacity() * sizeof(PatchId) + level.values.capacity() * sizeof(T);
    }
    return bytes;
  }

 private:
  struct LevelTable {
    std::vector<PatchId> ids;  ///< of those that have the values
    std::vector<T> values;
  };

  std::vector<LevelTable> levels_;
};

}  // namespace kumiko::amr
