// Finds the solvers and cases that a command may use.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::app {

/// The plugins that come with Kumiko, those of KUMIKO_PLUGIN_PATH (folders and files, parted by
/// ':'), and those of `paths`, in this order. Broken ones are in broken().
std::shared_ptr<const plugin::Registry> find_plugins(
    const std::vector<std::filesystem::path>& paths);

/// Finds plugins as find_plugins() does. Throws RequestError when one is broken.
std::shared_ptr<const plugin::Registry> usable_plugins(
    const std::vector<std::filesystem::path>& paths);

}  // namespace kumiko::app
