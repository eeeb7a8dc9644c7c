// Ranks of a model that work, and send each other what they have done.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <vector>

#include <kumiko/model/rank_model.hpp>

#include "ranks/rank_log.hpp"
#include "ranks/rank_tasks.hpp"

namespace kumiko::model {

/// Messages of one run.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t edges = 0;
  std::uint64_t bytes = 0;
};

/// A discrete-event model. A worker is at a task, at messages, or idle. Times are in nanoseconds.
class RanksAtWork {
 public:
  /// \param piece  time that each piece takes in addition
  /// \param log    records the actions of ranks with one worker; may be nullptr
  RanksAtWork(const amr::Trace& trace, int ranks, const RankOptions& options, double piece,
              RankLog* log);

  /// Does the tasks of a window, from a time on, in nanoseconds. \return when the last one is done
  double run(double begin, RankTasks tasks);

  const Traffic& traffic() const { return traffic_; }

 private:
  struct Message {
    int from = 0;
    std::uint32_t items = 0;
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> tasks;
    double begun = 0.0;

    /// In bytes, with headers.
    std::uint64_t size() const;
    /// It travels as so many bundles.
    std::uint64_t parts() const;
  };
  struct Rank {
    int idle = 0;  ///< workers
    std::deque<std::uint32_t> ready;
    std::map<int, Message> out;  ///< what is yet to be sent, by receiver
    std::deque<Message> in;      ///< that have arrived and are not handled yet
    double port_free = 0.0;
  };
  enum class What : std::uint8_t {
    kComes,    ///< message `index`
    kHasRead,  ///< a worker, message `index`
    kHasDone,  ///< a worker, task `index`
    kIsFree    ///< a worker, which has sent something
  };
  struct Event {
    double time;
    std::uint64_t number;  ///< earlier ones first where times are equal
    int rank;
    What what;
    std::uint32_t index;
    friend bool operator<(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  Rank& rank_of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void go_on(double now, int rank);
  void start(double now, int rank, std::uint32_t task);
  void finish(double now, int rank, std::uint32_t task);
  void wake(double now, int rank);
  void arrive(int rank, std::uint32_t task);
  void read_all(double now, int rank);
  double send_all(double now, int rank, bool idle);
  void send(double now, int from, int to, Message message);
  double cost_at_an_end(const Message& message) const;
  void push(double time, int rank, What what, std::uint32_t index = 0);
  std::uint32_t keep(Message message);
  Message take(std::uint32_t index);

  const amr::Trace& trace_;
  const RankOptions& options_;
  double piece_;
  std::vector<Rank> ranks_;
  std::priority_queue<Event> events_;
  std::uint64_t pushed_ = 0;
  std::vector<Message> messages_;  ///< under way, or being read
  std::vector<std::uint32_t> free_;
  RankTasks* tasks_ = nullptr;
  RankLog* log_;
  Traffic traffic_;
};

}  // namespace kumiko::model
