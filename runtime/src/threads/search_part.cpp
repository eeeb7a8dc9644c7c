#include <new>
#include <stdexcept>
#include <utility>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/search_core.hpp>
#include <kumiko/runtime/search_part.hpp>

#include "diagnosis/report.hpp"

namespace kumiko::runtime {

using detail::answer_requests;
using detail::GivenPart;
using detail::running_thread;
using detail::SearchFrame;
using detail::SearchLink;
using detail::terminate;
using detail::ThreadFront;

namespace {

ThreadFront& thread_for_search() {
  if (ThreadFront* const thread = running_thread(); thread != nullptr) return *thread;
  throw std::logic_error("a Search outside a lightweight thread; use Runtime::run to start one");
}

}  // namespace

// --- A part --------------------------------------------------------------------------------------

SearchPart::SearchPart(SearchCore& core)
    : core_(core),
      giver_(nullptr),
      thread_(&thread_for_search()),
      generation_(1),
      divisions_(core.divisions()) {
  // relaxed: this thread reads it.
  if (divisions_ < core.divisions_in_advance()) {
    attention_.store(kMarked, std::memory_order_relaxed);
  }
  core.add(*this);
}

SearchPart::SearchPart(SearchPart& giver) noexcept
    : core_(giver.core_),
      giver_(&giver),
      generation_(giver.generation_ + 1),
      divisions_(giver.divisions_ + 1) {}

SearchPart::~SearchPart() {
  if (tip_ != nullptr) {
    terminate(
        "a Search is destroyed while a split_for(), split_two() or reversible() of it is in "
        "progress; let it live until they have returned",
        nullptr);
  }
  if (is_live_) core_.remove(*this);
}

void SearchPart::stop_all() noexcept { core_.stop_all(); }

SearchStatistics SearchPart::whole_statistics() const noexcept {
  return core_.statistics_with(counts_);
}

bool SearchPart::attend(SearchFrame* next) {
  if (gate_ == Gate::kLocked) {
    throw std::logic_error(
        "a Search is polled in a function that does, undoes, gives or takes; do not use the search "
        "there, only the workspace");
  }
  if (thread_ != running_thread()) {
    throw std::logic_error(
        "a Search is used by a thread that does not work at it; use the one that the function is "
        "given, not one that it has captured");
  }
  // After an exception of redo, the inner frames are undone already.
  if (!is_stopped() && broken_at_ == nullptr) gate_ = Gate::kOpen;
  bool continues = true;
  // relaxed: set before the part began.
  if ((attention_.load(std::memory_order_relaxed) & kMarked) != 0 && next != nullptr &&
      gate_ == Gate::kOpen) {
    continues = divide_in_advance(*next);
  }
  // relaxed: a hint.
  if ((attention_.load(std::memory_order_relaxed) & kAsked) != 0) answer_outside();
  if (broken_at_ != nullptr) gate_ = Gate::kClosed;
  answer_requests();
  gate_ = Gate::kClosed;
  if (broken_at_ != nullptr) std::rethrow_exception(failure_);
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  return continues && !is_stopped();
}

/// Gives away all that a marked part can give. Returns whether some work of the construct is left.
bool SearchPart::divide_in_advance(SearchFrame& next) noexcept {
  const unsigned enough = core_.divisions_in_advance();
  if (divisions_ >= 2 * enough) return true;
  const Lock lock(*this);
  const unsigned halvings = divisions_ < enough ? enough - divisions_ : 0;
  bool is_left = true;
  attempt([&] {
    try {
      is_left = next.divide_all(*this, halvings);
    } catch (const std::bad_alloc&) {
      ++counts_.refusals;
    }
  });
  return is_left;
}

/// Gives a part to a process that asks. The bit stays set if nothing can be divided.
void SearchPart::answer_outside() noexcept {
  if (gate_ != Gate::kOpen) return;
  // acquire: pairs with the release in announce_asks(). Cleared before has_asks() is read.
  attention_.fetch_and(~kAsked, std::memory_order_acquire);
  Outside& outside = *core_.outside();
  if (!outside.has_asks()) return;
  if (oldest_with_part() == nullptr) {
    // relaxed: this thread reads it.
    attention_.fetch_or(kAsked, std::memory_order_relaxed);
    return;
  }
  if (!outside.claim_ask()) return;
  gives_to_ = Receiver::kAsker;
  const bool gave = divide();
  gives_to_ = Receiver::kThread;
  if (!gave) outside.decline();
  // relaxed: this thread reads it.
  if (outside.has_asks()) attention_.fetch_or(kAsked, std::memory_order_relaxed);
}

SearchFrame* SearchPart::oldest_with_part() const noexcept {
  SearchFrame* oldest = nullptr;
  for (SearchFrame* frame = tip_; frame != nullptr; frame = frame->outer) {
    if (frame->has_part()) oldest = frame;
  }
  return oldest;
}

/// Does a step of a division. Keeps the first exception for the poll to throw. Returns false if
/// this step has thrown.
template <class Step>
bool SearchPart::attempt(Step step) noexcept {
  try {
    step();
    return true;
  } catch (...) {
    if (failure_ == nullptr) failure_ = std::current_exception();
    return false;
  }
}

/// Gives away the upper half of the remaining work of the oldest frame that has any.
bool SearchPart::divide() noexcept {
  const Lock lock(*this);
  SearchFrame* const oldest = oldest_with_part();
  SearchFrame* inner = nullptr;
  SearchFrame* frame = tip_;
  bool all_undone = true;
  while (frame != oldest && all_undone) {
    all_undone = attempt([&] { frame->undo(*this); });
    SearchFrame* const next = std::exchange(frame->outer, inner);
    inner = std::exchange(frame, next);
  }
  bool gave = false;
  if (all_undone) {
    attempt([&] {
      try {
        gave = oldest->divide(*this);
      } catch (const std::bad_alloc&) {
        gave = false;
      }
      if (!gave) ++counts_.refusals;
    });
  }
  while (inner != nullptr) {
    SearchFrame* const next = std::exchange(inner->outer, frame);
    if (broken_at_ == nullptr && !attempt([&] { inner->redo(*this); })) {
      broken_at_ = inner;
      // relaxed: this thread's own polls read it.
      attention_.fetch_or(kBroken, std::memory_order_relaxed);
    }
    frame = std::exchange(inner, next);
  }
  return gave;
}

/// The exception has left the frames that stay undone.
void SearchPart::mend() noexcept {
  broken_at_ = nullptr;
  failure_ = nullptr;
  attention_.fetch_and(~kBroken, std::memory_order_relaxed);
}

// --- Given parts ---------------------------------------------------------------------------------

bool SearchPart::hand_over(std::unique_ptr<GivenPart> part, GivenPart*& given) {
  part->divisions_before_ = divisions_;
  if (gives_to_ != Receiver::kThread) {
    part->sent_ = part->send(gives_to_ == Receiver::kInAdvance, *this, part->part().divisions_);
    if (part->sent_ == nullptr) return false;
    ++counts_.sent;
    // A stop since the poll has not found this part among those in other processes.
    if (is_stopped()) core_.outside()->givers_stopped(core_);
  } else {
    core_.add(part->part());
    if (!give_away(part->group_, [part = part.get()] { part->run_as_thread(); })) return false;
  }
  part->older_ = given;
  given = part.release();
  ++counts_.parts;
  return true;
}

bool SearchPart::hand_over_in_advance(std::unique_ptr<GivenPart> part, GivenPart*& given,
                                      unsigned more) {
  SearchPart& piece = part->part();
  piece.divisions_ = divisions_ + more;
  if (piece.divisions_ < core_.divisions_in_advance()) {
    // relaxed: the part begins later, in a thread that gets it under a lock.
    piece.attention_.fetch_or(kMarked, std::memory_order_relaxed);
    return hand_over(std::move(part), given);
  }
  struct Giving {
    Receiver& to;
    ~Giving() { to = Receiver::kThread; }
  };
  const Giving giving{gives_to_};
  gives_to_ = Receiver::kInAdvance;
  return hand_over(std::move(part), given);
}

void GivenPart::run_as_thread() {
  SearchPart& self = part();
  self.thread_ = running_thread();
  const SearchLink link(self);
  struct End {
    SearchPart& part;
    ~End() { part.core_.remove(part); }
  };
  const End end{self};
  if (!self.is_stopped()) run();
}

std::unique_ptr<GivenPart> SearchPart::wait_for_last(GivenPart*& given) {
  std::unique_ptr<GivenPart> last(given);
  given = last->older_;
  divisions_ = last->divisions_before_;
  struct Wait {
    SearchCore& core;
    explicit Wait(SearchCore& of) noexcept : core(of) { core.begin_wait(); }
    ~Wait() { core.end_wait(); }
  };
  const Wait wait(last->part().core_);
  if (last->sent_ != nullptr) {
    last->sent_->wait();
    return last;
  }
  last->group_.counter.wait_for_all();
  last->group_.exception.rethrow();
  return last;
}

void SearchPart::abandon(GivenPart*& given) noexcept {
  for (GivenPart* part = given; part != nullptr; part = part->older_) {
    if (part->sent_ != nullptr) {
      part->sent_->give_up();
    } else {
      part->part().core_.stop_from(part->part());
    }
  }
  while (given != nullptr) {
    const std::unique_ptr<GivenPart> last(given);
    given = last->older_;
    divisions_ = last->divisions_before_;
    last->group_.counter.wait_for_all();
  }
}

SearchLink::SearchLink(SearchPart& of) noexcept
    : LazyFrame(*of.thread_,
                [](LazyFrame& frame, bool give) noexcept {
                  SearchPart& self = static_cast<SearchLink&>(frame).part;
                  if (self.gate_ != SearchPart::Gate::kOpen) return false;
                  return give ? self.divide() : self.oldest_with_part() != nullptr;
                }),
      part(of) {}

SearchLink::~SearchLink() {
  ThreadFront* const thread = running_thread();
  if (thread != part.thread_ || thread->lazy_tip != this) {
    terminate(
        "a Search is destroyed in another thread, or before something that was begun after it; let "
        "it end where it began, last in, first out",
        nullptr);
  }
  thread->lazy_tip = outer;
}

}  // namespace kumiko::runtime
