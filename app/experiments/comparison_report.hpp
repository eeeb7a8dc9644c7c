// Reports of a comparison: for the terminal, and as tables, JSON and a picture.
#pragma once

#include <array>
#include <string>

#include "experiments/comparison.hpp"

namespace kumiko::app {

/// A report of the runs that are done, for the terminal.
std::string plain_report(const Comparison& comparison);
/// Tables, JSON and a picture of what is done.
extern const std::array<SweepFile<Comparison>, 4> kComparisonFiles;

}  // namespace kumiko::app
