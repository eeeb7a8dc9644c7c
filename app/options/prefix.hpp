// Where this program lies, and whether CMake finds Kumiko there.
#pragma once

#include <filesystem>

namespace kumiko::app {

/// The folder of the install tree, or of the build, that this program is in.
std::filesystem::path prefix();

/// The installed configuration of that path below a folder "cases", or of a case of that name:
/// "cases/zalesak/thesis.toml", "zalesak". Empty if none is installed.
std::filesystem::path installed_configuration(const std::filesystem::path& named);

/// True if CMake finds this Kumiko by the environment's PATH.
bool path_leads_to_prefix();

}  // namespace kumiko::app
