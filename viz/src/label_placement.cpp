#include "label_placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kumiko::viz {

namespace {

bool overlap(const Box& one, const Box& other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom &&
         other.top < one.bottom;
}

bool holds(const Box& box, Place place) {
  return place.x > box.left && place.x < box.right && place.y > box.top && place.y < box.bottom;
}

bool holds(const Box& box, const Box& inner) {
  return inner.left >= box.left && inner.right <= box.right && inner.top >= box.top &&
         inner.bottom <= box.bottom;
}

}  // namespace

void LabelPlacement::add_point(Place centre) {
  constexpr double kReach = 5.0;
  points_.push_back({centre.x - kReach, centre.y - kReach, centre.x + kReach, centre.y + kReach});
}

void LabelPlacement::add_line(Place from, Place to) {
  constexpr double kSpacing = 2.0;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const int parts = std::max(1, static_cast<int>(length / kSpacing));
  for (int part = 0; part <= parts; ++part) {
    const double share = static_cast<double>(part) / parts;
    lines_.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
  }
}

/// Another label hides most, a line of which a piece is covered is still seen.
double LabelPlacement::cost(const Box& box) const {
  constexpr double kOutside = 200.0;
  constexpr double kLabel = 100.0;
  constexpr double kPoint = 50.0;
  double sum = holds(plot_, box) ? 0.0 : kOutside;
  for (const Box& label : labels_) sum += overlap(box, label) ? kLabel : 0.0;
  for (const Box& point : points_) sum += overlap(box, point) ? kPoint : 0.0;
  for (const Place& place : lines_) sum += holds(box, place) ? 1.0 : 0.0;
  return sum;
}

Place LabelPlacement::place(Place point, std::string_view label, double size) {
  struct Direction {
    double x;
    double y;
  };
  // The first ones are preferred where they are as good as others.
  constexpr std::array<Direction, 8> kDirections = {
      {{1, -1}, {-1, 1}, {-1, -1}, {1, 1}, {0, -1}, {0, 1}, {1, 0}, {-1, 0}}};
  constexpr double kNear = 4.0;
  constexpr std::array<double, 2> kFurther = {0.0, 8.0};
  const double half_width = 0.5 * text_width(label, size);
  const double half_height = 0.4 * size;
  double least = std::numeric_limits<double>::infinity();
  Box best{};
  for (const double further : kFurther) {
    for (const Direction& direction : kDirections) {
      const double x = point.x + direction.x * (half_width + kNear + further);
      const double y = point.y + direction.y * (half_height + kNear + further);
      const Box box{x - half_width, y - half_height, x + half_width, y + half_height};
      const double found = cost(box) + further;
      if (found >= least) continue;
      least = found;
      best = box;
    }
  }
  labels_.push_back(best);
  return {0.5 * (best.left + best.right), best.bottom};
}

std::vector<double> spread(std::vector<double> places, double gap, double low, double high) {
  if (places.empty()) return places;
  const auto count = static_cast<double>(places.size());
  const double room = count > 1.0 ? (high - low) / (count - 1.0) : gap;
  const double apart = std::min(gap, room);
  // Places that are pushed together form a group, which lies around the mean of where its members
  // belong.
  struct Group {
    double sum;  ///< of where its members' first one would have to lie
    int members;
    double first;
  };
  std::vector<Group> groups;
  const auto settle = [&](Group& group) {
    const double last_first = high - (group.members - 1) * apart;
    group.first = std::max(low, std::min(last_first, group.sum / group.members));
  };
  for (const double place : places) {
    groups.push_back({place, 1, 0.0});
    settle(groups.back());
    while (groups.size() > 1) {
      Group& before = groups[groups.size() - 2];
      const Group& last = groups.back();
      if (before.first + before.members * apart <= last.first) break;
      before.sum += last.sum - last.members * before.members * apart;
      before.members += last.members;
      groups.pop_back();
      settle(groups.back());
    }
  }
  std::size_t at = 0;
  for (const Group& group : groups) {
    for (int member = 0; member < group.members; ++member) {
      places[at++] = group.first + member * apart;
    }
  }
  return places;
}

}  // namespace kumiko::viz
