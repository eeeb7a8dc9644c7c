// How a program becomes a rank: by which MPI, if any, it has been launched, and on which cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/link.hpp>

namespace kumiko::cluster {

/// The link that the launcher's environment asks for; nullptr if there is no launcher, or one rank.
/// Open MPI's mpirun, MPICH's (hydra), and Slurm's srun with PMI or PMIx are known. KUMIKO_LINK
/// overrides: alone, openmpi or mpich.
///
/// Faults are reported from now on with the rank's number: see runtime::report_faults().
///
/// Call it once, on the OS thread that afterwards makes the Runtime and destroys it, and the
/// Cluster with it: MPI ends where it has begun. May wait for the other ranks. \throws
/// std::logic_error on a lightweight thread; std::runtime_error if that link cannot be made, with
/// what to do about it; what report_faults() throws
std::unique_ptr<Link> link_of_environment();

/// The MPIs whose launchers can start this program as ranks, for their links are beside it: none,
/// some or all of "openmpi" and "mpich".
std::vector<std::string> linked_mpis();

/// How many ranks the launcher's environment speaks of; 1 where there is no launcher. Throws what
/// link_of_environment() throws for an environment without sense.
int ranks_of_environment();

/// Whether this is rank 0, or the only rank, as far as the launcher's environment tells: for
/// messages of ranks that have not met. Throws likewise.
bool leads_by_environment();

/// How many workers this rank's Runtime should have where the ranks of a host share its cores:
/// those that the launcher may use, divided by the ranks here, but not more than this rank may use;
/// at least 1.
int workers_by_local_ranks();

/// Where a rank runs.
struct Placement {
  std::string line;     ///< "rank 1 of 4: cores 0-3, workers 2"
  std::string warning;  ///< empty if the ranks of a host have cores enough
  // Of all ranks together.
  int hosts = 1;
  int cores = 0;  ///< of these hosts, that a rank may use; 0 = not known
};

/// Where this rank runs, and whether it and the other ranks of its host have more workers than
/// cores. All ranks are to call it, on a lightweight thread or an OS thread. \throws RankLost
Placement placement(Cluster& cluster);

}  // namespace kumiko::cluster
