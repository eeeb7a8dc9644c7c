// Does I/O by edge-triggered epoll, and has files done by another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/descriptor_table.hpp"
#include "io/engine.hpp"
#include "machine/unique_descriptor.hpp"

namespace kumiko::runtime::detail {

/// Readiness by epoll, edge-triggered, one epoll instance per worker; files are a FileEngine's,
/// whose descriptors are among those of the instances, so that one descriptor tells of both. After
/// the thesis: the poller performs the operation itself and resumes only threads whose operation is
/// done.
///
/// A descriptor is registered once, with the instance of the worker where a thread first waited
/// for it. Whatever concerns its waiters (a new one, an edge, a cancellation, the close) is posted
/// to its Entry without waiting, and carried out by its *server* (the combiner of flat combining,
/// Hendler et al., SPAA 2010): whoever raises Entry::posts from 0. Others who post meanwhile leave
/// the work to the server, which goes on until it has seen all posts. So there is one server at a
/// time, the queues need no lock, and nobody ever waits for somebody who is in a system call.
///
/// No wake-up is lost: see Side.
class EpollEngine final : public Engine {
 public:
  /// \throws std::system_error if the system refuses a descriptor.
  EpollEngine(Scheduler& scheduler, std::unique_ptr<FileEngine> files);

  bool start(Operation& operation) noexcept override;
  void cancel(Operation& operation) noexcept override;
  bool close(Operation& operation) noexcept override;
  int poll(std::size_t instance, std::size_t budget) noexcept override;
  bool has_unsubmitted(std::size_t instance) const noexcept override {
    return files_->has_unsubmitted(instance);
  }
  int pollable(std::size_t instance) const noexcept override;

 private:
  /// One direction of a descriptor.
  ///
  /// `edges` counts how often the system has said that the direction became ready. An attempt reads
  /// it first; if the attempt finds nothing left, it stores what it read in `drained`. While the
  /// two are equal an attempt is not worth while: the direction was empty at some time after the
  /// edge that was counted last had been reported, so whatever came later is still to be reported,
  /// and will raise `edges`. A stale store to `drained` makes them differ, which costs a needless
  /// attempt and nothing else.
  struct Side {
    std::atomic<std::uint32_t> edges{1};
    std::atomic<std::uint32_t> drained{0};
    std::atomic<std::uint32_t> waiting{0};  ///< a hint: operations in the queue
    OperationQueue queue;                   ///< the server's

    bool may_be_ready() const noexcept {
      // acquire: pairs with the release in note_edge().
      return edges.load(std::memory_order_acquire) != drained.load(std::memory_order_relaxed);
    }
    void note_edge() noexcept {
      // release: pairs with the acquire in may_be_ready(), so that what was stored about the edge
      // before is seen by whoever counts it. An addition, for pollers of two instances may be here
      // at once: one late with an event of a descriptor that has been closed meanwhile.
      edges.fetch_add(1, std::memory_order_release);
    }
  };

  struct alignas(64) Entry : DescriptorState {
    std::atomic<std::uint32_t> posts{0};
    std::atomic<bool> cancellations{false};
    std::atomic<bool> short_reads_may_not_be_last{false};  ///< hung up, or urgent data
    std::atomic<Operation*> arrivals{nullptr};             ///< the latest first
    Side in;
    Side out;
    OperationQueue either;    ///< the server's: poll for both directions, or for urgent data
    bool registered = false;  ///< the server's
    std::size_t instance = 0;
  };

  struct alignas(64) Instance {
    UniqueDescriptor epoll;
    std::atomic<bool> polled{false};  ///< somebody is polling it
  };

  static Side* side_of(Entry& entry, const Operation& operation) noexcept;
  static std::int64_t attempt(Entry& entry, Side& side, Operation& operation,
                              DescriptorKind kind) noexcept;
  void note_news(Entry& entry, std::uint32_t news) noexcept;
  void post(Entry& entry) noexcept;
  void post_arrival(Entry& entry, Operation& operation) noexcept;
  void serve(Entry& entry) noexcept;
  void take_arrivals(Entry& entry) noexcept;
  void take(Entry& entry, Operation& operation) noexcept;
  static void drop_cancelled(Entry& entry) noexcept;
  bool ensure_registered(Entry& entry, int descriptor) noexcept;
  static void serve_side(Entry& entry, Side& side) noexcept;
  static void serve_either(Entry& entry) noexcept;
  static void fail_all(Entry& entry, int error) noexcept;
  void close_entry(Entry& entry, Operation& operation) noexcept;

  Scheduler& scheduler_;
  DescriptorTable<Entry> table_;
  std::vector<std::unique_ptr<Instance>> instances_;
  const std::unique_ptr<FileEngine> files_;
};

}  // namespace kumiko::runtime::detail
