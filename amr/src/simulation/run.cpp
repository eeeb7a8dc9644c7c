#include "simulation/run.hpp"

#include <cstdint>
#include <numeric>

#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/partition.hpp>

#include "observation/patch_error.hpp"
#include "simulation/checks.hpp"

namespace kumiko::amr {

namespace {

/// The ranks of the patches of level 0 while there are no finer ones.
std::vector<std::int32_t> first_ranks(const SimulationOptions& options,
                                      const Communicator& communicator) {
  if (communicator.size() == 1) return {};
  BaseGrid<2> base;
  base.patches = {options.points_x / kPatchSize, options.points_y / kPatchSize};
  base.extent = {1.0, 1.0};
  const Mesh<2> mesh(base);
  return deal(options.partition, mesh, expected_costs(mesh, options.subcycling),
              communicator.size())
      .front();
}

}  // namespace

Run::Run(const Case& case_of_run, const Solver& solver_of_run, Backend& workers,
         const SimulationOptions& wanted, Communicator& own)
    : problem(case_of_run),
      solver(solver_of_run),
      backend(workers),
      communicator(own),
      options(resolved(wanted, problem, solver.traits())),
      hierarchy(checked_geometry(problem, solver, options, communicator.size()), options.levels,
                shape_for(problem, solver, options), communicator.rank(),
                first_ranks(wanted, communicator)),
      exchange(hierarchy, problem, solver, options.time_interpolation),
      stepper(hierarchy, problem, solver, backend, exchange, options, communicator),
      steps(problem, solver, options, hierarchy, backend, stepper),
      regrids(hierarchy, stepper, options, steps.may_grow(), communicator),
      scales(solver.traits().vectors) {}

void Run::fill_ghosts(int level, std::size_t slot) {
  in_patch("the ghosts", hierarchy.level(level).patch(slot).id(), steps.time(),
           [&] { exchange.fill(level, slot, State::kNow, {.time = steps.time()}); });
}

void Run::fill_ghosts(int level) {
  stepper.shadows().refresh(level);
  backend.for_each(hierarchy.level(level),
                   [&](std::size_t slot, int) { fill_ghosts(level, slot); });
}

Indicator Run::indicator_for(const RefinementOptions& refinement) const {
  return make_indicator(refinement, hierarchy.geometry(), problem, scales);
}

bool Run::has_scales() const { return options.refinement.criterion == Criterion::kLoehner; }

std::vector<std::size_t> Run::slots(int level) const {
  std::vector<std::size_t> all(hierarchy.level(level).size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

MemoryUse Run::memory_use() const {
  MemoryUse use = hierarchy.memory_use();
  use.metadata_bytes += stepper.metadata_bytes() + exchange.memory_bytes() + steps.memory_bytes();
  return collect_value(communicator, use, [](MemoryUse all, const MemoryUse& other) {
    all.patch_bytes += other.patch_bytes;
    all.metadata_bytes += other.metadata_bytes;
    all.points += other.points;
    return all;
  });
}

}  // namespace kumiko::amr
