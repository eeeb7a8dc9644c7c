// Lets rank 0's calls of a Simulation run on the other ranks of a shared mesh.
#pragma once

#include <exception>
#include <mutex>

#include <kumiko/amr/communicator.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/function_ref.hpp>
#include <kumiko/runtime/mutex.hpp>

namespace kumiko::amr {

/// Rank 0 directs, the others follow: an order, which is a part of a call of rank 0, arrives in a
/// thread of its own, and the thread that follows executes it. Each rank has one, which keeps the
/// first failure: a rank that has thrown cannot follow any more, unless all ranks have gone back to
/// the same state.
class Orders {
 public:
  /// Keeps a reference to the rank.
  explicit Orders(Communicator& communicator) : communicator_(communicator) {}

  // Rank 0's.

  /// Throws the failure that is kept, after which the others may not follow any more.
  void check_failure() const;
  /// Throws the failure that is kept, after which no rank takes a step.
  void check_failure_before_steps() const;
  /// Keeps the exception that is being handled, of a call.
  /// \param had_gone_back  has_gone_back() before the call, which then was to save the state
  void keep_failure(bool had_gone_back);
  /// True if all ranks have gone back together after a failure: the state can be saved.
  bool has_gone_back() const { return has_gone_back_; }
  /// True if the others wait for an order.
  bool are_followed() const { return !failed_ || has_gone_back_; }

  // The others'.

  /// Executes the next order, or waits for it. Returns false if there is none any more. Throws what
  /// the order throws; if all ranks have gone back, only when there is no order any more, since
  /// rank 0 may save the state. Throws cluster::RankLost.
  bool follow();
  /// Has the thread that follows execute an order, and waits. Throws what the order throws.
  void execute(runtime::FunctionRef<void()> work);
  /// Refuses further orders. One that has not begun throws.
  void end();

  /// All ranks have failed together, and stand at the same state again.
  void note_gone_back() { has_gone_back_ = true; }

 private:
  /// A call of execute().
  struct Order {
    runtime::FunctionRef<void()> work;
    std::exception_ptr thrown = nullptr;
    bool is_done = false;
  };

  Order* next();
  void check_leader(std::unique_lock<runtime::Mutex>& lock);

  Communicator& communicator_;
  // The driver's.
  bool has_gone_back_ = false;
  std::exception_ptr failed_;  ///< the failure that is kept

  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  // All that follows is guarded by the mutex.
  Order* order_ = nullptr;  ///< until it begins
  bool has_ended_ = false;
};

}  // namespace kumiko::amr
