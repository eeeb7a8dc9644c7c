// Runs the benchmarks' tasks on Boost.Fiber.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/fiber/all.hpp>

#include "support/arguments.hpp"

namespace kumiko::bench {

/// Stacks of one size, kept in a list by each OS thread. (Boost's pooled_fixedsize_stack may not be
/// shared by OS threads.) From malloc, so that the number of mappings does not limit them.
class PooledStacks {
 public:
  boost::context::stack_context allocate() {
    void* const top = free_ != nullptr ? take() : make();
    boost::context::stack_context stack;
    stack.size = kSize;
    stack.sp = top;
    return stack;
  }

  void deallocate(boost::context::stack_context& stack) noexcept {
    // At the top, whose page has been touched.
    free_ = ::new (static_cast<std::byte*>(stack.sp) - sizeof(Free)) Free{free_};
  }

 private:
  /// Below malloc's threshold for a mapping of its own.
  static constexpr std::size_t kSize = std::size_t{64} << 10;

  struct alignas(16) Free {
    Free* next;
  };

  static void* make() { return static_cast<std::byte*>(::operator new(kSize)) + kSize; }
  static void* take() noexcept { return std::exchange(free_, free_->next) + 1; }

  static inline thread_local Free* free_ = nullptr;
};

/// Boost.Fiber with its own schedulers: round_robin for one worker, work_stealing for more.
class System {
 public:
  static constexpr std::string_view kName = BENCH_SYSTEM_NAME;

  explicit System(Arguments& arguments)
      : workers_(static_cast<int>(arguments.integer("workers", 1))) {
    for (int i = 1; i < workers_; ++i) {
      others_.emplace_back([this] {
        join_schedulers();
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [this] { return has_ended_; });
      });
    }
    join_schedulers();
  }

  ~System() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
    for (std::thread& other : others_) other.join();
  }

  System(const System&) = delete;
  System& operator=(const System&) = delete;

  int workers() const { return workers_; }

  /// The calling OS thread is one of the workers.
  template <class Function>
  void run(Function&& function) {
    start([&function] { function(); }).join();
  }

  class Group {
   public:
    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() { wait(); }

    template <class Function>
    void run(Function&& function) {
      fibers_.push_back(start(std::forward<Function>(function)));
    }
    void wait() {
      for (boost::fibers::fiber& fiber : fibers_) fiber.join();
      fibers_.clear();
    }

   private:
    boost::container::small_vector<boost::fibers::fiber, 8> fibers_;
  };

  using Mutex = boost::fibers::mutex;
  using ConditionVariable = boost::fibers::condition_variable;
  static void yield() { boost::this_fiber::yield(); }

 private:
  /// Child first, which keeps fewer fibers alive than the other launch policy.
  template <class Function>
  static boost::fibers::fiber start(Function&& function) {
    return {boost::fibers::launch::dispatch, std::allocator_arg, PooledStacks(),
            std::forward<Function>(function)};
  }

  void join_schedulers() const {
    if (workers_ == 1) return;
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(
        static_cast<std::uint32_t>(workers_));
  }

  int workers_;
  boost::fibers::mutex mutex_;
  boost::fibers::condition_variable ended_;
  bool has_ended_ = false;
  std::vector<std::thread> others_;
};

}  // namespace kumiko::bench
