// Who has which patches of a recorded run, if ranks shared it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/trace.hpp>
#include <kumiko/model/rank_model.hpp>

#include "ranks/rank_exchange.hpp"

namespace kumiko::model {

/// Does what amr::Simulation does with the owners of a shared mesh: new patches are their parent's
/// owner's, and at a regrid amr::Balance decides whether patches move, by what they have taken. The
/// first window is taken for one of a run that is already balanced.
class RankOwners {
 public:
  /// Keeps a reference to the trace.
  RankOwners(const amr::Trace& trace, const RankOptions& options, int ranks);

  /// Goes on to the next window. \return what moves before it
  /// \param is_after_regrid  whether a regrid comes before it
  Meetings::Moves follow(const amr::TraceWindow& window, bool is_after_regrid);

  /// The window's, with owners.
  const amr::Mesh<2>& mesh() const { return *mesh_; }
  amr::ByPatch<std::int32_t> owners() const;
  /// Of the ranks' pieces in the window, the largest over the mean.
  double imbalance() const;

 private:
  void inherit(amr::Mesh<2>& mesh) const;
  Meetings::Moves balance();
  void measure();
  void set_owners(const amr::ByPatch<std::int32_t>& owners);

  const amr::Trace& trace_;
  RankOptions options_;
  int ranks_;
  amr::Balance balance_;
  std::optional<amr::Mesh<2>> mesh_;
  amr::ByPatch<double> costs_;                          ///< of the window, in nanoseconds
  std::map<amr::PatchId, amr::MeasuredCost> measured_;  ///< since the latest regrid
};

}  // namespace kumiko::model
