// Whom an idle worker asks for work, in which order: those below its own cache first.
#pragma once

#include <cstddef>

namespace kumiko::runtime::policy {

/// In place of a predicate that tells who is near, where all workers are equally far.
struct NoDistances {};

/// One round over the other workers, each once: first those that are near, then the rest, each of
/// the two passes in a circle from a random worker on, so that thieves spread. Without distances
/// there is one pass. Knows numbers only; the runtime's workers and the model's go by it alike.
class NearFirst {
 public:
  /// For the worker `thief`, one of `workers`, which is not visited itself.
  constexpr NearFirst(std::size_t thief, std::size_t workers) noexcept
      : thief_(thief), workers_(workers) {}

  /// Calls visit(victim) for one after the other, until it returns true.
  /// \param is_near  of a victim: whether it is near now; asked in each of the passes
  /// \param random   makes unsigned integers; called once for each pass that is begun
  /// \param visit    takes a victim's index
  /// \return whether a visit returned true
  template <class IsNear, class Random, class Visit>
  constexpr bool round(const IsNear& is_near, Random& random, Visit&& visit) const {
    return pass(is_near, random, visit) ||
           pass([&is_near](std::size_t victim) { return !is_near(victim); }, random, visit);
  }

  /// The same where all workers are equally far.
  template <class Random, class Visit>
  constexpr bool round(NoDistances, Random& random, Visit&& visit) const {
    return pass([](std::size_t) { return true; }, random, visit);
  }

 private:
  template <class Filter, class Random, class Visit>
  constexpr bool pass(const Filter& is_wanted, Random& random, Visit& visit) const {
    std::size_t next = random() % workers_;
    for (std::size_t passed = 0; passed < workers_; ++passed) {
      const std::size_t victim = next;
      next = victim + 1 == workers_ ? 0 : victim + 1;
      if (victim == thief_ || !is_wanted(victim)) continue;
      if (visit(victim)) return true;
    }
    return false;
  }

  std::size_t thief_;
  std::size_t workers_;
};

}  // namespace kumiko::runtime::policy
