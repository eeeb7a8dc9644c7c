#include "sharing/migration.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "sharing/received_numbers.hpp"

namespace kumiko::amr {

namespace {

/// A patch's rows, all components.
template <class View, class Visit>
void for_each_row(View state, Visit visit) {
  for (int component = 0; component < state.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) visit(&state(0, j, component));
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> move_patches(Hierarchy& hierarchy, Mailbox& mailbox,
                                                   const ByPatch<std::int32_t>& ranks,
                                                   PatchTable<PatchMotion>& motion) {
  const std::int32_t self = hierarchy.communicator();
  const Mesh<2>& mesh = hierarchy.mesh();
  std::map<std::int32_t, std::vector<double>> texts;
  ByPatch<std::int32_t> before;
  std::set<std::int32_t> senders;
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto of_level = mesh.ranks(level);
    before.emplace_back(of_level.begin(), of_level.end());
    for (std::size_t slot = 0; slot < of_level.size(); ++slot) {
      const std::int32_t to = ranks[static_cast<std::size_t>(level)][slot];
      if (to == of_level[slot]) continue;
      if (to == self) senders.insert(of_level[slot]);
      if (of_level[slot] != self) continue;
      std::vector<double>& text = texts[to];
      text.push_back(motion.at(level, slot).cfl);
      text.push_back(motion.at(level, slot).travelled);
      for_each_row(hierarchy.level(level).patch(slot).now(),
                   [&](const double* row) { text.insert(text.end(), row, row + kPatchSize); });
    }
  }
  mailbox.begin();
  for (const auto& [to, text] : texts) mailbox.send(to, std::as_bytes(std::span(text)));
  ReceivedNumbers messages(mailbox.collect(senders.size()));
  std::vector<std::vector<std::size_t>> came;
  for (std::size_t level = 0; level < before.size(); ++level) {
    const int index = static_cast<int>(level);
    came.push_back(hierarchy.set_ranks(index, ranks[level]));
    for (const std::size_t slot : came.back()) {
      const std::int32_t from = before[level][slot];
      const auto of_patch = messages.take(from, 2);
      motion.at(index, slot) = {of_patch[0], of_patch[1]};
      for_each_row(hierarchy.level(index).patch(slot).now(),
                   [&](double* row) { std::ranges::copy(messages.take(from, kPatchSize), row); });
    }
  }
  return came;
}

}  // namespace kumiko::amr
