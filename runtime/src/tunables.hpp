// The constants that tune the runtime, each with its reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every number of the runtime that one could choose otherwise.
namespace kumiko::runtime::detail::tunables {

/// Stack sizes, in bytes. Sanitizers enlarge frames about threefold.
inline constexpr std::size_t kStackSize = std::size_t{128} * 1024;
inline constexpr std::size_t kSanitizerStackSize = std::size_t{512} * 1024;
inline constexpr std::size_t kSmallestStackSize = std::size_t{16} * 1024;

inline constexpr std::size_t kLargestStackSize = std::size_t{1} << 46U;

/// Address space below a stack that must not be touched: also a frame that is larger than a page
/// should hit it. It costs no memory.
inline constexpr std::size_t kGuardSize = std::size_t{64} * 1024;

/// The most workers that a Runtime may have; more would be a mistake.
inline constexpr int kMostWorkers = 4096;

/// Alignment of a frame, by the ABIs that are known here.
inline constexpr std::size_t kStackAlignment = 16;

/// What a closure on the top of a stack must leave to the thread's frames.
inline constexpr std::size_t kRoomBelowClosure = std::size_t{8} * 1024;

/// Stacks or join states that are allocated at once, and that move between a worker's cache and the
/// depot at once.
inline constexpr std::size_t kSlabSize = 64;
inline constexpr std::size_t kBatchSize = 32;
static_assert(kSlabSize % kBatchSize == 0, "a slab is handed out in whole batches");

/// Threads in a worker's queue at which it divides its work no more, where nobody asks (chaos).
inline constexpr std::size_t kMostPartsUnasked = 64;

/// Initial capacity of a worker's deque; it doubles when full.
inline constexpr std::size_t kDequeCapacity = 256;
static_assert((kDequeCapacity & (kDequeCapacity - 1)) == 0, "indices are masked");

/// How long a searching worker waits for the others to share before it takes by force, which costs
/// both sides a few microseconds (a system call here, an interrupt there).
inline constexpr std::chrono::microseconds kPatience{10};

/// Rounds over all victims between two looks at the clock while spinning.
inline constexpr int kRoundsPerClock = 4;

/// Tries for a SpinLock before the core is given away.
inline constexpr int kSpinLockTries = 64;

/// How long a Runtime's end waits for threads that nothing in it can wake.
inline constexpr std::chrono::milliseconds kShutdownGrace{1000};

/// Every so many suspensions a worker looks at its other queues before its deque, so that threads
/// which keep waking each other cannot starve those that yielded or came from outside.
inline constexpr unsigned kSuspensionsPerFairTurn = 61;

// --- I/O ---

/// Events that one poll takes from the system.
inline constexpr std::size_t kEventsPerPoll = 64;

/// How often in a row a searching worker leaves events to the worker in whose instance they are, if
/// that is awake: some 10 us. If it took them at once, a thread whose peer shares a core with its
/// worker would always go to the other core, and its answer would have to wake a core.
inline constexpr int kPollsPassedBy = 4;

/// OS threads for file operations where the system cannot do without (epoll), and for blocking().
inline constexpr std::size_t kFileThreads = 16;
inline constexpr std::size_t kBlockingThreads = 512;

/// While workers compute they are asked to poll so often. A tick costs the asking OS thread some
/// 5 us, and the delay of a message is about half of it.
inline constexpr std::chrono::microseconds kPollPeriod{250};

/// While all workers poll by themselves, at least that many times between two looks, the OS thread
/// that asks looks less and less often, down to this.
inline constexpr std::uint64_t kPollsOfTheEager = 8;
inline constexpr std::chrono::microseconds kLongestPollPeriod{1000};

/// A worker that has not answered for so many ticks (2 ms) is in a long computation: somebody else
/// polls its instance.
inline constexpr int kTicksBeforeStandIn = 8;

/// The asking stops when somebody else has watched for so many ticks (20 ms).
inline constexpr int kTicksBeforeRest = 80;

/// The sizes of a worker's io_uring: slots for what is to be submitted and for what is done, the
/// number after which submissions are handed over at the latest, and how often room is tried to be
/// made in a full queue.
inline constexpr unsigned kSubmissionEntries = 256;
inline constexpr unsigned kCompletionEntries = 8192;
inline constexpr unsigned kSubmissionBatch = 32;
inline constexpr int kSubmissionTries = 1000;
static_assert(kSubmissionBatch < kSubmissionEntries, "a batch fits");

}  // namespace kumiko::runtime::detail::tunables
