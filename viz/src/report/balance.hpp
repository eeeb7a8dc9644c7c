// The thesis's load-balance efficiency, by base step and over the run.
#pragma once

#include <span>
#include <vector>

#include <kumiko/amr/statistics.hpp>

namespace kumiko::viz::report {

/// 1 is perfect, n: all is done by one of n workers. NaN for base steps without updates.
struct BalanceCurve {
  std::vector<double> step;        ///< numbers of the base steps
  std::vector<double> efficiency;  ///< largest ÷ mean of the workers' updates in the base step
  std::vector<double> so_far;      ///< Σ largest ÷ Σ mean up to the base step
};

BalanceCurve balance_of(std::span<const amr::BaseStepLoad> load);

}  // namespace kumiko::viz::report
