// JSON of described records, both ways. The conversions of nlohmann::json take such a record, and a
// list of them. A reader skips keys that it does not know.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/cluster/described.hpp>

#include "text/message.hpp"

namespace kumiko::io {

/// For a message: a value, or the type of a nested one, however deep it goes.
inline std::string shown(const nlohmann::ordered_json& json) {
  return json.is_structured() ? std::string(json.type_name()) : in_quotes(json.dump());
}

/// A number of a file: counts, seconds and sums are not negative; null is what is not finite.
/// Throws std::runtime_error with the value if it is another one, or greater than `most`.
template <class Number>
Number to_number(const nlohmann::ordered_json& json,
                 double most = std::numeric_limits<double>::infinity()) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw std::runtime_error(fmt::format("{} is {}", shown(json), what));
  };
  if constexpr (std::integral<Number>) {
    require(json.is_number_unsigned(), "not a count");
    require(std::in_range<Number>(json.get<std::uint64_t>()), "out of range");
  }
  const auto value = json.get<Number>();
  const auto number = static_cast<double>(value);
  require(std::isfinite(number) && number >= 0.0 && number <= most, "out of range");
  return value;
}

/// Reads the value of an item, whose `most` is also the largest length of a list.
template <class Item, class T>
void read_value(const nlohmann::ordered_json& json, const Item& item, T& value) {
  if constexpr (requires { value.has_value(); }) {
    read_value(json, item, value.emplace());
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    value = to_number<T>(json, item.most);
  } else {
    const bool is_limited = std::isfinite(item.most);
    if (is_limited && (!json.is_array() || static_cast<double>(json.size()) > item.most)) {
      throw std::runtime_error(
          fmt::format("'{}' is not a list of at most {:.0f}", item.name, item.most));
    }
    json.get_to(value);
  }
}

}  // namespace kumiko::io

/// An object with a key for each item; an optional member without a value has none. Reading throws
/// std::runtime_error or nlohmann::json::exception, also for a missing key unless its member is
/// optional or its item may be missing.
template <kumiko::cluster::Described Record>
struct nlohmann::adl_serializer<Record, void> {
  static void to_json(ordered_json& json, const Record& record) {
    json = ordered_json::object();
    kumiko::cluster::for_each_item<Record>([&](const auto& item) {
      const auto& value = item.of(record);
      if constexpr (requires { value.has_value(); }) {
        if (value) json[item.name] = *value;
      } else if (item.is_part()) {
        json.update(ordered_json(value));
      } else {
        json[item.name] = value;
      }
    });
  }
  static void from_json(const ordered_json& json, Record& record) {
    kumiko::cluster::for_each_item<Record>([&](const auto& item) {
      auto& value = item.of(record);
      const bool may_be_missing = item.may_be_missing || requires { value.has_value(); };
      if (may_be_missing && !json.contains(item.name)) return;
      kumiko::io::read_value(item.is_part() ? json : json.at(item.name), item, value);
    });
  }
};
