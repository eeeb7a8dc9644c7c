// Contract: at most nine calls lead from Simulation::advance() to the solver's kernel, whichever
// backend and schedule, and however many levels.
//
// What is counted are the frames of this program as it was compiled: inlining only lowers their
// number, and those of other libraries (OpenMP's, the system's) are left out. Where a driver and
// its patches are on one stack, as with the serial backend and for the driver's part of the work
// with OpenMP and pthread, the frames between Simulation::advance() and the kernel are counted;
// the other OS threads begin in the middle of the same chain. With lightweight threads the chain
// has three parts, each on a stack of its own: from Simulation::advance() to the call that starts
// the driver's thread, from that thread's body to the call that first lets pieces loose, and from
// the body of a patch's thread to the kernel. Calls of the runtime that only carry threads from one
// stack to another do not count.
#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>

#include <kumiko/amr/simulation.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

constexpr int kMostCalls = 9;

/// Frames of this program on the stack, the caller's included.
[[gnu::noinline]] int depth() {
  std::array<void*, 128> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info own;
  EXPECT_NE(dladdr(reinterpret_cast<void*>(&depth), &own), 0);
  int found = 0;
  for (int at = 1; at < count; ++at) {
    Dl_info info;
    if (dladdr(frames[static_cast<std::size_t>(at)], &info) == 0) continue;
    if (info.dli_fbase == own.dli_fbase) ++found;
  }
  return found;
}

/// Depths of the stacks at the places where they end.
struct Depths {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> root{0};    ///< where the driver's thread is started
  std::atomic<int> loose{0};   ///< where a thread is started first after that
  std::atomic<int> kernel{0};  ///< the deepest one
};

std::atomic<Depths*> depths = nullptr;

// Inlined, so that what is found is the depth of the call.
[[gnu::always_inline]] inline void note_first(std::atomic<int> Depths::*where) {
  Depths* const now = depths.load();
  int none = 0;
  if (now != nullptr && (now->*where).load() == 0) {
    (now->*where).compare_exchange_strong(none, depth());
  }
}

}  // namespace
}  // namespace kumiko::amr

// The linker sends calls of the runtime to these, which pass them on.
namespace kumiko::runtime::detail {

void root(Runtime* runtime, void (*call)(void*), void* callable, SourceLocation where) asm(
    "__real__ZN6kumiko7runtime7Runtime8run_rootEPFvPvES2_NS0_14SourceLocationE");
void noted_root(Runtime* runtime, void (*call)(void*), void* callable, SourceLocation where) asm(
    "__wrap__ZN6kumiko7runtime7Runtime8run_rootEPFvPvES2_NS0_14SourceLocationE");
void noted_root(Runtime* runtime, void (*call)(void*), void* callable, SourceLocation where) {
  amr::note_first(&amr::Depths::root);
  root(runtime, call, callable, where);
}

void start(Descriptor* thread, void (*call)(void*)) noexcept
    asm("__real__ZN6kumiko7runtime6detail12start_threadEPNS1_10DescriptorEPFvPvE");
void noted_start(Descriptor* thread, void (*call)(void*)) noexcept
    asm("__wrap__ZN6kumiko7runtime6detail12start_threadEPNS1_10DescriptorEPFvPvE");
void noted_start(Descriptor* thread, void (*call)(void*)) noexcept {
  amr::note_first(&amr::Depths::loose);
  start(thread, call);
}

void offer(int worker, Descriptor* thread, void (*call)(void*), GroupState& group) noexcept
    asm("__real__ZN6kumiko7runtime6detail15offer_thread_toEiPNS1_10DescriptorEPFvPvE"
        "RNS1_10GroupStateE");
void noted_offer(int worker, Descriptor* thread, void (*call)(void*), GroupState& group) noexcept
    asm("__wrap__ZN6kumiko7runtime6detail15offer_thread_toEiPNS1_10DescriptorEPFvPvE"
        "RNS1_10GroupStateE");
void noted_offer(int worker, Descriptor* thread, void (*call)(void*), GroupState& group) noexcept {
  amr::note_first(&amr::Depths::loose);
  offer(worker, thread, call, group);
}

}  // namespace kumiko::runtime::detail

namespace kumiko::amr {
namespace {

/// Leaves the field as it is, and looks at the stack.
class Looking final : public Solver {
 public:
  explicit Looking(bool has_list) {
    traits_.name = "looking";
    traits_.centring = Centring::kCell;
    traits_.list_kernel = has_list;
  }
  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const Case&, const PatchPoints&, double, double dt,
                 std::span<double>) const override {
    return dt;
  }
  void advance(ConstPatchView before, std::span<const double>, PatchView after) const override {
    look();
    after.interior(0) = before.interior(0);
  }
  void advance_list(std::span<const PatchAdvance> list) const override {
    look();
    for (const PatchAdvance& one : list) one.after.interior(0) = one.before.interior(0);
  }

 private:
  // Inlined, so that what is found is the kernel's depth.
  [[gnu::always_inline]] void look() const {
    Depths* const now = depths.load();
    if (now == nullptr) return;
    // Threads of the system have stacks of their own, where the chain begins in the middle.
    if (now->root.load() == 0 && std::this_thread::get_id() != now->caller) return;
    const int found = depth();
    int deepest = now->kernel.load();
    while (deepest < found && !now->kernel.compare_exchange_weak(deepest, found)) {
    }
  }

  SolverTraits traits_;
};

class CallChain : public ::testing::TestWithParam<std::tuple<test::Way, bool>> {};

TEST_P(CallChain, GivenThreeLevelsThenNineCallsLeadToTheKernelAtMost) {
#if !defined(__OPTIMIZE__)
  GTEST_SKIP() << "nothing is inlined";
#endif
  const auto& [way, has_list] = GetParam();
  test::ScriptedCase problem;
  problem.indicator = [](int, int, double x, double y) { return x + y < 0.7 ? 1.0 : 0.0; };
  const Looking solver(has_list);
  const auto backend = make_backend(way.backend, way.workers);
  SimulationOptions options = test::scripted_options(3);
  options.schedule = way.schedule;
  options.refinement.check_finite = 0;
  Simulation run(problem, solver, *backend, options);
  ASSERT_EQ(run.hierarchy().used_levels(), 3);

  int driver = 0;  // the depth of a driver's body, and of another thread's
  int thread = 0;
  if (backend->runtime() != nullptr) {
    backend->runtime()->run([&] {
      driver = depth();
      runtime::TaskGroup group;
      group.run([&] { thread = depth(); });
    });
  }
  Depths found;
  depths.store(&found);
  run.advance(2);
  depths.store(nullptr);
  const int advance = depth() + 1;  // the depth of Simulation::advance()
  int calls = found.kernel - advance;
  if (backend->runtime() != nullptr) {
    calls = (found.root - advance) + (found.loose - driver) + (found.kernel - thread);
    EXPECT_GE(found.loose - driver, 1);
    EXPECT_GE(found.root - advance, 1);
  }
  RecordProperty("calls", calls);
  EXPECT_GE(found.kernel, 1);
  EXPECT_LE(calls, kMostCalls);
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay, CallChain,
    ::testing::Combine(::testing::Values(test::Way{"serial", 1, Schedule::kLevel},
                                         test::Way{"openmp", 2, Schedule::kLevel},
                                         test::Way{"pthread", 2, Schedule::kLevel},
                                         test::Way{"threads", 2, Schedule::kLevel},
                                         test::Way{"threads", 2, Schedule::kDataflow}),
                       ::testing::Bool()),
    [](const auto& test) {
      const test::Way& way = std::get<0>(test.param);
      return way.backend + (way.schedule == Schedule::kDataflow ? "Dataflow" : "") +
             (std::get<1>(test.param) ? "List" : "");
    });

}  // namespace
}  // namespace kumiko::amr
