// Prints names with numbers as one line of JSON, for the driver.
#pragma once

#include <concepts>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

namespace kumiko::bench {

/// One line of JSON for the driver: names with numbers.
class JsonLine {
 public:
  JsonLine() { text_.precision(9); }

  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> JsonLine& add(std::string_view name,
                                                                              Number value) {
    text_ << (text_.tellp() == 0 ? "" : ", ") << '"' << name << "\": " << value;
    return *this;
  }

  /// At once, also where stdout is a pipe.
  void print() const {
    std::printf("{%s}\n", text_.str().c_str());
    std::fflush(stdout);
  }

 private:
  std::ostringstream text_;
};

}  // namespace kumiko::bench
