#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/launch.hpp>
#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "calls/node.hpp"
#include "link/launcher.hpp"
#include "link/object_link.hpp"

namespace kumiko::cluster {

namespace {

namespace fs = std::filesystem;

constexpr auto kEnvironment = [](const char* name) -> const char* { return std::getenv(name); };

/// A library of an MPI that this process has already loaded.
struct LoadedMpi {
  std::string file;
  detail::Library library{};
};

std::optional<LoadedMpi> loaded_mpi() {
  std::optional<LoadedMpi> found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        const auto library = detail::mpi_of_library(object->dlpi_name);
        if (!library) return 0;
        *static_cast<std::optional<LoadedMpi>*>(result) = {object->dlpi_name, *library};
        return 1;
      },
      &found);
  return found;
}

/// Throws if the process has loaded another MPI, because two MPIs in a process crash it.
void refuse_another_mpi(detail::Mpi mpi) {
  const std::optional<LoadedMpi> loaded = loaded_mpi();
  const detail::Library fits =
      mpi == detail::Mpi::kOpenMpi ? detail::Library::kOpenMpi : detail::Library::kMpich;
  if (!loaded || loaded->library == fits) return;
  throw std::runtime_error("this program has loaded '" + loaded->file + "', so it cannot use " +
                           detail::title_of(mpi) +
                           " as well; start it by the launcher of the MPI that it is linked with, "
                           "or set KUMIKO_LINK=alone");
}

fs::path object_of(detail::Mpi mpi) {
  const fs::path folder =
      fs::read_symlink("/proc/self/exe").parent_path() / KUMIKO_LINKS_FROM_PROGRAMS;
  return (folder / (std::string("kumiko_link_") + detail::name_of(mpi) + ".so")).lexically_normal();
}

/// The cores that a process may use by its affinity; none if the system does not tell them.
std::vector<int> cores_of(pid_t process) {
  // More cores than any machine has.
  constexpr std::size_t kSets = 16;
  std::vector<cpu_set_t> set(kSets);
  std::vector<int> cores;
  if (sched_getaffinity(process, sizeof(cpu_set_t) * kSets, set.data()) != 0) return cores;
  for (std::size_t core = 0; core < CPU_SETSIZE * kSets; ++core) {
    if (CPU_ISSET_S(core, sizeof(cpu_set_t) * kSets, set.data())) {
      cores.push_back(static_cast<int>(core));
    }
  }
  return cores;
}

/// Identifies the machine, even if containers have their own host names.
std::string machine() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace

std::unique_ptr<Link> link_of_environment() {
  if (runtime::this_thread::worker_index() >= 0) {
    throw std::logic_error(
        "link_of_environment() on a lightweight thread; call it before the Runtime is made");
  }
  const detail::Launch launch = detail::read_launch(kEnvironment);
  if (!launch.mpi) return nullptr;
  const std::string title = detail::title_of(*launch.mpi);
  refuse_another_mpi(*launch.mpi);
  const fs::path object = object_of(*launch.mpi);
  std::error_code missing;
  if (!fs::exists(object, missing)) {
    throw std::runtime_error("the link by " + title + " is not there ('" + object.string() +
                             "'): configure Kumiko by 'cmake --preset release' and build it again; "
                             "Debian has that MPI in " +
                             detail::packages_of(*launch.mpi));
  }
  std::unique_ptr<Link> link = detail::open_link(object, title, launch.ranks);
  runtime::report_faults("rank " + std::to_string(link->rank()));
  return link;
}

std::vector<std::string> linked_mpis() {
  std::vector<std::string> names;
  for (const detail::Mpi mpi : {detail::Mpi::kOpenMpi, detail::Mpi::kMpich}) {
    std::error_code missing;
    if (fs::exists(object_of(mpi), missing)) names.emplace_back(detail::name_of(mpi));
  }
  return names;
}

int ranks_of_environment() {
  const detail::Launch launch = detail::read_launch(kEnvironment);
  return launch.mpi ? std::max(1, launch.ranks) : 1;
}

bool leads_by_environment() {
  return !detail::read_launch(kEnvironment).mpi || detail::is_first(kEnvironment);
}

int workers_by_local_ranks() {
  const int own = runtime::available_cores();
  // A process that the launcher has bound to some of its cores has a parent with more cores.
  const int parents = static_cast<int>(cores_of(getppid()).size());
  const int launchers =
      std::min(std::max(own, parents), runtime::cgroup_cores("/").value_or(parents));
  return detail::workers_for(own, launchers, detail::read_local_ranks(kEnvironment));
}

Placement placement(Cluster& cluster) {
  const Here here = cluster.here();
  detail::Place own{machine(), cores_of(getpid()), here.runtime().workers()};
  own.is_bound = own.cores.size() < cores_of(getppid()).size();
  std::vector<detail::Place> places = {own};
  if (here.size() > 1) places = all_gather(here, own).get();
  std::set<std::string> hosts;
  std::set<std::pair<std::string, int>> cores;
  for (const detail::Place& place : places) {
    hosts.insert(place.host);
    for (const int core : place.cores) cores.emplace(place.host, core);
  }
  return {"rank " + std::to_string(here.rank()) + " of " + std::to_string(here.size()) +
              ": cores " + detail::list_of(own.cores) + ", workers " + std::to_string(own.workers),
          detail::warning_about(places, here.rank()), static_cast<int>(hosts.size()),
          static_cast<int>(cores.size())};
}

}  // namespace kumiko::cluster
