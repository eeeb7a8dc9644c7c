// Prints the results of a run.
#pragma once

#include <kumiko/io/summary.hpp>

namespace kumiko::app {

/// Prints a summary to stdout, a line for each result.
void print_summary(const io::RunSummary& s);

}  // namespace kumiko::app
