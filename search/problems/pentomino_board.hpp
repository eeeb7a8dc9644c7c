// The board of the pentominoes, and the pieces in all their orientations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace examples {

inline constexpr int kWide =
    7;  ///< with a column that is never free, so that no piece leaps over the edge
using Shape = std::array<int, 4>;  ///< where the other four fields are, from the first one on

/// All orientations of a piece, given by its fields in rows of kWide.
inline std::vector<Shape> orientations(const std::array<int, 5>& fields) {
  std::vector<Shape> result;
  for (int turn = 0; turn < 8; ++turn) {
    std::array<int, 5> turned{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      int x = fields[i] % kWide;
      int y = fields[i] / kWide;
      if ((turn & 1) != 0) x = -x;
      if ((turn & 2) != 0) y = -y;
      turned[i] = (turn & 4) != 0 ? x * kWide + y : y * kWide + x;
    }
    std::sort(turned.begin(), turned.end());
    Shape shape{};
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = turned[i + 1] - turned[0];
    if (std::find(result.begin(), result.end(), shape) == result.end()) result.push_back(shape);
  }
  return result;
}

/// I, L, Y, V, U, T, F, Z, X, P, N, W; of L only two, so that no way is another one's mirror image.
inline const std::array<std::vector<Shape>, 12> kPieces{
    orientations({0, 1, 2, 3, 4}),  std::vector<Shape>{{4, 5, 6, 7}, {7, 14, 20, 21}},
    orientations({0, 1, 2, 3, 8}),  orientations({0, 1, 2, 7, 14}),
    orientations({0, 1, 2, 7, 9}),  orientations({0, 1, 2, 8, 15}),
    orientations({1, 2, 7, 8, 15}), orientations({0, 1, 8, 15, 16}),
    orientations({1, 7, 8, 9, 15}), orientations({0, 1, 7, 8, 14}),
    orientations({0, 1, 2, 9, 10}), orientations({0, 7, 8, 15, 16})};

inline constexpr int kMostPieces = 13;
inline constexpr std::array<long, kMostPieces + 1> kWaysToFill{0, 0, 0, 0,  0,   0,    0,
                                                               0, 0, 0, 44, 649, 2339, 18382};

struct PiecesBoard {
  explicit PiecesBoard(int count) : pieces(count) {
    taken.fill(true);
    for (int field = 0; field < 5 * count; ++field)
      taken[at(field / 6 * kWide + field % 6)] = false;
    for (int i = 0; i < count; ++i) order[at(i)] = i < 12 ? i : 0;
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool fits(int field, const Shape& shape) const {
    return std::none_of(shape.begin(), shape.end(), [&](int i) { return taken[at(field + i)]; });
  }
  void put(int field, const Shape& shape, bool there) {
    taken[at(field)] = there;
    for (const int i : shape) taken[at(field + i)] = there;
  }
  /// The first free field from `field` on; the last of all is never free.
  int next(int field) const {
    while (field < static_cast<int>(taken.size()) && taken[at(field)]) ++field;
    return field;
  }
  /// Returns whether a free field belongs to a hole of one field, or of two side by side.
  bool is_hole(int field) const {
    return taken[at(field + kWide)] &&
           (taken[at(field + 1)] || (taken[at(field + kWide + 1)] && taken[at(field + 2)]));
  }

  int pieces;
  long ways = 0;
  std::array<int, kMostPieces> order{};  ///< those that lie, then the others
  std::array<bool, 128> taken;
};

}  // namespace examples
