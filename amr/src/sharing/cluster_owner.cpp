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
  /// A function that others call, until it is replaced or gone.
  template <class Function>
  class Door {
   public:
    /// Waits until nobody is in the one before.
    void set(Function function) {
      std::unique_lock lock(mutex_);
      is_open_ = false;
      idle_.wait(lock, [&] { return busy_ == 0; });
      function_ = std::move(function);
      is_open_ = function_ != nullptr;
    }
    /// Calls visit(function). \return whether there is one
    template <class Visit>
    bool enter(Visit visit) {
      {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return false;
        ++busy_;
      }
      const Leaver leaver{*this};
      visit(function_);
      return true;
    }

   private:
    struct Leaver {
      ~Leaver() {
        const std::lock_guard lock(door.mutex_);
        if (--door.busy_ == 0) door.idle_.notify_all();
      }
      Door& door;
    };

    runtime::Mutex mutex_;
    runtime::ConditionVariable idle_;
    // All that follows is guarded by the mutex.
    Function function_;
    bool is_open_ = false;
    int busy_ = 0;  ///< who are in function_, which stays as it is
  };

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

  Door<Receiver> receiver;
  Door<Answerer> answerer;

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
        const auto found = Mouth::find(mouth);
        if (found == nullptr) return;
        found->receiver.enter([&](const Receiver& receiver) { receiver(here.caller(), text); });
      },
      mouths_[static_cast<std::size_t>(to)], message);
}

void ClusterOwner::set_receiver(const Receiver& receiver) { mouth_->receiver.set(receiver); }

std::vector<std::byte> ClusterOwner::ask(std::int32_t to, std::span<const std::byte> question) {
  const auto answer = [](std::uint64_t mouth, std::span<const std::byte> text) {
    std::pair<bool, std::vector<std::byte>> answered{false, {}};
    const auto found = Mouth::find(mouth);
    if (found == nullptr) return answered;
    answered.first =
        found->answerer.enter([&](const Answerer& answerer) { answered.second = answerer(text); });
    return answered;
  };
  auto [answered, text] = here_.invoke(to, answer, mouths_[static_cast<std::size_t>(to)], question);
  if (!answered) throw cluster::RankLost(to, "it has left the run");
  return std::move(text);
}

void ClusterOwner::set_answerer(const Answerer& answerer) { mouth_->answerer.set(answerer); }

void ClusterOwner::check_others() {
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
