#include "schedule/patch_graph.hpp"

#include <limits>

namespace kumiko::amr {

void PatchGraph::build(Hierarchy& hierarchy, const StepRules& rules) {
  blends_in_time_ = rules.blends_in_time();
  reads_siblings_children_ = rules.reads_siblings_children();
  levels_.resize(static_cast<std::size_t>(hierarchy.max_levels()));
  for (int index = 0; index < levels(); ++index) make_nodes(index, hierarchy, rules);
  readers_.clear();
  for (int index = 0; index < levels(); ++index) {
    connect(index, hierarchy.plan());
    connect_readers(index, hierarchy.plan());
  }
  for (int index = 0; index < levels(); ++index) {
    std::uint32_t blends = 0;
    std::uint32_t finishes = 0;
    for (Node& node : level(index)) {
      node.rank = {node.slot, blends, finishes};
      blends += node.blends ? 1 : 0;
      finishes += node.finishes ? 1 : 0;
      count_inputs(node, rules.clock());
    }
  }
}

std::size_t PatchGraph::bytes() const {
  std::size_t nodes = 0;
  for (const Nodes& level : levels_) nodes += level.capacity;
  return nodes * sizeof(Node) + readers_.capacity() * sizeof(void*);
}

void PatchGraph::make_nodes(int index, Hierarchy& hierarchy, const StepRules& rules) {
  Level& level = hierarchy.level(index);
  Nodes& nodes = levels_[static_cast<std::size_t>(index)];
  if (level.size() > nodes.capacity) {
    nodes.all = std::make_unique<Node[]>(level.size());
    nodes.capacity = level.size();
  }
  nodes.size = level.size();
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    Node& node = nodes.all[slot];
    node.patch = &level.patch(slot);
    node.slot = static_cast<std::uint32_t>(slot);
    node.level = static_cast<std::uint8_t>(index);
    node.finishes = rules.finishes(index, slot);
  }
}

/// Links the nodes of a level to their siblings, parents and children.
void PatchGraph::connect(int index, const ReadPlan& plan) {
  for (Node& node : level(index)) {
    node.sibling_count = node.child_count = 0;
    const PatchReads reads = plan.of(index, node.slot);
    for (const PlannedRead& read : reads.siblings) {
      node.siblings[node.sibling_count++] = &level(index)[static_cast<std::size_t>(read.slot)];
    }
    node.coarse_edges = static_cast<std::int8_t>(reads.coarser.size());
    const std::int32_t parent = plan.parent(index, node.slot);
    node.parent = parent < 0 ? nullptr : &level(index - 1)[static_cast<std::size_t>(parent)];
    for (const std::int32_t child : plan.children(index, node.slot)) {
      if (child < 0) continue;
      node.children[node.child_count++] = &level(index + 1)[static_cast<std::size_t>(child)];
    }
  }
}

/// Lists the finer patches that read each of a level's patches: counts them, then lays them side by
/// side.
void PatchGraph::connect_readers(int index, const ReadPlan& plan) {
  const std::span<Node> own = level(index);
  const auto for_each_reader = [&](auto visit) {
    if (index + 1 == levels()) return;
    for (Node& reader : level(index + 1)) {
      for (const PlannedRead& read : plan.of(index + 1, reader.slot).coarser) {
        visit(own[static_cast<std::size_t>(read.slot)], reader);
      }
    }
  };
  for (Node& node : own) node.readers_end = 0;
  for_each_reader([](Node& node, Node&) { ++node.readers_end; });
  auto at = static_cast<std::uint32_t>(readers_.size());
  for (Node& node : own) {
    const std::uint32_t count = node.readers_end;
    node.readers_begin = node.readers_end = at;
    node.blends = blends_in_time_ && count > 0;
    at += count;
  }
  readers_.resize(at);
  for_each_reader([this](Node& node, Node& reader) { readers_[node.readers_end++] = &reader; });
}

// A finish waits for most: for the patch, its children, and its siblings and their children.
static_assert(1 + 4 + 8 * (1 + 4) <= std::numeric_limits<std::int8_t>::max());

void PatchGraph::count_inputs(Node& node, const StepClock& clock) const {
  const auto advance = static_cast<std::size_t>(PieceKind::kAdvance);
  const auto blend = static_cast<std::size_t>(PieceKind::kBlend);
  const auto finish = static_cast<std::size_t>(PieceKind::kFinish);
  int finishing = 1 + node.child_count;
  if (reads_siblings_children_) {
    for (std::size_t d = 0; d < node.sibling_count; ++d) {
      finishing += node.siblings[d]->child_count + (node.siblings[d]->blends ? 1 : 0);
    }
  }
  for (std::size_t parity = 0; parity < 2; ++parity) {
    const LevelStep step = clock.step(0, node.level, static_cast<int>(parity));
    int advancing = node.sibling_count + 1;
    if (!step.second_half() || blends_in_time_) advancing += node.coarse_edges;
    if (step.ends_coarse()) ++advancing;
    node.inputs[advance][parity] = static_cast<std::int8_t>(advancing);
    node.inputs[blend][parity] =
        static_cast<std::int8_t>(node.sibling_count + 1 + node.coarse_edges);
    node.inputs[finish][parity] = static_cast<std::int8_t>(finishing);
  }
}

}  // namespace kumiko::amr
