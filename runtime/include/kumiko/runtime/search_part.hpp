// A part of a search, on which one thread works: its constructs in progress, and their division.
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
  std::uint64_t undos = 0;        ///< undo calls before parts were given away
  std::uint64_t redos = 0;        ///< redo calls after that: as many, unless one has thrown
  std::uint64_t refusals = 0;     ///< parts that were not given away for lack of memory
  std::uint64_t live = 0;         ///< parts that have not ended, the search itself included
  std::uint64_t most_live = 0;    ///< high-water mark of live
  std::uint64_t generations = 0;  ///< of parts given away by parts; the search itself is the first
};

class SearchCore;
class SearchPart;

namespace detail {

class GivenPart;
struct SearchLink;

/// A construct of a search in progress, on the stack of the thread that executes it. The frames of
/// a part form a list from the innermost to the outermost, as LazyFrames do.
class SearchFrame {
 public:
  SearchFrame(const SearchFrame&) = delete;
  SearchFrame& operator=(const SearchFrame&) = delete;

  /// Returns whether a part of the frame can be given away.
  virtual bool has_part() const noexcept { return false; }
  /// Gives that part away, with a copy of the current workspace. Returns false if no thread can be
  /// created. \throws the exceptions of `give`, after which nothing is given away.
  virtual bool divide(SearchPart&) { return false; }
  /// Gives away all work that has not begun, in at most 2^halvings pieces, at a poll before the
  /// frame's next step. Returns whether some work is left here. \throws as divide() does
  virtual bool divide_all(SearchPart&, unsigned) { return true; }
  /// Undoes the frame's change of the workspace.
  virtual void undo(SearchPart&) {}
  /// Makes that change again.
  virtual void redo(SearchPart&) {}

  SearchFrame* outer;  ///< while the frame is undone, the next inner one

 protected:
  explicit SearchFrame(SearchFrame* next) noexcept : outer(next) {}
  ~SearchFrame() = default;
};

}  // namespace detail

/// A part of a search: the whole search, or work that another part has given away. One lightweight
/// thread works on it. This class has all that does not depend on the type of the workspace.
///
/// *How a part is divided.* At a poll, if a worker or another process asks for work: (1) The part
/// finds the oldest frame that has something to give. (2) It undoes the frames inside that one,
/// innermost first, so that the workspace is as it was when the current iteration of that frame
/// began. (3) The frame copies the workspace into a GivenPart, together with the upper half of its
/// remaining work. The GivenPart becomes a thread in the queue of this worker. (4) The part redoes
/// the frames, outermost first, and the poll returns. Meanwhile the links of undone frames point
/// inward, so that the way back needs no allocation.
///
/// *Division in advance* (see Outside::divisions_in_advance()) gives names to pieces of work before
/// they are done. A marked part gives away all it can at each poll of a construct, without an ask,
/// and waits. The pieces and their order depend only on the program. A loop is halved into pieces.
/// A piece of one index that has too few divisions is a marked part again, whose thread continues
/// to the constructs within it. A split_two() gives away second, and first is divided on the way,
/// down to twice the number of divisions, where almost nothing is left. If a guard refuses a piece,
/// the marked part does it itself, as an unmarked part would.
///
/// *Exceptions on the way.* After an exception of `give` the range is unchanged. If `undo` throws,
/// it counts as done; if `redo` throws, it counts as not done. So after an exception of `undo` the
/// frames are redone as usual, and then the poll throws the exception. After an exception of `redo`
/// its frame (broken_at_) and those inside it stay undone. The poll throws the exception, and on
/// its way out `undo` is called only for the frames outside broken_at_.
class SearchPart {
 public:
  SearchPart(const SearchPart&) = delete;
  SearchPart& operator=(const SearchPart&) = delete;

  /// The state shared with the other parts of the search.
  SearchCore& core() noexcept { return core_; }
  /// Returns whether the part has been asked to end. Any OS thread may call it.
  bool is_stopped() const noexcept {
    return (attention_.load(std::memory_order_relaxed) & kStop) != 0;
  }

 protected:
  /// A whole search, in the calling lightweight thread.
  /// \throws std::logic_error if the caller is not a lightweight thread.
  explicit SearchPart(SearchCore& core);
  /// A part that `giver` gives away. It begins in another thread.
  explicit SearchPart(SearchPart& giver) noexcept;
  /// Ends the process if a construct of the part is in progress.
  ~SearchPart();

  /// Asks the whole search to end.
  void stop_all() noexcept;

  /// The counters of all parts that have ended, and of this one.
  SearchStatistics whole_statistics() const noexcept;

  /// Gives work to idle workers, before a step of the innermost construct. Returns false if the
  /// part is to end. Cost: three loads.
  bool poll_at_step() {
    if (wants_attention()) [[unlikely]]
      return attend(tip_);
    return true;
  }
  /// As poll_at_step(), within a step.
  bool poll_within_step() { return !wants_attention() || attend(nullptr); }

  /// The innermost construct in progress, or nullptr.
  detail::SearchFrame* tip() const noexcept { return tip_; }
  /// A construct begins within it.
  void push(detail::SearchFrame& frame) noexcept { tip_ = &frame; }
  /// The innermost construct ends.
  void pop(const detail::SearchFrame& frame) noexcept { tip_ = frame.outer; }

  /// Returns whether the move of `frame`, which an exception leaves and which is popped, is done,
  /// so that it must be undone. Otherwise it stays undone.
  bool is_done(const detail::SearchFrame& frame) noexcept {
    if (broken_at_ == nullptr) return true;
    if (broken_at_ == &frame) mend();
    return false;
  }

  /// Gives a part to a new thread, or to another process that asks. The caller waits for it later.
  /// Returns false if there is not enough memory. \throws the exceptions of sending
  bool hand_over(std::unique_ptr<detail::GivenPart> part, detail::GivenPart*& given);

  /// Gives a part in advance, after `more` divisions of this one: to a new thread that divides it,
  /// or to another process if it has been divided enough.
  bool hand_over_in_advance(std::unique_ptr<detail::GivenPart> part, detail::GivenPart*& given,
                            unsigned more);
  /// Counts a division, which has left less work here until the given part is waited for.
  void count_division() noexcept { ++divisions_; }

  /// Waits for the part that was given away last, and removes it. \throws the exception that has
  /// escaped it.
  std::unique_ptr<detail::GivenPart> wait_for_last(detail::GivenPart*& given);

  /// Stops all given parts, waits for them, and drops their results.
  void abandon(detail::GivenPart*& given) noexcept;

  /// For SearchStatistics::undos.
  void count_undo() noexcept { ++counts_.undos; }
  /// For SearchStatistics::redos.
  void count_redo() noexcept { ++counts_.redos; }

 private:
  friend class detail::GivenPart;
  friend SearchCore;
  friend struct detail::SearchLink;

  static constexpr std::uint32_t kStop = 1;    ///< skip work that has not begun
  static constexpr std::uint32_t kBroken = 2;  ///< polls throw while broken_at_ is set
  static constexpr std::uint32_t kAsked = 4;   ///< another process may ask for a part
  static constexpr std::uint32_t kMarked = 8;  ///< divide it in advance

  /// Says whether a poll may divide the part.
  enum class Gate {
    kClosed,  ///< the program does not poll
    kOpen,    ///< the program polls, so the part may be divided
    kLocked,  ///< polls are errors: a function that undoes, redoes, gives or takes is running
  };

 protected:
  /// While a Lock exists, polls throw, since the workspace does not match the frames.
  class Lock {
   public:
    /// Locks the part until the Lock is destroyed.
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
  /// The receiver of a part that is given away.
  enum class Receiver {
    kThread,     ///< a thread of this runtime
    kAsker,      ///< another process, which has asked
    kInAdvance,  ///< another process, which will ask
  };

  bool wants_attention() const noexcept {
    // relaxed: these are hints; the asks and stops themselves are read under locks.
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

  // The constructs use these three members.
  detail::SearchFrame* tip_ = nullptr;
  std::atomic<std::uint32_t> attention_{0};
  Gate gate_ = Gate::kClosed;

  Receiver gives_to_ = Receiver::kThread;
  detail::SearchFrame* broken_at_ = nullptr;
  std::exception_ptr failure_;  ///< the poll throws it
  SearchCore& core_;
  SearchPart* const giver_;
  detail::ThreadFront* thread_ = nullptr;  ///< the thread that works on it
  const std::uint64_t generation_;
  unsigned divisions_ = 0;   ///< between the whole search and the work left here
  SearchStatistics counts_;  ///< all but those that the core counts

  // Guarded by the core's lock.
  SearchPart* next_ = nullptr;
  SearchPart* previous_ = nullptr;
  bool is_live_ = false;
};

namespace detail {

/// Makes a part one of the constructs that the calling thread divides when an idle worker asks.
struct SearchLink : LazyFrame {
  explicit SearchLink(SearchPart& of) noexcept;
  /// Ends the process if it is not the innermost construct of the thread.
  ~SearchLink();
  SearchLink(const SearchLink&) = delete;
  SearchLink& operator=(const SearchLink&) = delete;

  SearchPart& part;
};

/// A part that was given away and whose result has not been taken.
class GivenPart {
 public:
  GivenPart(const GivenPart&) = delete;
  GivenPart& operator=(const GivenPart&) = delete;
  virtual ~GivenPart() = default;

  virtual SearchPart& part() noexcept = 0;

 protected:
  /// Called by the thread that gives the part away.
  GivenPart() noexcept : group_(running_thread()) {}

  /// Does the work of the part.
  virtual void run() = 0;
  /// Sends the part to another process. Returns nullptr if it cannot leave this one. \throws the
  /// exceptions of packing
  /// \param in_advance  true if no process has asked yet
  /// \param divisions  the number of divisions between the whole search and the part
  virtual std::unique_ptr<SentPart> send(bool in_advance, SearchPart& giver,
                                         unsigned divisions) = 0;

 private:
  friend SearchPart;

  void run_as_thread();

  GroupState group_;                ///< counts its thread, if it has one
  std::unique_ptr<SentPart> sent_;  ///< its work, if another process does it
  GivenPart* older_ = nullptr;
  unsigned divisions_before_ = 0;  ///< divisions_ of the giver
};

}  // namespace detail

}  // namespace kumiko::runtime
