// A patch's values as solvers see them: Eigen maps over strided memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include <Eigen/Core>

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "a component of a patch is an array of rows");

/// Row j, column i: element (j, i) is point (i, j), x fastest in memory.
using FieldArray = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Points i0 <= i < i1, j0 <= j < j1 of a patch, in its own indices; ghosts lie below 0 and from 16
/// on.
struct PointRange {
  int i0;
  int i1;
  int j0;
  int j1;

  friend bool operator==(const PointRange&, const PointRange&) = default;
};

/// Non-owning view of one time level of a patch: `components` blocks of (16+2g)² values, x fastest,
/// ghosts included. Copy freely; valid as long as the patch.
template <class Value>
class BasicPatchView {
 public:
  static_assert(std::is_same_v<std::remove_const_t<Value>, double>);
  using Map = Eigen::Map<std::conditional_t<std::is_const_v<Value>, const FieldArray, FieldArray>,
                         Eigen::Unaligned, Eigen::OuterStride<>>;

  BasicPatchView(Value* data, int components, int ghosts)
      : data_(data), components_(components), ghosts_(ghosts) {}
  operator BasicPatchView<const double>() const { return {data_, components_, ghosts_}; }

  /// The first value of all, a ghost.
  Value* data() const { return data_; }
  int components() const { return components_; }
  int ghosts() const { return ghosts_; }
  /// Distance in memory between (i, j) and (i, j+1).
  std::ptrdiff_t stride() const { return kPatchSize + 2 * ghosts_; }

  /// Address of interior point (0, 0) of a component; ghosts lie at negative indices and from 16
  /// on.
  Value* origin(int component = 0) const {
    return data_ + (component * stride() + ghosts_) * stride() + ghosts_;
  }
  Value& operator()(int i, int j, int component = 0) const {
    return origin(component)[j * stride() + i];
  }

  /// The 16×16 interior of a component.
  Map interior(int component = 0) const {
    return Map(origin(component), kPatchSize, kPatchSize, Eigen::OuterStride<>(stride()));
  }
  /// A component with its ghosts, (16+2g)²; interior point (0, 0) is element (g, g).
  Map with_ghosts(int component = 0) const {
    return Map(data_ + component * stride() * stride(), stride(), stride(),
               Eigen::OuterStride<>(stride()));
  }

  /// Values in a patch of this shape, ghosts and components included.
  static constexpr std::size_t size(int components, int ghosts) {
    const auto side = static_cast<std::size_t>(kPatchSize + 2 * ghosts);
    return static_cast<std::size_t>(components) * side * side;
  }

 private:
  Value* data_;
  int components_;
  int ghosts_;
};

using PatchView = BasicPatchView<double>;
using ConstPatchView = BasicPatchView<const double>;

}  // namespace kumiko::amr
