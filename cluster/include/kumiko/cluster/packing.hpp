// Writes values to messages and reads them; types may customise it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <kumiko/cluster/described.hpp>
#include <kumiko/cluster/link.hpp>

namespace kumiko::cluster {

namespace detail {
class Node;
class TokenCore;
}  // namespace detail

/// Appends values to a message.
class Writer {
 public:
  /// Writes to a frame for rank `destination`. Offsets count from the frame's present end, a
  /// multiple of 16.
  Writer(Frame& frame, int destination) noexcept
      : frame_(frame), begin_(frame.size()), destination_(destination) {}

  /// The rank that will read the message.
  int destination() const noexcept { return destination_; }

  /// Appends bytes at the next offset that is a multiple of `alignment`, at most 16.
  void append(const void* bytes, std::size_t size, std::size_t alignment = 1) {
    const std::size_t end = frame_.size();
    const std::size_t at = begin_ + aligned(end - begin_, alignment);
    frame_.resize(at + size);
    std::memset(frame_.data() + end, 0, at - end);
    if (size != 0) std::memcpy(frame_.data() + at, bytes, size);
  }

  /// Adds a token, whose right is passed on with the message once the message is complete.
  void take_along(detail::TokenCore& token) { tokens_.push_back(&token); }
  /// The tokens that go with the message.
  const std::vector<detail::TokenCore*>& tokens() const noexcept { return tokens_; }

  /// The next multiple of `alignment`.
  static constexpr std::size_t aligned(std::size_t offset, std::size_t alignment) noexcept {
    return (offset + alignment - 1) / alignment * alignment;
  }

 private:
  Frame& frame_;
  std::size_t begin_;
  int destination_;
  std::vector<detail::TokenCore*> tokens_;
};

/// Reads values from a message, in the order in which they were written.
class Reader {
 public:
  /// Reads a message on the rank of `node`.
  Reader(std::span<const std::byte> message, detail::Node& node) noexcept
      : message_(message), node_(&node) {}
  /// Reads bytes outside of calls, which cannot contain tokens.
  explicit Reader(std::span<const std::byte> message) noexcept : message_(message) {}

  /// The rank that reads. \throws std::logic_error if the bytes do not belong to a call
  detail::Node& node() const {
    if (node_ == nullptr) {
      throw std::logic_error("a token travels with calls and their results only");
    }
    return *node_;
  }

  /// The next `size` bytes, in place. \throws std::out_of_range if there are fewer.
  const std::byte* take(std::size_t size, std::size_t alignment = 1) {
    const std::size_t at = Writer::aligned(at_, alignment);
    if (at > message_.size() || size > message_.size() - at) {
      throw std::out_of_range("a message is shorter than what is read from it");
    }
    at_ = at + size;
    return message_.data() + at;
  }

  /// The next `number` elements of `size` bytes each, in place.
  const std::byte* take_elements(std::uint64_t number, std::size_t size, std::size_t alignment) {
    if (number > left() / size) {
      throw std::out_of_range("a message is shorter than the elements that it says it has");
    }
    return take(number * size, alignment);
  }

  /// The number of bytes that have not been read.
  std::size_t left() const noexcept { return message_.size() - at_; }

 private:
  std::span<const std::byte> message_;
  std::size_t at_ = 0;
  detail::Node* node_ = nullptr;
};

/// Packs values of type T into messages. This template is for trivially copyable types, which are
/// copied as bytes and must not contain addresses. Describe other types (described.hpp), or
/// specialise it with these two functions, which must not suspend.
template <class T>
struct Packing {
  /// Types without a specialisation of their own may be copied in bulk.
  static constexpr bool kByBytes = true;

  static_assert(std::is_trivially_copyable_v<T>,
                "describe this type, or specialise kumiko::cluster::Packing for it: it is not "
                "trivially copyable");
  static_assert(!std::is_pointer_v<T> && !std::is_member_pointer_v<T>,
                "an address means nothing to another rank; send what is there, or a Region");

  /// Writes `value`, from which it may move.
  static void pack(Writer& writer, T& value) { writer.append(&value, sizeof value, alignof(T)); }

  /// Reads a value that pack() has written. \throws std::out_of_range, or what constructing a T
  /// throws
  static T unpack(Reader& reader) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), reader.take(sizeof(T), alignof(T)), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return bytes[0] != std::byte{};  // any byte is one
    return std::bit_cast<std::remove_const_t<T>>(bytes);  // T may have no default constructor
  }
};

namespace detail {

template <class T>
inline constexpr bool kByBytes = requires {
  Packing<T>::kByBytes;
};

/// True if a T refers to memory that it does not own.
template <class T>
inline constexpr bool kIsView = false;
template <class T>
inline constexpr bool kIsView<std::span<T>> = true;
template <>
inline constexpr bool kIsView<std::string_view> = true;
template <class T>
inline constexpr bool kIsView<std::vector<T>> = kIsView<T>;
template <class T>
inline constexpr bool kIsView<std::optional<T>> = kIsView<T>;
template <class First, class Second>
inline constexpr bool kIsView<std::pair<First, Second>> = kIsView<First> || kIsView<Second>;
template <class... Elements>
inline constexpr bool kIsView<std::tuple<Elements...>> = (kIsView<Elements> || ...);

}  // namespace detail

template <class T>
struct Packing<std::reference_wrapper<T>> {
  static_assert(sizeof(T) == 0, "a reference means nothing to another rank; send the value");
};

/// A span's elements are read in the received message: the receiver's span is valid during the
/// function that gets it.
template <class T>
struct Packing<std::span<T>> {
  static_assert(std::is_const_v<T>, "send a std::span of const: the receiver's is of a message");
  static_assert(detail::kByBytes<std::remove_const_t<T>> && alignof(T) <= 16,
                "a span that travels has trivially copyable elements, which have no Packing of "
                "their own; send a std::vector");

  /// Writes the number of elements and the elements.
  static void pack(Writer& writer, std::span<T>& value) {
    std::uint64_t size = value.size();
    Packing<std::uint64_t>::pack(writer, size);
    writer.append(value.data(), value.size_bytes(), alignof(T));
  }
  /// \throws std::out_of_range if the message has fewer elements
  static std::span<T> unpack(Reader& reader) {
    const auto size = Packing<std::uint64_t>::unpack(reader);
    return {reinterpret_cast<T*>(reader.take_elements(size, sizeof(T), alignof(T))), size};
  }
};

/// A view is packed as the span of its characters.
template <>
struct Packing<std::string_view> {
  /// Writes the characters.
  static void pack(Writer& writer, std::string_view& value) {
    std::span<const char> characters(value);
    Packing<std::span<const char>>::pack(writer, characters);
  }
  /// \throws std::out_of_range if the message has fewer characters
  static std::string_view unpack(Reader& reader) {
    const auto characters = Packing<std::span<const char>>::unpack(reader);
    return {characters.data(), characters.size()};
  }
};

template <>
struct Packing<std::string> {
  static void pack(Writer& writer, std::string& value) {
    std::string_view view(value);
    Packing<std::string_view>::pack(writer, view);
  }
  static std::string unpack(Reader& reader) {
    return std::string(Packing<std::string_view>::unpack(reader));
  }
};

template <class T, class Allocator>
struct Packing<std::vector<T, Allocator>> {
  static void pack(Writer& writer, std::vector<T, Allocator>& value) {
    if constexpr (kInBulk) {
      std::span<const T> elements(value);
      Packing<std::span<const T>>::pack(writer, elements);
    } else {
      std::uint64_t size = value.size();
      Packing<std::uint64_t>::pack(writer, size);
      for (auto&& element : value) {
        if constexpr (std::is_same_v<T, bool>) {  // which has no address in a vector
          bool copy = element;
          Packing<bool>::pack(writer, copy);
        } else {
          Packing<T>::pack(writer, element);
        }
      }
    }
  }
  /// The message may lie at any address. \throws std::out_of_range if it has fewer elements
  static std::vector<T, Allocator> unpack(Reader& reader) {
    const auto size = Packing<std::uint64_t>::unpack(reader);
    std::vector<T, Allocator> value;
    if constexpr (kInBulk) {
      const std::byte* const bytes = reader.take_elements(size, sizeof(T), alignof(T));
      value.resize(size);
      if (size != 0) std::memcpy(value.data(), bytes, size * sizeof(T));
    } else {
      for (std::uint64_t i = 0; i < size; ++i) value.push_back(Packing<T>::unpack(reader));
    }
    return value;
  }

 private:
  static constexpr bool kInBulk = detail::kByBytes<T> && !std::is_same_v<T, bool> &&
                                  std::is_default_constructible_v<T> && alignof(T) <= 16;
};

template <class T>
struct Packing<std::optional<T>> {
  static void pack(Writer& writer, std::optional<T>& value) {
    bool is_there = value.has_value();
    Packing<bool>::pack(writer, is_there);
    if (is_there) Packing<T>::pack(writer, *value);
  }
  static std::optional<T> unpack(Reader& reader) {
    if (!Packing<bool>::unpack(reader)) return std::nullopt;
    return Packing<T>::unpack(reader);
  }
};

template <class... Elements>
struct Packing<std::tuple<Elements...>> {
  static void pack(Writer& writer, std::tuple<Elements...>& value) {
    std::apply([&](Elements&... element) { (Packing<Elements>::pack(writer, element), ...); },
               value);
  }
  static std::tuple<Elements...> unpack(Reader& reader) {
    return std::tuple<Elements...>{Packing<Elements>::unpack(reader)...};  // braces: in this order
  }
};

template <class First, class Second>
struct Packing<std::pair<First, Second>> {
  static void pack(Writer& writer, std::pair<First, Second>& value) {
    Packing<First>::pack(writer, value.first);
    Packing<Second>::pack(writer, value.second);
  }
  static std::pair<First, Second> unpack(Reader& reader) {
    return {Packing<First>::unpack(reader), Packing<Second>::unpack(reader)};
  }
};

/// A described record is packed item by item, unless its bytes are copied.
template <Described T>
requires(!std::is_trivially_copyable_v<T>) struct Packing<T> {
  static void pack(Writer& writer, T& record) {
    for_each_item<T>([&](const auto& item) {
      Packing<std::remove_reference_t<decltype(item.of(record))>>::pack(writer, item.of(record));
    });
  }
  /// \throws std::out_of_range also for a number or an enumerator above Item::most
  static T unpack(Reader& reader) {
    T record{};
    for_each_item<T>([&](const auto& item) {
      auto& value = item.of(record);
      using Member = std::remove_reference_t<decltype(value)>;
      value = Packing<Member>::unpack(reader);
      if constexpr (std::is_arithmetic_v<Member> || std::is_enum_v<Member>) {
        if (static_cast<double>(value) > item.most) {
          throw std::out_of_range("a message has a value that is out of range");
        }
      }
    });
    return record;
  }
};

/// A value as bytes, outside of calls.
template <class T>
Frame packed(T value) {
  Frame frame;
  Writer writer(frame, -1);
  Packing<T>::pack(writer, value);
  return frame;
}

/// The value that packed() made the bytes of. They may lie at any address.
/// \throws std::out_of_range if they are more, fewer or others
template <class T>
T unpacked(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  T value = Packing<T>::unpack(reader);
  if (reader.left() != 0) throw std::out_of_range("a message is longer than what is read from it");
  return value;
}

}  // namespace kumiko::cluster
