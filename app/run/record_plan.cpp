#include "run/record_plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/output_folder.hpp>

namespace kumiko::app {

namespace {

using Place = std::array<double, 2>;

Place place_of(const std::vector<double>& pair) { return {pair.front(), pair.back()}; }

/// The points of a record: those that are listed, or those of its line, both ends to the bit.
std::vector<Place> places_of(const io::RecordOptions& record) {
  if (!record.has_line()) return record.points;
  const Place from = place_of(record.line_from);
  const Place to = place_of(record.line_to);
  const int last = record.line_points - 1;
  std::vector<Place> places;
  for (int at = 0; at < last; ++at) {
    const double way = static_cast<double>(at) / last;
    places.push_back({from[0] + way * (to[0] - from[0]), from[1] + way * (to[1] - from[1])});
  }
  places.push_back(to);
  return places;
}

/// The errors of one record.
class RecordCheck {
 public:
  RecordCheck(const io::ConfigSource& source, std::size_t index, const io::RecordOptions& record,
              const amr::Case& the_case)
      : source_(source), index_(index), record_(record), case_(the_case) {}

  void check_name(const std::set<std::string>& taken) const {
    const std::string& name = record_.name;
    refuse_unless(io::is_record_name(name), "name",
                  "is \"{}\"; it must be made of letters, digits, '_' and '-', since its file is "
                  "record_NAME.csv",
                  name);
    refuse_unless(!taken.contains(name), "name",
                  "is \"{}\", as that of an earlier record; give each record a name of its own",
                  name);
  }

  void check_kind() const {
    const int kinds = (record_.points.empty() ? 0 : 1) + (record_.has_line() ? 1 : 0) +
                      (record_.box.empty() ? 0 : 1) + (record_.extremes ? 1 : 0);
    refuse_unless(kinds == 1, "name",
                  "is \"{}\", a record with {} of points, line, box and extremes = true; give one "
                  "of them",
                  record_.name, kinds == 0 ? "none" : "several");
  }

  void check_places() const {
    for (const Place& place : record_.points) check_inside("points", place);
    if (record_.has_line()) check_line();
    if (!record_.box.empty()) check_box();
  }

  void check_component() const {
    const std::vector<std::string> names = case_.component_names();
    const std::string& name = record_.component;
    refuse_unless(name.empty() || std::ranges::find(names, name) != names.end(), "component",
                  "is \"{}\"; the case's components are {}{}", name, fmt::join(names, ", "),
                  io::did_you_mean(name, names));
  }

  void check_times() const {
    refuse_unless(record_.every > 0 || record_.interval > 0.0, "every",
                  "is 0, and 'record.interval' too; a record needs one of them");
  }

 private:
  template <class... Values>
  void refuse_unless(bool holds, const char* key, fmt::format_string<Values...> what,
                     Values&&... values) const {
    if (holds) return;
    throw source_.error(
        fmt::format("record[{}].{}", index_, key),
        fmt::format("'record.{}' {}", key, fmt::format(what, std::forward<Values>(values)...)));
  }

  void check_inside(const char* key, const Place& place) const {
    const amr::Extent extent = case_.extent();
    const bool is_inside =
        place[0] >= 0.0 && place[0] <= extent.x && place[1] >= 0.0 && place[1] <= extent.y;
    refuse_unless(is_inside, key,
                  "has the point [{}, {}], which lies outside the domain, from [0, 0] to [{}, {}]",
                  place[0], place[1], extent.x, extent.y);
  }

  void check_line() const {
    const bool is_whole =
        !record_.line_from.empty() && !record_.line_to.empty() && record_.line_points > 0;
    refuse_unless(
        is_whole, "name",
        "is \"{}\", a record whose line is incomplete; write it as line = {{ from = [x, y], "
        "to = [x, y], n = 50 }}",
        record_.name);
    check_inside("line.from", place_of(record_.line_from));
    check_inside("line.to", place_of(record_.line_to));
    refuse_unless(record_.line_from != record_.line_to, "line.to",
                  "is the point at which the line begins; give another one");
  }

  void check_box() const {
    const std::vector<double>& box = record_.box;
    refuse_unless(box[0] < box[2] && box[1] < box[3], "box",
                  "is [{}]; it must be [x0, y0, x1, y1] with x0 below x1 and y0 below y1",
                  fmt::join(box, ", "));
    check_inside("box", {box[0], box[1]});
    check_inside("box", {box[2], box[3]});
  }

  const io::ConfigSource& source_;
  std::size_t index_;
  const io::RecordOptions& record_;
  const amr::Case& case_;
};

/// The numbers of the components that a record holds.
std::vector<std::size_t> components_of(const io::RecordOptions& record,
                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> components;
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (record.component.empty() || record.component == names[at]) components.push_back(at);
  }
  return components;
}

RecordPlan plan_of_points(const std::vector<Place>& places, const std::vector<std::string>& names,
                          const std::vector<std::size_t>& components) {
  RecordPlan plan;
  plan.components = components;
  for (const Place& place : places) {
    plan.x.push_back(place[0]);
    plan.y.push_back(place[1]);
    for (const std::size_t component : components) {
      plan.columns.push_back(
          fmt::format("{}({:.12g};{:.12g}) [U]", names[component], place[0], place[1]));
    }
  }
  return plan;
}

RecordPlan plan_of_box(const std::vector<double>& box, const std::vector<std::string>& names,
                       const std::vector<std::size_t>& components) {
  RecordPlan plan;
  for (const std::size_t component : components) {
    plan.columns.push_back(fmt::format("integral of {}({};{} to {};{}) [U L^2]", names[component],
                                       box[0], box[1], box[2], box[3]));
  }
  const amr::Rectangle rectangle{box[0], box[2], box[1], box[3]};
  plan.values = [rectangle, components](const amr::Simulation& simulation) {
    const std::vector<double> all = simulation.box_integrals(rectangle);
    std::vector<double> row;
    for (const std::size_t component : components) row.push_back(all[component]);
    return row;
  };
  return plan;
}

RecordPlan plan_of_extremes(const std::vector<std::string>& names,
                            const std::vector<std::size_t>& components) {
  RecordPlan plan;
  for (const std::size_t component : components) {
    for (const char* const which : {"min", "max"}) {
      const std::string name = fmt::format("{} of {}", which, names[component]);
      plan.columns.insert(plan.columns.end(),
                          {name + " [U]", "x of " + name + " [L]", "y of " + name + " [L]"});
    }
  }
  plan.values = [components](const amr::Simulation& simulation) {
    const std::vector<amr::Extremes> all = simulation.extremes();
    std::vector<double> row;
    for (const std::size_t component : components) {
      for (const amr::Extreme& extreme : {all[component].least, all[component].greatest}) {
        row.insert(row.end(), {extreme.value, extreme.x, extreme.y});
      }
    }
    return row;
  };
  return plan;
}

}  // namespace

std::vector<double> RecordPlan::row_of(const std::vector<std::vector<double>>& all) const {
  std::vector<double> row;
  for (std::size_t at = 0; at < x.size(); ++at) {
    for (const std::size_t component : components) row.push_back(all[component][at]);
  }
  return row;
}

void check_records(const io::ConfigSource& source, const std::vector<io::RecordOptions>& records,
                   const amr::Case& the_case) {
  std::set<std::string> names;
  for (std::size_t index = 0; index < records.size(); ++index) {
    const RecordCheck record(source, index, records[index], the_case);
    record.check_name(names);
    record.check_kind();
    record.check_places();
    record.check_component();
    record.check_times();
    names.insert(records[index].name);
  }
}

RecordPlan record_plan(const io::RecordOptions& record, const amr::Case& the_case) {
  const std::vector<std::string> names = the_case.component_names();
  const std::vector<std::size_t> components = components_of(record, names);
  if (!record.box.empty()) return plan_of_box(record.box, names, components);
  if (record.extremes) return plan_of_extremes(names, components);
  return plan_of_points(places_of(record), names, components);
}

}  // namespace kumiko::app
