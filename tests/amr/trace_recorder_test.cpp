// Contract: whatever the clocks of the cores say and whichever window fails or finds no memory,
// what the recorder hands over is a trace that check() accepts, with all windows that were ended.
#include "observation/trace_recorder.hpp"

#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace {

/// Allocations of this thread until one fails; -1: none does.
thread_local int allocations_left = -1;

}  // namespace

// Every form whose memory the replaced delete may be given, lest a sanitizer's own one hands it
// out. Not inlined: the compiler would take malloc() and delete for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (allocations_left > 0) --allocations_left;
  return allocations_left == 0 ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kumiko::amr {
namespace {

constexpr std::int64_t kWindow = 1'000'000;  // ticks

/// A recorder of three levels, whose pieces are done by nobody at times that a test chooses.
class Recorder {
 public:
  TraceRecorder& get() { return recorder_; }
  std::size_t patches() const {
    std::size_t all = 0;
    for (int level = 0; level < 3; ++level) all += hierarchy_->level(level).size();
    return all;
  }

  void start() {
    recorder_.start(std::size_t{1} << 30U);
    start_ = read_ticks();
  }
  void begin(int first, int count) {
    recorder_.begin_window({rules_.clock(), first, count, 3, rules_.blends_in_time()},
                           hierarchy_->mesh(), rules_);
  }
  /// Ticks since the start: of all pieces of the window, and of the window.
  void end(int count, std::int64_t begin_piece, std::int64_t end_piece, std::int64_t begin,
           std::int64_t end) {
    for (int level = 0; level < 3; ++level) {
      for (std::size_t slot = 0; slot < hierarchy_->level(level).size(); ++slot) {
        for (int number = 0; number < count * rules_.clock().substeps(level); ++number) {
          for (const PieceKind kind : {PieceKind::kAdvance, PieceKind::kFinish}) {
            if (kind == PieceKind::kFinish && !rules_.finishes(level, slot)) continue;
            PieceRecord record{};
            record.level = static_cast<std::uint32_t>(level);
            record.slot = static_cast<std::uint32_t>(slot);
            record.number = static_cast<std::uint32_t>(number);
            record.kind = static_cast<std::uint32_t>(kind);
            record.begin = static_cast<std::uint64_t>(at(begin_piece));
            record.end = static_cast<std::uint64_t>(at(end_piece));
            recorder_.add(0, record);
          }
        }
      }
    }
    recorder_.end_window(static_cast<std::uint64_t>(at(begin)), static_cast<std::uint64_t>(at(end)),
                         {});
  }
  void window(int first, int count, std::int64_t begin) {
    this->begin(first, count);
    end(count, begin, begin + kWindow, begin, begin + kWindow);
  }

  /// Accepted by check().
  Trace stop() {
    Trace trace = recorder_.stop();
    trace.levels = 3;
    trace.points_x = hierarchy_->geometry().points_x(0);
    trace.points_y = hierarchy_->geometry().points_y(0);
    check(trace);
    return trace;
  }

 private:
  std::int64_t at(std::int64_t ticks) const { return static_cast<std::int64_t>(start_) + ticks; }

  test::FunctionCase problem_;
  std::unique_ptr<Backend> backend_ = make_backend("serial", 1);
  std::unique_ptr<Hierarchy> hierarchy_ = test::island({}, {1, 2, 0});
  StepRules rules_{hierarchy_->plan(), false,
                   StepClock(Stretch::whole_run(problem_.end_time(), 100), true), false};
  TickClock clock_;
  TraceRecorder recorder_{*backend_, clock_, false, single_rank()};
  std::uint64_t start_ = 0;
};

TEST(TraceRecorder, GivenPiecesBeyondTheirWindowThenTheyAreCutToIt) {
  Recorder recorder;
  recorder.start();
  recorder.begin(0, 1);
  recorder.end(1, 900, 3100, 1000, 3000);
  const Trace trace = recorder.stop();
  for (const TracePiece& piece : trace.pieces) {
    ASSERT_EQ(piece.begin_ns, trace.windows[0].begin_ns);
    ASSERT_EQ(piece.end_ns, trace.windows[0].end_ns);
  }
}

TEST(TraceRecorder, GivenClocksThatRunBackwardsThenTheTraceDoesNot) {
  Recorder recorder;
  recorder.start();
  recorder.begin(0, 1);
  recorder.end(1, 2000, 1800, -100, 3000);  // before the trace began
  recorder.begin(1, 1);
  recorder.end(1, 2500, 2400, 2900, 2700);  // before the window before ended
  recorder.window(2, 2, std::int64_t{1} << 40U);
  recorder.get().note_return(4);  // from then to now
  recorder.get().note_return(4);
  const Trace trace = recorder.stop();
  EXPECT_EQ(trace.windows.size(), 3u);
  EXPECT_EQ(trace.spans.size(), 2u);
}

TEST(TraceRecorder, GivenAWindowThatIsNotEndedThenTheNextTakesItsPlace) {
  Recorder recorder;
  recorder.start();
  recorder.window(0, 1, 0);
  recorder.begin(1, 3);
  recorder.begin(1, 2);
  recorder.end(2, kWindow, 2 * kWindow, kWindow, 2 * kWindow);
  recorder.begin(3, 1);
  const Trace trace = recorder.stop();
  ASSERT_EQ(trace.windows.size(), 2u);
  EXPECT_EQ(trace.windows[1].steps, 2);
  EXPECT_EQ(trace.patches.size(), 2 * recorder.patches());
}

TEST(TraceRecorder, GivenNoMemoryForAWindowThenTheOnesBeforeAreKept) {
  int failures = 0;
  for (bool is_full = true; is_full;) {
    Recorder recorder;
    recorder.start();
    recorder.window(0, 1, 0);
    allocations_left = failures + 1;
    recorder.begin(1, 2);
    allocations_left = -1;
    is_full = recorder.get().is_full();
    if (is_full) ++failures;
    EXPECT_NE(recorder.get().is_on(), is_full);
    const Trace trace = recorder.stop();
    ASSERT_EQ(trace.windows.size(), 1u) << failures;
    ASSERT_EQ(trace.patches.size(), recorder.patches());
  }
  EXPECT_GT(failures, 5);
}

TEST(TraceRecorder, GivenNoMemoryForTheFirstWindowThenTheTraceIsEmpty) {
  Recorder recorder;
  recorder.start();
  allocations_left = 4;
  recorder.begin(0, 2);
  allocations_left = -1;
  EXPECT_TRUE(recorder.get().is_full());
  EXPECT_TRUE(recorder.stop().pieces.empty());
}

TEST(TraceRecorder, GivenNoMemoryForWhatIsBetweenWindowsThenTheTraceEndsThere) {
  Recorder recorder;
  recorder.start();
  recorder.window(0, 1, 0);
  allocations_left = 1;
  recorder.get().note_return(1);
  allocations_left = -1;
  EXPECT_TRUE(recorder.get().is_full());
  EXPECT_EQ(recorder.stop().windows.size(), 1u);
}

}  // namespace
}  // namespace kumiko::amr
