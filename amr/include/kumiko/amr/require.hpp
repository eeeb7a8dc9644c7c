// Checks whose messages print the values that they refuse.
//
//   require(points > 0, "the grid has {} points; it needs at least 1", points);
//   ensure(size < room, "{} pieces are ready, of {} at most", size, room);
//
// The values are evaluated whether the condition holds or not. Failures that are neither the
// caller's nor the programmer's, such as those of files, have their own exceptions.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include <kumiko/runtime/source_location.hpp>

namespace kumiko::amr {

/// Throws std::invalid_argument unless the condition holds; for requests of a caller. The message
/// names the thing, what is wrong with it, and what to do.
template <class... Values>
void require(bool holds, fmt::format_string<Values...> message, Values&&... values) {
  if (holds) [[likely]]
    return;
  throw std::invalid_argument(fmt::format(message, std::forward<Values>(values)...));
}

/// A message and its place in the source.
template <class... Values>
struct LocatedMessage {
  fmt::format_string<Values...> text;
  runtime::SourceLocation place;

  template <class Text>
  consteval LocatedMessage(const Text& message,
                           runtime::SourceLocation where = runtime::SourceLocation::current())
      : text(message), place(where) {}
};

/// Throws std::logic_error, with file and line, unless the condition holds; for invariants of the
/// program.
template <class... Values>
void ensure(bool holds, std::type_identity_t<LocatedMessage<Values...>> message,
            Values&&... values) {
  if (holds) [[likely]]
    return;
  throw std::logic_error(fmt::format("{}:{}: {}", message.place.file_name(), message.place.line(),
                                     fmt::format(message.text, std::forward<Values>(values)...)));
}

}  // namespace kumiko::amr
