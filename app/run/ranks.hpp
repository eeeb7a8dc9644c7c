// The ranks that share one run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <kumiko/amr/activity.hpp>
#include <kumiko/amr/cluster_communicator.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/described.hpp>
#include <kumiko/cluster/errors.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/twin.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// One of the ranks by which a launcher has started the program, or the only process. Rank 0 leads:
/// it takes the run's decisions, writes its files and speaks; the others are silent and follow.
class Ranks {
 public:
  /// Meets the other ranks, if the launcher's environment says that there are any. While there is
  /// no Runtime. Throws std::runtime_error.
  Ranks();
  /// Leaves as leave() does.
  ~Ranks();
  Ranks(Ranks&) = delete;
  Ranks& operator=(Ranks&) = delete;

  int size() const { return size_; }
  bool are_many() const { return size_ > 1; }
  bool leads() const { return rank_ == 0; }

  /// The parts that a rank has prepared before all begin.
  struct Prepared {
    runtime::Runtime* runtime = nullptr;  ///< outlives this
    /// Names and values that must be the same on all ranks.
    std::vector<std::pair<std::string, std::string>> agreed = {};
  };
  /// Calls prepare() on every rank. Throws what it throws; RequestError on ranks whose own one did
  /// not throw when another's did, or has prepared something else.
  void join(const std::function<Prepared()>& prepare);

  /// This rank as a rank of a part of the mesh. After join().
  amr::Communicator& communicator();

  /// The places of the ranks, which the leader shows. All ranks call it.
  struct Places {
    std::string lines;                  ///< of all ranks
    std::vector<std::string> warnings;  ///< of ranks that share cores, or compute otherwise
    int hosts = 1;
    int cores = 0;  ///< of all hosts; 0 = not known
  };
  Places places() const;

  /// The use of resources of each rank's process so far, and the present activity of its workers.
  struct Process {
    std::string host;
    cluster::ClusterStatistics statistics;
    std::uint64_t peak_rss_bytes = 0;
    std::uint64_t preempted = 0;
    std::vector<amr::WorkerActivity> workers;  ///< while there is a Watched
  };
  /// For the leader to ask while the others follow; none with one rank. Throws cluster::RankLost.
  std::vector<Process> processes();
  /// Likewise from any OS thread, while the leader's simulation advances too; nothing of ranks that
  /// do not answer in time.
  std::vector<std::optional<Process>> processes_within(std::chrono::milliseconds patience);

  /// While there is one, the ranks can ask for the activity of the workers of this rank's
  /// simulation. One at a time.
  class Watched {
   public:
    Watched(Ranks& ranks, const amr::Simulation& simulation) : ranks_(ranks) {
      ranks.watch(&simulation);
    }
    ~Watched() { ranks_.watch(nullptr); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    Ranks& ranks_;
  };

  /// Does what the leader does, until its simulation ends. A signal that has come to this rank is
  /// the leader's then; SIGUSR2 at once.
  void follow(amr::Simulation& simulation);

  /// Reports to the leader that this rank ends by a failure. \return the failure to print; its line
  /// is empty if another rank prints it \param lost  if the failure is that a rank is lost
  Failure last_words(Failure failure, const cluster::RankLost* lost);

  /// Waits until all ranks want to leave, or are lost.
  void leave();

  /// Reports to the other ranks that this process refuses its request, and why, because they would
  /// wait for it otherwise. Does nothing without a launcher, or once the ranks have met. Suspends
  /// until the others have come.
  static void refuse_with_others(const std::string& why) noexcept;

 private:
  void watch(const amr::Simulation* simulation);
  Process own_process();
  /// Keeps the words in which another rank has reported the failure that has ended it.
  void take_last_words(std::string_view words);

  std::unique_ptr<cluster::Link> link_;
  int rank_ = 0;
  int size_ = 1;
  std::unique_ptr<runtime::Runtime> spare_;  ///< to agree by that there is nothing to run
  std::unique_ptr<cluster::Cluster> cluster_;
  std::unique_ptr<amr::ClusterCommunicator> communicator_;

  std::mutex mutex_;                            ///< a thread that holds it does not suspend
  const amr::Simulation* watched_ = nullptr;    ///< guarded
  std::string last_words_;                      ///< guarded; of the first rank that has sent any
  std::unique_ptr<cluster::Twin<Ranks>> twin_;  ///< with cluster_
};

constexpr auto described(std::type_identity<Ranks::Process>) {
  using cluster::Item;
  using P = Ranks::Process;
  return std::tuple(Item<&P::host>{}, Item<&P::statistics>{}, Item<&P::peak_rss_bytes>{},
                    Item<&P::preempted>{}, Item<&P::workers>{});
}

}  // namespace kumiko::app
