// Arguments and results of functions that run elsewhere: their types, and the copies that are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/packing.hpp>

namespace kumiko::cluster::detail {

/// The type of the result of F, called with or without a Here in front of the arguments.
template <class F, class... Arguments>
struct Returned {
  static_assert(std::is_invocable_v<const F&, Arguments...>,
                "the function cannot be called with these arguments, nor with (const Here&, "
                "arguments...)");
  using Type = std::invoke_result_t<const F&, Arguments...>;
};
template <class F, class... Arguments>
requires std::is_invocable_v<const F&, const Here&, Arguments...>
struct Returned<F, Arguments...> {
  using Type = std::invoke_result_t<const F&, const Here&, Arguments...>;
};
template <class F, class... Arguments>
using ReturnedBy = typename Returned<F, Arguments...>::Type;

/// Arguments as the bytes that Packing makes of them, if it copies all of them as bytes.
template <class... Arguments>
class PackedItem {
 public:
  explicit PackedItem(const Arguments&... arguments) noexcept {
    std::size_t at = 0;
    [[maybe_unused]] const auto append = [&]<class T>(const T& argument) {
      at = Writer::aligned(at, alignof(T));
      std::memcpy(bytes_.data() + at, &argument, sizeof argument);
      at += sizeof argument;
    };
    (append(arguments), ...);
  }

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  /// The size that keeps consecutive items aligned; not 0 even without arguments.
  static constexpr std::size_t size() noexcept {
    std::size_t at = 0;
    std::size_t alignment = 1;
    [[maybe_unused]] const auto count = [&](std::size_t size, std::size_t aligned) {
      at = Writer::aligned(at, aligned) + size;
      alignment = alignment < aligned ? aligned : alignment;
    };
    (count(sizeof(Arguments), alignof(Arguments)), ...);
    return at == 0 ? 1 : Writer::aligned(at, alignment);
  }

  std::array<std::byte, size()> bytes_{};
};

/// Arguments that outlive their call: views become views of a copy.
template <class... Arguments>
class KeptArguments {
 public:
  KeptArguments(Node& node, int rank, Arguments&... arguments)
      : node_(&node), kept_(keep(rank, arguments...)) {}

  /// Calls function(arguments...), which may move from them.
  template <class Function>
  decltype(auto) apply(Function function) {
    if constexpr (kHasViews) {
      Reader reader(kept_, *node_);
      auto arguments = Packing<std::tuple<Arguments...>>::unpack(reader);
      return std::apply(function, std::move(arguments));
    } else {
      return std::apply(function, std::move(kept_));
    }
  }

 private:
  static constexpr bool kHasViews = (kIsView<Arguments> || ...);
  using Kept = std::conditional_t<kHasViews, Frame, std::tuple<Arguments...>>;

  static Kept keep(int rank, Arguments&... arguments) {
    if constexpr (kHasViews) {
      Frame frame;
      Writer writer(frame, rank);
      (Packing<Arguments>::pack(writer, arguments), ...);
      send_tokens(writer, false);
      return frame;
    } else {
      return Kept(std::move(arguments)...);
    }
  }

  Node* node_;
  Kept kept_;
};

}  // namespace kumiko::cluster::detail
