// Who takes an event that is in the instance of some worker.
#include "core/pollers.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <kumiko/runtime/cpu_budget.hpp>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "tunables.hpp"

namespace kumiko::runtime {
namespace {

using detail::tunables::kPollsPassedBy;

/// Has an event in every instance, which the OS thread that made it takes, and nobody else.
class AlwaysReady final : public detail::Poller {
 public:
  explicit AlwaysReady(std::size_t instances) {
    for (std::size_t i = 0; i < instances; ++i) descriptors_.emplace_back(eventfd(1, EFD_CLOEXEC));
  }

  int poll(std::size_t, std::size_t) noexcept override {
    return std::this_thread::get_id() == maker_ ? 1 : 0;
  }
  bool has_unsubmitted(std::size_t) const noexcept override { return false; }
  int pollable(std::size_t instance) const noexcept override {
    return descriptors_[instance].get();
  }
  std::size_t waits() const noexcept override { return 0; }

 private:
  std::thread::id maker_ = std::this_thread::get_id();
  std::vector<detail::UniqueDescriptor> descriptors_;
};

/// Two workers without anything to do.
class PollersTest : public testing::Test {
 protected:
  static constexpr std::size_t kWorkers = 2;

  detail::Pollers& start(IdlePolicy idle) {
    scheduler_ = std::make_unique<detail::Scheduler>(Options{.workers = kWorkers, .idle = idle});
    detail::Pollers& pollers = scheduler_->started_pollers();
    pollers.find_or_add<AlwaysReady>([] { return std::make_unique<AlwaysReady>(kWorkers); });
    return pollers;
  }

  void await_sleep() const {
    for (int worker = 0; worker < static_cast<int>(kWorkers); ++worker) {
      while (scheduler_->worker(worker).idling().is_awake()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }

  std::unique_ptr<detail::Scheduler> scheduler_;
};

TEST_F(PollersTest, GivenAnEventOfAWorkerThatIsAwakeWhenAnotherPollsThenItPassesByAFewTimesOnly) {
  if (available_cores() < static_cast<int>(kWorkers)) GTEST_SKIP() << "workers would share a core";
  detail::Pollers& pollers = start(IdlePolicy::kSpin);
  int passed_by = 0;
  for (int poll = 0; poll < kPollsPassedBy; ++poll) {
    EXPECT_EQ(pollers.poll_all(0, passed_by), 1) << "its own";
  }
  EXPECT_EQ(pollers.poll_all(0, passed_by), 2) << "the other's, too";
  EXPECT_EQ(passed_by, 0);
}

TEST_F(PollersTest, GivenAnEventOfAWorkerThatSleepsWhenAnotherPollsThenItTakesItAtOnce) {
  detail::Pollers& pollers = start(IdlePolicy::kSleep);
  await_sleep();
  int passed_by = 0;
  EXPECT_EQ(pollers.poll_all(0, passed_by), 2);
  EXPECT_EQ(passed_by, 0);
}

}  // namespace
}  // namespace kumiko::runtime
