#include <map>
#include <mutex>
#include <utility>

#include <kumiko/amr/cluster_owner.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::amr {

/// Where a rank's messages arrive. Several ranks may live in one process, and a rank may have one
/// owner after the other, so each has a number.
class ClusterOwner::Mouth {
 public:
  static std::shared_ptr<Mouth> make() {
    auto mouth = std::make_shared<Mouth>();
    const std::lock_guard lock(mutex());
    mouth->number_ = next()++;
    all()[mouth->number_] = mouth;
    return mouth;
  }
  static std::shared_ptr<Mouth> find(std::uint64_t number) {
    const std::lock_guard lock(mutex());
    const auto found = all().find(number);
    return found == all().end() ? nullptr : found->second.lock();
  }
  ~Mouth() {
    const std::lock_guard lock(mutex());
    all().erase(number_);
  }

  std::uint64_t number() const { return number_; }
  /// Waits until nobody is in the one before.
  void set_receiver(Receiver receiver) {
    std::unique_lock lock(own_mutex_);
    is_open_ = false;
    idle_.wait(lock, [&] { return busy_ == 0; });
    receiver_ = std::move(receiver);
    is_open_ = receiver_ != nullptr;
  }
  void take(std::int32_t from, std::span<const std::byte> message) {
    {
      const std::lock_guard lock(own_mutex_);
      if (!is_open_) return;
      ++busy_;
    }
    receiver_(from, message);
    const std::lock_guard lock(own_mutex_);
    if (--busy_ == 0) idle_.notify_all();
  }

 private:
  // Nobody suspends who holds it.
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<std::uint64_t, std::weak_ptr<Mouth>>& all() {
    static std::map<std::uint64_t, std::weak_ptr<Mouth>> mouths;
    return mouths;
  }
  static std::uint64_t& next() {
    static std::uint64_t number = 1;
    return number;
  }

  std::uint64_t number_ = 0;
  runtime::Mutex own_mutex_;
  runtime::ConditionVariable idle_;
  // All that follows is guarded by it.
  Receiver receiver_;
  bool is_open_ = false;
  int busy_ = 0;  ///< who are in receiver_, which stays as it is
};

ClusterOwner::ClusterOwner(cluster::Cluster& cluster)
    : here_(cluster.here()), mouth_(Mouth::make()) {
  mouths_ = cluster::all_gather(here_, mouth_->number()).get();
}

ClusterOwner::~ClusterOwner() = default;

std::vector<std::byte> ClusterOwner::exchange(std::span<const std::byte> own) {
  if (count() == 1) return {};
  const auto all = cluster::all_gather(here_, std::vector<std::byte>(own.begin(), own.end())).get();
  std::vector<std::byte> others;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank == static_cast<std::size_t>(number())) continue;
    others.insert(others.end(), all[rank].begin(), all[rank].end());
  }
  return others;
}

std::int32_t ClusterOwner::number() const { return here_.rank(); }
std::int32_t ClusterOwner::count() const { return here_.size(); }

void ClusterOwner::send(std::int32_t to, std::span<const std::byte> message) {
  here_.post(
      to,
      [](const cluster::Here& here, std::uint64_t mouth, std::span<const std::byte> text) {
        if (const auto found = Mouth::find(mouth)) found->take(here.caller(), text);
      },
      mouths_[static_cast<std::size_t>(to)], message);
}

void ClusterOwner::set_receiver(const Receiver& receiver) { mouth_->set_receiver(receiver); }

void ClusterOwner::check_others() {
  for (int rank = 0; rank < here_.size(); ++rank) {
    // Collective operations fail then, and say why.
    if (here_.is_lost(rank)) cluster::barrier(here_).get();
    if (here_.is_leaving(rank)) throw cluster::RankLost(rank, "it has left the cluster");
  }
}

}  // namespace kumiko::amr
