// The ranks of the patches of a recorded run, if ranks shared it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/trace.hpp>
#include <kumiko/model/rank_model.hpp>

#include "ranks/rank_exchange.hpp"

namespace kumiko::model {

/// Distributes patches as amr::Simulation does in a shared mesh: new patches get their parent's
/// rank, and at a regrid amr::Balance decides by their times whether patches move. The run is taken
/// to be balanced already in the first window.
class RankDeals {
 public:
  /// Keeps a reference to the trace.
  RankDeals(const amr::Trace& trace, const RankOptions& options, int ranks);

  /// Continues with the next window. \return the patches that move before it
  /// \param is_after_regrid  whether a regrid comes before it
  Meetings::Moves follow(const amr::TraceWindow& window, bool is_after_regrid);

  /// The window's mesh, with ranks.
  const amr::Mesh<2>& mesh() const { return *mesh_; }
  amr::ByPatch<std::int32_t> ranks() const;
  /// The largest over the mean time of the ranks' pieces in the window.
  double imbalance() const;

 private:
  void inherit(amr::Mesh<2>& mesh) const;
  Meetings::Moves balance();
  void measure();
  void set_ranks(const amr::ByPatch<std::int32_t>& rank_of);

  const amr::Trace& trace_;
  RankOptions options_;
  int ranks_;
  amr::Balance balance_;
  std::optional<amr::Mesh<2>> mesh_;
  amr::ByPatch<double> costs_;                          ///< of the window, in nanoseconds
  std::map<amr::PatchId, amr::MeasuredCost> measured_;  ///< since the latest regrid
};

}  // namespace kumiko::model
