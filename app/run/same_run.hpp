// Checks that a restart continues the run that it names.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/io/checkpoint.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// Throws RequestError, naming the keys, if a run would continue from a checkpoint with another
/// value of a key that no restart may change, or with another grid, because the plugin of its case
/// or solver has changed. \return the changed keys that the field's bits depend on and that a
/// restart may change, as io::Ancestor has them
std::string check_same_run(const Setup& setup, const std::filesystem::path& file,
                           const io::Checkpoint& checkpoint);

/// Throws RequestError, naming the keys, if a run would continue the run in a folder with another
/// value of a key that the field's bits depend on.
/// \param changes  whether the restart changes keys: then only keys that no restart may change are
///     compared with those of the folder's run
void check_same_run(const Setup& setup, const std::filesystem::path& folder, bool changes);

}  // namespace kumiko::app
