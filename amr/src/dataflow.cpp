#include "dataflow.hpp"

#include <cassert>
#include <exception>
#include <span>

#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::amr {

class DataflowStepper::ReadyList {
 public:
  void add(const Ready& ready) {
    assert(size_ < ready_.size());
    ready_[size_++] = ready;
  }
  std::span<const Ready> all() const { return {ready_.data(), size_}; }

 private:
  /// The patch itself, 8 siblings, their 32 children, the parent and its 8 siblings, each once.
  std::array<Ready, 64> ready_;
  std::size_t size_ = 0;
};

DataflowStepper::DataflowStepper(Hierarchy& hierarchy, Backend& backend,
                                 const PatchStepper& patches, WorkLedger& ledger,
                                 FirstFailure& failures)
    : hierarchy_(hierarchy),
      backend_(backend),
      patches_(patches),
      ledger_(ledger),
      failures_(failures),
      nodes_(static_cast<std::size_t>(hierarchy.max_levels())) {}

void DataflowStepper::advance(int first, int count) {
  first_ = first;
  count_ = count;
  make_nodes();
  runtime::TaskGroup group;
  group_ = &group;
  for (int worker = 0; worker < backend_.workers(); ++worker) {
    group.run_near(worker, [this, worker] { start(worker); });
  }
  group.wait();
}

std::size_t DataflowStepper::bytes() const {
  std::size_t nodes = 0;
  for (const Nodes& level : nodes_) nodes += level.capacity;
  return nodes * sizeof(Node) + readers_.capacity() * sizeof(void*);
}

void DataflowStepper::make_nodes() {
  const std::uint64_t now = read_ticks();
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    Level& level = hierarchy_.level(index);
    Nodes& nodes = nodes_[static_cast<std::size_t>(index)];
    if (level.size() > nodes.capacity) {
      nodes.all = std::make_unique<Node[]>(level.size());
      nodes.capacity = level.size();
    }
    int home = 0;
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      while (slot >= part(index, home + 1)) ++home;
      Node& node = nodes.all[slot];
      node.patch = &level.patch(slot);
      node.slot = slot;
      node.done_at = now;
      node.home = home;
      node.steps = count_ * patches_.clock().substeps(index);
      node.finishes = patches_.finishes(*node.patch);
    }
  }
  readers_.clear();
  for (int index = 0; index < hierarchy_.max_levels(); ++index) connect(index);
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    for (std::size_t slot = 0; slot < hierarchy_.level(index).size(); ++slot) {
      Node& node = nodes_[static_cast<std::size_t>(index)].all[slot];
      count_inputs(node);
      set_entries(node);
    }
  }
}

/// Where a worker's patches begin.
std::size_t DataflowStepper::part(int level, int worker) const {
  const auto workers = static_cast<std::size_t>(backend_.workers());
  return hierarchy_.level(level).size() * static_cast<std::size_t>(worker) / workers;
}

/// Who waits for the patches of a level: siblings, children, and finer patches that read them.
void DataflowStepper::connect(int index) {
  const Level& level = hierarchy_.level(index);
  Nodes& own = nodes_[static_cast<std::size_t>(index)];
  const bool top = index + 1 == hierarchy_.max_levels();
  std::vector<std::uint32_t> edges(level.size() + 1, 0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    Node& node = own.all[slot];
    node.sibling_count = node.child_count = 0;
    node.coarse_edges = 0;
    for (const GhostSource& source : node.patch->ghost_sources) {
      if (source.kind == GhostSource::Kind::kSibling) {
        node.siblings[node.sibling_count++] = &own.all[static_cast<std::size_t>(source.slot)];
      } else if (source.kind == GhostSource::Kind::kCoarse) {
        ++node.coarse_edges;
      }
    }
    const std::int32_t parent = node.patch->parent_slot;
    node.parent =
        parent < 0
            ? nullptr
            : &nodes_[static_cast<std::size_t>(index - 1)].all[static_cast<std::size_t>(parent)];
    for (const std::int32_t child : node.patch->children) {
      if (child < 0) continue;
      node.children[node.child_count++] =
          &nodes_[static_cast<std::size_t>(index + 1)].all[static_cast<std::size_t>(child)];
    }
  }
  // Readers: counted, then laid side by side for each patch.
  const auto for_each_reader = [&](auto visit) {
    if (top) return;
    const Level& finer = hierarchy_.level(index + 1);
    for (std::size_t slot = 0; slot < finer.size(); ++slot) {
      for (const GhostSource& source : finer.patch(slot).ghost_sources) {
        if (source.kind == GhostSource::Kind::kCoarse) {
          visit(static_cast<std::size_t>(source.slot), slot);
        }
      }
    }
  };
  for_each_reader([&](std::size_t slot, std::size_t) { ++edges[slot]; });
  auto at = static_cast<std::uint32_t>(readers_.size());
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    own.all[slot].readers_begin = own.all[slot].readers_end = at;
    at += edges[slot];
    own.all[slot].blends = patches_.blends_in_time() && edges[slot] > 0;
  }
  readers_.resize(at);
  for_each_reader([&](std::size_t slot, std::size_t reader) {
    readers_[own.all[slot].readers_end++] =
        &nodes_[static_cast<std::size_t>(index + 1)].all[reader];
  });
}

void DataflowStepper::count_inputs(Node& node) {
  for (std::size_t parity = 0; parity < 2; ++parity) {
    const LevelStep step =
        patches_.clock().step(first_, node.patch->id().level, static_cast<int>(parity));
    std::int32_t& inputs = node.advance_inputs[parity];
    inputs = node.sibling_count + 1;
    if (!step.second_half() || patches_.blends_in_time()) inputs += node.coarse_edges;
    if (step.ends_coarse()) ++inputs;
  }
  node.blend_inputs = node.sibling_count + 1 + node.coarse_edges;
  node.finish_inputs = 1 + node.child_count;
  if (!patches_.reads_siblings_children()) return;
  for (std::size_t d = 0; d < node.sibling_count; ++d) {
    node.finish_inputs += node.siblings[d]->child_count + (node.siblings[d]->blends ? 1 : 0);
  }
}

void DataflowStepper::set_entries(Node& node) {
  // What stands when the window begins is not waited for: all states 0.
  const LevelStep second = patches_.clock().step(first_, node.patch->id().level, 1);
  const bool parent_is_there = second.ends_coarse() && second.coarse_number() == 0;
  // relaxed: the threads that use them are started later.
  node.advance[0].store(node.coarse_edges, std::memory_order_relaxed);
  node.advance[1].store(node.advance_inputs[1] - (parent_is_there ? 1 : 0),
                        std::memory_order_relaxed);
  for (std::size_t parity = 0; parity < 2; ++parity) {
    node.blend[parity].store(node.blend_inputs, std::memory_order_relaxed);
    node.finish[parity].store(node.finish_inputs, std::memory_order_relaxed);
  }
}

/// Starts those of a worker's patches that need not wait.
void DataflowStepper::start(int worker) {
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    const std::size_t end = part(index, worker + 1);
    for (std::size_t slot = part(index, worker); slot < end; ++slot) {
      Node& node = nodes_[static_cast<std::size_t>(index)].all[slot];
      if (node.coarse_edges == 0) group_->run([this, &node] { run({&node, 0, Piece::kAdvance}); });
    }
  }
}

/// Does a piece of work and goes on with one that it has made ready here; others get threads.
void DataflowStepper::run(Ready ready) {
  for (;;) {
    ReadyList made;
    execute(ready, made);
    if (made.all().empty()) return;
    const int here = runtime::this_thread::worker_index();
    for (const Ready& other : made.all()) {
      if (other.node->home == here) continue;
      group_->run_near(other.node->home, [this, other] { run(other); });
    }
    // A trace shows threads: each piece is one then.
    const bool all = backend_.is_tracing();
    const Ready* next = nullptr;
    for (const Ready& own : made.all()) {
      if (own.node->home != here) continue;
      if (next != nullptr) group_->run([this, other = *next] { run(other); });
      next = &own;
    }
    if (next == nullptr) return;
    ready = *next;
    if (all) return group_->run([this, ready] { run(ready); });
  }
}

void DataflowStepper::execute(const Ready& ready, ReadyList& made) {
  Node& node = *ready.node;
  backend_.name_thread(node.patch->id());
  const LevelStep step = patches_.clock().step(first_, node.patch->id().level, ready.number);
  switch (ready.piece) {
    case Piece::kAdvance:
      return advance(step, node, made);
    case Piece::kBlend:
      return blend(step, node, made);
    case Piece::kFinish:
      return finish(step, node, made);
  }
}

void DataflowStepper::advance(const LevelStep& step, Node& node, ReadyList& made) {
  const int n = step.number;
  const auto parity = static_cast<std::size_t>(n & 1);
  // relaxed: what comes for step n + 2 comes after state n + 1 of this patch.
  node.advance[parity].store(node.advance_inputs[parity], std::memory_order_relaxed);
  work(step, node, [&](WorkLedger::Work& counted) {
    patches_.fill_ghosts(step, node.slot);
    const double cfl = patches_.advance(step, node.slot);
    if (!patches_.serves(cfl)) failures_.keep({step, node.slot, cfl, nullptr});
    counted.count_updates(kPatchPoints);
  });
  for (std::uint32_t at = node.readers_begin; at < node.readers_end; ++at) {
    Node& reader = *readers_[at];
    const int number = step.finer_begin();
    arrive(reader.advance, {&reader, number, Piece::kAdvance}, node, WaitCause::kCoarser, made);
  }
  if (patches_.blends_in_time()) {
    for (std::size_t d = 0; d < node.sibling_count; ++d) {
      Node& sibling = *node.siblings[d];
      if (!sibling.blends) continue;
      arrive(sibling.blend, {&sibling, n, Piece::kBlend}, node, WaitCause::kSibling, made);
    }
    if (node.blends) {
      return arrive(node.blend, {&node, n, Piece::kBlend}, node, WaitCause::kSibling, made);
    }
  }
  complete(step, node, made);
}

void DataflowStepper::blend(const LevelStep& step, Node& node, ReadyList& made) {
  const int n = step.number;
  node.blend[static_cast<std::size_t>(n & 1)].store(node.blend_inputs, std::memory_order_relaxed);
  work(step, node, [&](WorkLedger::Work&) { patches_.fill_next_ghosts(step, node.slot); });
  for (std::uint32_t at = node.readers_begin; at < node.readers_end; ++at) {
    Node& reader = *readers_[at];
    for (int number = step.finer_begin(); number < step.finer_end(); ++number) {
      if (number != step.finer_begin()) {
        arrive(reader.advance, {&reader, number, Piece::kAdvance}, node, WaitCause::kCoarser, made);
      }
      if (reader.blends) {
        arrive(reader.blend, {&reader, number, Piece::kBlend}, node, WaitCause::kCoarser, made);
      }
    }
  }
  for (std::size_t d = 0; d < node.sibling_count; ++d) {
    Node& sibling = *node.siblings[d];
    if (!sibling.finishes) continue;
    arrive(sibling.finish, {&sibling, n, Piece::kFinish}, node, WaitCause::kSibling, made);
  }
  complete(step, node, made);
}

/// The patch itself has done all; its state is final when finer patches have done theirs.
void DataflowStepper::complete(const LevelStep& step, Node& node, ReadyList& made) {
  const int n = step.number;
  if (node.finishes) {
    arrive(node.finish, {&node, n, Piece::kFinish}, node, WaitCause::kChild, made);
  } else {
    make_final(step, node, made);
  }
}

void DataflowStepper::finish(const LevelStep& step, Node& node, ReadyList& made) {
  node.finish[static_cast<std::size_t>(step.number & 1)].store(node.finish_inputs,
                                                               std::memory_order_relaxed);
  work(step, node, [&](WorkLedger::Work&) { patches_.finish(step, node.slot); });
  make_final(step, node, made);
}

/// State n + 1 is final.
void DataflowStepper::make_final(const LevelStep& step, Node& node, ReadyList& made) {
  const int n = step.number + 1;
  // First those above and below, last the patch itself, with which the thread would go on.
  for (std::size_t child = 0; child < node.child_count; ++child) {
    Node& finer = *node.children[child];
    const int number = step.ratio * (n + 1) - 1;
    arrive(finer.advance, {&finer, number, Piece::kAdvance}, node, WaitCause::kParent, made);
  }
  if (step.ends_coarse()) {
    Node& parent = *node.parent;
    const int coarse = step.coarse_number();
    arrive(parent.finish, {&parent, coarse, Piece::kFinish}, node, WaitCause::kChild, made);
    if (patches_.reads_siblings_children()) {
      for (std::size_t d = 0; d < parent.sibling_count; ++d) {
        Node& other = *parent.siblings[d];
        if (!other.finishes) continue;
        arrive(other.finish, {&other, coarse, Piece::kFinish}, node, WaitCause::kChild, made);
      }
    }
  }
  for (std::size_t d = 0; d < node.sibling_count; ++d) {
    Node& sibling = *node.siblings[d];
    arrive(sibling.advance, {&sibling, n, Piece::kAdvance}, node, WaitCause::kSibling, made);
  }
  arrive(node.advance, {&node, n, Piece::kAdvance}, node, WaitCause::kSibling, made);
}

/// A piece of work, left out when the run has failed; what it throws is kept.
template <class Task>
void DataflowStepper::work(const LevelStep& step, Node& node, Task task) {
  WorkLedger::Work counted(ledger_, runtime::this_thread::worker_index(), step.base_step,
                           *node.patch);
  if (!failures_.makes_void(step)) {
    try {
      task(counted);
    } catch (...) {
      failures_.keep({step, node.slot, 0.0, std::current_exception()});
    }
  }
  node.done_at = counted.end();
}

/// One of the inputs of a piece of work is there; if it is the last one, the piece is ready, and
/// its patch has waited for whoever brought it.
void DataflowStepper::arrive(Entry& entry, const Ready& ready, const Node& from, WaitCause cause,
                             ReadyList& made) {
  // release: what this thread did comes before the piece; acquire: so does what the others did who
  // brought inputs.
  const auto parity = static_cast<std::size_t>(ready.number & 1);
  if (entry[parity].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (ready.number >= ready.node->steps) return;
  made.add(ready);
  // A patch that was busy itself until the end has not waited.
  if (from.done_at <= ready.node->done_at) return;
  const int level = ready.node->patch->id().level;
  const LevelStep step = patches_.clock().step(first_, level, ready.number);
  const int worker = runtime::this_thread::worker_index();
  ledger_.note_wait(
      worker, from.done_at - ready.node->done_at,
      {0.0, step.base_step, worker, cause, ready.node->patch->id(), from.patch->id()});
}

}  // namespace kumiko::amr
