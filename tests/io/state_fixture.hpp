// A mesh with whole, partly and fully covered patches, and a field that is exact in doubles.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/runtime/runtime.hpp>

namespace kumiko::io::test {

inline constexpr int kComponents = 2;

/// (component + 1) (1 + 2x + 3y²); read_state.py has the same. Sums of few powers of two.
inline double exact(double x, double y, int component) {
  return (component + 1) * (1.0 + 2.0 * x + 3.0 * y * y);
}

/// Sets every point of every level.
inline void fill(amr::Hierarchy& hierarchy) {
  const amr::Geometry& geometry = hierarchy.geometry();
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      amr::Patch& patch = level.patch(slot);
      for (int point = 0; point < kComponents * amr::kPatchPoints; ++point) {
        const int component = point / amr::kPatchPoints;
        const int i = point % amr::kPatchSize;
        const int j = point / amr::kPatchSize % amr::kPatchSize;
        const double x = geometry.coordinate(index, patch.id().i * amr::kPatchSize + i);
        const double y = geometry.coordinate(index, patch.id().j * amr::kPatchSize + j);
        patch.now()(i, j, component) = exact(x, y, component);
      }
    }
  }
}

/// Three levels on 64 × 32 points over [0, 2] × [0, 1].
inline std::unique_ptr<amr::Hierarchy> example_hierarchy(
    amr::Centring centring = amr::Centring::kNode) {
  auto hierarchy = std::make_unique<amr::Hierarchy>(amr::Geometry(64, 32, {2.0, 1.0}, {}, centring),
                                                    3, amr::PatchShape{kComponents, 2, 0});
  std::vector<amr::PatchId> ids;
  for (int j = 0; j < 4; ++j) {
    for (int i = 1; i < 6; ++i) ids.push_back({1, i, j});
  }
  hierarchy->change(1, ids);
  hierarchy->change(2, {{2, 4, 3}, {2, 5, 3}, {2, 6, 3}, {2, 7, 3}, {2, 6, 4}, {2, 7, 4}});
  fill(*hierarchy);
  return hierarchy;
}

inline RunAttributes example_attributes() {
  return {0.125, 0.5, "[grid]\nbase = [64, 32]\n", {"u", "w"}, true, {{3.5, 4.5}, {-1.25, 2.5}}};
}

inline Sidecar example_sidecar() {
  Sidecar sidecar{.wall_s = 12.25,
                  .backend = "threads",
                  .workers = 2,
                  .origin = {"here", "a processor", "2026-11-23T02:49:14Z", "0.1.0", "g++"},
                  .paths = {"case.toml", "out", "case.so", "solver.so"}};
  sidecar.configuration.set("checkpoint.every", std::string("10 min"));
  sidecar.configuration.set("output.every", std::int64_t{20});
  sidecar.configuration.set("output.extras", true);
  return sidecar;
}

/// The patches as they stand, and extras all different.
inline Checkpoint example_checkpoint(const amr::Hierarchy& hierarchy) {
  Checkpoint checkpoint{example_attributes(), {hierarchy.mesh()}, example_sidecar()};
  amr::SavedRun& run = checkpoint.run;
  run.step = 7;
  run.next_regrid = 8;
  run.next_check = 10;
  run.unnested = 4;
  for (int component = 0; component < kComponents; ++component) {
    run.scales.push_back({6.5 + component, 8.5 + component});
  }
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    amr::SavedLevel& to = run.levels.emplace_back();
    const amr::Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const auto number = static_cast<int>(slot);
      to.histories.push_back({number + index, 3 * number});
      to.cfl.push_back(0.25 + number);
      to.travelled.push_back(1.75 + number);
      for (int component = 0; component < kComponents; ++component) {
        const amr::FieldArray values = level.patch(slot).now().interior(component);
        to.values.insert(to.values.end(), values.data(), values.data() + values.size());
      }
    }
  }
  run.counters.updates_per_level = {100, 200, 300};
  run.counters.workers = {{11, 0.5, 0.25, 3}, {12, 0.75, 0.125, 4}};
  run.counters.regrids = 5;
  run.counters.sum_of_largest = 21;
  run.counters.sum_of_means = 19.5;
  run.counters.longest_waits = {{0.5, 3, 1, amr::WaitCause::kParent, {1, 2, 3}, {0, 1, 1}}};
  return checkpoint;
}

/// The example with kExtraNames in every record; tests/viewers/field.py has it, too.
inline Checkpoint example_with_extras(const amr::Hierarchy& hierarchy) {
  Checkpoint checkpoint = example_checkpoint(hierarchy);
  checkpoint.attributes.component_names.insert(checkpoint.attributes.component_names.end(),
                                               amr::kExtraNames.begin(), amr::kExtraNames.end());
  checkpoint.run.extras = static_cast<int>(amr::kExtraNames.size());
  int index = 0;
  for (amr::SavedLevel& level : checkpoint.run.levels) {
    std::vector<double> values;
    const double* record = level.values.data();
    for (const amr::PatchId& id : checkpoint.run.mesh.ids(index++)) {
      values.insert(values.end(), record, record + kComponents * amr::kPatchPoints);
      values.insert(values.end(), amr::kPatchPoints, id.level);
      values.insert(values.end(), amr::kPatchPoints, (id.i + id.j) % 3);
      values.insert(values.end(), amr::kPatchPoints, 0.5 + 0.125 * id.i);
      for (int point = 0; point < amr::kPatchPoints; ++point) {
        values.push_back(0.125 * record[point]);
      }
      record += kComponents * amr::kPatchPoints;
    }
    level.values = std::move(values);
  }
  return checkpoint;
}

/// Writes a checkpoint with two workers.
inline void write_with(const std::filesystem::path& file, const Checkpoint& checkpoint,
                       const amr::Geometry& geometry,
                       Compression compression = Compression::kNone) {
  runtime::Runtime runtime(runtime::Options{.workers = 2});
  write_checkpoint(file, checkpoint, geometry, runtime, compression);
}

inline void write_state(const std::filesystem::path& file, const amr::Hierarchy& hierarchy,
                        const RunAttributes& attributes) {
  Checkpoint checkpoint = example_checkpoint(hierarchy);
  checkpoint.attributes = attributes;
  write_with(file, checkpoint, hierarchy.geometry());
}

}  // namespace kumiko::io::test
