// Makes the shells' completions from what the commands declare.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "options/described_command.hpp"

namespace kumiko::app {

/// The shells that there are completions for.
std::vector<std::string> shells();

/// A script for one of shells() that completes commands, options and their values. Throws
/// std::out_of_range for another one.
std::string completions(const std::string& shell, std::span<const DescribedCommand> commands);

}  // namespace kumiko::app
