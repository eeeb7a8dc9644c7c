// The field of a saved state on the uniform grid of one level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/saved_run.hpp>

namespace kumiko::amr {

/// The points of a level's uniform grid that lie in a rectangle and in the domain: nodes by their
/// places, cells by their centres. The rectangle's edges belong to it, also if its numbers miss a
/// point by up to a millionth of the spacing. The box may be empty.
Box<2> points_within(const Geometry& geometry, int level, const Rectangle& rectangle);

/// All points of a level's uniform grid.
Box<2> all_points(const Geometry& geometry, int level);

/// Components of a field on a window of a uniform grid. Arrays are row-major, x fastest: point (i,
/// j) of the window is element j * x.size() + i.
struct UniformField {
  Box<2> window;         ///< in the index space of its level
  double spacing = 0.0;  ///< in the case's length units, along both axes
  Centring centring = Centring::kNode;
  std::vector<double> x;  ///< coordinates of the nodes, or of the centres of the cells
  std::vector<double> y;
  std::vector<std::vector<double>> components;  ///< the field's values, or averages over the cells
  /// Of each point, the finest level of the mesh that covers it, of a cell any part of it.
  std::vector<std::int8_t> levels;
  /// True if values depend on one-sided interpolation at a side of the domain, because no case was
  /// given.
  bool is_one_sided = false;
};

/// Bytes that sample_uniform() takes for so many components: the result, and up to a third of the
/// points of one component.
double uniform_bytes(const Box<2>& window, std::size_t components);

/// Samples components of a saved state at the points of a window.
///
/// - A point that the window's level covers has the state's value, to the bit. Where the mesh is
///   finer, that is the restricted value: injected for nodes, the mean for cells.
/// - Where the mesh is coarser, the point has the value that a regrid would give a patch there,
///   level by level: cubic interpolation for nodes, which is exact for cubics; conservative
///   reconstruction for cells, the mean of a cell's four finer ones being its own average to
///   round-off. The window's level may be finer than every level of the mesh.
///
/// \param geometry  extent, points and centring of the state, as io::read_state() gives them; its
///                  boundaries are not used
/// \param problem   the state's case, for its boundaries; without one, interpolation next to the
///                  domain's sides is one-sided, also across sides that are periodic
/// \param window    not empty, within the domain, of a level below kLargestLevelCount
/// \param components  numbers of components of the records
/// Cost: one copy per point that the level covers; else one interpolation, and a third of that for
/// all coarser levels together. Memory: uniform_bytes().
/// Throws std::invalid_argument if an argument is not as above, if the run holds no values, or if
/// the case has another extent.
UniformField sample_uniform(const SavedRun& run, const Geometry& geometry, const Case* problem,
                            const Box<2>& window, std::span<const std::size_t> components);

}  // namespace kumiko::amr
