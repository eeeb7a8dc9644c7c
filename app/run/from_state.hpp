// Prepares a new run that begins with a stored state.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/amr/initial_state.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// A whole state that fits a setup. Its values are still in its file.
struct FromState {
  std::filesystem::path file;
  amr::InitialState initial;
};

/// Reads the state that --from names, or the newest whole one of the folder that it names, and
/// notes in the setup what its file says of it. Throws RequestError if there is none, if it holds
/// values that are not finite, or if it is of another domain than the setup's case, has other
/// components, or sides that are periodic elsewhere. Warns if the state's case is not there, so
/// that nobody knows its sides.
/// \param time  "state": the run begins at the state's time; else at 0
FromState read_from_state(const std::filesystem::path& named, const std::string& time,
                          Setup& setup);

/// Notes in the setup the state's hash, and its mass before and after it came onto the grid of the
/// simulation that has begun with it. Reads the state once more.
void note_masses(const FromState& from, const amr::Simulation& simulation, Setup& setup);

/// Prints what the run begins with.
void tell_beginning(const FromState& from, const Setup& setup);

}  // namespace kumiko::app
