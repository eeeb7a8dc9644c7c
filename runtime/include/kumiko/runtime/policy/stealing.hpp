// Which workers an idle worker asks for work: the concept of a steal policy, and a type that holds
// any such policy.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <kumiko/runtime/function_ref.hpp>

namespace kumiko::runtime::policy {

/// The description of one round of a thief for a steal policy. It has numbers only, so that the
/// runtime's workers and those of a model can use the same policy.
struct Others {
  /// Whether a worker is near the thief now: below the same last-level cache.
  using IsNear = FunctionRef<bool(std::size_t)>;

  std::size_t thief;                ///< the thief's index, not to be visited
  std::size_t workers;              ///< number of workers, the thief included; two or more
  const IsNear* is_near = nullptr;  ///< nullptr if all are equally far
};

/// A source of pseudo-random numbers of 32 bits or more, distributed about uniformly.
using Draw = FunctionRef<std::uint64_t()>;

/// Asks the victim of this index. Returns true if the thief has found work, which ends the round. A
/// visit to the thief itself, or to an index without a worker, finds nothing.
using Visit = FunctionRef<bool(std::size_t)>;

/// A *steal policy* makes one round of a thief: it visits some of the other workers in some order
/// until a visit returns true, and returns true if one did. It must not throw. One object serves
/// all workers, and all Runtimes made with the same Options, at the same time. It is called by
/// workers that have no ready threads, and every few turns by the loops of other workers; it is
/// never called by a spawn or a join.
///
/// The runtime makes rounds until it finds work or its waiting policy ends the search. Every 10 us
/// of a search, and before a worker sleeps, it asks all workers, whatever the policy. So a round
/// need not visit all workers, but work at those that it leaves out is found later.
template <class Policy>
concept Stealing = requires(const Policy policy, const Others& others, const Draw& draw,
                            const Visit& visit) {
  { policy.round(others, draw, visit) } -> std::same_as<bool>;
};

/// A steal policy of any class.
class AnyStealing {
 public:
  /// The runtime's own choice (NearFirst), or the policy that the environment selects.
  AnyStealing() = default;

  /// Holds a copy of `policy`, which all copies of this value share.
  template <class Policy>
  requires(!std::same_as<Policy, AnyStealing> && Stealing<Policy>) AnyStealing(Policy policy)
      : round_([shared = std::make_shared<const Policy>(std::move(policy))](
                   const Others& others, const Draw& draw, const Visit& visit) {
          return shared->round(others, draw, visit);
        }) {}

  /// Whether it holds a given policy, and not the runtime's choice.
  explicit operator bool() const noexcept { return round_ != nullptr; }

  /// See Stealing. Requires a policy.
  bool round(const Others& others, const Draw& draw, const Visit& visit) const {
    return round_(others, draw, visit);
  }

 private:
  std::function<bool(const Others& others, const Draw& draw, const Visit& visit)> round_;
};

}  // namespace kumiko::runtime::policy
