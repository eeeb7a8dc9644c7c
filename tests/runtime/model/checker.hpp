// A model checker for small concurrent programs on x86's and aarch64's weak memory.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "program.hpp"

/// Explores every execution of a Model on a machine with weak memory.
///
/// Each thread has a *window* of instructions that it has fetched and not yet retired, in program
/// order; whatever the machine permits is performed from it, in any order, on one memory:
///
/// kTso (x86). A thread fetches nothing behind a load, a read-modify-write or a barrier that is not
///   performed, so what waits in the window are stores only: the window is its store buffer. Stores
///   leave it first in, first out; loads look into it first; read-modify-writes, fences and
///   sequentially consistent stores wait until it is empty.
///
/// kArm (aarch64). Any instruction in the window may be performed unless it is held back by
///   - an earlier access to the same cell (a load reads from an earlier store in the window);
///   - a register it needs, for its address or its value;
///   - for stores: an earlier branch, or an earlier access to an unknown address;
///   - an earlier acquire, or, if it is a release itself, any earlier access; a sequentially
///     consistent load also by earlier sequentially consistent stores;
///   - a barrier.
///   Branches are guessed, and executions with a wrong guess are forgotten: the right guess is
///   explored as well, and nothing behind a guess is visible to others. A read-modify-write is an
///   exclusive pair: its load may be performed before what its release holds back, and what comes
///   behind its acquire may be performed before its store.
///
/// A membarrier interrupts the other threads one by one, in any order. An interrupted thread has
/// performed all that comes before some point of its program and nothing of what comes behind. But
/// that point is one of the compiled program: two instructions that are performed in the wrong
/// order may have been exchanged by the compiler, unless a compiler barrier is between them.
///
/// Simplifications. What makes the machine stronger than some real one might hide an error:
///   - Memory is multi-copy atomic. So are x86 and ARMv8; POWER is not.
///   - The window is finite (see kWindow), but long enough for each removed order to be noticed;
///     with one that is half as long again every test says the same.
///   - Loads of the same cell are performed in order. ARM may exchange them if they read the same
///     store, which only a third load that depends on them could notice.
///   - A read-modify-write does not read from its own thread's window, and of a pair on the same
///     cell one thread's fails where both have loaded; it tries again later, which is explored.
/// Others make it weaker than the real ones, so that they can only raise false alarms: an acquire
/// is LDAPR rather than LDAR, and a compiler would not exchange what depends on each other.
/// What only C++ forbids (undefined behaviour, out of thin air) is not modelled.
namespace kumiko::runtime::model {

enum class Machine : std::uint8_t { kTso, kArm };

/// What is left where no thread can go on.
class End {
 public:
  using Read = std::function<Value(int thread, int index)>;

  End(const Value* cells, Read registers, std::function<bool(int)> finished)
      : cells_(cells), registers_(std::move(registers)), finished_(std::move(finished)) {}

  int operator[](const Reg& result) const { return registers_(result.thread(), result.index()); }
  int operator[](Var variable) const { return cells_[variable.cell]; }
  bool finished(int thread) const { return finished_(thread); }

 private:
  const Value* cells_;
  Read registers_;
  std::function<bool(int)> finished_;
};

using Property = std::function<bool(const End&)>;

struct Verdict {
  bool holds;
  std::uint64_t states;
  std::uint64_t cuts;          ///< paths that an unrolled loop was too short for
  std::string counterexample;  ///< the steps to the end where the property does not hold
};

std::ostream& operator<<(std::ostream& out, const Verdict& verdict);

/// Whether `property` holds at every end.
Verdict explore(const Model& model, Machine machine, const Property& property);

/// Whether `property` holds at some end.
bool reachable(const Model& model, Machine machine, const Property& property);

}  // namespace kumiko::runtime::model
