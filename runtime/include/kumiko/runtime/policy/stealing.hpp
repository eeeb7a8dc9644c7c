// Whom an idle worker asks for work: what a steal policy is, and any of them as a value.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <kumiko/runtime/detail/function_ref.hpp>

namespace kumiko::runtime::policy {

/// What a steal policy is told about one round of a thief: numbers only, so that the runtime's
/// workers and those of a model go by it alike.
struct Others {
  /// Whether a worker is near the thief now: below the same last-level cache.
  using IsNear = detail::FunctionRef<bool(std::size_t)>;

  std::size_t thief;                ///< its index, not to be visited
  std::size_t workers;              ///< how many there are, the thief included; two or more
  const IsNear* is_near = nullptr;  ///< nullptr where all are equally far
};

/// Makes pseudo-random numbers of 32 bits or more, about equally likely.
using Draw = detail::FunctionRef<std::uint64_t()>;

/// Asks a victim, by its index. Returns true if that ends the round: the thief has found work. A
/// visit to the thief itself, or to an index that there is not, finds nothing.
using Visit = detail::FunctionRef<bool(std::size_t)>;

/// A *steal policy* makes one round of a thief: it visits some of the other workers in some order
/// until a visit returns true, and returns whether one did. It must not throw. One object serves
/// all workers, and all Runtimes that its Options are given to, at the same time. It is asked by
/// workers without ready threads of their own, and every few turns of the others' loops; never by a
/// spawn or a join.
///
/// The runtime makes rounds until there is work or its waiting policy ends the search. Every 10 us
/// of a search, and before a worker sleeps, it asks everybody whatever the policy is, so a round
/// need not visit everybody; what it leaves out comes late.
template <class Policy>
concept Stealing = requires(const Policy policy, const Others& others, const Draw& draw,
                            const Visit& visit) {
  { policy.round(others, draw, visit) } -> std::same_as<bool>;
};

/// A steal policy of whatever class.
class AnyStealing {
 public:
  /// The runtime's own choice (NearFirst), or what the environment says.
  AnyStealing() = default;

  /// This one, which is copied once and then shared by all copies of this value.
  template <class Policy>
  requires(!std::same_as<Policy, AnyStealing> && Stealing<Policy>) AnyStealing(Policy policy)
      : round_([shared = std::make_shared<const Policy>(std::move(policy))](
                   const Others& others, const Draw& draw, const Visit& visit) {
          return shared->round(others, draw, visit);
        }) {}

  /// Whether it is that of a class, and not the runtime's choice.
  explicit operator bool() const noexcept { return round_ != nullptr; }

  /// See Stealing. Requires a policy.
  bool round(const Others& others, const Draw& draw, const Visit& visit) const {
    return round_(others, draw, visit);
  }

 private:
  std::function<bool(const Others& others, const Draw& draw, const Visit& visit)> round_;
};

}  // namespace kumiko::runtime::policy
