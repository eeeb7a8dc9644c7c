// Reads the environment, the loaded libraries and the cores to find out how a process was launched.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <kumiko/cluster/described.hpp>
#include <kumiko/runtime/function_ref.hpp>

namespace kumiko::cluster::detail {

/// Finds a variable of the environment; nullptr if it is not set.
using Lookup = runtime::FunctionRef<const char*(const char*)>;

enum class Mpi { kOpenMpi, kMpich };

/// Its name in messages, in names of files, and in KUMIKO_LINK.
const char* title_of(Mpi mpi) noexcept;
const char* name_of(Mpi mpi) noexcept;
/// The Debian packages that its link needs.
const char* packages_of(Mpi mpi) noexcept;

/// The launcher of this process, and the number of its ranks.
struct Launch {
  std::optional<Mpi> mpi;  ///< none if it is the only rank
  int ranks = 0;           ///< 0 if it is not known
};

/// \throws std::runtime_error for an invalid value of KUMIKO_LINK or of the launcher
Launch read_launch(Lookup lookup);

/// False if the launcher's variables name a rank other than the first.
bool is_first(Lookup lookup);

/// The number of ranks on this host; 1 if it is not known.
int read_local_ranks(Lookup lookup);

/// The MPI that a loaded library belongs to, by its file; nothing if it belongs to no MPI.
enum class Library { kOpenMpi, kMpich, kOtherMpi };
std::optional<Library> mpi_of_library(std::string_view file) noexcept;

int workers_for(int own_cores, int launchers_cores, int local_ranks) noexcept;

/// The host and the cores of a rank.
struct Place {
  std::string host;
  std::vector<int> cores;  ///< ascending
  int workers = 0;
  bool is_bound = false;  ///< to some of the cores that its launcher may use
};
constexpr auto described(std::type_identity<Place>) {
  using P = Place;
  return std::tuple(Item<&P::host>{}, Item<&P::cores>{}, Item<&P::workers>{}, Item<&P::is_bound>{});
}

/// "0-3,8"
std::string list_of(std::span<const int> numbers);

/// A warning about the place of `rank`; empty if there is none.
std::string warning_about(std::span<const Place> places, int rank);

}  // namespace kumiko::cluster::detail
