#include "sharing/plan_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kumiko::amr {

namespace {

/// A rank's view of a level's reads between itself and another rank: their number and hash. If both
/// ends are the rank itself, of its mesh.
struct PlanEnd {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t level = 0;
  std::uint32_t patches = 0;
  std::uint64_t hash = 0;
};

/// Patches with what is said of them, in order; hashed without the gaps of a struct.
class PlanText {
 public:
  void add(const PatchId& patch, std::uint32_t what) {
    numbers_.push_back({patch.i, patch.j, static_cast<std::int32_t>(what)});
  }
  PlanEnd end(std::int32_t from, std::int32_t to, int level) const {
    return {from, to, level, static_cast<std::uint32_t>(numbers_.size()),
            XXH3_64bits(numbers_.data(), numbers_.size() * sizeof(numbers_[0]))};
  }

 private:
  std::vector<std::array<std::int32_t, 3>> numbers_;
};

std::uint32_t in_a_number(const SharedRead& read) {
  const auto bit = [](bool is, unsigned place) { return is ? 1U << place : 0U; };
  return read.siblings | bit(read.blending, 8) | bit(read.coarse, 9) | bit(read.fine, 10) |
         bit(read.parent, 11);
}

/// The ends of a level's messages that `rank` has found, one for each other rank whom something
/// goes to, or comes from.
void add_ends(std::vector<PlanEnd>& ends, std::int32_t rank, const Mesh<2>& mesh, int level,
              std::span<const SharedRead> reads, bool goes) {
  std::map<std::int32_t, PlanText> texts;
  for (const SharedRead& read : reads) {
    texts[read.rank].add(mesh.ids(level)[read.slot], in_a_number(read));
  }
  for (const auto& [other, text] : texts) {
    ends.push_back(goes ? text.end(rank, other, level) : text.end(other, rank, level));
  }
}

std::vector<PlanEnd> own_ends(std::int32_t rank, const Mesh<2>& mesh,
                              std::span<const SharedReads> reads) {
  std::vector<PlanEnd> ends;
  for (int level = 0; level < mesh.levels(); ++level) {
    PlanText text;
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      text.add(mesh.ids(level)[slot], static_cast<std::uint32_t>(mesh.ranks(level)[slot]));
    }
    ends.push_back(text.end(rank, rank, level));
    const SharedReads& of_level = reads[static_cast<std::size_t>(level)];
    add_ends(ends, rank, mesh, level, of_level.outgoing(), true);
    add_ends(ends, rank, mesh, level, of_level.incoming(), false);
  }
  return ends;
}

/// The two hashes of the ranks at the ends of a level's messages.
struct BothEnds {
  PlanEnd sends;
  PlanEnd expects;
};

[[noreturn]] void fail(int level, std::int32_t one, std::int32_t other, const std::string& how) {
  throw std::logic_error(
      fmt::format("ranks {} and {} disagree about level {} of the mesh they share: {}; this is a "
                  "bug in Kumiko: report it with effective.toml",
                  one, other, level, how));
}

}  // namespace

void compare_plans(Communicator& communicator, const Mesh<2>& mesh,
                   std::span<const SharedReads> reads) {
  std::vector<PatchValue<PlanEnd>> parts;
  for (const PlanEnd& end : own_ends(communicator.rank(), mesh, reads)) {
    parts.push_back({{}, communicator.rank(), end});
  }
  // By level first, so that the coarsest difference is the one that is told.
  std::map<std::tuple<std::int32_t, std::int32_t>, PlanEnd> meshes;
  std::int32_t levels = 0;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, BothEnds> messages;
  for (const PatchValue<PlanEnd>& part : collect(communicator, std::move(parts))) {
    const PlanEnd& end = part.value;
    levels = std::max(levels, end.level + 1);
    if (end.from == end.to) {
      meshes[{end.level, end.from}] = end;
      continue;
    }
    BothEnds& both = messages[{end.level, end.from, end.to}];
    (part.item == end.from ? both.sends : both.expects) = end;
  }
  for (std::int32_t level = 0; level < levels; ++level) {
    const PlanEnd first = meshes[{level, 0}];
    for (std::int32_t number = 1; number < communicator.size(); ++number) {
      const PlanEnd other = meshes[{level, number}];  // nothing, where it has no such level
      if (other.hash == first.hash) continue;
      fail(level, 0, number,
           fmt::format(
               "the first lists {} patches and the second lists {}, or their ids or ranks differ",
               first.patches, other.patches));
    }
  }
  for (const auto& [key, both] : messages) {
    const auto& [level, from, to] = key;
    if (both.sends.hash == both.expects.hash && both.sends.patches == both.expects.patches) {
      continue;
    }
    fail(level, from, to,
         fmt::format("rank {} sends parts of {} patches, but rank {} expects parts of {}, or of "
                     "other patches",
                     from, both.sends.patches, to, both.expects.patches));
  }
}

}  // namespace kumiko::amr
