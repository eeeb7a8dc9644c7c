// Previews of a run: the configuration that it would have, and what it would take and write.
#pragma once

#include <kumiko/amr/simulation.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

class Ranks;

/// --print-config: checks the configuration and prints it on stdout, as a CASE.toml of the same
/// run, or, where the request asks for JSON, as description_of() has it, with a solver and a case
/// that need not fit; what plugins print goes to stderr. Builds no mesh and writes no file. All
/// ranks call it. Throws RequestError. \return an exit code
int print_config(RunRequest& request, Ranks& ranks);

/// --dry-run: prints the forecast of a run that is ready for its first base step, and how keys were
/// resolved; as JSON where the request says so. As forecast_of() is called, and throws.
void print_forecast(const RunRequest& request, const Start& start, const amr::Backend& backend,
                    amr::Simulation& simulation);

}  // namespace kumiko::app
