#include "stepping/dataflow_schedule.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <optional>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "schedule/cache_size.hpp"

namespace kumiko::amr {

namespace {

constexpr std::size_t parity(int number) { return static_cast<std::size_t>(number & 1); }

/// Of this machine, as far as it may be counted on: larger ones belong to many cores, whose
/// programs use them too.
std::size_t cache_bytes() {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  constexpr std::size_t kUnknown = std::size_t{32} << 20U;
  const std::size_t found = largest_cache("/");
  return found > 0 ? std::min(found, kMost) : kUnknown;
}

/// How many rows of a level have patches; they are in canonical order, and there are some.
std::size_t rows_with_patches(std::span<const PatchId> ids) {
  std::size_t rows = 1;
  for (std::size_t slot = 1; slot < ids.size(); ++slot) {
    if (ids[slot].j != ids[slot - 1].j) ++rows;
  }
  return rows;
}

}  // namespace

DataflowSchedule::DataflowSchedule(Hierarchy& hierarchy, Backend& backend, PieceRunner& pieces,
                                   std::size_t cache)
    : StepSchedule(hierarchy, backend, pieces), cache_(cache != 0 ? cache : cache_bytes()) {}

void DataflowSchedule::take(const Window& window) {
  window_ = &window;
  steps_at_once_.assign(static_cast<std::size_t>(hierarchy_.max_levels()), INT_MAX);
  graph_.build(hierarchy_.mesh(), pieces_.patches().rules(),
               [this](int level) { return deal_out(level); });
  set_pending();
  runtime::TaskGroup group;
  group_ = &group;
  for (int worker = 0; worker < backend_.workers(); ++worker) {
    group.run_near(worker, [this, worker] { start_all(worker); });
  }
  group.wait();
}

std::vector<std::size_t> DataflowSchedule::blocks() const {
  std::vector<std::size_t> counts;
  for (int level = 0; level < graph_.levels(); ++level)
    counts.push_back(graph_.level(level).size());
  return counts;
}

/// Says how a level's blocks take their steps. \return how many blocks it has
std::size_t DataflowSchedule::deal_out(int level) {
  const std::span<const PatchId> ids = hierarchy_.mesh().ids(level);
  const int workers = backend_.workers();
  if (ids.empty()) return 0;
  const std::size_t bytes = ids.size() * hierarchy_.shape().total_values() * sizeof(double);
  const auto in_time = blocks_in_time(ids.size(), rows_with_patches(ids), bytes, cache_, workers);
  if (!in_time) return block_count(ids.size(), workers);
  steps_at_once_[static_cast<std::size_t>(level)] = in_time->steps;
  return in_time->blocks;
}

/// Sets the counters for the window's first steps: what stands when it begins, all states 0, is not
/// waited for.
void DataflowSchedule::set_pending() {
  const std::uint64_t now = read_ticks();
  for (int level = 0; level < graph_.levels(); ++level) {
    const LevelStep second = window_->step(level, 1);
    const bool parents_are_there = second.ends_coarse() && second.coarse_number() == 0;
    const std::span<Node> nodes = graph_.level(level);
    set_homes(nodes, level);
    for (Node& node : nodes) {
      node.done_at = now;
      // relaxed: the threads that use them are started later.
      for (std::size_t kind = 0; kind < BlockGraph::kKinds; ++kind) {
        for (std::size_t half = 0; half < 2; ++half) {
          node.pending[kind][half].store(node.inputs[kind][half], std::memory_order_relaxed);
        }
      }
      auto& advance = node.pending[static_cast<std::size_t>(PieceKind::kAdvance)];
      advance[0].store(node.sources, std::memory_order_relaxed);
      if (parents_are_there) advance[1].fetch_sub(node.parents, std::memory_order_relaxed);
    }
  }
}

/// Says where the threads of a level's blocks start; homes follow the order of the nodes.
void DataflowSchedule::set_homes(std::span<Node> nodes, int level) const {
  const int workers = backend_.workers();
  if (!pieces_.patches().is_weighted() || nodes.empty()) {
    for (Node& node : nodes) node.home = home_of(node.index, nodes.size(), workers);
    return;
  }
  const double time = window_->step(level, 0).time;
  const std::span<const PatchId> ids = hierarchy_.mesh().ids(level);
  std::vector<double> weights(ids.size());
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    weights[slot] = pieces_.patches().weight(ids[slot], time);
  }
  // In parts of the largest, whatever unit the solver gives them in: the sum is finite.
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0.0;
  for (Node& node : nodes) {
    double own = 0.0;
    for (std::size_t slot = node.first; slot < node.end; ++slot) own += weights[slot];
    node.home = weighted_home_of(before, own, all, workers);
    before += own;
  }
}

/// Starts those of a worker's blocks that need not wait.
void DataflowSchedule::start_all(int worker) {
  for (int level = 0; level < graph_.levels(); ++level) {
    const std::span<Node> nodes = graph_.level(level);
    const auto is_before = [](const Node& node, int home) { return node.home < home; };
    auto node = std::lower_bound(nodes.begin(), nodes.end(), worker, is_before);
    for (; node != nodes.end() && node->home == worker; ++node) {
      if (node->sources == 0) start({&*node, 0, PieceKind::kAdvance});
    }
  }
}

/// Lets a block's thread wait at the block's home.
void DataflowSchedule::start(const Ready& ready) {
  group_->run_near(ready.node->home, [this, ready] { run(ready); });
}

/// Does a piece of a block and goes on with one that it has made ready here; others get threads.
void DataflowSchedule::run(const Ready& ready) {
  for (std::optional<Ready> next = ready; next;) next = execute(*next);
}

/// \return the first of this worker's own pieces that it has made ready; it has started the others
std::optional<DataflowSchedule::Ready> DataflowSchedule::execute(const Ready& ready) {
  Node& node = *ready.node;
  const auto kind = static_cast<std::size_t>(ready.kind);
  const std::size_t half = parity(ready.number);
  // relaxed: what comes for step n + 2 comes after state n + 1 of this block.
  node.pending[kind][half].store(node.inputs[kind][half], std::memory_order_relaxed);
  const LevelStep step = window_->step(node.level, ready.number);
  const int here = runtime::this_thread::worker_index();
  node.done_at = take_piece(ready.kind, step, node, here);
  std::optional<Ready> next;
  const auto goes_on = [&](const Ready& waiting) {
    return waiting.kind != PieceKind::kAdvance || waiting.number == 0 ||
           waiting.number % steps_at_once_[waiting.node->level] != 0;
  };
  graph_.for_each_successor(ready.kind, step, node,
                            [&](Node& who, int number, PieceKind what, WaitCause cause) {
                              const Ready waiting{&who, number, what};
                              if (!arrive(waiting, node, here, cause)) return;
                              if (next || who.home != here || !goes_on(waiting))
                                return start(waiting);
                              next = waiting;
                            });
  return next;
}

/// Does a piece of a block's patches. \return when it ended, in ticks
std::uint64_t DataflowSchedule::take_piece(PieceKind kind, const LevelStep& step, const Node& node,
                                           int worker) {
  if (kind == PieceKind::kAdvance && pieces_.patches().has_list_kernel()) {
    return pieces_.run_list(step, node.first, node.end, worker);
  }
  std::uint64_t done_at = node.done_at;
  for (std::size_t slot = node.first; slot < node.end; ++slot) {
    if (graph_.has(kind, node.level, slot)) done_at = pieces_.run({kind, step, slot}, worker);
  }
  return done_at;
}

/// One of the inputs of a piece of work is there; if it is the last one, the piece is ready, and
/// its block has waited for whoever brought it. \return whether it is, and one of the window's
bool DataflowSchedule::arrive(const Ready& ready, const Node& from, int worker, WaitCause cause) {
  Node& node = *ready.node;
  // release: what this thread did comes before the piece; acquire: so does what the others did who
  // brought inputs.
  auto& pending = node.pending[static_cast<std::size_t>(ready.kind)][parity(ready.number)];
  if (pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  if (ready.number >= window_->steps(node.level)) return false;
  // A block that was busy itself until the end has not waited.
  if (from.done_at <= node.done_at) return true;
  const auto patch_of = [&](const Node& block) {
    return hierarchy_.mesh().ids(block.level)[block.first];
  };
  pieces_.observer().note_wait(from.done_at - node.done_at,
                               {0.0, window_->step(node.level, ready.number).base_step, worker,
                                cause, patch_of(node), patch_of(from)});
  return true;
}

}  // namespace kumiko::amr
