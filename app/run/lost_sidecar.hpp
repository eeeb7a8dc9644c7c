// Finds in a run's folder what the lost sidecar of a checkpoint has held.
#pragma once

#include <memory>

#include <kumiko/plugin/registry.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

/// Takes what the lost sidecar of a checkpoint has held from the other files of its folder, if they
/// and the checkpoint are as the folder's manifest lists them: the keys that do not determine the
/// state from the effective configuration and, for the last state of a complete run, seconds, loads
/// and imbalance from the summary. The longest waits are lost.
void replace_sidecar(const std::shared_ptr<const plugin::Registry>& plugins, Restart& restart);

}  // namespace kumiko::app
