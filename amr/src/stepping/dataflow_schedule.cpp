#include "stepping/dataflow_schedule.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include <kumiko/amr/placement.hpp>
#include <kumiko/amr/require.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::amr {

namespace {

constexpr std::size_t parity(int number) { return static_cast<std::size_t>(number & 1); }

}  // namespace

class DataflowSchedule::ReadyList {
 public:
  void add(const Ready& ready) {
    ensure(size_ < ready_.size(), "a piece has made more than {} pieces ready", size_);
    ready_[size_++] = ready;
  }
  std::span<const Ready> all() const { return {ready_.data(), size_}; }

 private:
  /// The patch itself, 8 siblings, their 32 children, the parent and its 8 siblings, each once.
  std::array<Ready, 64> ready_;
  std::size_t size_ = 0;
};

void DataflowSchedule::take(const Window& window) {
  window_ = &window;
  graph_.build(hierarchy_, pieces_.patches().rules());
  set_pending();
  runtime::TaskGroup group;
  group_ = &group;
  for (int worker = 0; worker < backend_.workers(); ++worker) {
    group.run_near(worker, [this, worker] { start(worker); });
  }
  group.wait();
}

/// Sets the counters for the window's first steps: what stands when it begins, all states 0, is not
/// waited for.
void DataflowSchedule::set_pending() {
  const std::uint64_t now = read_ticks();
  for (int level = 0; level < graph_.levels(); ++level) {
    const LevelStep second = window_->step(level, 1);
    const bool parent_is_there = second.ends_coarse() && second.coarse_number() == 0;
    const std::span<Node> nodes = graph_.level(level);
    set_homes(nodes, level);
    for (Node& node : nodes) {
      node.done_at = now;
      // relaxed: the threads that use them are started later.
      for (std::size_t kind = 0; kind < PatchGraph::kKinds; ++kind) {
        for (std::size_t half = 0; half < 2; ++half) {
          node.pending[kind][half].store(node.inputs[kind][half], std::memory_order_relaxed);
        }
      }
      auto& advance = node.pending[static_cast<std::size_t>(PieceKind::kAdvance)];
      advance[0].store(node.coarse_edges, std::memory_order_relaxed);
      if (parent_is_there) advance[1].fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

/// Says where the threads of a level's patches start; homes follow the order of the nodes.
void DataflowSchedule::set_homes(std::span<Node> nodes, int level) const {
  const int workers = backend_.workers();
  if (!pieces_.patches().is_weighted() || nodes.empty()) {
    for (Node& node : nodes) node.home = home_of(node.slot, nodes.size(), workers);
    return;
  }
  const double time = window_->step(level, 0).time;
  std::vector<double> weights;
  for (const Node& node : nodes)
    weights.push_back(pieces_.patches().weight(node.patch->id(), time));
  // In parts of the largest, whatever unit the solver gives them in: the sum is finite.
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0.0;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    nodes[at].home = weighted_home_of(before, weights[at], all, workers);
    before += weights[at];
  }
}

/// Starts those of a worker's patches that need not wait.
void DataflowSchedule::start(int worker) {
  for (int level = 0; level < graph_.levels(); ++level) {
    const std::span<Node> nodes = graph_.level(level);
    const auto is_before = [](const Node& node, int home) { return node.home < home; };
    auto node = std::lower_bound(nodes.begin(), nodes.end(), worker, is_before);
    for (; node != nodes.end() && node->home == worker; ++node) {
      if (node->coarse_edges != 0) continue;
      group_->run([this, first = &*node] { run({first, 0, PieceKind::kAdvance}); });
    }
  }
}

/// Does a piece of work and goes on with one that it has made ready here; others get threads.
void DataflowSchedule::run(Ready ready) {
  for (;;) {
    ReadyList made;
    execute(ready, made);
    if (made.all().empty()) return;
    const int here = runtime::this_thread::worker_index();
    for (const Ready& other : made.all()) {
      if (other.node->home == here) continue;
      group_->run_near(other.node->home, [this, other] { run(other); });
    }
    const Ready* next = nullptr;
    for (const Ready& own : made.all()) {
      if (own.node->home != here) continue;
      if (next != nullptr) group_->run([this, other = *next] { run(other); });
      next = &own;
    }
    if (next == nullptr) return;
    ready = *next;
  }
}

void DataflowSchedule::execute(const Ready& ready, ReadyList& made) {
  Node& node = *ready.node;
  const auto kind = static_cast<std::size_t>(ready.kind);
  const std::size_t half = parity(ready.number);
  // relaxed: what comes for step n + 2 comes after state n + 1 of this patch.
  node.pending[kind][half].store(node.inputs[kind][half], std::memory_order_relaxed);
  const Piece piece = piece_of(ready);
  node.done_at = pieces_.run(piece, runtime::this_thread::worker_index());
  graph_.for_each_successor(ready.kind, piece.step, node,
                            [&](Node& who, int number, PieceKind what, WaitCause cause) {
                              arrive({&who, number, what}, piece, node.done_at, cause, made);
                            });
}

/// One of the inputs of a piece of work is there; if it is the last one, the piece is ready, and
/// its patch has waited for whoever brought it.
void DataflowSchedule::arrive(const Ready& ready, const Piece& from, std::uint64_t done_at,
                              WaitCause cause, ReadyList& made) {
  Node& node = *ready.node;
  // release: what this thread did comes before the piece; acquire: so does what the others did who
  // brought inputs.
  auto& pending = node.pending[static_cast<std::size_t>(ready.kind)][parity(ready.number)];
  if (pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (ready.number >= window_->steps(node.level)) return;
  made.add(ready);
  // A patch that was busy itself until the end has not waited.
  if (done_at <= node.done_at) return;
  pieces_.observer().note_wait(runtime::this_thread::worker_index(), piece_of(ready), from, cause,
                               done_at - node.done_at);
}

}  // namespace kumiko::amr
