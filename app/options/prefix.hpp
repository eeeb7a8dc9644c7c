// Where this program lies, and whether CMake finds Kumiko there.
#pragma once

#include <filesystem>

namespace kumiko::app {

/// The folder of the install tree, or of the build, that this program is in.
std::filesystem::path prefix();

/// True if CMake finds this Kumiko by the environment's PATH.
bool path_leads_to_prefix();

}  // namespace kumiko::app
