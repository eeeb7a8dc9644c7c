// Shows what a scaling run found, as table, CSV, JSON and pictures.
#pragma once

#include <array>
#include <string>

#include "experiments/scaling.hpp"
#include "experiments/sweep.hpp"

namespace kumiko::app {

/// A table of the points that are done, for the terminal.
std::string scaling_table(const Scaling& scaling);
std::string scaling_csv(const Scaling& scaling);
/// Everything, with each point's summary as `kumiko run` writes it.
std::string scaling_json(const Scaling& scaling);

/// Speed-up over workers, with the line of as many times as there are workers.
std::string speed_up_picture(const Scaling& scaling);
/// Load-balance efficiency over workers, and speed-up per worker.
std::string efficiency_picture(const Scaling& scaling);

inline constexpr std::array<SweepFile<Scaling>, 4> kScalingFiles = {
    {{"scaling.csv", scaling_csv},
     {"scaling.json", scaling_json},
     {"speed_up.svg", speed_up_picture},
     {"efficiency.svg", efficiency_picture}}};

}  // namespace kumiko::app
