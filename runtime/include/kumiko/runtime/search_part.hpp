// One part of a search, which one thread works at: its constructs in progress, and their division.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/search_outside.hpp>

namespace kumiko::runtime {

/// Counters of a search.
struct SearchStatistics {
  std::uint64_t parts = 0;        ///< parts given away, each with its own workspace
  std::uint64_t sent = 0;         ///< of these, parts sent to other processes
  std::uint64_t undos = 0;        ///< undo calls on the way back to where a part is given away
  std::uint64_t redos = 0;        ///< redo calls: as many, unless one has thrown
  std::uint64_t refusals = 0;     ///< parts that were not given away for lack of memory
  std::uint64_t live = 0;         ///< parts that have not ended, the search itself included
  std::uint64_t most_live = 0;    ///< high-water mark of live
  std::uint64_t generations = 0;  ///< of parts given away by parts; the search itself is the first
};

class SearchCore;
class SearchPart;

namespace detail {
class GivenPart;
class SearchFrame;
struct SearchLink;
}  // namespace detail

namespace detail {

/// A construct of a search in progress, on the stack of the thread that executes it. The frames of
/// a part are chained from the inner ones to the outer ones, as LazyFrames are.
class SearchFrame {
 public:
  SearchFrame(const SearchFrame&) = delete;
  SearchFrame& operator=(const SearchFrame&) = delete;

  /// Whether a part of the frame can be given away.
  virtual bool has_part() const noexcept { return false; }
  /// Gives it away, with a copy of the workspace as it is. Returns false if no thread can be made.
  /// \throws what `give` throws; nothing is given away then.
  virtual bool divide(SearchPart&) { return false; }
  /// Gives away all that has not begun, at a poll before the frame's next step, in 2^halvings
  /// pieces at most. Returns whether something is left to be done here. \throws as divide() does
  virtual bool divide_all(SearchPart&, unsigned) { return true; }
  /// Takes back what the frame has done to the workspace; and does it again.
  virtual void undo(SearchPart&) {}
  virtual void redo(SearchPart&) {}

  SearchFrame* outer;  ///< while the frame is undone: the next inner one

 protected:
  explicit SearchFrame(SearchFrame* next) noexcept : outer(next) {}
  ~SearchFrame() = default;
};

}  // namespace detail

/// One part of a search: the whole, or what another part has given away. One lightweight thread
/// works at it. Here is what does not depend on the workspace's type.
///
/// *How a part is divided.* At a poll, when somebody asks (see Ask): (1) The oldest frame that has
/// something to give is found. (2) The frames inside it are undone, innermost first; the workspace
/// is then as it was when that frame's current iteration began. (3) The frame copies it into a
/// GivenPart, with the upper half of what is left; that becomes a thread in this worker's queue.
/// (4) The frames are redone, the outermost first, and the poll returns. In between the links of
/// undone frames lead inward, so that nothing is allocated for the way back.
///
/// *Division in advance* (see Outside::divisions_in_advance()), so that what there is to do can be
/// named before it is done: a part that is marked gives away what it can at each poll of a
/// construct, unasked, and waits. What and in which order depends on the program only. The pieces
/// of a loop are those of halving it; a piece of one index that has been divided too little is a
/// marked part again, whose thread goes on to the constructs within. From a split_two() second
/// goes, and first is divided on the way, down to twice as many divisions, where what is left is
/// next to nothing. What guards refuse is done by the marked part itself, as if nothing were
/// marked.
///
/// *Exceptions on the way.* After one of `give` the range is whole. A function that throws is taken
/// to have undone all the same, but not to have done. So after an exception of `undo` the frames
/// are redone as if nothing had happened, and the poll throws it. After one of `redo` its frame
/// (broken_at_) and those inside stay as they are, undone; the poll throws it, and on its way out
/// `undo` is called for the frames outside broken_at_ only.
class SearchPart {
 public:
  SearchPart(const SearchPart&) = delete;
  SearchPart& operator=(const SearchPart&) = delete;

  /// What it shares with the other parts of the search.
  SearchCore& core() noexcept { return core_; }
  /// Whether it has been asked to end. From any OS thread.
  bool is_stopped() const noexcept {
    return (attention_.load(std::memory_order_relaxed) & kStop) != 0;
  }

 protected:
  /// The whole of a search, in the calling lightweight thread.
  /// \throws std::logic_error outside one.
  explicit SearchPart(SearchCore& core);
  /// What `giver` gives away; it begins in another thread.
  explicit SearchPart(SearchPart& giver) noexcept;
  /// Ends the process if a construct of the part is in progress.
  ~SearchPart();

  /// Asks the whole search to end.
  void stop_all() noexcept;

  /// Of all parts that have ended, and of this one.
  SearchStatistics whole_statistics() const noexcept;

  /// Lets idle workers have a part of this, before a step of the innermost construct. Returns false
  /// if it is to end. Cost: three loads.
  bool poll_at_step() {
    if (wants_attention()) [[unlikely]]
      return attend(tip_);
    return true;
  }
  /// The same within a step.
  bool poll_within_step() { return !wants_attention() || attend(nullptr); }

  /// The innermost construct in progress, or nullptr.
  detail::SearchFrame* tip() const noexcept { return tip_; }
  /// A construct begins within it.
  void push(detail::SearchFrame& frame) noexcept { tip_ = &frame; }
  /// The innermost one ends.
  void pop(const detail::SearchFrame& frame) noexcept { tip_ = frame.outer; }

  /// Whether an exception that leaves `frame`, popped, finds it done; else it is undone for good.
  bool is_done(const detail::SearchFrame& frame) noexcept {
    if (broken_at_ == nullptr) return true;
    if (broken_at_ == &frame) mend();
    return false;
  }

  /// Gives a part to a new thread, or to those outside where they ask; the caller waits for it.
  /// Returns false without memory for that. \throws what sending throws
  bool hand_over(std::unique_ptr<detail::GivenPart> part, detail::GivenPart*& given);

  /// The same in advance, of a part after `more` divisions of this one: to a new thread, which
  /// divides it, or to those who get it when it has been divided enough.
  bool hand_over_in_advance(std::unique_ptr<detail::GivenPart> part, detail::GivenPart*& given,
                            unsigned more);
  /// A division has left less here, until what was given away is waited for.
  void count_division() noexcept { ++divisions_; }

  /// Waits for the part that was given away last, and removes it. \throws what has escaped it.
  std::unique_ptr<detail::GivenPart> wait_for_last(detail::GivenPart*& given);

  /// Stops all of them, waits for them, and forgets what they have found.
  void abandon(detail::GivenPart*& given) noexcept;

  /// For SearchStatistics::undos.
  void count_undo() noexcept { ++counts_.undos; }
  /// For SearchStatistics::redos.
  void count_redo() noexcept { ++counts_.redos; }

 private:
  friend class detail::GivenPart;
  friend SearchCore;
  friend struct detail::SearchLink;

  static constexpr std::uint32_t kStop = 1;    ///< leave out what has not begun
  static constexpr std::uint32_t kBroken = 2;  ///< a poll throws, as long as broken_at_ is set
  static constexpr std::uint32_t kAsked = 4;   ///< somebody outside may want a part
  static constexpr std::uint32_t kMarked = 8;  ///< is to be divided in advance

  /// Whether a poll may divide the part.
  enum class Gate {
    kClosed,  ///< the program is at work
    kOpen,    ///< it polls
    kLocked,  ///< and must not: it undoes, redoes, gives or takes
  };

 protected:
  /// While one exists, polls are refused: the workspace is not what the frames say.
  class Lock {
   public:
    /// Locks the part until it is destroyed.
    explicit Lock(SearchPart& part) noexcept : part_(part), before_(part.gate_) {
      part.gate_ = Gate::kLocked;
    }
    ~Lock() { part_.gate_ = before_; }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    SearchPart& part_;
    const Gate before_;
  };

 private:
  /// Who gets what is given away.
  enum class Receiver {
    kThread,     ///< of this runtime
    kAsker,      ///< outside, who has asked
    kInAdvance,  ///< outside, before anybody has
  };

  bool wants_attention() const noexcept {
    // relaxed: hints; what they tell of is read behind locks.
    const std::uint32_t asked = detail::worker_front()->requests.load(std::memory_order_relaxed);
    return (asked | attention_.load(std::memory_order_relaxed)) != 0;
  }
  bool attend(detail::SearchFrame* next);
  bool divide_in_advance(detail::SearchFrame& next) noexcept;
  void answer_outside() noexcept;
  bool divide() noexcept;
  detail::SearchFrame* oldest_with_part() const noexcept;
  template <class Step>
  bool attempt(Step step) noexcept;
  void mend() noexcept;

  // What the constructs touch.
  detail::SearchFrame* tip_ = nullptr;
  std::atomic<std::uint32_t> attention_{0};
  Gate gate_ = Gate::kClosed;

  Receiver gives_to_ = Receiver::kThread;
  detail::SearchFrame* broken_at_ = nullptr;
  std::exception_ptr failure_;  ///< what the poll is to throw
  SearchCore& core_;
  SearchPart* const giver_;
  detail::ThreadFront* thread_ = nullptr;  ///< who works at it
  const std::uint64_t generation_;
  unsigned divisions_ = 0;   ///< between the whole search and what is left here
  SearchStatistics counts_;  ///< but for those of the core

  // Under the core's lock.
  SearchPart* next_ = nullptr;
  SearchPart* previous_ = nullptr;
  bool is_live_ = false;
};

namespace detail {

/// Makes a part one of the constructs that the calling thread divides when it is asked to.
struct SearchLink : LazyFrame {
  explicit SearchLink(SearchPart& of) noexcept;
  /// Ends the process if that is not the thread's innermost construct.
  ~SearchLink();
  SearchLink(const SearchLink&) = delete;
  SearchLink& operator=(const SearchLink&) = delete;

  SearchPart& part;
};

/// A part that was given away, from then until its result is taken.
class GivenPart {
 public:
  GivenPart(const GivenPart&) = delete;
  GivenPart& operator=(const GivenPart&) = delete;
  virtual ~GivenPart() = default;

  virtual SearchPart& part() noexcept = 0;

 protected:
  /// By the thread that gives it away.
  GivenPart() noexcept : group_(running_thread()) {}

  /// Does its work.
  virtual void run() = 0;
  /// Hands it to those outside, from a part after so many divisions. Returns nullptr if it cannot
  /// leave. \throws what packing throws
  /// \param in_advance  before anybody has asked
  virtual std::unique_ptr<SentPart> send(bool in_advance, SearchPart& giver,
                                         unsigned divisions) = 0;

 private:
  friend SearchPart;

  void run_as_thread();

  GroupState group_;                ///< counts its thread
  std::unique_ptr<SentPart> sent_;  ///< if its work is done elsewhere
  GivenPart* older_ = nullptr;
  unsigned divisions_before_ = 0;  ///< of the giver
};

}  // namespace detail

}  // namespace kumiko::runtime
