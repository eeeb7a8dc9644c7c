// Makes the man page from what the commands declare.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "options/described_command.hpp"

namespace kumiko::app {

/// The page kumiko(1) in roff. The program itself comes first among the commands. `keys` explains
/// the keys of a configuration.
std::string man_page(std::span<const DescribedCommand> commands, std::string_view keys);

}  // namespace kumiko::app
