#include "loader/shared_object.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include <kumiko/plugin/plugin_abi.h>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/kept_environment.hpp>

#include "bridge/case_bridge.hpp"
#include "bridge/parameter_tables.hpp"
#include "bridge/sized.hpp"
#include "bridge/solver_bridge.hpp"
#include "bridge/status.hpp"

namespace kumiko::plugin::detail {

namespace {

/// Names the plugin whose code runs while it is loaded or makes something.
class PluginNote final : public runtime::FaultNote {
 public:
  /// \param work  e.g. "loading "; both live as long
  PluginNote(std::string_view work, std::string_view what) noexcept : work_(work), what_(what) {
    begin();
  }

  std::size_t write(std::span<char> room) const noexcept override {
    const std::size_t work = work_.copy(room.data(), room.size());
    return work + what_.copy(room.data() + work, room.size() - work);
  }

 private:
  std::string_view work_;
  std::string_view what_;
};

std::string whose(const char* kind, const std::string& name, const std::filesystem::path& file) {
  return fmt::format("{} '{}' of '{}'", kind, name, file.string());
}

/// Refuses a structure that says that less of it is there than this version has at least.
void require_size(std::size_t given, std::size_t least, const char* what,
                  const std::filesystem::path& file) {
  refuse_if(given < least, "'{}' offers a {} whose size is {}; set it to sizeof, {} at least",
            file.string(), what, given, least);
}

/// Describes a solver or a case that is given in C; make(entry, settings, whose) makes one.
template <class T, class InC, class Make>
amr::Factory<T> factory_of(const InC* given, const char* kind, const std::filesystem::path& file,
                           Make make) {
  if (given == nullptr) {
    throw PluginError("'{}' offers a {} that is NULL; set it to its entry's address", file.string(),
                      kind);
  }
  require_size(given->size, offsetof(InC, make) + sizeof(given->make), kind, file);
  const InC in_c = known_part(*given);
  const std::string name = in_c.name == nullptr ? "" : in_c.name;
  refuse_if(!is_plugin_name(name),
            "'{}' offers a {} named '{}'; use lower-case letters, digits and _", file.string(),
            kind, name);
  refuse_if(in_c.make == nullptr, "{} cannot be made: its make is NULL", whose(kind, name, file));
  try {
    amr::Factory<T> factory{{name, in_c.help == nullptr ? "" : in_c.help,
                             from_c(in_c.parameters, in_c.parameter_count)},
                            nullptr,
                            file};
    factory.make = [in_c, make, name, from = whose(kind, name, file)](
                       const amr::ParameterSet& parameters) -> std::unique_ptr<T> {
      return make(in_c, parameters, name, from);
    };
    return factory;
  } catch (const std::invalid_argument& error) {
    throw PluginError("{}: {}", whose(kind, name, file), error.what());
  }
}

bool are_there(auto*... functions) { return (... && (functions != nullptr)); }

/// Makes what an entry describes. Throws unless its table is there and is_whole(table) holds for
/// what is known of it.
template <class InC, class Entry, class IsWhole>
InC made_by(const Entry& entry, const amr::ParameterSet& parameters, const std::string& from,
            IsWhole is_whole) {
  InC made{};
  const PluginNote note("making ", from);
  call_beyond(from, [&](kumiko_error* error) {
    const std::vector<kumiko_setting> settings = to_c(parameters);
    return entry.make(entry.context, settings.data(), settings.size(), &made, error);
  });
  if (made.functions != nullptr && is_whole(known_part(*made.functions))) return made;
  throw std::runtime_error(
      from + ": the table made by its make() lacks a function, or its size is too small");
}

/// While it says what it is: traits, sides, times.
constexpr std::string_view kAsking = "a question to ";

std::unique_ptr<amr::Solver> make_solver(const kumiko_solver_entry& entry,
                                         const amr::ParameterSet& parameters,
                                         const std::string& name, const std::string& from) {
  const auto is_whole = [](const kumiko_solver_functions& f) {
    return are_there(f.destroy, f.traits, f.prepare, f.advance, f.advance_with_fluxes, f.tendency,
                     f.state_cfl, f.displacement);
  };
  const kumiko_solver made = made_by<kumiko_solver>(entry, parameters, from, is_whole);
  const PluginNote note(kAsking, from);
  return std::make_unique<SolverFromBeyond>(made, name, from);
}

std::unique_ptr<amr::Case> make_case(const kumiko_case_entry& entry,
                                     const amr::ParameterSet& parameters, const std::string&,
                                     const std::string& from) {
  const auto is_whole = [](const kumiko_case_functions& f) {
    return are_there(f.destroy, f.facts, f.initial, f.boundary_values, f.velocity,
                     f.stream_function, f.exact_displacement, f.exact, f.refinement_indicator,
                     f.component_names, f.published_values);
  };
  const kumiko_case made = made_by<kumiko_case>(entry, parameters, from, is_whole);
  const PluginNote note(kAsking, from);
  return std::make_unique<CaseFromBeyond>(made, from);
}

/// Whether a shared object ends before what is to be loaded of it does: dlopen() would map pages
/// that are not there, and the program die of the first touch. What is not an ELF file dlopen()
/// refuses.
bool is_cut_short(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  ElfW(Ehdr) header;
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof(header))) return false;
  if (!std::equal(header.e_ident, header.e_ident + SELFMAG, ELFMAG)) return false;
  std::error_code unreadable;
  const std::uintmax_t size = std::filesystem::file_size(file, unreadable);
  stream.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int at = 0; at < header.e_phnum; ++at) {
    ElfW(Phdr) segment;
    if (!stream.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return true;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return true;
  }
  return false;
}

kumiko_plugin_entry_function open(const std::filesystem::path& file) {
  refuse_if(!std::filesystem::is_regular_file(file),
            "'{}' is not a file; a plugin is a shared object (.so)", file.string());
  refuse_if(is_cut_short(file), "'{}' cannot be loaded: its end is missing; build or copy it again",
            file.string());
  // Symbols stay the plugin's own: two plugins may have classes of one name.
  void* const handle = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const given = dlerror();
    const std::string why = given == nullptr ? "no reason given" : given;
    const bool lacks_ours = why.find("undefined symbol") != std::string::npos &&
                            why.find("6kumiko") != std::string::npos;
    throw PluginError("'{}' cannot be loaded: {}; {}", file.string(), why,
                      lacks_ours ? "link it with kumiko::plugin of this Kumiko, by a compiler with "
                                   "the same std::string (without _GLIBCXX_USE_CXX11_ABI=0)"
                                 : "a plugin is a shared object (.so) that has been built "
                                   "from its source, with the libraries that it was linked with");
  }
  void* const symbol = dlsym(handle, KUMIKO_ENTRY_SYMBOL);
  if (symbol == nullptr) {
    dlclose(handle);
    throw PluginError(
        "'{}' is not a plugin: it has no symbol {}; end one of its sources with "
        "KUMIKO_PLUGIN(YourClass)",
        file.string(), KUMIKO_ENTRY_SYMBOL);
  }
  return reinterpret_cast<kumiko_plugin_entry_function>(symbol);
}

/// What the plugin offers, by its exported function, which may be written by hand and let an
/// exception out nevertheless.
const kumiko_plugin* offered(const std::filesystem::path& file) {
  const kumiko_plugin_entry_function entry = open(file);
  try {
    return entry();
  } catch (const std::exception& error) {
    throw PluginError("'{}' cannot say what it offers: {}", file.string(), error.what());
  }
}

kumiko_plugin checked(const kumiko_plugin* plugin, const std::filesystem::path& file) {
  if (plugin == nullptr) {
    throw PluginError(
        "'{}' offers nothing: its {} returns NULL; let KUMIKO_PLUGIN(YourClass) make it",
        file.string(), KUMIKO_ENTRY_SYMBOL);
  }
  refuse_if(plugin->abi_version != KUMIKO_ABI_VERSION,
            "'{}' was built for version {} of the plugin interface{}{}; this Kumiko has version "
            "{}: build it again with this Kumiko's headers; docs/reference/plugins.md lists the "
            "changes under Versions",
            file.string(), plugin->abi_version, plugin->built_with == nullptr ? "" : ", by ",
            plugin->built_with == nullptr ? "" : plugin->built_with, KUMIKO_ABI_VERSION);
  refuse_if(plugin->failure != nullptr, "'{}' cannot say what it offers: {}", file.string(),
            plugin->failure);
  require_size(plugin->size, offsetof(kumiko_plugin, case_count) + sizeof(plugin->case_count),
               "plugin", file);
  const kumiko_plugin known = known_part(*plugin);
  const bool lacks_solvers = known.solvers == nullptr && known.solver_count > 0;
  refuse_if(lacks_solvers || (known.cases == nullptr && known.case_count > 0),
            "'{}' has a number of {}, but their list is NULL; set it to the list's address",
            file.string(), lacks_solvers ? "solvers" : "cases");
  return known;
}

}  // namespace

bool mentions_entry(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::string bytes(std::filesystem::file_size(file, error), '\0');
  if (error) return false;
  std::ifstream stream(file, std::ios::binary);
  refuse_if(!stream.is_open() && (errno == EMFILE || errno == ENFILE),
            "cannot read '{}': too many files are open; raise the limit on open files (ulimit -n)",
            file.string());
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes.find(KUMIKO_ENTRY_SYMBOL) != std::string::npos;
}

std::string why_no_plugin(const std::filesystem::path& file) {
  std::error_code unreadable;
  // To open a pipe would be to wait for its writer.
  if (!std::filesystem::is_regular_file(file, unreadable)) return "it is not a file";
  if (std::filesystem::file_size(file, unreadable) == 0) return "it is empty";
  if (!std::ifstream(file)) return "it cannot be read: " + std::generic_category().message(errno);
  if (is_cut_short(file)) return "its end is missing";
  return "it is not a plugin: it has no KUMIKO_PLUGIN";
}

Offer load(const std::filesystem::path& file) {
  Offer offer;
  const std::string path = file.string();
  const PluginNote note("loading ", path);
  runtime::KeptEnvironment environment;
  const auto tidy = [&] {
    const std::string changed = environment.restore();
    if (changed.empty()) return;
    offer.warning = fmt::format(
        "'{}' changed {} of the whole process while it was loaded, which Kumiko has undone; build "
        "and link it without -ffast-math, and change no such state in static initialisers",
        file.string(), changed);
  };
  kumiko_plugin plugin{};
  try {
    plugin = checked(offered(file), file);
  } catch (...) {
    tidy();
    throw;
  }
  tidy();
  for (std::size_t at = 0; at < plugin.solver_count; ++at) {
    offer.solvers.push_back(
        factory_of<amr::Solver>(plugin.solvers[at], "solver", file, make_solver));
  }
  for (std::size_t at = 0; at < plugin.case_count; ++at) {
    offer.cases.push_back(factory_of<amr::Case>(plugin.cases[at], "case", file, make_case));
  }
  return offer;
}

}  // namespace kumiko::plugin::detail
