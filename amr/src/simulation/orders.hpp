// Passes calls of rank 0's Simulation on to the other ranks of a shared mesh.
#pragma once

#include <cstdint>
#include <exception>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

/// A call of rank 0's Simulation.
struct Order {
  enum class Call : std::int32_t {
    kEnd,
    kAdvance,
    kSave,
    kSaveShare,
    kFieldFigures,
    kErrorNorms,
    kStateHash,
    kCheckFinite,
    kMemoryUse,
    kStartTrace,
    kBringTraceTogether
  };

  Call call = Call::kEnd;
  std::int64_t number = 0;  ///< of steps, of extras, or of bytes
  double until = 0.0;       ///< of kAdvance
};

/// Rank 0 directs, the others follow. Each rank has one, which keeps the first failure: a rank
/// that has thrown cannot follow any more, unless all ranks have gone back to the same state. One
/// message to each rank per order.
class Orders {
 public:
  /// Keeps a reference to the rank.
  explicit Orders(Communicator& communicator) : communicator_(communicator) {}

  /// Has all ranks do their parts of rank 0's call; each does work(). When one has thrown, all
  /// later ones throw the same, unless all ranks have gone back together: then the state can be
  /// saved.
  template <class Work>
  auto direct(Order order, Work work) {
    if (communicator_.size() == 1) return work();
    ensure(communicator_.rank() == 0, "rank {} is to follow rank 0", communicator_.rank());
    const bool had_gone_back = has_gone_back_;
    if (failed_ && (!had_gone_back || order.call == Order::Call::kAdvance)) {
      std::rethrow_exception(failed_);
    }
    try {
      collect<Order>(communicator_, {{{}, 0, order}});
      return work();
    } catch (...) {
      failed_ = std::current_exception();
      if (had_gone_back) has_gone_back_ = false;
      throw;
    }
  }

  /// Waits for rank 0's next order, as another rank. Throws the kept failure when that is kEnd,
  /// cluster::RankLost if rank 0 is lost.
  Order next();
  /// Keeps the exception that is being handled if all ranks have gone back, since rank 0 may want
  /// to save that state; throws it otherwise.
  void keep_failure();
  /// All ranks have failed together, and stand at the same state again.
  void note_gone_back() { has_gone_back_ = true; }
  /// Has the others end, if they wait for an order.
  void end() noexcept;

 private:
  Communicator& communicator_;
  bool has_gone_back_ = false;  ///< whether all ranks have, after a failure that all know of
  /// The exception of a call of rank 0, after which the others may not be waiting for an order.
  std::exception_ptr failed_;
};

}  // namespace kumiko::amr
