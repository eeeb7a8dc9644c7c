// Shows what a scaling run found, as table, CSV, JSON and pictures.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "experiments/scaling.hpp"

namespace kumiko::app {

inline constexpr std::array<const char*, 4> kScalingFiles = {"scaling.csv", "scaling.json",
                                                             "speed_up.svg", "efficiency.svg"};

/// Of the points that are done: for the terminal.
std::string scaling_table(const Scaling& scaling);
std::string scaling_csv(const Scaling& scaling);
/// Everything, with each point's summary as `kumiko run` writes it.
std::string scaling_json(const Scaling& scaling);

/// Speed-up over workers, with the line of as many times as there are workers.
std::string speed_up_picture(const Scaling& scaling);
/// Load-balance efficiency over workers, and speed-up per worker.
std::string efficiency_picture(const Scaling& scaling);

/// Writes kScalingFiles, making the folder where it is missing. Throws io::OutputError.
void write_scaling_files(const std::filesystem::path& folder, const Scaling& scaling);

}  // namespace kumiko::app
