#include "exchange/ask_pace.hpp"

#include <algorithm>

namespace kumiko::search::detail {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr auto kFirstPause = 20us;
constexpr auto kLongestDoubled = 20ms;
/// Divides the time for which all asks were in vain.
constexpr int kPausesPerVainTime = 8;
/// A search that begins meanwhile wakes the processes that rest (ExchangeMessage::Says::kBegun).
constexpr auto kLongestRest = 1s;

}  // namespace

nanoseconds AskPace::next_pause(Clock::time_point now) noexcept {
  if (is_alone_) return kLongestRest;
  if (refusals_ == 0) refused_since_ = now;
  const nanoseconds doubled =
      std::min<nanoseconds>(kFirstPause * (1U << std::min(refusals_, 16U)), kLongestDoubled);
  ++refusals_;
  return std::clamp<nanoseconds>((now - refused_since_) / kPausesPerVainTime, doubled,
                                 kLongestRest);
}

bool AskPace::is_about_to_rest(Clock::time_point now) const noexcept {
  return refusals_ > 0 && now - refused_since_ > kPausesPerVainTime * kLongestDoubled;
}

}  // namespace kumiko::search::detail
