// The launch of a program as a rank: its MPI, if there is one, and its cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/link.hpp>

namespace kumiko::cluster {

/// The link for the launcher's environment; nullptr if there is no launcher, or only one rank.
/// Supports Open MPI's mpirun, MPICH's (hydra), and Slurm's srun with PMI or PMIx. KUMIKO_LINK
/// overrides: alone, openmpi or mpich.
///
/// Faults are reported from now on with the rank's number: see runtime::report_faults().
///
/// Call it once, on the OS thread that afterwards makes and destroys the Runtime and the Cluster,
/// because MPI must end on the thread on which it began. May wait for the other ranks. \throws
/// std::logic_error on a lightweight thread; std::runtime_error, with the remedy, if the link
/// cannot be made; what report_faults() throws
std::unique_ptr<Link> link_of_environment();

/// The MPIs whose launchers can start this program as ranks, because their links are installed:
/// none, one or both of "openmpi" and "mpich".
std::vector<std::string> linked_mpis();

/// The number of ranks in the launcher's environment; 1 if there is no launcher. For an invalid
/// environment, throws as link_of_environment() does.
int ranks_of_environment();

/// True if this is rank 0, or the only rank, according to the launcher's environment; for messages
/// of ranks that are not connected yet. Throws as ranks_of_environment() does.
bool leads_by_environment();

/// The number of workers that this rank's Runtime should have if the ranks of a host share its
/// cores: the cores that the launcher may use, divided by the number of ranks on this host, but not
/// more than this rank may use; at least 1.
int workers_by_local_ranks();

/// Where a rank runs.
struct Placement {
  std::string line;     ///< "rank 1 of 4: cores 0-3, workers 2"
  std::string warning;  ///< empty if the ranks of a host have enough cores
  int hosts = 1;        ///< of all ranks together
  int cores = 0;        ///< cores of all hosts that a rank may use; 0 if they are not known
};

/// Finds out where this rank runs, and whether it and the other ranks of its host have more workers
/// than cores. All ranks must call it, on a lightweight thread or an OS thread. \throws RankLost
Placement placement(Cluster& cluster);

}  // namespace kumiko::cluster
