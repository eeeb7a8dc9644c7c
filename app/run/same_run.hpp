// Checks that a restart continues the run that it names.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/io/checkpoint.hpp>

#include "run/problem.hpp"

namespace kumiko::app {

/// Throws RequestError, naming the keys, when a run would go on from a checkpoint with another
/// value of a key that no restart may change, or with another grid, as that of a case or a solver
/// whose plugin has changed. \return the other keys that the field's bits depend
/// on and that are changed, as io::Ancestor has them
std::string check_same_run(const Problem& problem, const std::filesystem::path& file,
                           const io::Checkpoint& checkpoint);

/// Throws RequestError, naming the keys, when a run would go on from the run in a folder with
/// another value of a key that the field's bits depend on.
/// \param changes  whether the restart changes keys: of the folder's run only those are then looked
///     at that no restart may change
void check_same_run(const Problem& problem, const std::filesystem::path& folder, bool changes);

}  // namespace kumiko::app
