// The actions and messages of each rank of a model, as SimGrid replays them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kumiko::model {

/// Takes down what ranks of one worker do, each in its order, and no times: those are for whoever
/// replays it to find. In the text a nanosecond is a floating-point operation.
class RankLog {
 public:
  explicit RankLog(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  void compute(int rank, double nanoseconds) { rank_of(rank).computed += nanoseconds; }
  void send(int from, int to, std::uint64_t bytes) { add(from, "send", to, bytes); }
  /// Waits for the next message of `from`.
  void receive(int rank, int from, std::uint64_t bytes) { add(rank, "recv", from, bytes); }

  /// Of each rank, one action a line.
  std::vector<std::string> texts();

 private:
  struct Rank {
    double computed = 0.0;  ///< that is not in the text yet
    std::string text;
  };
  Rank& rank_of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void add(int rank, const char* action, int other, std::uint64_t bytes);
  void add_computed(int rank);

  std::vector<Rank> ranks_;
};

}  // namespace kumiko::model
