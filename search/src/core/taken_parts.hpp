// The parts that this process does, and the results that it may have to send again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/exchange_message.hpp"

namespace kumiko::search::detail {

/// A table of runs, one for each part that this process does for another one, or of its own pool.
/// It also keeps the latest results, so that a giver that asks for a part of something that has
/// ended gets the result again, and the stops that have arrived before their parts.
class TakenParts {
 public:
  struct Taken {
    Way giver;
    PartName part;
    std::uint64_t run;
    bool is_wanted = true;    ///< its giver is to get the result
    bool stops_all = false;   ///< its code has stopped the whole search
    bool is_stopped = false;  ///< its giver has stopped it, and needs no message about a stop
  };

  /// A part begins. Its run has a number that no other run had.
  Taken& add(const Way& giver, PartName part);
  /// A run ends. Returns nothing if there is no such run.
  std::optional<Taken> remove(std::uint64_t run);
  Taken* find(const Way& giver, PartName part) noexcept;
  Taken* find(std::uint64_t run) noexcept;

  void keep_result(const Way& giver, ExchangeMessage result);
  /// The result of a part that has ended lately; nullptr if it is not known.
  const ExchangeMessage* result(const Way& giver, PartName part) const noexcept;

  /// Keeps a stop for a part that has not arrived.
  void keep_stop(const Way& giver, PartName part);
  /// Returns whether there was a stop for this part, and removes it.
  bool remove_stop(const Way& giver, PartName part);

  /// No giver gets a result any more.
  void drop_all() noexcept;
  /// The process at the end of `way` is lost, and so are those behind it. Appends the runs whose
  /// results nobody wants any more.
  void lost(const Way& way, std::vector<std::uint64_t>& unwanted);

  /// Appends the state as numbers, for the test of the model.
  void describe(std::vector<std::uint32_t>& out) const;

 private:
  /// The number of results that are kept, and of stops.
  static constexpr std::size_t kKept = 8;

  struct Result {
    Way giver;
    ExchangeMessage message;
  };
  struct Stop {
    Way giver;
    PartName part;
  };

  std::vector<Taken> taken_;
  std::deque<Result> results_;
  std::deque<Stop> stops_;
  std::uint64_t last_run_ = 0;
};

}  // namespace kumiko::search::detail
