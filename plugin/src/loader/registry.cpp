#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include <kumiko/plugin/registry.hpp>

#include "loader/shared_object.hpp"

namespace kumiko::plugin {

namespace {

template <class T>
void merge(std::vector<amr::Factory<T>>& into, std::vector<amr::Factory<T>>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(into));
  std::ranges::sort(into, {}, &amr::Factory<T>::name);
}

/// Throws PluginError for a name that a plugin offers and another one, or itself, has already.
template <class T>
void refuse_taken(const std::vector<amr::Factory<T>>& there,
                  const std::vector<amr::Factory<T>>& more, const char* kind) {
  for (auto factory = more.begin(); factory != more.end(); ++factory) {
    const amr::Factory<T>* other = amr::find_factory(there, factory->name);
    for (auto before = more.begin(); before != factory; ++before) {
      if (before->name == factory->name) other = &*before;
    }
    if (other == nullptr) continue;
    throw detail::PluginError(
        "'{}' offers {} '{}', but '{}' already offers that name; rename one of them",
        factory->file.string(), kind, factory->name, other->file.string());
  }
}

}  // namespace

bool is_plugin_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, fits);
}

Registry::Registry(std::span<const std::filesystem::path> paths) {
  for (const std::filesystem::path& path : paths) add_path(path);
}

void Registry::add_path(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (std::filesystem::exists(path, error)) return add_file(path, path);
    broken_.push_back(
        {path, path,
         fmt::format("there is no folder or file '{}' with plugins; name one that exists",
                     path.string())});
    return;
  }
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::filesystem::path& file = entry->path();
    try {
      if (file.extension() == ".so") {
        if (detail::mentions_entry(file)) {
          files.push_back(file);
        } else {
          skipped_.push_back({file, detail::why_no_plugin(file)});
        }
      }
    } catch (const detail::PluginError& failure) {
      broken_.push_back({file, path, failure.what()});
    }
    entry.increment(error);
  }
  if (error) {
    broken_.push_back(
        {path, path, fmt::format("cannot read folder '{}': {}", path.string(), error.message())});
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) add_file(file, path);
}

void Registry::add_file(const std::filesystem::path& file, const std::filesystem::path& named) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  if (!error) {
    // Named twice, by a folder and by itself.
    if (std::ranges::count(seen_, real) > 0) return;
    seen_.push_back(real);
  }
  try {
    detail::Offer offer = detail::load(file);
    if (!offer.warning.empty()) warnings_.push_back(std::move(offer.warning));
    refuse_taken(solvers_, offer.solvers, "solver");
    refuse_taken(cases_, offer.cases, "case");
    merge(solvers_, std::move(offer.solvers));
    merge(cases_, std::move(offer.cases));
  } catch (const detail::PluginError& failure) {
    broken_.push_back({file, named, failure.what()});
  }
}

}  // namespace kumiko::plugin
