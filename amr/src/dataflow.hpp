// Stepping without barriers: every patch goes on as soon as what it needs is there.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "first_failure.hpp"
#include "patch_stepper.hpp"
#include "work_ledger.hpp"

namespace kumiko::amr {

/// Every patch has entries that count what its next piece of work still waits for; whoever brings
/// the last of it starts the patch's thread. A patch that waits holds no stack; a thread goes on
/// with what it has made ready of its own worker's patches (docs/decisions/012-dataflow.md).
/// Threads start at their patch's home: of every level a worker has an equal part, so that at any
/// time all have as much to do, whatever a patch of each level costs, and find its data in their
/// caches. Idle workers steal.
///
/// A patch takes r steps in one of the level below (2, or 1 without subcycling); n is a step's
/// number in the window, N = n / r that of the coarser level's step. Time is blended when ghosts
/// are linear or quadratic in it. The pieces of step n, and what each waits for:
///
///   advance  fills the ghosts of state n and computes state n + 1
///     (a) state n of the patch itself and of its siblings is final
///     (b) when n begins step N: the coarser patches that its ghosts come from have advanced, so
///         that their ghosts of state N are filled; else, blending in time only: they have blended
///     (c) when n ends step N: state N of its parent is final, since state n - 1 is overwritten,
///         which the parent took over before
///   blend    blending in time only, for patches that finer ones interpolate from: fills the
///            ghosts of the unrestricted state n + 1
///     (d) the patch and its siblings have advanced; the coarser patches of (b) have blended
///   finish   for patches with children, or with fluxes to correct: restricts, refluxes
///     (e) the patch has advanced and, where it has to, blended; its children have reached the time
///     (f) blending in time or with fluxes: its siblings' children have, and its siblings have
///         blended, for both read the unrestricted state or give it their fluxes
///
/// State n + 1 is final after the last piece of step n. That nobody overwrites what is still read:
/// a patch has two states, and step n overwrites state n - 1. Its readers are the siblings' step
/// n - 1, over by (a); finer patches, children of it or of its siblings, in steps up to rn - 1,
/// over by (a) and (e); the parent, by (c). Each piece waits for an earlier time, or for the same
/// time and a coarser level, or for children within the same step; so nobody waits in a circle.
///
/// An entry may get what step n + 1 waits for before step n is taken, but never more: what n + 2
/// waits for comes after the patch's own state n + 1. Hence two of each, by parity; an entry is set
/// for step n + 2 when the piece of step n begins.
class DataflowStepper {
 public:
  DataflowStepper(Hierarchy& hierarchy, Backend& backend, const PatchStepper& patches,
                  WorkLedger& ledger, FirstFailure& failures);

  /// Takes all levels through base steps first .. first + count - 1; in the backend's driver. When
  /// a step fails, `failures` says so, and later base steps are not computed.
  void advance(int first, int count);

  /// Bytes that it holds.
  std::size_t bytes() const;

 private:
  enum class Piece : std::uint8_t { kAdvance, kBlend, kFinish };

  /// Counts down to what is there; by parity of the step.
  using Entry = std::array<std::atomic<std::int32_t>, 2>;

  /// A patch, its entries, and who waits for it.
  struct alignas(64) Node {
    Entry advance;
    Entry blend;
    Entry finish;
    std::uint64_t done_at = 0;  ///< when its latest piece ended
    Patch* patch = nullptr;
    std::size_t slot = 0;
    int home = 0;                                ///< the worker that its threads start at
    int steps = 0;                               ///< in the window
    std::array<std::int32_t, 2> advance_inputs;  ///< of a step, by parity
    std::int32_t coarse_edges = 0;
    std::int32_t finish_inputs = 0;
    std::int32_t blend_inputs = 0;
    /// Finer patches whose ghosts come from it, one for each direction.
    std::uint32_t readers_begin = 0;
    std::uint32_t readers_end = 0;
    std::uint8_t sibling_count = 0;
    std::uint8_t child_count = 0;
    bool blends = false;
    bool finishes = false;
    Node* parent = nullptr;
    std::array<Node*, 8> siblings;
    std::array<Node*, 4> children;
  };
  struct Nodes {
    std::unique_ptr<Node[]> all;
    std::size_t capacity = 0;
  };

  struct Ready {
    Node* node;
    int number;
    Piece piece;
  };
  /// What a piece of work has made ready.
  class ReadyList;

  void make_nodes();
  void connect(int level);
  void count_inputs(Node& node);
  void set_entries(Node& node);
  std::size_t part(int level, int worker) const;
  void start(int worker);
  void run(Ready ready);
  void execute(const Ready& ready, ReadyList& made);
  void advance(const LevelStep& step, Node& node, ReadyList& made);
  void blend(const LevelStep& step, Node& node, ReadyList& made);
  void finish(const LevelStep& step, Node& node, ReadyList& made);
  void complete(const LevelStep& step, Node& node, ReadyList& made);
  void make_final(const LevelStep& step, Node& node, ReadyList& made);
  template <class Task>
  void work(const LevelStep& step, Node& node, Task task);
  void arrive(Entry& entry, const Ready& ready, const Node& from, WaitCause cause, ReadyList& made);

  Hierarchy& hierarchy_;
  Backend& backend_;
  const PatchStepper& patches_;
  WorkLedger& ledger_;
  FirstFailure& failures_;
  std::vector<Nodes> nodes_;  ///< by level and slot
  std::vector<Node*> readers_;
  runtime::TaskGroup* group_ = nullptr;
  int first_ = 0;
  int count_ = 0;
};

}  // namespace kumiko::amr
