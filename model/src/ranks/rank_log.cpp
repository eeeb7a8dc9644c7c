#include "ranks/rank_log.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace kumiko::model {

void RankLog::add_computed(int rank) {
  const double computed = std::exchange(rank_of(rank).computed, 0.0);
  if (computed <= 0.0) return;
  fmt::format_to(std::back_inserter(rank_of(rank).text), "{} compute {:.0f}\n", rank, computed);
}

void RankLog::add(int rank, const char* action, int other, std::uint64_t bytes) {
  add_computed(rank);
  // All have one tag: messages from one rank to another are received in the order in which they
  // were sent.
  fmt::format_to(std::back_inserter(rank_of(rank).text), "{} {} {} 0 {}\n", rank, action, other,
                 bytes);
}

std::vector<std::string> RankLog::texts() {
  std::vector<std::string> texts;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    add_computed(rank);
    texts.push_back(fmt::format("{} init\n{}{} finalize\n", rank, rank_of(rank).text, rank));
  }
  return texts;
}

}  // namespace kumiko::model
