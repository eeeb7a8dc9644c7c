// Text of millions of numbers, made in one buffer that goes out in chunks.
#pragma once

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/compile.h>

namespace kumiko::io {

/// Appends to a stream. All that was appended has reached the stream after flush().
class ChunkedText {
 public:
  explicit ChunkedText(std::ostream& out) : out_(out) { text_.reserve(kChunk + kSlack); }

  ChunkedText& operator<<(std::string_view text) {
    text_ += text;
    if (text_.size() >= kChunk) flush();
    return *this;
  }
  /// A number that is not whole reads back to the same bits.
  template <class Number>
  requires std::is_arithmetic_v<Number> ChunkedText& operator<<(Number number) {
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), number);
    return *this;
  }

  /// Appends a time that is not negative in a unit of 10^digits nanoseconds: exact, without an
  /// exponent.
  ChunkedText& time(std::int64_t nanoseconds, int digits) {
    std::int64_t unit = 1;
    for (int digit = 0; digit < digits; ++digit) unit *= 10;
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}.{:0{}}"), nanoseconds / unit,
                   nanoseconds % unit, digits);
    return *this;
  }
  ChunkedText& microseconds(std::int64_t nanoseconds) { return time(nanoseconds, 3); }
  ChunkedText& seconds(std::int64_t nanoseconds) { return time(nanoseconds, 9); }

  void flush() {
    out_ << text_;
    text_.clear();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{64} * 1024;
  static constexpr std::size_t kSlack = 1024;

  std::ostream& out_;
  std::string text_;
};

}  // namespace kumiko::io
