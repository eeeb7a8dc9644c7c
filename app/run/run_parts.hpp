// Makes the folder, the backend and the simulation of a run. Errors name the plugin to blame.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// Check the run's folder before work starts, and take it. Both throw RequestError.
void check_output(const std::filesystem::path& path, io::Earlier earlier);
io::OutputFolder open_output(const std::filesystem::path& path, io::Earlier earlier);

/// Makes the backend. Throws RequestError, or std::runtime_error if the system refuses.
std::unique_ptr<amr::Backend> load_backend(const std::string& name, const Setup& setup);

/// If the backend has no Runtime, checks the environment's settings of the one that will write the
/// run's files, before anything is written. Throws RequestError, or std::runtime_error if the
/// system refuses.
void check_writing(const amr::Backend& backend);

/// The case, the solver and the plugins that they are from.
std::string plugins_in_words(const Setup& setup);

/// " --plugin-path FILE" for each plugin of the setup that does not come with Kumiko, to follow
/// "--restart FILE" in a message; empty without one.
std::string plugin_options(const Setup& setup);

/// Rethrows the current exception. If it is the fault of a solver or a case, it names the file.
[[noreturn]] void rethrow_naming_plugins(const Setup& setup);

/// Makes the checks of make_simulation() alone. Throws RequestError.
void check_parts(const Setup& setup, int ranks);

/// Builds the initial state, that of a checkpoint, or one from another run's state. From then on,
/// reports of faults name the setup's plugins. Throws RequestError if a step is too long for the
/// ghosts, and if the checkpoint does not fit. All ranks call it.
std::unique_ptr<amr::Simulation> make_simulation(
    const Setup& setup, amr::Backend& backend, const io::Checkpoint* from = nullptr,
    amr::Communicator& communicator = amr::single_rank(),
    const amr::InitialState* initial = nullptr);

}  // namespace kumiko::app
