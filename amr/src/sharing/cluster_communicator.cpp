#include <kumiko/amr/cluster_communicator.hpp>
#include <kumiko/cluster/collectives.hpp>

namespace kumiko::amr {

std::vector<std::vector<std::byte>> ClusterCommunicator::all_gather(
    std::span<const std::byte> own) {
  if (size() == 1) return {};
  return cluster::all_gather(here_, std::vector<std::byte>(own.begin(), own.end())).get();
}

std::int32_t ClusterCommunicator::rank() const { return here_.rank(); }
std::int32_t ClusterCommunicator::size() const { return here_.size(); }

/// Collective operations fail if a rank is lost, and say why.
void ClusterCommunicator::check_losses() const {
  for (int rank = 0; rank < here_.size(); ++rank) {
    if (here_.is_lost(rank)) cluster::barrier(here_).get();
  }
}

void ClusterCommunicator::check_others() {
  int leaving = here_.size();
  while (leaving-- > 0 && !here_.is_leaving(leaving)) {
  }
  // Asked afterwards: a rank may leave because another one is lost, and that one is to blame.
  check_losses();
  if (leaving >= 0) throw cluster::RankLost(leaving, "it has left the cluster");
}

void ClusterCommunicator::check_leader() {
  const bool is_leaving = here_.is_leaving(0);
  check_losses();
  if (is_leaving) throw cluster::RankLost(0, "it has left the cluster");
}

}  // namespace kumiko::amr
