// Workers of a model that steal from each other as the runtime's do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include <kumiko/runtime/policy/choosing.hpp>
#include <kumiko/runtime/policy/events_first.hpp>
#include <kumiko/runtime/policy/near_first.hpp>

namespace kumiko::model {

/// Pieces that follow each other, or that lie in a queue together, as one thread: what they are is
/// the source's concern.
struct Bundle {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool empty() const { return begin == end; }
};

/// Times of the model, in nanoseconds.
struct StealingCosts {
  double piece = 0.0;
  double steal = 0.0;
  double look = 0.0;
};

/// A discrete-event model. A worker is at a piece, on its way to one with a bundle, or idle; of the
/// first two the next event is in a queue. As long as a worker is idle there is nothing to steal:
/// whatever comes is handed to one of the idle at once, who then needs the time of a steal.
///
/// A Source has the pieces:
///   std::uint32_t open(Bundle bundle, push)   the piece to begin with; push(Bundle) for each of
///                                             the rest, the youngest last
///   double cost(std::uint32_t piece)          in nanoseconds
///   Bundle done(int worker, std::uint32_t piece, send)  what this makes ready and the worker goes
///                                             on with; send(home, Bundle) for the others
class StealingWorkers {
 public:
  StealingWorkers(int workers, const StealingCosts& costs, std::uint64_t seed)
      : costs_(costs), random_(seed), workers_(static_cast<std::size_t>(workers)) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) idle_.insert(worker);
  }

  /// Before run(): lets a bundle wait with a worker.
  void put(int worker, Bundle bundle) {
    const auto at = static_cast<std::size_t>(worker);
    workers_[at].queue.push_back(bundle);
    laden_.insert(at);
  }

  /// Works from a time on until nothing is left. \return when that is
  template <class Source>
  double run(double begin, Source& source) {
    double end = begin;
    start_all(begin);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      Bundle bundle = event.bundle;
      if (event.is_end) {
        end = event.time;
        const auto worker = static_cast<int>(event.worker);
        bundle = source.done(worker, bundle.begin, [&](int home, Bundle sent) {
          send(event.time, static_cast<std::size_t>(home), sent);
        });
      }
      if (bundle.empty()) {
        look_for_work(event.time, event.worker);
      } else {
        work(event.time, event.worker, bundle, source);
      }
    }
    return end;
  }

  std::uint64_t steals() const { return steals_; }

 private:
  struct Worker {
    std::deque<Bundle> deque;  ///< the young end is the back
    std::deque<Bundle> queue;
    runtime::policy::EventsFirst choice;

    /// Where the bundles of a source wait; nullptr for one that the model does not have.
    std::deque<Bundle>* place(runtime::policy::Source source) {
      if (source == runtime::policy::Source::kDeque) return &deque;
      return source == runtime::policy::Source::kQueue ? &queue : nullptr;
    }
  };
  /// A worker begins with a bundle, or ends the piece bundle.begin.
  struct Event {
    double time;
    std::uint32_t worker;
    bool is_end;
    Bundle bundle;
    /// The earliest on top; workers in order where it matters.
    friend bool operator<(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.worker > b.worker;
    }
  };

  /// Those who have something begin with it, before anyone may steal it.
  void start_all(double now) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      if (workers_[worker].queue.empty()) continue;
      idle_.erase(worker);
      begin(now, worker, take_own(worker));
    }
  }

  void begin(double time, std::size_t worker, Bundle bundle) {
    events_.push({time, static_cast<std::uint32_t>(worker), false, bundle});
  }

  template <class Source>
  void work(double now, std::size_t worker, Bundle bundle, Source& source) {
    const std::uint32_t piece = source.open(bundle, [&](Bundle rest) {
      workers_[worker].deque.push_back(rest);
      laden_.insert(worker);
      hand_out(now, worker);
    });
    events_.push({now + costs_.piece + source.cost(piece),
                  static_cast<std::uint32_t>(worker),
                  true,
                  {piece, piece + 1}});
  }

  /// A worker has something that an idle one may take.
  void hand_out(double now, std::size_t victim) {
    if (idle_.empty()) return;
    // All idle workers look at one victim after the other: one of them is there soon.
    const double looks =
        static_cast<double>(workers_.size()) / static_cast<double>(idle_.size() + 1);
    // The next one in a circle from any.
    auto place = idle_.lower_bound(random_() % workers_.size());
    if (place == idle_.end()) place = idle_.begin();
    const std::size_t thief = *place;
    idle_.erase(place);
    steal(now + looks * costs_.look, thief, victim);
  }

  void send(double now, std::size_t home, Bundle bundle) {
    if (idle_.erase(home) > 0) return begin(now, home, bundle);
    workers_[home].queue.push_back(bundle);
    laden_.insert(home);
    hand_out(now, home);
  }

  /// A piece has ended: takes the youngest of the deque, else the loop's choice, else steals.
  void look_for_work(double now, std::size_t worker) {
    using runtime::policy::Source;
    Worker& own = workers_[worker];
    if (!own.deque.empty()) return begin(now, worker, take_own(worker));
    double time = now;
    const bool found = own.choice.next(false, [&](Source source) {
      if (source == Source::kOthers || source == Source::kOthersByForce) {
        return steal_round(time, worker);
      }
      if (source != Source::kQueue || own.queue.empty()) return false;
      begin(time, worker, take_own(worker));
      return true;
    });
    if (!found && (laden_.empty() || !steal_round(time, worker))) idle_.insert(worker);
  }

  /// Visits others until one has something. \param time  grows by what the looks take
  bool steal_round(double& time, std::size_t thief) {
    // The model knows of no caches.
    const runtime::policy::Others others{thief, workers_.size()};
    return runtime::policy::NearFirst().round(others, random_, [&](std::size_t victim) {
      if (!laden_.contains(victim)) {
        time += costs_.look;
        return false;
      }
      steal(time, thief, victim);
      return true;
    });
  }

  void steal(double now, std::size_t thief, std::size_t victim) {
    Bundle bundle;
    for (const runtime::policy::Source source : runtime::policy::kForThieves) {
      std::deque<Bundle>* const place = workers_[victim].place(source);
      if (place == nullptr || place->empty()) continue;
      bundle = place->front();
      place->pop_front();
      break;
    }
    note_load(victim);
    ++steals_;
    begin(now + costs_.steal, thief, bundle);
  }

  Bundle take_own(std::size_t worker) {
    Worker& own = workers_[worker];
    Bundle bundle;
    if (!own.deque.empty()) {
      bundle = own.deque.back();
      own.deque.pop_back();
    } else {
      bundle = own.queue.front();
      own.queue.pop_front();
    }
    note_load(worker);
    return bundle;
  }

  void note_load(std::size_t worker) {
    if (workers_[worker].deque.empty() && workers_[worker].queue.empty()) laden_.erase(worker);
  }

  StealingCosts costs_;
  std::mt19937_64 random_;
  std::vector<Worker> workers_;
  std::set<std::size_t> idle_;
  std::set<std::size_t> laden_;  ///< who have something in a queue
  std::priority_queue<Event> events_;
  std::uint64_t steals_ = 0;
};

}  // namespace kumiko::model
