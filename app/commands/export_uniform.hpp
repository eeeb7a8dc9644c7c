// Writes fields of saved states on uniform grids.
#pragma once

#include "commands/exported_states.hpp"
#include "options/options.hpp"

namespace kumiko::app {

/// Declares an option for each of what says which grid.
void add_uniform_options(Options& options, ExportRequest& request);

/// Writes the request's files, and all states of folders among them, each on the grid of its level.
/// A file that cannot be written is named in a line on stderr, and the others are written. Throws
/// RequestError. \return an exit code
int export_uniform(const ExportRequest& request);

}  // namespace kumiko::app
