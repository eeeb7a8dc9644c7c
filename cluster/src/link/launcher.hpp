// What the environment, the loaded libraries and the cores say of a launch, as functions of these.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/runtime/function_ref.hpp>

namespace kumiko::cluster::detail {

/// Finds a variable of the environment; nullptr if it is not set.
using Lookup = runtime::FunctionRef<const char*(const char*)>;

enum class Mpi { kOpenMpi, kMpich };

/// How it is called in messages, in names of files, and by KUMIKO_LINK.
const char* title_of(Mpi mpi) noexcept;
const char* name_of(Mpi mpi) noexcept;
/// The Debian packages to build its link with.
const char* packages_of(Mpi mpi) noexcept;

/// By what, and as one of how many ranks, this process was launched.
struct Launch {
  std::optional<Mpi> mpi;  ///< none: as the only rank
  int ranks = 0;           ///< 0: not known
};

/// \throws std::runtime_error for a value of KUMIKO_LINK or of the launcher that is none
Launch read_launch(Lookup lookup);

/// Whether the launcher's variables do not name another rank than the first.
bool is_first(Lookup lookup);

/// How many ranks there are on this host; 1 if that is not known.
int read_local_ranks(Lookup lookup);

/// The MPI of which a loaded library is, by its file; nothing if it is not an MPI's.
enum class Library { kOpenMpi, kMpich, kOtherMpi };
std::optional<Library> mpi_of_library(std::string_view file) noexcept;

int workers_for(int own_cores, int launchers_cores, int local_ranks) noexcept;

/// Where a rank is.
struct Place {
  std::string host;
  std::vector<int> cores;  ///< ascending
  int workers = 0;
  bool is_bound = false;  ///< to some of the cores that its launcher may use
};

/// "0-3,8"
std::string list_of(std::span<const int> numbers);

/// What is wrong with where `rank` is; empty if nothing.
std::string warning_about(std::span<const Place> places, int rank);

}  // namespace kumiko::cluster::detail
