// The order in which the patches of all levels take their steps: what every schedule is.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <kumiko/amr/backend.hpp>

#include "sharing/shadow_exchange.hpp"
#include "stepping/piece_runner.hpp"

namespace kumiko::amr {

/// Lets the pieces of a window loose on the backend's workers, each when all that it waits for is
/// done (BlockGraph says what), and has a PieceRunner do them. Every schedule gives the same bits.
class StepSchedule {
 public:
  StepSchedule(Hierarchy& hierarchy, Backend& backend, PieceRunner& pieces, ShadowExchange& shadows)
      : hierarchy_(hierarchy), backend_(backend), pieces_(pieces), shadows_(shadows) {}
  virtual ~StepSchedule() = default;

  /// "level" or "dataflow".
  virtual std::string_view name() const = 0;

  /// Takes all levels through a window; in the backend's driver. The mesh may be another one than
  /// in the last window. When a step fails, the PieceRunner keeps the failure, and later base steps
  /// are not computed. All ranks of a shared mesh take the same windows; throws if one is lost.
  virtual void take(const Window& window) = 0;

  /// How many blocks each level had in the latest window, equal parts of its patches by home_of();
  /// none where patches are dealt out one by one.
  virtual std::vector<std::size_t> blocks() const { return {}; }

  /// Bytes that it keeps for the patches of the latest window.
  virtual std::size_t bytes() const { return 0; }

 protected:
  Hierarchy& hierarchy_;
  Backend& backend_;
  PieceRunner& pieces_;
  ShadowExchange& shadows_;
};

}  // namespace kumiko::amr
