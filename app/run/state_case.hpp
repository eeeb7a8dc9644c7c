// The case of a saved state, for what the state's file does not hold: its boundaries.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <kumiko/amr/case.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::app {

/// A case, or the reason why there is none.
struct StateCase {
  std::unique_ptr<amr::Case> made;
  std::string lack;
  std::string name = {};  ///< empty if the configuration has none
  amr::ParameterSet parameters = {};
};

/// Makes the case that a state's configuration names, from its plugin and with the run's
/// parameters. The registry must outlive the case. There is none if no plugin has it, or if that
/// plugin's case has other keys or another domain now.
StateCase case_of_state(const plugin::Registry& plugins, const io::Checkpoint& state,
                        const std::filesystem::path& file);

}  // namespace kumiko::app
