#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include <kumiko/amr/simulation.hpp>

#include "for_slots.hpp"
#include "ghost_exchange.hpp"
#include "refinement.hpp"
#include "time_stepper.hpp"
#include "transfer.hpp"

namespace kumiko::amr {

namespace {

PatchShape shape_for(const Solver& solver) {
  return {solver.traits().components, solver.traits().ghosts, solver.coefficients()};
}

/// Ghosts that prolongation and Löhner's indicator read, whatever the solver needs.
constexpr int kEngineGhosts = 2;
constexpr int kLargestGhosts = 8;

void check_parts(const Case& problem, const Solver& solver, const SimulationOptions& options) {
  const SolverTraits& traits = solver.traits();
  if (traits.components != problem.components()) {
    throw std::invalid_argument(
        fmt::format("solver '{}' advances {} components, but the case has {}", traits.name,
                    traits.components, problem.components()));
  }
  if (traits.ghosts < kEngineGhosts || traits.ghosts > kLargestGhosts) {
    throw std::invalid_argument(fmt::format("solver '{}' declares {} ghost layers; {} to {} work",
                                            traits.name, traits.ghosts, kEngineGhosts,
                                            kLargestGhosts));
  }
  if (options.time_interpolation == TimeInterpolation::kCharacteristic &&
      !traits.characteristic_ghosts) {
    throw std::invalid_argument(
        fmt::format("solver '{}' has no characteristics to trace; set step.time_interpolation to "
                    "linear",
                    traits.name));
  }
  if (options.steps < 1) throw std::invalid_argument("time.steps must be at least 1");
  if (options.refinement.interval < 1) {
    throw std::invalid_argument("amr.interval must be at least 1");
  }
  if (options.refinement.buffer < 0 || options.refinement.buffer > kPatchSize) {
    throw std::invalid_argument(
        fmt::format("amr.buffer is {}; 0 to {} work", options.refinement.buffer, kPatchSize));
  }
}

}  // namespace

std::uint64_t WorkCounters::updates() const {
  return std::accumulate(updates_per_level.begin(), updates_per_level.end(), std::uint64_t{0});
}

double WorkCounters::balance_efficiency() const {
  const double fair =
      static_cast<double>(updates()) / static_cast<double>(updates_per_worker.size());
  return fair > 0.0 ? static_cast<double>(sum_of_largest) / fair : 1.0;
}

class Simulation::Engine {
 public:
  Engine(const Case& problem, const Solver& solver, Backend& backend,
         const SimulationOptions& options)
      : case_(problem),
        backend_(backend),
        options_(options),
        hierarchy_(
            (check_parts(problem, solver, options),
             Geometry(options.points_x, options.points_y, problem.extent(), problem.boundaries())),
            options.levels, shape_for(solver)),
        exchange_(hierarchy_, problem, solver, options.time_interpolation),
        stepper_(hierarchy_, problem, solver, backend, exchange_, options) {}

  void initialize() {
    backend_.run([this] {
      std::vector<std::size_t> all(hierarchy_.level(0).size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      sample(0, all);
      stepper_.prepare(0, all, 0.0);
      floor_ = options_.refinement.floor * largest_magnitude();
      regrid(Fill::kSample);
    });
  }

  void advance(int steps) {
    backend_.run([this, steps] {
      for (int n = 0; n < steps; ++n) {
        if (step_ > 0 && step_ % options_.refinement.interval == 0 && options_.levels > 1) {
          regrid(Fill::kProlong);
          stepper_.count_regrid();
        }
        stepper_.base_step(time());
        ++step_;
      }
    });
  }

  int step() const { return step_; }
  double time() const { return step_ * dt(); }
  double dt() const { return case_.end_time() / options_.steps; }
  const SimulationOptions& options() const { return options_; }
  const Hierarchy& hierarchy() const { return hierarchy_; }
  const WorkCounters& counters() const { return stepper_.counters(); }

 private:
  /// How new patches get their values.
  enum class Fill { kSample, kProlong };

  /// Rebuilds every level above 0, coarse to fine, all at the same time. At each level: ghosts,
  /// tags, the new children, their values.
  void regrid(Fill fill) {
    for (int level = 0; level + 1 < hierarchy_.max_levels(); ++level) {
      fill_ghosts(level);
      std::vector<std::size_t> came = hierarchy_.change(
          level + 1, wanted_children(hierarchy_, level, tags(level), options_.refinement.buffer));
      if (fill == Fill::kSample) {
        sample(level + 1, came);
      } else {
        prolong_into(level + 1, came);
      }
      stepper_.prepare(level + 1, came, time());
    }
  }

  void fill_ghosts(int level) {
    backend_.for_each(hierarchy_.level(level), [&](std::size_t slot, int) {
      exchange_.fill(level, slot, State::kNow, {time(), 0.0, 0.0});
    });
  }

  std::vector<TagRows> tags(int index) {
    const Level& level = hierarchy_.level(index);
    std::vector<TagRows> result(level.size());
    backend_.for_each(level, [&](std::size_t slot, int) {
      result[slot] = loehner_tags(level.patch(slot).now(), options_.refinement, floor_);
    });
    return result;
  }

  void sample(int index, const std::vector<std::size_t>& slots) {
    for_slots(backend_, hierarchy_.level(index), slots, [&](Patch& patch) {
      const PatchCoordinates coordinates(hierarchy_.geometry(), patch.id());
      std::array<double, kPatchPoints> values;
      for (int component = 0; component < patch.now().components(); ++component) {
        case_.initial(coordinates.points(), component, values);
        patch.now().interior(component) =
            Eigen::Map<const FieldArray>(values.data(), kPatchSize, kPatchSize);
      }
    });
  }

  void prolong_into(int index, const std::vector<std::size_t>& slots) {
    const Level& coarser = hierarchy_.level(index - 1);
    for_slots(backend_, hierarchy_.level(index), slots, [&](Patch& patch) {
      const auto parent = static_cast<std::size_t>(coarser.find(patch.id().parent()));
      prolong(coarser.patch(parent).now(), patch.id().quadrant(), patch.now());
    });
  }

  double largest_magnitude() const {
    double largest = 0.0;
    const Level& base = hierarchy_.level(0);
    for (std::size_t slot = 0; slot < base.size(); ++slot) {
      for (int component = 0; component < hierarchy_.shape().components; ++component) {
        largest = std::max(largest, base.patch(slot).now().interior(component).abs().maxCoeff());
      }
    }
    return largest;
  }

  const Case& case_;
  Backend& backend_;
  SimulationOptions options_;
  Hierarchy hierarchy_;
  GhostExchange exchange_;
  TimeStepper stepper_;
  int step_ = 0;
  double floor_ = 0.0;  ///< of Löhner's denominator, absolute
};

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options)
    : engine_(std::make_unique<Engine>(problem, solver, backend, options)) {
  engine_->initialize();
}

Simulation::~Simulation() = default;

void Simulation::advance(int steps) { engine_->advance(steps); }
int Simulation::step() const { return engine_->step(); }
double Simulation::time() const { return engine_->time(); }
double Simulation::dt() const { return engine_->dt(); }
const SimulationOptions& Simulation::options() const { return engine_->options(); }
const Hierarchy& Simulation::hierarchy() const { return engine_->hierarchy(); }
const WorkCounters& Simulation::counters() const { return engine_->counters(); }

}  // namespace kumiko::amr
