#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::plugin {

namespace {

/// Where the dynamic linker looks for what this program, or the shared object that this function is
/// a part of, was linked with: its run path, and the system's folders.
std::vector<std::filesystem::path> linkers_folders() {
  Dl_info ignored;
  void* self = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&linkers_folders), &ignored, &self, RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  // The C library's handles are its link maps.
  Dl_serinfo size;
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  std::vector<Dl_serinfo> found(size.dls_size / sizeof(Dl_serinfo) + 1);
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, found.data()) != 0) return {};
  if (dlinfo(self, RTLD_DI_SERINFO, found.data()) != 0) return {};
  std::vector<std::filesystem::path> folders;
  const Dl_serpath* path = found.front().dls_serpath;
  for (unsigned int left = found.front().dls_cnt; left > 0; --left, ++path) {
    folders.emplace_back(path->dls_name);
  }
  return folders;
}

}  // namespace

std::filesystem::path shipped_plugins() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::path beside =
      (program.parent_path() / KUMIKO_PLUGINS_FROM_PROGRAMS).lexically_normal();
  std::error_code missing;
  if (std::filesystem::is_directory(beside, missing)) return beside;
  for (const std::filesystem::path& folder : linkers_folders()) {
    const bool is_ours =
        folder.filename() == "plugins" && folder.parent_path().filename() == "kumiko";
    if (is_ours && std::filesystem::is_directory(folder, missing)) return folder;
  }
  return beside;
}

const Registry& shipped() {
  static const Registry registry = [] {
    const std::filesystem::path folder = shipped_plugins();
    Registry found(std::span(&folder, 1));
    if (!found.broken().empty()) throw std::runtime_error(found.broken().front().reason);
    if (found.solvers().empty() || found.cases().empty()) {
      throw std::runtime_error(
          fmt::format("no solvers or no cases in '{}'; install Kumiko anew", folder.string()));
    }
    return found;
  }();
  return registry;
}

}  // namespace kumiko::plugin
