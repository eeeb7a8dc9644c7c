// Computes the imbalance of the workers, by base step and over the run.
#pragma once

#include <span>
#include <vector>

#include <kumiko/amr/statistics.hpp>

namespace kumiko::viz::report {

/// 1 is perfect, n: all is done by one of n workers. NaN for bins of base steps (step_bins.hpp)
/// without updates.
struct BalanceCurve {
  std::vector<double> step;       ///< number of each bin's last base step
  std::vector<double> imbalance;  ///< Σ largest ÷ Σ mean of the workers' updates, over the bin
  std::vector<double> so_far;     ///< the same up to the bin's last base step
};

BalanceCurve balance_of(std::span<const amr::BaseStepLoad> load);

}  // namespace kumiko::viz::report
