#include <map>
#include <mutex>
#include <utility>

#include <kumiko/amr/cluster_communicator.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::amr {

/// The receiver of a rank's messages. Several ranks may live in one process, and a rank may make
/// one rank after the other, so each endpoint has a number.
class ClusterCommunicator::Endpoint {
 public:
  /// A function that others call until it is replaced or removed.
  template <class Function>
  class Guarded {
   public:
    /// Replaces the function, after waiting for calls of the one before.
    void set(Function function) {
      std::unique_lock lock(mutex_);
      is_open_ = false;
      idle_.wait(lock, [&] { return busy_ == 0; });
      function_ = std::move(function);
      is_open_ = function_ != nullptr;
    }
    /// Calls visit(function). \return false if there is no function
    template <class Visit>
    bool enter(Visit visit) {
      {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return false;
        ++busy_;
      }
      const Exit exit{*this};
      visit(function_);
      return true;
    }

   private:
    struct Exit {
      ~Exit() {
        const std::lock_guard lock(guarded.mutex_);
        if (--guarded.busy_ == 0) guarded.idle_.notify_all();
      }
      Guarded& guarded;
    };

    runtime::Mutex mutex_;
    runtime::ConditionVariable idle_;
    // All that follows is guarded by the mutex.
    Function function_;
    bool is_open_ = false;
    int busy_ = 0;  ///< calls in progress; function_ stays as it is meanwhile
  };

  static std::shared_ptr<Endpoint> make() {
    auto endpoint = std::make_shared<Endpoint>();
    const std::lock_guard lock(mutex());
    endpoint->number_ = next()++;
    all()[endpoint->number_] = endpoint;
    return endpoint;
  }
  static std::shared_ptr<Endpoint> find(std::uint64_t number) {
    const std::lock_guard lock(mutex());
    const auto found = all().find(number);
    return found == all().end() ? nullptr : found->second.lock();
  }
  ~Endpoint() {
    const std::lock_guard lock(mutex());
    all().erase(number_);
  }

  std::uint64_t number() const { return number_; }

  Guarded<Receiver> receiver;
  Guarded<Answerer> answerer;

 private:
  // A thread that holds it does not suspend.
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<std::uint64_t, std::weak_ptr<Endpoint>>& all() {
    static std::map<std::uint64_t, std::weak_ptr<Endpoint>> endpoints;
    return endpoints;
  }
  static std::uint64_t& next() {
    static std::uint64_t number = 1;
    return number;
  }

  std::uint64_t number_ = 0;
};

ClusterCommunicator::ClusterCommunicator(cluster::Cluster& cluster)
    : here_(cluster.here()), endpoint_(Endpoint::make()) {
  endpoints_ = cluster::all_gather(here_, endpoint_->number()).get();
}

ClusterCommunicator::~ClusterCommunicator() = default;

std::vector<std::byte> ClusterCommunicator::all_gather(std::span<const std::byte> own) {
  if (size() == 1) return {};
  const auto all = cluster::all_gather(here_, std::vector<std::byte>(own.begin(), own.end())).get();
  std::vector<std::byte> others;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank == static_cast<std::size_t>(this->rank())) continue;
    others.insert(others.end(), all[rank].begin(), all[rank].end());
  }
  return others;
}

std::int32_t ClusterCommunicator::rank() const { return here_.rank(); }
std::int32_t ClusterCommunicator::size() const { return here_.size(); }

void ClusterCommunicator::send(std::int32_t to, std::span<const std::byte> message) {
  here_.post(
      to,
      [](const cluster::Here& here, std::uint64_t endpoint, std::span<const std::byte> text) {
        const auto found = Endpoint::find(endpoint);
        if (found == nullptr) return;
        found->receiver.enter([&](const Receiver& receiver) { receiver(here.caller(), text); });
      },
      endpoints_[static_cast<std::size_t>(to)], message);
}

void ClusterCommunicator::set_receiver(const Receiver& receiver) {
  endpoint_->receiver.set(receiver);
}

std::vector<std::byte> ClusterCommunicator::ask(std::int32_t to,
                                                std::span<const std::byte> question) {
  const auto answer = [](std::uint64_t endpoint, std::span<const std::byte> text) {
    std::pair<bool, std::vector<std::byte>> answered{false, {}};
    const auto found = Endpoint::find(endpoint);
    if (found == nullptr) return answered;
    answered.first =
        found->answerer.enter([&](const Answerer& answerer) { answered.second = answerer(text); });
    return answered;
  };
  auto [answered, text] =
      here_.invoke(to, answer, endpoints_[static_cast<std::size_t>(to)], question);
  if (!answered) throw cluster::RankLost(to, "it has left the run");
  return std::move(text);
}

void ClusterCommunicator::set_answerer(const Answerer& answerer) {
  endpoint_->answerer.set(answerer);
}

void ClusterCommunicator::check_others() {
  int leaving = here_.size();
  while (leaving-- > 0 && !here_.is_leaving(leaving)) {
  }
  // Asked afterwards: a rank may leave because another one is lost, and that one is to blame.
  for (int rank = 0; rank < here_.size(); ++rank) {
    // Collective operations fail then, and say why.
    if (here_.is_lost(rank)) cluster::barrier(here_).get();
  }
  if (leaving >= 0) throw cluster::RankLost(leaving, "it has left the cluster");
}

}  // namespace kumiko::amr
