// What somebody keeps for each patch beside its data.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
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
      if (level.is_of(ids)) continue;
      std::vector<T> values(ids.size());
      auto old = level.ids.begin();
      for (std::size_t slot = 0; slot < ids.size(); ++slot) {
        while (old != level.ids.end() && *old < ids[slot]) ++old;
        if (old == level.ids.end()) break;
        if (*old != ids[slot]) continue;
        values[slot] = std::move(level.values[static_cast<std::size_t>(old - level.ids.begin())]);
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
  template <class Visit>
  void for_each(Visit visit) {
    for (LevelTable& level : levels_) {
      for (T& value : level.values) visit(value);
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

    bool is_of(std::span<const PatchId> others) const {
      static_assert(std::has_unique_object_representations_v<PatchId>, "they compare as bytes");
      if (ids.size() != others.size()) return false;
      return ids.empty() || std::memcmp(ids.data(), others.data(), others.size_bytes()) == 0;
    }
  };

  std::vector<LevelTable> levels_;
};

}  // namespace kumiko::amr
