// Times at which something is due.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace kumiko::amr {

/// The positive multiples of an interval, and single times, in the case's unit.
class Times {
 public:
  Times() = default;
  /// \param interval  0 = no multiples
  /// \param single    in any order
  explicit Times(double interval, std::vector<double> single = {})
      : interval_(interval), single_(std::move(single)) {
    std::ranges::sort(single_);
  }

  bool empty() const { return interval_ <= 0.0 && single_.empty(); }
  const std::vector<double>& single() const { return single_; }

  /// The first one after a time, which is not negative; infinity when there is none. The same bits
  /// for every time from which it is the next.
  double next(double time) const {
    const auto later = std::ranges::upper_bound(single_, time);
    const double single = later != single_.end() ? *later : kNever;
    return std::min(single, next_multiple(time));
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  double next_multiple(double time) const {
    if (interval_ <= 0.0) return kNever;
    double count = std::floor(time / interval_);
    // Beyond that not every integer is a number: any time is a multiple.
    if (!(count < 0x1p52)) return std::nextafter(time, kNever);
    // The quotient is rounded, and may lie on the other side of an integer.
    while (count > 0.0 && count * interval_ > time) --count;
    while (count * interval_ <= time) ++count;
    return count * interval_;
  }

  double interval_ = 0.0;
  std::vector<double> single_;
};

}  // namespace kumiko::amr
