#include <functional>

#include "checkpoint/checkpoint_views.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

constexpr std::string_view kNodePlacement =
    "node (i, j) of a level is stored as the cell whose lower-left corner it is";

/// Collects one integer of each element.
template <class Element, class Get>
std::vector<std::int64_t> column(const std::vector<Element>& elements, Get get) {
  std::vector<std::int64_t> numbers;
  for (const Element& element : elements) numbers.push_back(std::invoke(get, element));
  return numbers;
}

/// Two numbers of each item, one after the other.
template <class Item>
std::vector<double> pairs(const std::vector<Item>& items, double Item::*first,
                          double Item::*second) {
  std::vector<double> numbers;
  for (const Item& item : items) {
    numbers.push_back(item.*first);
    numbers.push_back(item.*second);
  }
  return numbers;
}

/// How the run's steps are chosen or divided anew, where they are.
void write_choice(const Object& parent, const amr::StepChoice& choice) {
  const Object group = hdf5::make_group(parent, "steps");
  const amr::Stretch& stretch = choice.stretch;
  set_attribute(group, "stretch_first", static_cast<std::int64_t>(stretch.first()));
  set_attribute(group, "stretch_count", stretch.count());
  set_attribute(group, "stretch_begin", stretch.begin());
  set_attribute(group, "stretch_end", stretch.end());
  set_attribute(group, "free_dt", choice.free_dt);
  set_attribute(group, "chosen_at", static_cast<std::int64_t>(choice.step));
  set_attribute(group, "rate", choice.rate);
  set_attribute(group, "cfl", choice.cfl);
}

/// The restarts that have changed keys, where there were any.
void write_lineage(const Object& parent, const std::vector<Ancestor>& lineage) {
  const Object group = hdf5::make_group(parent, "lineage");
  set_attribute(group, "restarts", static_cast<std::int64_t>(lineage.size()));
  for (std::size_t at = 0; at < lineage.size(); ++at) {
    const Object restart = hdf5::make_group(group, std::to_string(at));
    set_attribute(restart, "step", static_cast<std::int64_t>(lineage[at].step));
    set_attribute(restart, "state_hash", lineage[at].state_hash);
    hdf5::write_text(restart, "keys", lineage[at].keys);
  }
}

void write_begun_from(const Object& parent, const BegunFrom& begun) {
  const Object group = hdf5::make_group(parent, "begun_from");
  set_attribute(group, "file", begun.file);
  set_attribute(group, "case", begun.case_name);
  set_attribute(group, "step", static_cast<std::int64_t>(begun.step));
  set_attribute(group, "time", begun.time);
  set_attribute(group, "state_hash", begun.state_hash);
  set_attribute(group, "begun_at", begun.begun_at);
  set_attribute(group, "has_exact", static_cast<std::int64_t>(begun.has_exact ? 1 : 0));
  std::vector<double> masses;
  for (const MassChange& mass : begun.mass) {
    masses.insert(masses.end(), {mass.before, mass.after, mass.absolute});
  }
  hdf5::write_list(group, "masses", masses);
}

void write_attributes(const Object& group, const Contents& contents) {
  const RunAttributes& attributes = contents.checkpoint.attributes;
  const amr::SavedRun& run = contents.run();
  const auto number = [&](const char* name, auto value) {
    set_attribute(group, name, static_cast<std::int64_t>(value));
  };
  set_attribute(group, "layout_version", kLayoutVersion);
  number("step", run.step);
  set_attribute(group, "time", attributes.time);
  set_attribute(group, "dt", attributes.dt);
  const bool cells = contents.geometry.centring() == amr::Centring::kCell;
  set_attribute(group, "centring", cells ? "cell" : "node");
  if (!cells) set_attribute(group, "node_placement", kNodePlacement);
  number("subcycling", attributes.subcycling ? 1 : 0);
  number("next_regrid", run.next_regrid);
  number("figures", run.extras);
  number("unnested", run.unnested);
  hdf5::write_list(group, "indicator_scales",
                   pairs(run.scales, &amr::FieldScale::now, &amr::FieldScale::largest));
  hdf5::write_list(
      group, "initial_masses",
      pairs(attributes.initial_masses, &ComponentMass::mass, &ComponentMass::absolute));
  hdf5::write_text(group, "configuration", attributes.configuration);
  if (run.choice) write_choice(group, *run.choice);
  if (!attributes.lineage.empty()) write_lineage(group, attributes.lineage);
  if (attributes.begun_from) write_begun_from(group, *attributes.begun_from);
}

/// Those that do not depend on who did the work.
void write_counters(const Object& parent, const amr::WorkCounters& counters) {
  const Object group = hdf5::make_group(parent, "counters");
  set_attribute(group, "regrids", static_cast<std::int64_t>(counters.regrids));
  set_attribute(group, "largest_cfl", counters.largest_cfl);
  hdf5::write_list(group, "updates_per_level",
                   std::vector<std::int64_t>(counters.updates_per_level.begin(),
                                             counters.updates_per_level.end()));
}

/// Writes the chunks' places: offset and length of each, one after the other.
void write_chunks(const Object& group, const std::vector<Chunk>& chunks) {
  std::vector<std::int64_t> numbers;
  for (const Chunk& chunk : chunks) {
    numbers.push_back(static_cast<std::int64_t>(chunk.offset));
    numbers.push_back(static_cast<std::int64_t>(chunk.length));
  }
  hdf5::write_list(group, "chunks", numbers);
}

Room write_level(const Object& group, const amr::SavedLevel& level, const Records& records) {
  hdf5::write_list(group, "since", column(level.histories, &amr::RegridHistory::since));
  hdf5::write_list(group, "unwanted", column(level.histories, &amr::RegridHistory::unwanted));
  hdf5::write_list(group, "cfl", level.cfl);
  hdf5::write_list(group, "travelled", level.travelled);
  if (!records.chunks.empty()) write_chunks(group, records.chunks);
  return reserve(group, "hashes", H5T_STD_U64LE, level.histories.size());
}

}  // namespace

std::vector<Room> write_restart_view(const Object& file, const Contents& contents,
                                     const std::vector<Records>& records) {
  const Object group = hdf5::make_group(file, "kumiko");
  write_attributes(group, contents);
  write_counters(group, contents.run().counters);
  std::vector<Room> rooms;
  for (const amr::SavedLevel& level : contents.run().levels) {
    const Object of_level = hdf5::make_group(group, "level_" + std::to_string(rooms.size()));
    rooms.push_back(write_level(of_level, level, records[rooms.size()]));
  }
  return rooms;
}

}  // namespace kumiko::io
