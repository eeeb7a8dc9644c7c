#include "checker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace kumiko::runtime::model {

namespace {

using Kind = Instruction::Kind;

constexpr int kWindow = 8;  ///< instructions from the oldest that is not performed
constexpr int kMaxCells = 24;
constexpr int kMaxThreads = 4;
constexpr int kMaxRegisters = 120;
constexpr int kUnknown = -1;
constexpr std::int16_t kMemory = -1;

enum Phase : std::int8_t {
  kWaiting,
  kHalf,  ///< a read-modify-write that has loaded, and not yet stored
  kPerformed
};

struct Entry {
  std::int16_t pc;
  std::int8_t phase;
  std::int8_t detail;   ///< a branch's guess, or the cell of an access that is at least half done
  std::int16_t source;  ///< the store in the window that a load read from, or kMemory
};

struct ThreadState {
  std::int16_t next;
  std::int16_t count;
  std::array<Entry, kWindow> window;
  std::array<Value, kMaxRegisters> registers;
};

/// Without padding and with unused parts zero, so that its bytes can be hashed.
struct State {
  std::array<Value, kMaxCells> cells;
  std::array<ThreadState, kMaxThreads> threads;
};

/// The hashes of the states seen. Two states with the same 64 bits would be taken for one, which
/// for ten million states happens once in a hundred thousand explorations.
class Seen {
 public:
  /// Returns whether it is new.
  bool insert(std::uint64_t hash) {
    if (2 * ++size_ > slots_.size()) grow();
    return put(slots_, hash | 1);
  }

 private:
  static bool put(std::vector<std::uint64_t>& slots, std::uint64_t hash) {
    for (std::size_t i = hash >> 20;; ++i) {
      std::uint64_t& slot = slots[i & (slots.size() - 1)];
      if (slot == hash) return false;
      if (slot != 0) continue;
      slot = hash;
      return true;
    }
  }

  void grow() {
    std::vector<std::uint64_t> larger(4 * slots_.size());
    for (const std::uint64_t hash : slots_) {
      if (hash != 0) put(larger, hash);
    }
    slots_.swap(larger);
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1U << 12);
  std::size_t size_ = 0;
};

enum class Readiness { kReady, kHeldBack, kInConflict };

class Explorer {
 public:
  Explorer(const Model& model, Machine machine, const Property& property);

  Verdict run();

 private:
  bool visit(const State& state);
  bool step(const State& state, int thread, int place);

  void settle(State state, int thread, std::vector<State>& settled);
  enum class Local { kProgress, kNothing, kDeadEnd };
  Local decide(ThreadState& self, int thread);
  bool retire(ThreadState& self, int thread);
  bool is_full(const ThreadState& self, int thread) const;
  void forget_dead_registers(ThreadState& self, int thread) const;

  Readiness readiness(const State& state, int thread, int place) const;
  Readiness load_readiness(const State& state, int thread, int place) const;
  Readiness store_readiness(const State& state, int thread, int place) const;
  bool is_overtaken(const ThreadState& self, int thread, int place, int cell) const;
  bool is_reserved(const State& state, int thread, int cell) const;
  bool can_be_interrupted(const State& state, int thread) const;
  void perform(State& state, int thread, int place) const;
  bool is_of_no_concern_to_others(const State& state, int thread) const;

  const Instruction& at(int thread, const Entry& entry) const {
    return programs_[thread]->instructions()[static_cast<std::size_t>(entry.pc)];
  }
  int size(int thread) const { return static_cast<int>(programs_[thread]->instructions().size()); }
  /// kUnknown where a register is missing.
  static int cell_of(const Instruction& instruction, const ThreadState& self) {
    const Value cell = instruction.place.cell.evaluate(self.registers.data());
    return cell == kUnset ? kUnknown : cell;
  }
  std::uint64_t hash(const State& state) const noexcept;
  std::string describe(const State& after, int thread, const Entry& entry) const;
  void find_uses();

  const Model& model_;
  const bool tso_;
  const Property& property_;
  std::vector<const Thread*> programs_;
  std::vector<std::vector<int>> last_use_;     ///< by thread and register
  std::array<unsigned, kMaxCells> readers_{};  ///< by cell, one bit for each thread
  std::array<unsigned, kMaxCells> writers_{};
  Seen seen_;
  Verdict verdict_{true, 0, 0, {}};
  std::vector<std::string> trace_;
};

bool is_access(Kind kind) noexcept {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kReadModifyWrite;
}

/// Whether a read-modify-write that has read `value` stores.
bool stores(const Instruction& instruction, Value value) noexcept {
  return instruction.expected == kUnset || instruction.expected == value;
}

/// Whether an instruction that is not performed holds back all that is behind it.
bool is_barrier(const Instruction& instruction, const Entry& entry, bool tso) noexcept {
  switch (instruction.kind) {
    case Kind::kLoad:
      return tso || acquires(instruction.order);
    case Kind::kReadModifyWrite:
      return tso || (acquires(instruction.order) && entry.phase == kWaiting);
    case Kind::kStore:
      return tso && instruction.order == Order::kSeqCst;
    case Kind::kFence:
    case Kind::kInterrupt:
    case Kind::kKernel:
    case Kind::kCut:
      return true;
    default:
      return false;
  }
}

Explorer::Explorer(const Model& model, Machine machine, const Property& property)
    : model_(model), tso_(machine == Machine::kTso), property_(property) {
  for (const Thread& thread : model.threads()) {
    programs_.push_back(&thread);
    if (thread.registers() > kMaxRegisters) throw std::length_error("too many registers");
  }
  if (programs_.size() > kMaxThreads) throw std::length_error("too many threads");
  if (model.cells().size() > kMaxCells) throw std::length_error("too many cells");
  find_uses();
}

/// What nobody reads again makes no difference, and what nobody else touches no interleavings.
void Explorer::find_uses() {
  for (std::size_t t = 0; t < programs_.size(); ++t) {
    const Thread& program = *programs_[t];
    std::vector<int> last(static_cast<std::size_t>(program.registers()), -1);
    for (int reg = 0; reg < program.registers(); ++reg) {
      if (program.is_result(reg)) last[static_cast<std::size_t>(reg)] = INT16_MAX;
    }
    int pc = 0;
    for (const Instruction& instruction : program.instructions()) {
      const auto note = [&](int reg) {
        int& use = last[static_cast<std::size_t>(reg)];
        use = std::max(use, pc);
      };
      instruction.place.cell.for_each_register(note);
      instruction.value.for_each_register(note);
      ++pc;
      const bool loads = instruction.kind == Kind::kLoad;
      for (int cell = instruction.place.first; cell <= instruction.place.last; ++cell) {
        (loads ? readers_ : writers_)[static_cast<std::size_t>(cell)] |= 1U << t;
      }
    }
    last_use_.push_back(std::move(last));
  }
}

Verdict Explorer::run() {
  State initial{};
  std::copy(model_.cells().begin(), model_.cells().end(), initial.cells.begin());
  for (ThreadState& thread : initial.threads) thread.registers.fill(kUnset);
  std::vector<State> states{initial};
  for (std::size_t t = 0; t < programs_.size(); ++t) {
    std::vector<State> settled;
    for (const State& state : states) settle(state, static_cast<int>(t), settled);
    states.swap(settled);
  }
  for (const State& state : states) {
    if (!visit(state)) break;
  }
  std::reverse(trace_.begin(), trace_.end());
  for (const std::string& line : trace_) verdict_.counterexample += "  " + line + "\n";
  return verdict_;
}

/// Returns whether the property holds at every end behind.
bool Explorer::visit(const State& state) {
  if (!seen_.insert(hash(state))) return true;
  ++verdict_.states;
  const int threads = static_cast<int>(programs_.size());
  for (int t = 0; t < threads; ++t) {
    if (is_of_no_concern_to_others(state, t)) return step(state, t, 0);
  }
  bool is_end = true;
  for (int t = 0; t < threads; ++t) {
    const int count = state.threads[static_cast<std::size_t>(t)].count;
    for (int i = 0; i < count; ++i) {
      const Readiness readiness = this->readiness(state, t, i);
      if (readiness != Readiness::kHeldBack) is_end = false;
      if (readiness == Readiness::kInConflict && tso_) {
        throw std::logic_error("a conflict on a machine that performs loads in order");
      }
      if (readiness == Readiness::kReady && !step(state, t, i)) return false;
    }
  }
  if (!is_end) return true;
  const End end(
      state.cells.data(),
      [&](int t, int r) {
        return state.threads[static_cast<std::size_t>(t)].registers[static_cast<std::size_t>(r)];
      },
      [&](int t) {
        const ThreadState& thread = state.threads[static_cast<std::size_t>(t)];
        return thread.count == 0 && thread.next == size(t);
      });
  verdict_.holds = property_(end);
  return verdict_.holds;
}

bool Explorer::step(const State& state, int thread, int place) {
  const auto t = static_cast<std::size_t>(thread);
  State after = state;
  perform(after, thread, place);
  std::vector<State> settled;
  settle(after, thread, settled);
  for (const State& next : settled) {
    if (visit(next)) continue;
    const Entry entry = state.threads[t].window[static_cast<std::size_t>(place)];
    trace_.push_back(describe(after, thread, entry));
    return false;
  }
  return true;
}

// --- What a thread does by itself ----------------------------------------------------------------

/// Does what needs no access to memory, and fetches as much as the window holds. Fetching early is
/// no restriction, since nothing is held back by what comes behind it.
void Explorer::settle(State state, int thread, std::vector<State>& settled) {
  ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  for (;;) {
    const Local decided = decide(self, thread);
    if (decided == Local::kDeadEnd) return;
    const bool retired = retire(self, thread);
    if (decided == Local::kProgress || retired) continue;
    if (self.next == size(thread) || is_full(self, thread)) break;
    Entry& entry = self.window[static_cast<std::size_t>(self.count++)];
    entry = {self.next, kWaiting, static_cast<std::int8_t>(kUnknown), kMemory};
    const Instruction& fetched = at(thread, entry);
    ++self.next;
    if (fetched.kind == Kind::kCompilerBarrier) entry.phase = kPerformed;
    if (fetched.kind != Kind::kBranch) continue;
    const Value condition = fetched.value.evaluate(self.registers.data());
    entry.detail = condition != 0 ? 1 : 0;
    if (condition == kUnset) settle(state, thread, settled);
    if (condition == kUnset) entry.detail = 0;
    if (entry.detail == 0) self.next = static_cast<std::int16_t>(fetched.target);
  }
  forget_dead_registers(self, thread);
  settled.push_back(state);
}

/// Sets registers and follows branches whose operands are known now.
Explorer::Local Explorer::decide(ThreadState& self, int thread) {
  Local result = Local::kNothing;
  for (int i = 0; i < self.count; ++i) {
    Entry& entry = self.window[static_cast<std::size_t>(i)];
    const Instruction& instruction = at(thread, entry);
    if (entry.phase == kPerformed) continue;
    if (instruction.kind == Kind::kCut && i == 0) {
      ++verdict_.cuts;
      return Local::kDeadEnd;
    }
    if (instruction.kind != Kind::kBranch && instruction.kind != Kind::kSet) continue;
    const Value value = instruction.value.evaluate(self.registers.data());
    if (value == kUnset) continue;
    if (instruction.kind == Kind::kSet) {
      self.registers[static_cast<std::size_t>(instruction.reg)] = value;
    } else if (entry.detail != (value != 0 ? 1 : 0)) {
      return Local::kDeadEnd;  // a wrong guess
    }
    entry.phase = kPerformed;
    result = Local::kProgress;
  }
  return result;
}

bool Explorer::retire(ThreadState& self, int thread) {
  // Nothing is interrupted between instructions that have all been performed, and a branch or a
  // register that has been set holds nothing back.
  const auto is_done = [&](int i, const Entry& entry) {
    const Kind kind = at(thread, entry).kind;
    return entry.phase == kPerformed && (i == 0 || kind == Kind::kSet || kind == Kind::kBranch);
  };
  int kept = 0;
  for (int i = 0; i < self.count; ++i) {
    const Entry entry = self.window[static_cast<std::size_t>(i)];
    if (!is_done(kept, entry)) self.window[static_cast<std::size_t>(kept++)] = entry;
  }
  const bool retired = kept != self.count;
  for (int i = kept; i < self.count; ++i) self.window[static_cast<std::size_t>(i)] = {};
  self.count = static_cast<std::int16_t>(kept);
  return retired;
}

bool Explorer::is_full(const ThreadState& self, int thread) const {
  if (self.count == kWindow) return true;
  if (self.count == 0) return false;
  const Entry& last = self.window[static_cast<std::size_t>(self.count - 1)];
  if (last.phase == kPerformed) return false;
  const Instruction& instruction = at(thread, last);
  if (!is_barrier(instruction, last, tso_)) return false;
  // The interrupts of one membarrier are fetched together, so that any may come first.
  if (instruction.kind != Kind::kInterrupt || self.next == size(thread)) return true;
  return at(thread, {self.next, kWaiting, 0, kMemory}).kind != Kind::kInterrupt;
}

void Explorer::forget_dead_registers(ThreadState& self, int thread) const {
  const int oldest = self.count == 0 ? self.next : self.window[0].pc;
  const std::vector<int>& last_use = last_use_[static_cast<std::size_t>(thread)];
  for (std::size_t reg = 0; reg < last_use.size(); ++reg) {
    if (last_use[reg] < oldest) self.registers[reg] = kUnset;
  }
}

// --- What the machine permits --------------------------------------------------------------------

Readiness Explorer::readiness(const State& state, int thread, int place) const {
  const ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  const Entry& entry = self.window[static_cast<std::size_t>(place)];
  if (entry.phase == kPerformed) return Readiness::kHeldBack;
  const Instruction& instruction = at(thread, entry);
  bool first = true;
  for (int i = 0; i < place; ++i) {
    const Entry& earlier = self.window[static_cast<std::size_t>(i)];
    if (earlier.phase == kPerformed) continue;
    const Instruction& other = at(thread, earlier);
    if (other.kind == Kind::kInterrupt && instruction.kind == Kind::kInterrupt) continue;
    if (is_barrier(other, earlier, tso_)) return Readiness::kHeldBack;
    first = false;
  }
  switch (instruction.kind) {
    case Kind::kLoad:
      return load_readiness(state, thread, place);
    case Kind::kStore:
      return store_readiness(state, thread, place);
    case Kind::kReadModifyWrite:
      if (tso_ && !first) return Readiness::kHeldBack;
      return entry.phase == kHalf ? store_readiness(state, thread, place)
                                  : load_readiness(state, thread, place);
    case Kind::kFence:
      return first ? Readiness::kReady : Readiness::kHeldBack;
    case Kind::kInterrupt:
      return first && can_be_interrupted(state, instruction.target) ? Readiness::kReady
                                                                    : Readiness::kHeldBack;
    case Kind::kKernel: {
      if (!first) return Readiness::kHeldBack;
      std::array<Value, kMaxCells> cells = state.cells;
      return instruction.step(cells.data()) ? Readiness::kReady : Readiness::kHeldBack;
    }
    default:
      return Readiness::kHeldBack;
  }
}

/// Whether an access to `cell` comes too late, as a later one to the same cell, which did not know,
/// has been performed. The execution where the two come in order is explored as well.
bool Explorer::is_overtaken(const ThreadState& self, int thread, int place, int cell) const {
  const Entry& entry = self.window[static_cast<std::size_t>(place)];
  for (int i = place + 1; i < self.count; ++i) {
    const Entry& later = self.window[static_cast<std::size_t>(i)];
    if (later.phase == kWaiting || !is_access(at(thread, later).kind)) continue;
    // Not so if it has read from a store at or behind this place.
    if (later.detail == cell && later.source < entry.pc) return true;
  }
  return false;
}

/// Whether another thread is between the load and the store of a read-modify-write of `cell`.
bool Explorer::is_reserved(const State& state, int thread, int cell) const {
  for (std::size_t t = 0; t < programs_.size(); ++t) {
    if (t == static_cast<std::size_t>(thread)) continue;
    const ThreadState& other = state.threads[t];
    for (int i = 0; i < other.count; ++i) {
      const Entry& entry = other.window[static_cast<std::size_t>(i)];
      if (entry.phase == kHalf && entry.detail == cell) return true;
    }
  }
  return false;
}

/// Also of the load of a read-modify-write.
Readiness Explorer::load_readiness(const State& state, int thread, int place) const {
  const ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& load = at(thread, self.window[static_cast<std::size_t>(place)]);
  const bool is_half = load.kind == Kind::kReadModifyWrite;
  const int cell = cell_of(load, self);
  if (cell == kUnknown) return Readiness::kHeldBack;
  bool forwarded = false;
  for (int i = place - 1; i >= 0; --i) {
    const Entry& earlier = self.window[static_cast<std::size_t>(i)];
    const Instruction& other = at(thread, earlier);
    if (earlier.phase == kPerformed || !is_access(other.kind)) continue;
    if (load.order == Order::kSeqCst && other.kind != Kind::kLoad &&
        other.order == Order::kSeqCst) {
      return Readiness::kHeldBack;
    }
    if (forwarded || cell_of(other, self) != cell) continue;
    if (is_half || other.kind != Kind::kStore) return Readiness::kHeldBack;
    if (other.value.evaluate(self.registers.data()) == kUnset) return Readiness::kHeldBack;
    forwarded = true;
  }
  if (is_overtaken(self, thread, place, cell)) return Readiness::kInConflict;
  if (!is_half) return Readiness::kReady;
  if (is_reserved(state, thread, cell)) return Readiness::kInConflict;
  const Value awaited = load.awaited.evaluate(self.registers.data());
  const bool waits = awaited != kUnset && awaited != state.cells[static_cast<std::size_t>(cell)];
  return waits ? Readiness::kHeldBack : Readiness::kReady;
}

/// Also of the store of a read-modify-write.
Readiness Explorer::store_readiness(const State& state, int thread, int place) const {
  const ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  const Instruction& store = at(thread, self.window[static_cast<std::size_t>(place)]);
  const int cell = cell_of(store, self);
  if (cell == kUnknown || store.value.evaluate(self.registers.data()) == kUnset) {
    return Readiness::kHeldBack;
  }
  for (int i = 0; i < place; ++i) {
    const Entry& earlier = self.window[static_cast<std::size_t>(i)];
    const Instruction& other = at(thread, earlier);
    if (earlier.phase == kPerformed) continue;
    if (tso_ || other.kind == Kind::kBranch) return Readiness::kHeldBack;
    if (!is_access(other.kind)) continue;
    if (releases(store.order)) return Readiness::kHeldBack;
    const int other_cell = cell_of(other, self);
    if (other_cell == kUnknown || other_cell == cell) return Readiness::kHeldBack;
  }
  // The other's pair would fail, and its load come again, behind this store.
  const bool conflict = is_overtaken(self, thread, place, cell) || is_reserved(state, thread, cell);
  return conflict ? Readiness::kInConflict : Readiness::kReady;
}

bool Explorer::can_be_interrupted(const State& state, int thread) const {
  const ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  bool waiting = false;
  bool waiting_before_barrier = false;
  for (int i = 0; i < self.count; ++i) {
    const Entry& entry = self.window[static_cast<std::size_t>(i)];
    if (entry.phase == kHalf) return false;
    if (at(thread, entry).kind == Kind::kCompilerBarrier) {
      waiting_before_barrier = waiting;
    } else if (entry.phase == kWaiting) {
      waiting = true;
    } else if (waiting_before_barrier) {
      return false;
    }
  }
  return true;
}

void Explorer::perform(State& state, int thread, int place) const {
  ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  Entry& entry = self.window[static_cast<std::size_t>(place)];
  const Instruction& instruction = at(thread, entry);
  const bool loads = instruction.kind == Kind::kLoad ||
                     (instruction.kind == Kind::kReadModifyWrite && entry.phase == kWaiting);
  entry.phase = instruction.kind == Kind::kReadModifyWrite && loads ? kHalf : kPerformed;
  if (instruction.kind == Kind::kKernel) instruction.step(state.cells.data());
  if (!is_access(instruction.kind)) return;
  const int cell = cell_of(instruction, self);
  entry.detail = static_cast<std::int8_t>(cell);
  Value& memory = state.cells[static_cast<std::size_t>(cell)];
  if (loads) {
    Value value = memory;
    for (int i = 0; i < place; ++i) {
      const Entry& earlier = self.window[static_cast<std::size_t>(i)];
      const Instruction& store = at(thread, earlier);
      if (earlier.phase == kWaiting && store.kind == Kind::kStore && cell_of(store, self) == cell) {
        value = store.value.evaluate(self.registers.data());
        entry.source = earlier.pc;
      }
    }
    self.registers[static_cast<std::size_t>(instruction.reg)] = value;
    if (entry.phase == kHalf && !stores(instruction, value)) entry.phase = kPerformed;
  } else {
    memory = instruction.value.evaluate(self.registers.data());
  }
  if (tso_ && entry.phase == kHalf) perform(state, thread, place);
}

/// Whether the thread's oldest instruction commutes with all that others may ever do. Then it is
/// enough to explore what comes behind it. (No step is ever undone, so none is put off for ever.)
bool Explorer::is_of_no_concern_to_others(const State& state, int thread) const {
  const ThreadState& self = state.threads[static_cast<std::size_t>(thread)];
  if (self.count == 0) return false;
  const Instruction& instruction = at(thread, self.window[0]);
  if (instruction.kind != Kind::kLoad && instruction.kind != Kind::kStore) return false;
  const int cell = cell_of(instruction, self);
  if (cell == kUnknown || readiness(state, thread, 0) != Readiness::kReady) return false;
  unsigned users = writers_[static_cast<std::size_t>(cell)];
  if (instruction.kind == Kind::kStore) users |= readers_[static_cast<std::size_t>(cell)];
  return (users & ~(1U << thread)) == 0;
}

// --- States and traces ---------------------------------------------------------------------------

std::uint64_t Explorer::hash(const State& state) const noexcept {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % 8 == 0 &&
                sizeof(ThreadState) % 4 == 0);
  const auto* const bytes = reinterpret_cast<const char*>(&state);
  const std::size_t size =
      (offsetof(State, threads) + programs_.size() * sizeof(ThreadState) + 7) / 8 * 8;
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (std::size_t i = 0; i < size; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93U;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string Explorer::describe(const State& after, int thread, const Entry& entry) const {
  const Instruction& instruction = at(thread, entry);
  const ThreadState& self = after.threads[static_cast<std::size_t>(thread)];
  std::string text = model_.thread_name(thread) + ": ";
  if (instruction.kind == Kind::kFence) return text + "fence";
  if (instruction.kind == Kind::kInterrupt) {
    return text + "membarrier interrupts " + model_.thread_name(instruction.target);
  }
  if (instruction.kind == Kind::kKernel) return text + std::string(instruction.what);
  const std::string cell = model_.cell_name(cell_of(instruction, self));
  const std::string stored = std::to_string(instruction.value.evaluate(self.registers.data()));
  if (instruction.kind == Kind::kStore || entry.phase == kHalf) {
    return text + cell + " = " + stored;
  }
  const Value read = self.registers[static_cast<std::size_t>(instruction.reg)];
  text += cell + " is " + std::to_string(read);
  if (instruction.kind == Kind::kReadModifyWrite && tso_ && stores(instruction, read)) {
    text += ", becomes " + stored;
  }
  return text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << verdict.states << " states, " << verdict.cuts << " cuts\n"
             << verdict.counterexample;
}

Verdict explore(const Model& model, Machine machine, const Property& property) {
  return Explorer(model, machine, property).run();
}

bool reachable(const Model& model, Machine machine, const Property& property) {
  return !explore(model, machine, [&](const End& end) { return !property(end); }).holds;
}

}  // namespace kumiko::runtime::model
