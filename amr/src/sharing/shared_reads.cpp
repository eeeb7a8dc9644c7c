#include "sharing/shared_reads.hpp"

#include <algorithm>
#include <tuple>

namespace kumiko::amr {

/// Walks over who reads whom, and keeps what has one end here and the other elsewhere.
class SharedReadsFinder {
 public:
  SharedReadsFinder(const Mesh<2>& mesh, const ReadPlan& plan, std::int32_t rank)
      : mesh_(mesh), plan_(plan), rank_(rank), levels_(static_cast<std::size_t>(mesh.levels())) {}

  void find_ghosts(int level, const ByPatch<char>* blends = nullptr) {
    for (std::size_t slot = 0; slot < mesh_.size(level); ++slot) {
      const std::int32_t reader = mesh_.ranks(level)[slot];
      const PatchReads reads = plan_.of(level, slot);
      for (const PlannedRead& read : reads.siblings) {
        const auto direction = static_cast<std::uint8_t>(1U << read.direction);
        const bool is_blending =
            blends != nullptr && (*blends)[static_cast<std::size_t>(level)][slot] != 0;
        add(reader, level,
            {.slot = slot_of(read.slot), .siblings = direction, .blending = is_blending});
      }
      for (const PlannedRead& read : reads.coarser) {
        add(reader, level - 1, {.slot = slot_of(read.slot), .coarse = true});
      }
    }
  }

  void find_steps(int level, const StepRules& rules) {
    for (std::size_t slot = 0; slot < mesh_.size(level); ++slot) {
      const std::int32_t reader = mesh_.ranks(level)[slot];
      const std::int32_t parent = plan_.parent(level, slot);
      if (parent >= 0) add(reader, level - 1, {.slot = slot_of(parent), .parent = true});
      add_children(reader, level, slot);
      if (!rules.reads_siblings_children()) continue;
      for (const PlannedRead& read : plan_.of(level, slot).siblings) {
        add_children(reader, level, static_cast<std::size_t>(read.slot));
      }
    }
  }

  std::vector<SharedReads> take() {
    for (int level = 0; level < mesh_.levels(); ++level) {
      levels_[static_cast<std::size_t>(level)].close(mesh_.size(level));
    }
    return std::move(levels_);
  }

 private:
  static std::uint32_t slot_of(std::int32_t slot) { return static_cast<std::uint32_t>(slot); }

  void add_children(std::int32_t reader, int level, std::size_t slot) {
    for (const std::int32_t child : plan_.children(level, slot)) {
      if (child >= 0) add(reader, level + 1, {.slot = slot_of(child), .fine = true});
    }
  }

  void add(std::int32_t reader, int level, SharedRead read) {
    const std::int32_t source = mesh_.ranks(level)[read.slot];
    if (source == reader || (source != rank_ && reader != rank_)) return;
    SharedReads& of_level = levels_[static_cast<std::size_t>(level)];
    read.rank = source == rank_ ? reader : source;
    (source == rank_ ? of_level.outgoing_ : of_level.incoming_).push_back(read);
  }

  const Mesh<2>& mesh_;
  const ReadPlan& plan_;
  std::int32_t rank_;
  std::vector<SharedReads> levels_;
};

namespace {

/// Joins what is read of one patch by one rank.
void join(std::vector<SharedRead>& reads) {
  std::sort(reads.begin(), reads.end(), [](const SharedRead& a, const SharedRead& b) {
    return std::tie(a.slot, a.rank) < std::tie(b.slot, b.rank);
  });
  auto last = reads.begin();
  for (auto read = reads.begin(); read != reads.end(); ++read) {
    if (read == last) continue;
    if (read->slot != last->slot || read->rank != last->rank) {
      *++last = *read;
      continue;
    }
    last->siblings |= read->siblings;
    last->blending = last->blending || read->blending;
    last->coarse = last->coarse || read->coarse;
    last->fine = last->fine || read->fine;
    last->parent = last->parent || read->parent;
  }
  if (!reads.empty()) reads.erase(last + 1, reads.end());
}

std::vector<std::int32_t> ranks_of(std::span<const SharedRead> reads) {
  std::vector<std::int32_t> ranks;
  for (const SharedRead& read : reads) ranks.push_back(read.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace

void SharedReads::close(std::size_t patches) {
  join(outgoing_);
  join(incoming_);
  begin_.assign(patches + 1, 0);
  for (const SharedRead& read : outgoing_) ++begin_[read.slot + 1];
  for (std::size_t slot = 0; slot < patches; ++slot) begin_[slot + 1] += begin_[slot];
}

const SharedRead* SharedReads::incoming(std::size_t slot) const {
  const auto found = std::lower_bound(
      incoming_.begin(), incoming_.end(), slot,
      [](const SharedRead& read, std::size_t wanted) { return read.slot < wanted; });
  return found != incoming_.end() && found->slot == slot ? &*found : nullptr;
}

std::vector<std::int32_t> SharedReads::receivers() const { return ranks_of(outgoing_); }
std::vector<std::int32_t> SharedReads::senders() const { return ranks_of(incoming_); }

std::vector<SharedReads> shared_reads(const Mesh<2>& mesh, const StepRules& rules,
                                      std::int32_t rank, const ByPatch<char>& blends) {
  SharedReadsFinder finder(mesh, rules.plan(), rank);
  for (int level = 0; level < mesh.levels(); ++level) {
    finder.find_ghosts(level, &blends);
    finder.find_steps(level, rules);
  }
  return finder.take();
}

std::vector<SharedReads> shared_ghost_reads(const Mesh<2>& mesh, const ReadPlan& plan,
                                            std::int32_t rank, int level) {
  SharedReadsFinder finder(mesh, plan, rank);
  finder.find_ghosts(level);
  return finder.take();
}

}  // namespace kumiko::amr
