#include "link/launcher.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace kumiko::cluster::detail {

namespace {

std::string_view text_of(Lookup lookup, const char* variable) {
  const char* const text = lookup(variable);
  return text == nullptr ? "" : text;
}

bool is_set(Lookup lookup, const char* variable) { return !text_of(lookup, variable).empty(); }

/// A variable's positive number; 0 if it is not set.
int number_of(Lookup lookup, const char* variable) {
  const std::string_view text = text_of(lookup, variable);
  if (text.empty()) return 0;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number > 0) return number;
  throw std::runtime_error(std::string(variable) + " is '" + std::string(text) +
                           "', which no launcher sets; give the number of ranks, or unset it");
}

/// The number of ranks by the first of the variables that is set.
template <class... Variables>
int ranks_by(Lookup lookup, Variables... variables) {
  int ranks = 0;
  static_cast<void>(((ranks = number_of(lookup, variables)) || ...));
  return ranks;
}

/// Each launcher sets variables that no other one sets. mpirun may run within a batch job, so the
/// variables of Slurm come last.
Launch launch_by_launcher(Lookup lookup) {
  if (is_set(lookup, "OMPI_COMM_WORLD_SIZE")) {
    return {Mpi::kOpenMpi, number_of(lookup, "OMPI_COMM_WORLD_SIZE")};
  }
  if (is_set(lookup, "PMI_RANK") || is_set(lookup, "PMI_SIZE")) {
    return {Mpi::kMpich, ranks_by(lookup, "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")};
  }
  const int tasks = ranks_by(lookup, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
  if (is_set(lookup, "PMIX_RANK")) return {Mpi::kOpenMpi, tasks};
  // Only the tasks of a step have this variable; a batch script does not.
  if (is_set(lookup, "SLURM_STEP_NUM_TASKS") && tasks > 1) {
    throw std::runtime_error("Slurm has started " + std::to_string(tasks) +
                             " tasks that know nothing of each other; use srun --mpi=pmix for Open "
                             "MPI, srun --mpi=pmi2 for MPICH, or set KUMIKO_LINK=alone");
  }
  return {};
}

template <class Visit>
void for_each_overlap(std::span<const Place> places, int rank, Visit visit) {
  const Place& own = places[static_cast<std::size_t>(rank)];
  for (std::size_t other = 0; other < places.size(); ++other) {
    const Place& place = places[other];
    if (place.host != own.host) continue;
    const bool overlaps =
        std::find_first_of(place.cores.begin(), place.cores.end(), own.cores.begin(),
                           own.cores.end()) != place.cores.end();
    if (overlaps) visit(static_cast<int>(other), place);
  }
}

std::string counted(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

const char* title_of(Mpi mpi) noexcept { return mpi == Mpi::kOpenMpi ? "Open MPI" : "MPICH"; }
const char* name_of(Mpi mpi) noexcept { return mpi == Mpi::kOpenMpi ? "openmpi" : "mpich"; }

const char* packages_of(Mpi mpi) noexcept {
  return mpi == Mpi::kOpenMpi ? "openmpi-bin and libopenmpi-dev" : "mpich and libmpich-dev";
}

Launch read_launch(Lookup lookup) {
  const std::string_view link = text_of(lookup, "KUMIKO_LINK");
  if (link.empty()) {
    const Launch launch = launch_by_launcher(lookup);
    return launch.ranks == 1 ? Launch{} : launch;
  }
  if (link == "alone") return {};
  for (const Mpi mpi : {Mpi::kOpenMpi, Mpi::kMpich}) {
    if (link != name_of(mpi)) continue;
    return {mpi, ranks_by(lookup, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")};
  }
  throw std::runtime_error("KUMIKO_LINK is '" + std::string(link) +
                           "'; give alone, openmpi or mpich");
}

bool is_first(Lookup lookup) {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (is_set(lookup, variable)) return text_of(lookup, variable) == "0";
  }
  return true;
}

int read_local_ranks(Lookup lookup) {
  return std::max(1, ranks_by(lookup, "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"));
}

std::optional<Library> mpi_of_library(std::string_view file) noexcept {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  if (name.starts_with("libmpich.so")) return Library::kMpich;
  if (!name.starts_with("libmpi.so")) return std::nullopt;
  // The name of MPICH's own library, outside of Debian, and of those that are compatible with it.
  if (name.starts_with("libmpi.so.12")) return Library::kMpich;
  if (name == "libmpi.so" || name.starts_with("libmpi.so.40")) return Library::kOpenMpi;
  return Library::kOtherMpi;
}

int workers_for(int own_cores, int launchers_cores, int local_ranks) noexcept {
  return std::clamp(launchers_cores / std::max(1, local_ranks), 1, std::max(1, own_cores));
}

std::string list_of(std::span<const int> numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    list += (list.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last != i) list += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return list;
}

std::string warning_about(std::span<const Place> places, int rank) {
  const Place& own = places[static_cast<std::size_t>(rank)];
  if (static_cast<std::size_t>(own.workers) > own.cores.size()) {
    return "rank " + std::to_string(rank) + " has " +
           counted(static_cast<std::size_t>(own.workers), "worker") + " on " +
           counted(own.cores.size(), "core") +
           (own.is_bound ? "; launch with --bind-to none (Open MPI) or -bind-to none (MPICH), or "
                           "give fewer workers"
                         : "; give fewer workers");
  }
  std::vector<int> ranks;
  std::vector<int> cores;
  int workers = 0;
  for_each_overlap(places, rank, [&](int other, const Place& place) {
    ranks.push_back(other);
    workers += place.workers;
    cores.insert(cores.end(), place.cores.begin(), place.cores.end());
  });
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  if (static_cast<std::size_t>(workers) <= cores.size()) return {};
  return "ranks " + list_of(ranks) + " share cores " + list_of(cores) + " of a host and have " +
         counted(static_cast<std::size_t>(workers), "worker") +
         " there; give each fewer workers, or launch fewer ranks per host";
}

}  // namespace kumiko::cluster::detail
