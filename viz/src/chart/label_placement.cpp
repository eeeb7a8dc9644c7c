#include "chart/label_placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kumiko::viz {

namespace {

constexpr double kMarker = 5.0;  ///< from its centre to its edge

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

/// From a box to a place; 0 within it.
double distance(const Box& box, Place place) {
  return std::hypot(std::max({box.left - place.x, 0.0, place.x - box.right}),
                    std::max({box.top - place.y, 0.0, place.y - box.bottom}));
}

}  // namespace

void LabelPlacement::add_point(Place centre) { points_.push_back(centre); }

void LabelPlacement::add_line(Place from, Place to) {
  constexpr double kSpacing = 2.0;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const int parts = std::max(1, static_cast<int>(length / kSpacing));
  for (int part = 0; part <= parts; ++part) {
    const double share = static_cast<double>(part) / parts;
    lines_.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
  }
}

/// A marker hides most; a label that is as near to another point is read as that one's; a line that
/// is covered in part is still seen.
double LabelPlacement::cost(const Box& box, Place own) const {
  constexpr double kOutside = 200.0;
  constexpr double kPoint = 50.0;
  constexpr double kAmbiguous = 25.0;
  double sum = holds(plot_, box) ? 0.0 : kOutside;
  const double reach = 1.5 * distance(box, own) + 2.0;
  for (const Place& point : points_) {
    if (point.x == own.x && point.y == own.y) continue;
    if (distance(box, point) < kMarker) {
      sum += kPoint;
    } else if (distance(box, point) < reach) {
      sum += kAmbiguous;
    }
  }
  for (const Place& place : lines_) sum += holds(box, place) ? 1.0 : 0.0;
  return sum;
}

/// Around the point, near it and somewhat farther off. The first ones are preferred where they are
/// as good as others.
std::vector<LabelPlacement::Candidate> LabelPlacement::candidates(const PointLabel& label) const {
  constexpr Place kDirections[] = {
      {0, -1},   {0, 1},     {1, 0},   {-1, 0},   {1, -1},   {-1, -1},   {1, 1},   {-1, 1},
      {0.5, -1}, {-0.5, -1}, {0.5, 1}, {-0.5, 1}, {1, -0.5}, {-1, -0.5}, {1, 0.5}, {-1, 0.5}};
  constexpr double kPreference = 0.05;
  constexpr double kGap = 2.0;
  constexpr std::array<double, 3> kFurther = {0.0, 5.0, 10.0};
  const double half_width = 0.5 * text_width(label.text, label.size);
  const double half_height = 0.4 * label.size;
  std::vector<Candidate> list;
  for (const double further : kFurther) {
    for (std::size_t at = 0; at < std::size(kDirections); ++at) {
      const auto [dx, dy] = kDirections[at];
      // Corners come nearer than sides, so that all are as far from the marker.
      const double gap = (kMarker + kGap + further) / std::hypot(dx, dy);
      const double x = label.point.x + dx * (half_width + gap);
      const double y = label.point.y + dy * (half_height + gap);
      const Box box{x - half_width, y - half_height, x + half_width, y + half_height};
      const double preference = kPreference * static_cast<double>(at);
      list.push_back({box, cost(box, label.point) + 1.5 * further + preference});
    }
  }
  return list;
}

std::vector<Place> LabelPlacement::place(const std::vector<PointLabel>& labels) const {
  constexpr double kLabel = 100.0;
  constexpr int kSweeps = 8;
  std::vector<std::vector<Candidate>> choices;
  for (const PointLabel& label : labels) choices.push_back(candidates(label));
  std::vector<std::size_t> chosen(labels.size(), 0);
  const auto cost_of = [&](std::size_t label, std::size_t choice, std::size_t others) {
    const Candidate& candidate = choices[label][choice];
    double sum = candidate.cost;
    for (std::size_t other = 0; other < others; ++other) {
      if (other != label && overlap(candidate.box, choices[other][chosen[other]].box))
        sum += kLabel;
    }
    return sum;
  };
  // First places each next to those before it, then moves each among all, until none moves.
  bool moved = true;
  for (int sweep = 0; sweep < kSweeps && moved; ++sweep) {
    moved = false;
    for (std::size_t label = 0; label < labels.size(); ++label) {
      const std::size_t others = sweep == 0 ? label : labels.size();
      std::size_t best = chosen[label];
      for (std::size_t choice = 0; choice < choices[label].size(); ++choice) {
        if (cost_of(label, choice, others) < cost_of(label, best, others)) best = choice;
      }
      moved = moved || sweep == 0 || best != chosen[label];
      chosen[label] = best;
    }
  }
  std::vector<Place> places;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    const Box& box = choices[label][chosen[label]].box;
    places.push_back({0.5 * (box.left + box.right), box.bottom});
  }
  return places;
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
