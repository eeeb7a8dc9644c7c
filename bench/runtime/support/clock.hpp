// A steady clock in seconds that is cheap to compile.
#pragma once

namespace kumiko::bench {

/// Seconds of a clock that never goes back, from some moment in the past. Apart, since <chrono>
/// takes a third of the time that these small programs take to compile.
double steady_seconds() noexcept;

}  // namespace kumiko::bench
