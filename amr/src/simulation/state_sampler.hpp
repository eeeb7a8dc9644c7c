// Values of a saved state at every place of a patch, whether or not the mesh has a patch there.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>

#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {

/// Places of patches of a level: i0 <= i < i1, j0 <= j < j1. Along a periodic axis they may reach
/// beyond the domain, and stand for those on the other side.
struct PlaceRange {
  int level = 0;
  int i0 = 0;
  int i1 = 0;
  int j0 = 0;
  int j1 = 0;

  bool empty() const { return i0 >= i1 || j0 >= j1; }
  std::size_t size() const;
};

/// Reads one component of a state. A place that has no patch is prolonged from the place below it,
/// as a regrid would, with ghosts from the eight places around that one; these are sampled in the
/// same way.
class StateSampler {
 public:
  /// \param geometry  with the case's boundaries if there is a case
  /// \param problem   nullptr: interpolation at the domain's sides is one-sided
  /// The arguments must live as long as the sampler.
  StateSampler(const SavedRun& run, const Geometry& geometry, const Case* problem,
               std::size_t component);

  /// The values [j][i] of a place.
  using Visit = std::function<void(const PatchId& place, std::span<const double> values)>;
  /// Visits each place of the range once.
  void visit(const PlaceRange& range, const Visit& visit);

  /// Copies the values of a window of points, row by row. The window may reach 2 points beyond the
  /// domain, where it has the ghosts of the patches at its sides, and further along periodic axes.
  void copy_window(const Box<2>& window, std::span<double> values);

  /// True if a value that was visited depends on one-sided interpolation.
  bool is_one_sided() const { return is_one_sided_; }

 private:
  /// The values of a range of places.
  struct Block {
    PlaceRange range;
    std::vector<double> values;

    std::span<double> at(int i, int j);
  };

  std::span<const double> stored(const PatchId& place) const;
  PlaceRange missing(const PlaceRange& range) const;
  PlaceRange below(const PlaceRange& range) const;
  PlaceRange within(PlaceRange range) const;
  Block gather(const PlaceRange& range);
  void prolong_children(Block& parents, const PatchId& parent, const PlaceRange& wanted,
                        const Visit& visit);
  void fill_with_ghosts(Block& places, const PatchId& place, PatchView target);

  const SavedRun& run_;
  const Geometry& geometry_;
  const Case* case_;
  std::size_t component_;
  TransferOperators transfer_;
  bool is_one_sided_ = false;
};

}  // namespace kumiko::amr
