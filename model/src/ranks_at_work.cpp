#include "ranks_at_work.hpp"

#include <algorithm>
#include <utility>

#include "schedule_replay.hpp"

namespace kumiko::model {

namespace {

// As cluster::ClusterOptions has them.
constexpr std::uint64_t kBundleBytes = 4032;
constexpr double kBundleTime = 2000.0;

/// What a message and each thing in it has besides its bytes.
constexpr std::uint64_t kHeader = 56;
constexpr std::uint64_t kHeaderOfItem = 16;

}  // namespace

RanksAtWork::RanksAtWork(const amr::Trace& trace, int ranks, const RankOptions& options,
                         double piece)
    : trace_(trace), options_(options), piece_(piece), ranks_(static_cast<std::size_t>(ranks)) {
  for (Rank& rank : ranks_) rank.idle = options.workers;
}

double RanksAtWork::run(double begin, RankTasks& tasks) {
  tasks_ = &tasks;
  double end = begin;
  const auto all = tasks.tasks();
  for (std::uint32_t at = 0; at < all.size(); ++at) {
    if (all[at].inputs == 0) rank_of(all[at].home).ready.push_back(at);
  }
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) wake(begin, rank);
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    end = event.time;
    if (event.message != kNoMessage) {
      rank_of(event.rank).in.push_back(std::move(messages_[event.message]));
      free_.push_back(event.message);
      wake(event.time, event.rank);
      continue;
    }
    if (event.task != kNoTask) finish(event.time, event.rank, event.task);
    go_on(event.time, event.rank);
  }
  return end;
}

void RanksAtWork::push(double time, int rank, std::uint32_t task, std::uint32_t message) {
  events_.push({time, pushed_++, rank, task, message});
}

/// Idle workers look at what there is, one after the other.
void RanksAtWork::wake(double now, int rank) {
  Rank& own = rank_of(rank);
  while (own.idle > 0 && (!own.ready.empty() || !own.in.empty())) {
    --own.idle;
    go_on(now, rank);
  }
}

/// A worker has nothing in hand.
void RanksAtWork::go_on(double now, int rank) {
  Rank& own = rank_of(rank);
  double busy = receive_all(rank);
  const bool has_work = !own.ready.empty();
  busy += send_all(now + busy, rank, !has_work || own.idle > 0);
  if (has_work) {
    const std::uint32_t task = own.ready.front();
    own.ready.pop_front();
    start(now + busy, rank, task);
  } else if (busy > 0.0) {
    push(now + busy, rank, kNoTask, kNoMessage);  // meanwhile something may have come
  } else {
    ++own.idle;
  }
  wake(now, rank);
}

void RanksAtWork::start(double now, int rank, std::uint32_t task) {
  double cost = 0.0;
  for (const std::uint32_t piece : tasks_->pieces(tasks_->tasks()[task])) {
    cost += piece_ + cost_of(trace_.pieces[piece]);
  }
  push(now + cost, rank, task, kNoMessage);
}

void RanksAtWork::finish(double now, int rank, std::uint32_t task) {
  tasks_->for_each_successor(
      task, [&](std::uint32_t next) { arrive(rank, next); },
      [&](int to, const Parcel& parcel) {
        Message& message = rank_of(rank).out[to];
        if (message.tasks.empty()) message.begun = now;
        message.items += parcel.items;
        message.bytes += parcel.bytes;
        message.tasks.insert(message.tasks.end(), parcel.tasks.begin(), parcel.tasks.end());
        traffic_.edges += parcel.items;
        traffic_.bytes += parcel.bytes;
      });
}

void RanksAtWork::arrive(int rank, std::uint32_t task) {
  if (--tasks_->tasks()[task].inputs == 0) rank_of(rank).ready.push_back(task);
}

/// Returns how long it takes.
double RanksAtWork::receive_all(int rank) {
  Rank& own = rank_of(rank);
  double taken = 0.0;
  for (; !own.in.empty(); own.in.pop_front()) {
    const Message& message = own.in.front();
    taken += options_.network.overhead + message.items * options_.network.item;
    for (const std::uint32_t task : message.tasks) arrive(rank, task);
  }
  return taken;
}

/// Sends what is large enough or has waited long enough; all of it if a worker has nothing to do.
/// Returns how long it takes.
double RanksAtWork::send_all(double now, int rank, bool idle) {
  Rank& own = rank_of(rank);
  double taken = 0.0;
  for (auto entry = own.out.begin(); entry != own.out.end();) {
    Message& message = entry->second;
    if (!idle && message.bytes < kBundleBytes && now - message.begun < kBundleTime) {
      ++entry;
      continue;
    }
    taken += options_.network.overhead + message.items * options_.network.item;
    send(now + taken, rank, entry->first, std::move(message));
    entry = own.out.erase(entry);
  }
  return taken;
}

void RanksAtWork::send(double now, int from, int to, Message message) {
  // More than a bundle is more than one message.
  const std::uint64_t bytes = kHeader + message.bytes + message.items * kHeaderOfItem;
  const std::uint64_t parts = std::max<std::uint64_t>(1, (bytes + kBundleBytes - 1) / kBundleBytes);
  traffic_.messages += parts;
  const double at_port = std::max(options_.network.gap * static_cast<double>(parts),
                                  options_.network.per_byte * static_cast<double>(bytes));
  double& port_free = rank_of(from).port_free;
  const double leaves = std::max(now, port_free);
  port_free = leaves + at_port;
  std::uint32_t place = static_cast<std::uint32_t>(messages_.size());
  if (free_.empty()) {
    messages_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  messages_[place] = std::move(message);
  push(leaves + options_.network.latency + options_.network.per_byte * static_cast<double>(bytes),
       to, kNoTask, place);
}

}  // namespace kumiko::model
