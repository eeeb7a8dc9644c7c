// Reads amounts as users write them: "10 min", "100".
#pragma once

#include <optional>
#include <string_view>

namespace kumiko::io {

/// Seconds of "90 s", "10 min", "1.5 h" or "2 d"; nothing when the text is not such a thing or not
/// above 0.
std::optional<double> parse_duration(std::string_view text);

/// How far apart things are: in base steps or in time.
struct Interval {
  int steps = 0;         ///< 0 = not by steps
  double seconds = 0.0;  ///< 0 = not by time
};

/// Of "100", "100 steps" or a duration; "0" is never. Nothing when the text is none of these.
std::optional<Interval> parse_interval(std::string_view text);

}  // namespace kumiko::io
