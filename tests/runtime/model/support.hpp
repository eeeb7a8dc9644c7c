// Models of the runtime's memory barrier and spin lock, which other models use.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"

/// What the runtime's models share.
namespace kumiko::runtime::model {

/// Mirrors runtime/src/machine/asymmetric_barrier.hpp: with the kernel's help, or without it.
enum class Help { kMembarrier, kCommonWord };

struct Setting {
  Machine machine;
  Help help;
};

inline const auto kSettings = testing::Values(
    Setting{Machine::kTso, Help::kMembarrier}, Setting{Machine::kTso, Help::kCommonWord},
    Setting{Machine::kArm, Help::kMembarrier}, Setting{Machine::kArm, Help::kCommonWord});

inline std::string setting_name(const testing::TestParamInfo<Setting>& setting) {
  return std::string(setting.param.machine == Machine::kTso ? "Tso" : "Arm") +
         (setting.param.help == Help::kMembarrier ? "WithMembarrier" : "WithCommonWord");
}

/// Mirrors AsymmetricBarrier.
class BarrierModel {
 public:
  BarrierModel(Model& model, Help help) : help_(help) {
    if (help == Help::kCommonWord) word_ = model.variable("word");
  }

  void light(Thread& t) const { help_ == Help::kMembarrier ? t.compiler_barrier() : meet(t); }
  void heavy(Thread& t) const { help_ == Help::kMembarrier ? t.membarrier() : meet(t); }

 private:
  void meet(Thread& t) const { t.fetch_add(word_, 0, Order::kAcqRel); }

  Help help_;
  Var word_{};
};

/// Mirrors runtime/include/kumiko/runtime/detail/spinlock.hpp. A waiter is not seen to spin.
class SpinLockModel {
 public:
  SpinLockModel(Model& model, const std::string& name, Order lock = Order::kAcquire,
                Order unlock = Order::kRelease)
      : lock_(lock), unlock_(unlock), locked_(model.variable(name)) {}

  void lock(Thread& t) const { t.await_and_exchange(locked_, 0, 1, lock_); }
  /// Nonzero if somebody else has it.
  Reg try_lock(Thread& t) const { return t.exchange(locked_, 1, lock_); }
  void unlock(Thread& t) const { t.store(locked_, 0, unlock_); }

 private:
  Order lock_;
  Order unlock_;
  Var locked_;
};

}  // namespace kumiko::runtime::model
