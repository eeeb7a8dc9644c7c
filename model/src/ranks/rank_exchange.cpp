#include "ranks/rank_exchange.hpp"

#include <algorithm>
#include <array>

namespace kumiko::model {

namespace {

/// Nanoseconds of a core for each patch, on every rank: to put in order what all have measured and
/// to look at how even it is (measured: 90 on an EPYC), and again to deal the patches out.
constexpr double kOfBalance = 100.0;

// The sizes of the data that ranks exchange, in bytes.
constexpr double kOfCost = 32.0;    ///< of a patch, for the balance
constexpr double kOfTags = 20.0;    ///< of a patch some of whose points are tagged
constexpr double kOfWorker = 56.0;  ///< what it did in a base step
constexpr std::uint64_t kOfMoved =
    (amr::kPatchPoints + 1) * kNumberBytes;  ///< a patch's points and CFL number

}  // namespace

double gather_time(int ranks, const Network& network, double bytes) {
  if (ranks == 1) return 0.0;
  const double others = ranks - 1;
  const double to_all = network.per_byte * bytes;
  const double come =
      network.overhead + network.latency + to_all / ranks + others * network.overhead;
  const double go = std::max(others * network.overhead,
                             network.overhead + (others - 1.0) * std::max(network.gap, to_all));
  return come + go + network.latency + to_all + network.overhead;
}

void Exchange::add(std::int32_t from, std::int32_t to, std::uint64_t bytes, std::uint64_t items) {
  std::vector<Sent>& own = sent_[static_cast<std::size_t>(from)];
  auto found = std::ranges::find(own, to, &Sent::to);
  if (found == own.end()) found = own.insert(found, {.to = to});
  found->items += items;
  found->bytes += bytes;
}

void Exchange::add_strips(const amr::Mesh<2>& mesh, int level) {
  // Of two neighbours the second one is to the right or above.
  constexpr std::array<std::array<int, 2>, 4> kAfter = {{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
  const auto ids = mesh.ids(level);
  const auto rank_of = mesh.ranks(level);
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    for (const std::array<int, 2>& way : kAfter) {
      const auto beside = mesh.base().neighbour(ids[slot], way);
      const std::int32_t found = beside ? mesh.find(*beside) : -1;
      if (found < 0) continue;
      const std::int32_t other = rank_of[static_cast<std::size_t>(found)];
      if (other == rank_of[slot]) continue;
      const std::uint64_t bytes = way[0] != 0 && way[1] != 0 ? kCornerBytes : kStripBytes;
      add(rank_of[slot], other, bytes);
      add(other, rank_of[slot], bytes);
    }
  }
}

std::vector<Exchange::Rank> Exchange::count() const {
  std::vector<Rank> ranks(sent_.size());
  for (std::size_t from = 0; from < sent_.size(); ++from) {
    for (const Sent& sent : sent_[from]) {
      for (Rank* const rank : {&ranks[from], &ranks[static_cast<std::size_t>(sent.to)]}) {
        ++rank->messages;
        rank->items += sent.items;
      }
      ranks[from].bytes += sent.bytes;
    }
  }
  return ranks;
}

double Exchange::time(const Network& network) const {
  double longest = 0.0;
  for (const Rank& rank : count()) {
    if (rank.messages == 0) continue;
    const double bytes = network.per_byte * static_cast<double>(rank.bytes);
    longest = std::max(longest, rank.cost(network) + bytes + network.latency);
  }
  return longest;
}

void Exchange::log(const Network& network, RankLog& log) const {
  const int ranks = static_cast<int>(sent_.size());
  for (int from = 0; from < ranks; ++from) {
    for (const Sent& sent : sent_[static_cast<std::size_t>(from)]) {
      log.compute(from, sent.cost(network));
      log.send(from, sent.to, sent.bytes);
    }
  }
  for (int from = 0; from < ranks; ++from) {
    for (const Sent& sent : sent_[static_cast<std::size_t>(from)]) {
      log.receive(sent.to, from, sent.bytes);
      log.compute(sent.to, sent.cost(network));
    }
  }
}

double Meetings::exchange(const Exchange& messages) const {
  if (log_ != nullptr) messages.log(network_, *log_);
  return messages.time(network_);
}

double Meetings::gather(double bytes) const {
  if (log_ != nullptr) {
    const auto of_all = static_cast<std::uint64_t>(bytes);
    const std::uint64_t of_one = of_all / static_cast<std::uint64_t>(ranks_);
    for (int rank = 1; rank < ranks_; ++rank) {
      log_->compute(rank, network_.overhead);
      log_->send(rank, 0, of_one);
      log_->receive(0, rank, of_one);
      log_->compute(0, network_.overhead);
    }
    for (int rank = 1; rank < ranks_; ++rank) {
      log_->compute(0, network_.overhead);
      log_->send(0, rank, of_all);
      log_->receive(rank, 0, of_all);
      log_->compute(rank, network_.overhead);
    }
  }
  return gather_time(ranks_, network_, bytes);
}

double Meetings::regrid(const amr::Mesh<2>& mesh, const Moves& moves) const {
  if (ranks_ == 1) return 0.0;
  std::size_t patches = 0;
  for (int level = 0; level < mesh.levels(); ++level) patches += mesh.size(level);
  const auto all = static_cast<double>(patches);
  const double balancing = kOfBalance * all * (moves.empty() ? 1.0 : 2.0);
  for (int rank = 0; log_ != nullptr && rank < ranks_; ++rank) log_->compute(rank, balancing);
  double time = balancing + gather(kOfCost * all);
  for (int level = 0; level + 1 < mesh.levels(); ++level) {
    Exchange strips(ranks_);
    strips.add_strips(mesh, level);
    time += exchange(strips);
    // At most as many patches are tagged as have a child then.
    time += gather(kOfTags * static_cast<double>(mesh.size(level + 1)));
  }
  Exchange moved(ranks_);
  for (const auto& [way, count] : moves) {
    moved.add(way.first, way.second, count * kOfMoved, count);
  }
  return time + exchange(moved);
}

double Meetings::begin_window(const amr::Mesh<2>& mesh) const {
  Exchange strips(ranks_);
  if (ranks_ > 1) {
    for (int level = 0; level < mesh.levels(); ++level) strips.add_strips(mesh, level);
  }
  return exchange(strips);
}

double Meetings::end_window(int steps, int workers) const {
  if (ranks_ == 1) return 0.0;
  return gather(0.0) + gather(kOfWorker * steps * workers * ranks_);
}

}  // namespace kumiko::model
