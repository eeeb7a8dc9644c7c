// Describes the members of a struct once, for everything that sends, stores or documents it.
//
// A *described record* is a struct with a function next to it that lists its members:
//
//     struct Answer {
//       bool found = false;
//       std::vector<std::uint64_t> hashes;
//     };
//     constexpr auto described(std::type_identity<Answer>) {
//       return std::tuple(Item<&Answer::found>{"found"}, Item<&Answer::hashes>{"hashes"});
//     }
//
// Packing (packing.hpp) sends such a record, unless its bytes are copied as they are. io converts
// it to JSON and back, and names the columns of traces by it.
#pragma once

#include <limits>
#include <tuple>
#include <type_traits>

namespace kumiko::cluster {

/// A member of a record, or of a member of it, with its name. The type follows from the member.
/// \tparam Path  pointers to members, from the record inwards
template <auto... Path>
struct Item {
  /// Its key or column. In files, the items of a described member without a name take its place.
  const char* name = "";
  /// For the tables of docs/reference/files.md, in Markdown.
  const char* help = "";
  /// The largest number, the last enumerator, or the largest length of a list.
  double most = std::numeric_limits<double>::infinity();
  /// True if files of earlier versions do not have it. The member then keeps its initial value.
  bool may_be_missing = false;

  /// True if there is no name.
  constexpr bool is_part() const { return *name == '\0'; }
  /// The item with a largest value.
  constexpr Item up_to(auto limit) const {
    return {name, help, static_cast<double>(limit), may_be_missing};
  }
  /// The item of a file whose earlier versions do not have it.
  constexpr Item added_later() const { return {name, help, most, true}; }
  /// The member of a record.
  static constexpr auto& of(auto& record) { return (record.*....*Path); }
};

/// A described record. A record that is sent must describe all its members, and these must own
/// what they refer to.
template <class T>
concept Described = requires {
  described(std::type_identity<T>{});
};

/// Calls each(item) for the items of a record, in their order.
template <Described T, class Do>
constexpr void for_each_item(Do each) {
  std::apply([&](const auto&... item) { (each(item), ...); }, described(std::type_identity<T>{}));
}

}  // namespace kumiko::cluster
