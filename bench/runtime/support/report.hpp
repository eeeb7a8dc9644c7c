// What one benchmark has measured, and how it is told to the driver.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "arguments.hpp"

namespace kumiko::bench {

/// What one program has measured.
struct Measurement {
  double seconds;
  std::uint64_t operations;                    ///< what `seconds` is divided by
  std::map<std::string, std::int64_t> result;  ///< for the driver to check
};

/// Prints the one line of JSON that the driver reads.
void print_report(std::string_view benchmark, std::string_view system, int workers,
                  const Arguments& arguments, const Measurement& measurement);

}  // namespace kumiko::bench
