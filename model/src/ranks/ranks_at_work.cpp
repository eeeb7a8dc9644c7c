#include "ranks/ranks_at_work.hpp"

#include <algorithm>
#include <utility>

#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

namespace {

// As cluster::ClusterOptions has them.
constexpr std::uint64_t kBundleBytes = 4032;
constexpr double kBundleTime = 2000.0;

/// The bytes of the header of a message, and of each item in it.
constexpr std::uint64_t kHeader = 56;
constexpr std::uint64_t kHeaderOfItem = 16;

}  // namespace

std::uint64_t RanksAtWork::Message::size() const { return kHeader + bytes + items * kHeaderOfItem; }

std::uint64_t RanksAtWork::Message::parts() const {
  return (size() + kBundleBytes - 1) / kBundleBytes;
}

RanksAtWork::RanksAtWork(const amr::Trace& trace, int ranks, const RankOptions& options,
                         double piece, RankLog* log)
    : trace_(trace),
      options_(options),
      piece_(piece),
      ranks_(static_cast<std::size_t>(ranks)),
      log_(log) {
  for (Rank& rank : ranks_) rank.idle = options.workers;
}

double RanksAtWork::run(double begin, RankTasks tasks) {
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
    switch (event.what) {
      case What::kComes:
        rank_of(event.rank).in.push_back(take(event.index));
        break;
      case What::kHasRead:
        for (const std::uint32_t task : take(event.index).tasks) arrive(event.rank, task);
        break;
      case What::kHasDone:
        finish(event.time, event.rank, event.index);
        break;
      case What::kIsFree:
        break;
    }
    if (event.what != What::kComes) go_on(event.time, event.rank);
    wake(event.time, event.rank);
  }
  return end;
}

void RanksAtWork::push(double time, int rank, What what, std::uint32_t index) {
  events_.push({time, pushed_++, rank, what, index});
}

std::uint32_t RanksAtWork::keep(Message message) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  messages_[index] = std::move(message);
  return index;
}

RanksAtWork::Message RanksAtWork::take(std::uint32_t index) {
  free_.push_back(index);
  return std::exchange(messages_[index], {});
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
  if (!own.in.empty()) return read_all(now, rank);
  const bool has_work = !own.ready.empty();
  const double sent = send_all(now, rank, !has_work || own.idle > 0);
  if (has_work) {
    const std::uint32_t task = own.ready.front();
    own.ready.pop_front();
    start(now + sent, rank, task);
  } else if (sent > 0.0) {
    push(now + sent, rank, What::kIsFree);
  } else {
    ++own.idle;
  }
}

void RanksAtWork::start(double now, int rank, std::uint32_t task) {
  double cost = 0.0;
  for (const std::uint32_t piece : tasks_->pieces(tasks_->tasks()[task])) {
    cost += piece_ + cost_of(trace_.pieces[piece]);
  }
  if (log_ != nullptr) log_->compute(rank, cost);
  push(now + cost, rank, What::kHasDone, task);
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

double RanksAtWork::cost_at_an_end(const Message& message) const {
  return static_cast<double>(message.parts()) * options_.network.overhead +
         message.items * options_.network.item;
}

/// A worker reads what has come.
void RanksAtWork::read_all(double now, int rank) {
  Rank& own = rank_of(rank);
  double taken = 0.0;
  Message all;
  for (; !own.in.empty(); own.in.pop_front()) {
    const Message& message = own.in.front();
    const double cost = cost_at_an_end(message);
    taken += cost;
    if (log_ != nullptr) {
      log_->receive(rank, message.from, message.size());
      log_->compute(rank, cost);
    }
    all.tasks.insert(all.tasks.end(), message.tasks.begin(), message.tasks.end());
  }
  push(now + taken, rank, What::kHasRead, keep(std::move(all)));
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
    const double cost = cost_at_an_end(message);
    taken += cost;
    message.from = rank;
    if (log_ != nullptr) {
      log_->compute(rank, cost);
      log_->send(rank, entry->first, message.size());
    }
    send(now + taken, rank, entry->first, std::move(message));
    entry = own.out.erase(entry);
  }
  return taken;
}

void RanksAtWork::send(double now, int from, int to, Message message) {
  const Network& network = options_.network;
  const double in_bytes = network.per_byte * static_cast<double>(message.size());
  traffic_.messages += message.parts();
  double& port_free = rank_of(from).port_free;
  const double leaves = std::max(now, port_free);
  port_free = leaves + std::max(network.gap * static_cast<double>(message.parts()), in_bytes);
  push(leaves + network.latency + in_bytes, to, What::kComes, keep(std::move(message)));
}

}  // namespace kumiko::model
