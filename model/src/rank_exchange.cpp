#include "rank_exchange.hpp"

#include <algorithm>

namespace kumiko::model {

namespace {

// What ranks tell each other, in bytes.
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
  Sent& sent = sent_[{from, to}];
  sent.items += items;
  sent.bytes += bytes;
}

void Exchange::add_strips(const amr::Mesh<2>& mesh, int level) {
  const auto ids = mesh.ids(level);
  const auto owners = mesh.owners(level);
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const auto beside = mesh.base().neighbour(ids[slot], {dx, dy});
        const std::int32_t found = beside ? mesh.find(*beside) : -1;
        if (found < 0) continue;
        const std::int32_t reader = owners[static_cast<std::size_t>(found)];
        if (reader == owners[slot]) continue;
        add(owners[slot], reader, dx != 0 && dy != 0 ? kCornerBytes : kStripBytes);
      }
    }
  }
}

std::vector<Exchange::Rank> Exchange::count() const {
  std::vector<Rank> ranks(static_cast<std::size_t>(ranks_));
  for (const auto& [way, sent] : sent_) {
    for (const std::int32_t rank : {way.first, way.second}) {
      Rank& own = ranks[static_cast<std::size_t>(rank)];
      ++own.messages;
      own.items += sent.items;
    }
    ranks[static_cast<std::size_t>(way.first)].bytes += sent.bytes;
  }
  return ranks;
}

double Exchange::time(const Network& network) const {
  if (sent_.empty()) return 0.0;
  double longest = 0.0;
  for (const Rank& rank : count()) {
    longest =
        std::max(longest, rank.cost(network) + network.per_byte * static_cast<double>(rank.bytes));
  }
  return longest + network.latency;
}

void Exchange::log(const Network& network, RankLog& log) const {
  for (const auto& [way, sent] : sent_) {
    log.compute(way.first, sent.cost(network));
    log.send(way.first, way.second, sent.bytes);
  }
  for (const auto& [way, sent] : sent_) {
    log.receive(way.second, way.first, sent.bytes);
    log.compute(way.second, sent.cost(network));
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
  double time = gather(kOfCost * static_cast<double>(patches));
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

double Meetings::begin_stretch(const amr::Mesh<2>& mesh) const {
  Exchange strips(ranks_);
  if (ranks_ > 1) {
    for (int level = 0; level < mesh.levels(); ++level) strips.add_strips(mesh, level);
  }
  return exchange(strips);
}

double Meetings::end_stretch(int steps, int workers) const {
  if (ranks_ == 1) return 0.0;
  return gather(0.0) + gather(kOfWorker * steps * workers * ranks_);
}

}  // namespace kumiko::model
