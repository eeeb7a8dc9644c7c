// Options of a Runtime: workers, stacks, idle workers, I/O, and aids for testing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <kumiko/runtime/policy/choosing.hpp>
#include <kumiko/runtime/policy/stealing.hpp>
#include <kumiko/runtime/policy/waiting.hpp>

namespace kumiko::runtime {

/// The stack size that Options has by default: 128 KiB, or 512 KiB where a sanitizer makes frames
/// larger.
std::size_t default_stack_size() noexcept;

using policy::IdlePolicy;

/// The system interface used for I/O; see io/operations.hpp.
enum class IoEngine {
  kAuto,     ///< kMixed where the system allows io_uring, else kEpoll
  kIoUring,  ///< one ring per worker, for files too
  kEpoll,    ///< one epoll instance per worker, and OS threads for files
  kMixed,    ///< one epoll instance per worker, and one ring per worker for files
};

/// Options of a Runtime.
struct Options {
  /// Number of workers; 0 asks for available_cores(). More workers than cores is allowed.
  int workers = 0;
  /// Bytes that a lightweight thread may use, rounded up to pages. Below them are 64 KiB that must
  /// not be touched. Compile with -fstack-clash-protection if a single frame may be larger than
  /// that.
  std::size_t stack_size = default_stack_size();
  /// How idle workers wait: the name of a policy, or your own policy class (policy::Waiting). With
  /// a policy that never sleeps, deadlocks are not reported and no trace can be recorded.
  policy::AnyWaiting idle = IdlePolicy::kPressure;
  /// The order in which idle workers ask other workers for work: a class of policy::Stealing. If
  /// none is given, the environment variable KUMIKO_STEALING (near_first or uniform) selects the
  /// policy; without it, policy::NearFirst is used.
  policy::AnyStealing steal = {};
  /// Which ready thread a worker runs next: a class of policy::Choosing. If none is given,
  /// policy::EventsFirst is used.
  policy::AnyChoosing next = {};
  /// The I/O engine. If this is kAuto, the environment variable KUMIKO_IO_ENGINE selects it: auto,
  /// mixed, io_uring or epoll.
  IoEngine io_engine = IoEngine::kAuto;
  /// For tests: a seed other than 0 perturbs the schedule by pseudo-random decisions. Threads that
  /// become runnable are queued at random workers, thieves pause before they steal, running threads
  /// yield at polls, and searches and potential threads are divided although no worker is idle.
  /// With one worker and no threads from outside the workers, the same seed gives the same
  /// schedule. If this is 0, the environment variable KUMIKO_CHAOS_SEED is used.
  std::uint64_t chaos_seed = 0;
  /// If no thread can run and no deadline is pending for this time, a report on stderr lists, once,
  /// which threads wait for what and where. 0: no report.
  std::chrono::milliseconds deadlock_report_after{5000};
};

}  // namespace kumiko::runtime
