#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/cluster/loopback.hpp>
#include <kumiko/runtime/bell.hpp>

namespace kumiko::cluster {

namespace detail {

namespace {
using Clock = std::chrono::steady_clock;
}

/// The frames in transit, by receiver.
class LoopbackNet {
 public:
  explicit LoopbackNet(const LoopbackOptions& options) : options_(options) {
    for (int i = 0; i < options.ranks; ++i) {
      ranks_.push_back(std::make_unique<Rank>(options.seed * 1000003U + static_cast<unsigned>(i),
                                              static_cast<std::size_t>(options.ranks)));
    }
  }

  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  runtime::Bell& bell(int rank) noexcept { return of(rank).bell; }

  void send(int from, int to, Frame frame, std::optional<std::uint64_t> body = {}) {
    Rank& sender = of(from);
    Rank& receiver = of(to);
    if (sender.is_gone || receiver.is_gone) return;
    const std::chrono::microseconds extra = sender.slowness.load() + receiver.slowness.load();
    {
      const std::lock_guard lock(receiver.guard);
      auto due = Clock::now() + extra + delay(receiver.random);
      Clock::time_point& latest = receiver.latest[static_cast<std::size_t>(from)];
      if (!options_.reorders) due = std::max(due, latest);
      latest = std::max(due, latest);
      add(receiver, {.due = due,
                     .number = receiver.sent++,
                     .from = from,
                     .frame = std::move(frame),
                     .body = body});
    }
    receiver.bell.ring();
  }

  /// The bytes leave their place later, when `from` polls.
  void send_body(int from, int to, std::uint64_t number, std::span<const std::byte> bytes) {
    Rank& sender = of(from);
    {
      const std::lock_guard lock(sender.guard);
      sender.leaving.push_back({Clock::now() + delay(sender.random), to, number, bytes});
    }
    sender.bell.ring();
  }

  void take_body(int rank, int source, std::uint64_t number, std::span<std::byte> into) {
    Rank& self = of(rank);
    self.expected[{source, number}].into = into;
    self.bell.ring();
  }

  void give_up_bodies(int rank, int source) {
    Rank& self = of(rank);
    for (auto& [key, body] : self.expected) body.is_over |= key.first == source;
    {
      const std::lock_guard lock(self.guard);
      std::erase_if(self.leaving, [source](const Leaving& body) { return body.to == source; });
    }
    self.bell.ring();
  }

  int poll(int rank, Receiver& receiver) {
    Rank& self = of(rank);
    const auto now = Clock::now();
    self.bell.silence(now);
    send_bodies_due(rank, now, receiver);
    std::vector<InTransit> arrived;
    {
      const std::lock_guard lock(self.guard);
      while (!self.in_transit.empty() && self.in_transit.front().due <= now) {
        std::pop_heap(self.in_transit.begin(), self.in_transit.end());
        arrived.push_back(std::move(self.in_transit.back()));
        self.in_transit.pop_back();
      }
      if (!self.in_transit.empty()) self.bell.ring_at(self.in_transit.front().due);
    }
    for (InTransit& next : arrived) {
      if (next.is_loss) {
        receiver.lost(next.from, "its process has ended");
      } else if (self.is_gone) {
        continue;
      } else if (next.body) {
        self.expected[{next.from, *next.body}].bytes = std::move(next.frame);
      } else {
        receiver.receive(next.from, std::move(next.frame));
      }
    }
    return static_cast<int>(arrived.size()) + land(self, receiver);
  }

  void vanish(int rank) {
    if (of(rank).is_gone.exchange(true)) return;
    for (int other = 0; other < size(); ++other) {
      Rank& told = of(other);
      {
        const std::lock_guard lock(told.guard);
        // Frames that it has sent before may or may not arrive.
        add(told, {.due = Clock::now() + options_.detection,
                   .number = told.sent++,
                   .from = rank,
                   .is_loss = true});
      }
      told.bell.ring();
    }
  }

  void slow(int rank, std::chrono::microseconds delay) { of(rank).slowness = delay; }

 private:
  /// A frame in transit, or the event that a rank is lost.
  struct InTransit {
    Clock::time_point due;
    std::uint64_t number;
    int from;
    Frame frame{};
    bool is_loss = false;
    std::optional<std::uint64_t> body{};  ///< the number of the body that the frame contains

    /// Orders a heap with the earliest first.
    friend bool operator<(const InTransit& a, const InTransit& b) noexcept {
      return std::pair(a.due, a.number) > std::pair(b.due, b.number);
    }
  };

  /// A body that has not left its place yet.
  struct Leaving {
    Clock::time_point due;
    int to;
    std::uint64_t number;
    std::span<const std::byte> bytes;
  };

  /// A body that is awaited, or has arrived, or both.
  struct ExpectedBody {
    std::optional<std::span<std::byte>> into;
    std::optional<Frame> bytes;
    bool is_over = false;
  };

  struct Rank {
    Rank(std::uint64_t seed, std::size_t ranks) : random(seed), latest(ranks) {}

    std::mutex guard;
    std::vector<InTransit> in_transit;  ///< a heap; guarded, as are the next members
    std::uint64_t sent = 0;
    std::mt19937_64 random;
    std::vector<Clock::time_point> latest;  ///< when the latest frame of each rank arrives
    std::vector<Leaving> leaving;
    std::map<std::pair<int, std::uint64_t>, ExpectedBody> expected;  ///< the poller's
    runtime::Bell bell{-1};
    std::atomic<bool> is_gone{false};
    std::atomic<std::chrono::microseconds> slowness{std::chrono::microseconds(0)};
  };

  Rank& of(int rank) noexcept { return *ranks_[static_cast<std::size_t>(rank)]; }

  void send_bodies_due(int rank, Clock::time_point now, Receiver& receiver) {
    Rank& self = of(rank);
    std::vector<Leaving> due;
    {
      const std::lock_guard lock(self.guard);
      const auto is_later = [now](const Leaving& body) { return body.due > now; };
      const auto first_due = std::partition(self.leaving.begin(), self.leaving.end(), is_later);
      due.assign(first_due, self.leaving.end());
      self.leaving.erase(first_due, self.leaving.end());
      for (const Leaving& body : self.leaving) self.bell.ring_at(body.due);
    }
    for (const Leaving& body : due) {
      send(rank, body.to, Frame(body.bytes.begin(), body.bytes.end()), body.number);
      receiver.body_sent(body.to, body.number);
    }
  }

  /// Copies bodies that have arrived to their places. Returns their number.
  static int land(Rank& self, Receiver& receiver) {
    std::vector<std::pair<int, std::uint64_t>> ended;
    for (auto& [key, body] : self.expected) {
      if (!body.is_over && !(body.into && body.bytes)) continue;
      if (!body.is_over) std::ranges::copy(*body.bytes, body.into->begin());
      ended.push_back(key);
    }
    for (const auto& [source, number] : ended) {
      self.expected.erase({source, number});
      receiver.body_taken(source, number);
    }
    return static_cast<int>(ended.size());
  }

  static void add(Rank& rank, InTransit next) {
    rank.in_transit.push_back(std::move(next));
    std::push_heap(rank.in_transit.begin(), rank.in_transit.end());
  }

  std::chrono::nanoseconds delay(std::mt19937_64& random) const {
    const auto longest =
        static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.longest_delay).count());
    return std::chrono::nanoseconds(longest == 0 ? 0 : random() % (longest + 1));
  }

  const LoopbackOptions options_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

namespace {

class LoopbackLink final : public Link {
 public:
  LoopbackLink(std::shared_ptr<LoopbackNet> net, int rank) noexcept
      : net_(std::move(net)), rank_(rank) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return net_->size(); }
  void send(int rank, Frame frame) override { net_->send(rank_, rank, std::move(frame)); }
  void send_body(int rank, std::uint64_t number, std::span<const std::byte> bytes) override {
    net_->send_body(rank_, rank, number, bytes);
  }
  void take_body(int source, std::uint64_t number, std::span<std::byte> into) override {
    net_->take_body(rank_, source, number, into);
  }
  void give_up_bodies(int source) override { net_->give_up_bodies(rank_, source); }
  int poll(Receiver& receiver) override { return net_->poll(rank_, receiver); }
  int pollable() const noexcept override { return net_->bell(rank_).descriptor(); }

 private:
  const std::shared_ptr<LoopbackNet> net_;
  const int rank_;
};

}  // namespace

}  // namespace detail

Loopback::Loopback(const LoopbackOptions& options) {
  if (options.ranks < 1) {
    throw std::invalid_argument("Loopback: " + std::to_string(options.ranks) +
                                " ranks; give at least 1");
  }
  net_ = std::make_shared<detail::LoopbackNet>(options);
}

std::unique_ptr<Link> Loopback::link(int rank) {
  if (rank < 0 || rank >= net_->size()) {
    throw std::out_of_range("Loopback: there is no rank " + std::to_string(rank));
  }
  return std::make_unique<detail::LoopbackLink>(net_, rank);
}

int Loopback::ranks() const noexcept { return net_->size(); }

void Loopback::vanish(int rank) { net_->vanish(rank); }

void Loopback::slow(int rank, std::chrono::microseconds delay) { net_->slow(rank, delay); }

void run_ranks(Loopback& net, const runtime::Options& runtime, const ClusterOptions& cluster,
               const std::function<void(Cluster&)>& body) {
  std::vector<std::exception_ptr> escaped(static_cast<std::size_t>(net.ranks()));
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < net.ranks(); ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        runtime::Runtime workers(runtime);
        workers.run([&] {
          Cluster member(workers, net.link(rank), cluster);
          body(member);
        });
      } catch (...) {
        escaped[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::jthread& rank : ranks) rank.join();
  for (const std::exception_ptr& exception : escaped) {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
}

}  // namespace kumiko::cluster
