// Computes errors, mass and extremes of a state, and a hash of its bits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// Mass and extremes over the leaf points, each weighted by its h². Sums run in canonical order, so
/// the bits depend on the state alone.
struct FieldFigures {
  double mass = 0.0;     ///< Σ h² u; with several components, summed over them
  double minimum = 0.0;  ///< of all components
  double maximum = 0.0;
  bool finite = true;
  std::vector<FieldFigures> components = {};  ///< of each component, if there are several
  double absolute_mass = 0.0;                 ///< Σ h² |u|, as mass
};

/// Norms of u - exact over leaf points, weighted by h². Cells are compared with averages of the
/// exact field, computed by quadrature. Norms over several components weight the values of all
/// components equally.
struct ErrorNorms {
  double rms = 0.0;          ///< root of the mean of the square
  double l1_relative = 0.0;  ///< Σ h² |u - exact| ÷ Σ h² |exact|; 0 when the exact field vanishes
  double l1 = 0.0;  ///< the integral Σ h² |u - exact| over the domain (Rider & Kothe 1998)
  double linf = 0.0;
  std::vector<ErrorNorms> components = {};  ///< of each component, if there are several
};

// Of a mesh that is shared, every rank calls these with itself, and all get the same.

/// Mass and extremes of the current state; patches in parallel.
FieldFigures field_figures(const Hierarchy& hierarchy, Backend& backend,
                           Communicator& communicator = single_rank());

/// Errors against the case's exact solution at a time; nothing if the case does not know the exact
/// solution of every component.
std::optional<ErrorNorms> error_norms(const Hierarchy& hierarchy, const Case& problem, double time,
                                      Backend& backend, Communicator& communicator = single_rank());

/// "v2-" and 16 hexadecimal digits: XXH3 (64 bits) over the hash's version and, for each leaf block
/// in canonical order, level, position, size and XXH3 of its values of every component; blocks in
/// parallel. Equal states on equal meshes have equal hashes, whatever computed them.
std::string state_hash(const Hierarchy& hierarchy, Backend& backend,
                       Communicator& communicator = single_rank());
/// The same hash, computed by the calling thread alone.
std::string state_hash(const Hierarchy& hierarchy);

/// The figures and the hash of a stored state.
struct StoredDiagnostics {
  FieldFigures field;
  std::string state_hash;
};

/// field_figures() and state_hash() of a state that is stored by records [component][j][i], with
/// the bits that they have for a run. Reads each record once.
/// \param read  reads the record of a patch
StoredDiagnostics diagnose(
    const Mesh<2>& mesh, const Geometry& geometry, std::size_t components,
    const std::function<void(int level, std::size_t slot, std::span<double> into)>& read);

}  // namespace kumiko::amr
