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

/// Seconds from one look for messages to the next; a look takes one hundredth of it. Without looks
/// two ranks with base 1024 take a fifth longer, on a host of many cores.
constexpr double kLookEvery = 25e-6;

constexpr std::size_t parity(int number) { return static_cast<std::size_t>(number & 1); }

/// Of this machine, as far as it may be counted on: larger ones belong to many cores, whose
/// programs use them too.
std::size_t cache_bytes() {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  constexpr std::size_t kUnknown = std::size_t{32} << 20U;
  const std::size_t found = largest_cache("/");
  return found > 0 ? std::min(found, kMost) : kUnknown;
}

/// How many rows of a level have own patches; they are in canonical order, and there are some.
std::size_t rows_with_patches(std::span<const PatchId> ids, Slots own) {
  std::size_t rows = 1;
  for (std::size_t at = 1; at < own.size(); ++at) {
    if (ids[own[at]].j != ids[own[at - 1]].j) ++rows;
  }
  return rows;
}

}  // namespace

DataflowSchedule::DataflowSchedule(Hierarchy& hierarchy, Backend& backend, PieceRunner& pieces,
                                   ShadowExchange& shadows, std::size_t cache)
    : StepSchedule(hierarchy, backend, pieces, shadows),
      cache_(cache != 0 ? cache : cache_bytes()) {}

void DataflowSchedule::take(const Window& window) {
  window_ = &window;
  steps_at_once_.assign(static_cast<std::size_t>(hierarchy_.max_levels()), INT_MAX);
  graph_.build(
      hierarchy_.mesh(), pieces_.patches().rules(), [this](int level) { return deal_out(level); },
      shadows_.is_shared() ? hierarchy_.communicator() : BlockGraph::kEveryRank);
  set_pending();
  runtime::TaskGroup group;
  group_ = &group;
  if (shadows_.is_shared()) return take_shared();
  for (int worker = 0; worker < backend_.workers(); ++worker) {
    group.run_near(worker, [this, worker] { start_all(worker); });
  }
  group.wait();
}

/// The group may have no threads while blocks wait for messages, so their ends are counted.
/// Messages start threads of the group until the mailbox is closed, and nobody waits for the group
/// before.
void DataflowSchedule::take_shared() {
  std::size_t blocks = 0;
  for (const std::size_t of_level : this->blocks()) blocks += of_level;
  runtime::Entry<bool> over;
  over_ = over.token();
  blocks_left_ = blocks;
  is_over_ = blocks == 0;
  if (blocks == 0) over_.send(true);
  const double tick = pieces_.observer().seconds(1);
  look_every_ = tick > 0.0 ? static_cast<std::uint64_t>(kLookEvery / tick) : 0;
  Mailbox& mailbox = shadows_.mailbox();
  mailbox.begin();
  try {
    for (int worker = 0; worker < backend_.workers(); ++worker) {
      group_->run_near(worker, [this, worker] { start_all(worker); });
    }
    mailbox.open([this](std::int32_t, std::span<const std::byte> text) { read(text); });
    shadows_.send_first();
    while (!over.wait_for(Mailbox::kAskEvery)) shadows_.communicator().check_others();
    over.get();
    mailbox.close();
    group_->wait();
  } catch (...) {
    mailbox.abandon();
    // Nobody starts threads any more; those that there are end, and so does whoever has the token.
    group_->cancel();
    try {
      group_->wait();
    } catch (...) {
      // The first failure counts.
    }
    if (!is_over_.exchange(true)) over_.send(false);
    throw;
  }
}

/// The window cannot be ended.
void DataflowSchedule::fail(std::exception_ptr what) {
  if (!is_over_.exchange(true)) over_.send_exception(std::move(what));
}

/// A message tells of pieces that were done elsewhere.
void DataflowSchedule::read(std::span<const std::byte> text) {
  try {
    shadows_.read(*window_, text, [this](const ShadowExchange::Done& done) {
      Node* const node = graph_.foreign(done.step.level, done.slot);
      if (node == nullptr) return;
      const std::uint64_t now = read_ticks();
      const int here = runtime::this_thread::worker_index();
      const auto tell = [&](Node& who, int number, PieceKind what, WaitCause cause) {
        const Ready waiting{&who, number, what};
        if (arrive(waiting, *node, now, here, cause)) start(waiting);
      };
      if (done.is_first) return graph_.for_each_first(*node, tell);
      if (!done.ends_in_two) {
        return graph_.for_each_successor(done.kind, done.step, *node, tell);
      }
      graph_.for_each_before_end(done.kind, done.step, *node, tell);
      // acq_rel: what both messages have brought comes before what waits for the end. Nobody tells
      // of step n + 2 before those who wait have taken step n + 1.
      std::atomic<std::uint8_t>& ends = node->ends[parity(done.step.number)];
      if (ends.fetch_add(1, std::memory_order_acq_rel) == 0) return;
      ends.store(0, std::memory_order_relaxed);
      graph_.for_each_at_end(done.step, *node, tell);
    });
  } catch (...) {
    fail(std::current_exception());
  }
}

/// Counts a block that has done its last piece of the window.
void DataflowSchedule::end_block(const Node& node, const LevelStep& step, PieceKind kind) {
  if (step.number + 1 != window_->steps(node.level)) return;
  const PieceKind last = node.finishes ? PieceKind::kFinish
                         : node.blends ? PieceKind::kBlend
                                       : PieceKind::kAdvance;
  if (kind != last) return;
  // acq_rel: what all blocks have done comes before the window's end.
  if (blocks_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!is_over_.exchange(true)) over_.send(true);
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
  const Slots own = hierarchy_.level(level).own();
  if (own.empty()) return 0;
  const std::size_t bytes = own.size() * hierarchy_.shape().total_values() * sizeof(double);
  const std::size_t rows = rows_with_patches(ids, own);
  const auto in_time = blocks_in_time(own.size(), rows, bytes, cache_, workers);
  if (!in_time) return block_count(own.size(), workers);
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
      const std::int32_t messages = shadows_.is_shared() ? graph_.foreign_siblings(node) : 0;
      advance[0].store(node.sources + messages, std::memory_order_relaxed);
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
  std::vector<double> weights;
  for (const std::uint32_t slot : hierarchy_.level(level).own()) {
    weights.push_back(pieces_.patches().weight(ids[slot], time));
  }
  // In parts of the largest, whatever unit the solver gives them in: the sum is finite.
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0.0;
  for (Node& node : nodes) {
    double own = 0.0;
    for (std::size_t at = node.first; at < node.end; ++at) own += weights[at];
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
      const bool waits =
          node->sources != 0 || (shadows_.is_shared() && graph_.foreign_siblings(*node) != 0);
      if (!waits) start({&*node, 0, PieceKind::kAdvance});
    }
  }
}

/// Lets a block's thread wait at the block's home.
void DataflowSchedule::start(const Ready& ready) {
  group_->run_near(ready.node->home, [this, ready] { run(ready); });
}

/// Does a piece of a block and goes on with one that it has made ready here; others get threads.
void DataflowSchedule::run(const Ready& ready) {
  try {
    for (std::optional<Ready> next = ready; next;) next = execute(*next);
  } catch (...) {
    if (!shadows_.is_shared()) throw;
    fail(std::current_exception());
  }
}

/// \return the first of this worker's own pieces that it has made ready; it has started the others
std::optional<DataflowSchedule::Ready> DataflowSchedule::execute(const Ready& ready) {
  Node& node = *ready.node;
  const auto kind = static_cast<std::size_t>(ready.kind);
  const std::size_t half = parity(ready.number);
  // relaxed: what comes for step n + 2 comes after state n + 1 of this block.
  node.pending[kind][half].store(node.inputs[kind][half], std::memory_order_relaxed);
  const LevelStep step = window_->step(node.level, ready.number);
  node.done_at = take_piece(ready.kind, step, node);
  if (shadows_.is_shared()) shadows_.send(ready.kind, step, graph_.slots(node));
  const int here = runtime::this_thread::worker_index();  // sending may have suspended
  std::optional<Ready> next;
  const auto goes_on = [&](const Ready& waiting) {
    return waiting.kind != PieceKind::kAdvance || waiting.number == 0 ||
           waiting.number % steps_at_once_[waiting.node->level] != 0;
  };
  graph_.for_each_successor(ready.kind, step, node,
                            [&](Node& who, int number, PieceKind what, WaitCause cause) {
                              const Ready waiting{&who, number, what};
                              if (!arrive(waiting, node, node.done_at, here, cause)) return;
                              if (next || who.home != here || !goes_on(waiting))
                                return start(waiting);
                              next = waiting;
                            });
  if (shadows_.is_shared()) end_block(node, step, ready.kind);
  return next;
}

/// Does a piece of a block's patches; may suspend between them. \return when it ended, in ticks
std::uint64_t DataflowSchedule::take_piece(PieceKind kind, const LevelStep& step,
                                           const Node& node) {
  int worker = runtime::this_thread::worker_index();
  if (kind == PieceKind::kAdvance && pieces_.patches().has_list_kernel()) {
    return pieces_.run_list(step, graph_.slots(node), worker);
  }
  std::uint64_t done_at = node.done_at;
  for (const std::uint32_t slot : graph_.slots(node)) {
    if (!graph_.has(kind, node.level, slot)) continue;
    done_at = pieces_.run({kind, step, slot}, worker);
    if (!shadows_.is_shared()) continue;
    look_for_messages(done_at);
    worker = runtime::this_thread::worker_index();
  }
  return done_at;
}

/// Looks for messages if no worker has for a while, and lets those be read that have come.
void DataflowSchedule::look_for_messages(std::uint64_t now) {
  // relaxed: two workers who look at once do no harm. A later time of another worker is soon past.
  if (elapsed(looked_at_.load(std::memory_order_relaxed), now) < look_every_) {
    return runtime::this_thread::poll();
  }
  looked_at_.store(now, std::memory_order_relaxed);
  runtime::this_thread::poll_events();
}

/// One of the inputs of a piece of work is there; if it is the last one, the piece is ready, and
/// its block has waited for whoever brought it. \return whether it is, and one of the window's
/// \param done_at  when what it was waited for was done, or heard of
bool DataflowSchedule::arrive(const Ready& ready, const Node& from, std::uint64_t done_at,
                              int worker, WaitCause cause) {
  Node& node = *ready.node;
  if (node.foreign) return false;
  // release: what this thread did comes before the piece; acquire: so does what the others did who
  // brought inputs.
  auto& pending = node.pending[static_cast<std::size_t>(ready.kind)][parity(ready.number)];
  if (pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  if (ready.number >= window_->steps(node.level)) return false;
  // A block that was busy itself until the end has not waited.
  if (done_at <= node.done_at) return true;
  const auto patch_of = [&](const Node& block) {
    return hierarchy_.mesh().ids(block.level)[graph_.slots(block).front()];
  };
  pieces_.observer().note_wait(done_at - node.done_at,
                               {0.0, window_->step(node.level, ready.number).base_step, worker,
                                cause, patch_of(node), patch_of(from)});
  return true;
}

}  // namespace kumiko::amr
