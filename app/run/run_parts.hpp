// Makes the folder, the backend and the simulation of a run. Errors name the plugin to blame.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>

#include "run/problem.hpp"

namespace kumiko::app {

/// The run's folder: the check before work starts, and the folder itself. Both throw RequestError.
void check_output(const std::filesystem::path& path, io::Earlier earlier);
io::OutputFolder open_output(const std::filesystem::path& path, io::Earlier earlier);

/// Makes the backend. Throws RequestError, or std::runtime_error when the system refuses.
std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Problem& problem);

/// Refuses what the environment asks of the Runtime that writes a run's files where the backend has
/// none: before anything is written. Throws RequestError, or std::runtime_error when the system
/// refuses.
void check_writing(const amr::Backend& backend);

/// The case, the solver and the plugins that they are from.
std::string plugins_in_words(const Problem& problem);

/// " --plugin-path FILE" for each of the problem's plugins that does not come with Kumiko, as it
/// follows "--restart FILE" in a message; empty without one.
std::string plugin_options(const Problem& problem);

/// Throws the exception that is being handled: where a solver or a case is to blame, with the file
/// that it is from.
[[noreturn]] void rethrow_naming_plugins(const Problem& problem);

/// Checks what make_simulation() checks before it builds anything. Throws RequestError.
void check_parts(const Problem& problem, int owners);

/// Builds the initial state, or that of a checkpoint; reports of faults name the problem's plugins
/// from then on. Throws TooFewSteps, with the remedy, when the
/// step outruns the ghosts, and RequestError when the checkpoint does not fit. All owners call it.
std::unique_ptr<amr::Simulation> make_simulation(const Problem& problem, amr::Backend& backend,
                                                 const io::Checkpoint* from = nullptr,
                                                 amr::Owner& owner = amr::sole_owner());

}  // namespace kumiko::app
