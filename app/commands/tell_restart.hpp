// Says from where a run continues, and what is not known of its earlier part.
#pragma once

#include "run/run_start.hpp"

namespace kumiko::app {

/// Warns of a checkpoint without its sidecar: the cost of the earlier part of the run is not known.
void warn_without_sidecar(const Start& start);

/// Says from where the run continues, or that it is complete.
/// \param has_summary  whether the run has ended and left its summary
void tell_restart(const Start& start, int step, bool has_summary);

}  // namespace kumiko::app
