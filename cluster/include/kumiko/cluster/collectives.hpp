// Collective operations: all ranks must call the same ones in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <kumiko/cluster/cluster.hpp>

namespace kumiko::cluster {

namespace detail {

/// The collective operations.
enum Operation : std::uint32_t { kGather, kAllGather, kMax, kMin, kBroadcast, kBarrier };

/// A collective operation, with the data by which the ranks check that they ask for the same one.
struct Collection {
  Operation operation{};   ///< the same on all ranks
  int root = 0;            ///< the rank that gets the parts of kGather
  std::uint32_t type = 0;  ///< hash of the values' type

  friend bool operator==(const Collection&, const Collection&) = default;
};

template <class T>
std::uint32_t type_hash() noexcept {
  return static_cast<std::uint32_t>(typeid(T).hash_code());
}

/// Begins a collective operation: see Collections::begin().
void collect(const Here& here, Collection what, Packer pack, std::unique_ptr<Pending> pending);

/// Calls take(rank, reader) for each rank's part.
template <class Take>
void for_each_part(const Answer& answer, Take take) {
  Reader reader(answer.value, *answer.node);
  for (int rank = 0; reader.left() > 0; ++rank) {
    std::uint64_t size = 0;
    std::memcpy(&size, reader.take(sizeof size, 16), sizeof size);
    const std::byte* const part = reader.take(size, 16);
    Reader of_part({part, size}, *answer.node);
    take(rank, of_part);
  }
}

/// A collective operation in progress, which makes a Future's result from the parts by
/// finish(answer). Collections owns it.
template <class Result, class Finish>
class Collecting final : public Pending {
 public:
  /// \param finish  called with the answer; returns the result
  explicit Collecting(Finish finish) : finish_(std::move(finish)) {}

  /// To be called once.
  Future<Result> future() { return promise_.get_future(); }

  /// Makes the result of the Future.
  void finish(Answer answer) override {
    try {
      if (answer.exception != nullptr) std::rethrow_exception(answer.exception);
      if constexpr (std::is_void_v<Result>) {
        finish_(answer);
        promise_.set_value();
      } else {
        promise_.set_value(finish_(answer));
      }
    } catch (...) {
      promise_.set_exception(std::current_exception());
    }
  }

 private:
  runtime::Promise<Result> promise_;
  Finish finish_;
};

template <class Result, class Finish>
Future<Result> collect_into(const Here& here, Collection what, Packer pack, Finish finish) {
  auto pending = std::make_unique<Collecting<Result, Finish>>(std::move(finish));
  Future<Result> future = pending->future();
  collect(here, what, pack, std::move(pending));
  return future;
}

template <class T>
Future<std::vector<T>> gather_values(const Here& here, Collection what, T value) {
  const auto pack = [&](Writer& writer) { Packing<T>::pack(writer, value); };
  return collect_into<std::vector<T>>(here, what, pack, [](const Answer& answer) {
    std::vector<T> values;
    for_each_part(answer,
                  [&](int, Reader& reader) { values.push_back(Packing<T>::unpack(reader)); });
    return values;
  });
}

/// The value of all ranks than which no other is_better.
template <class T, class Better>
Future<T> best_value(const Here& here, Operation operation, T value, Better is_better) {
  const auto pack = [&](Writer& writer) { Packing<T>::pack(writer, value); };
  return collect_into<T>(here, {operation, 0, type_hash<T>()}, pack,
                         [is_better](const Answer& answer) {
                           std::optional<T> best;
                           for_each_part(answer, [&](int, Reader& reader) {
                             T other = Packing<T>::unpack(reader);
                             if (!best || is_better(other, *best)) best = std::move(other);
                           });
                           return std::move(*best);
                         });
}

}  // namespace detail

// Each of these returns immediately. The Future has its result when all ranks have taken part and
// the root has sent the answer. It throws RankLost as soon as any rank is lost, as do all later
// operations, and std::logic_error on all ranks if they call different operations. The parts are
// gathered on one rank, which needs memory for ranks × size, so T must be small or the ranks few.

/// The values of all ranks, by rank, on `root`; nothing elsewhere.
template <class T>
[[nodiscard]] Future<std::vector<T>> gather(const Here& here, T value, int root = 0) {
  return detail::gather_values<T>(here, {detail::kGather, root, detail::type_hash<T>()},
                                  std::move(value));
}

/// The values of all ranks, by rank, everywhere.
template <class T>
[[nodiscard]] Future<std::vector<T>> all_gather(const Here& here, T value) {
  return detail::gather_values<T>(here, {detail::kAllGather, 0, detail::type_hash<T>()},
                                  std::move(value));
}

/// The largest, or smallest, of all ranks' values, everywhere.
/// \{
template <class T>
[[nodiscard]] Future<T> max(const Here& here, T value) {
  return detail::best_value(here, detail::kMax, std::move(value), std::greater<>());
}
template <class T>
[[nodiscard]] Future<T> min(const Here& here, T value) {
  return detail::best_value(here, detail::kMin, std::move(value), std::less<>());
}
/// \}

/// The value of `root`, everywhere; the values of the other ranks are ignored.
template <class T>
[[nodiscard]] Future<T> broadcast(const Here& here, T value, int root = 0) {
  const auto pack = [&](Writer& writer) {
    if (here.rank() == root) Packing<T>::pack(writer, value);
  };
  return detail::collect_into<T>(here, {detail::kBroadcast, root, detail::type_hash<T>()}, pack,
                                 [root](const detail::Answer& answer) {
                                   std::optional<T> sent;
                                   detail::for_each_part(answer, [&](int rank, Reader& reader) {
                                     if (rank == root) sent = Packing<T>::unpack(reader);
                                   });
                                   return std::move(*sent);
                                 });
}

/// Ready when all ranks have called it.
[[nodiscard]] inline Future<void> barrier(const Here& here) {
  return detail::collect_into<void>(
      here, {detail::kBarrier, 0}, [](Writer&) {}, [](const detail::Answer&) {});
}

}  // namespace kumiko::cluster
