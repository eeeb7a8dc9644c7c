// Passes solvers across the C interface, in either direction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/plugin_abi.h>

#include "bridge/case_bridge.hpp"
#include "bridge/status.hpp"

namespace kumiko::plugin::detail {

/// A solver that the other side destroys.
kumiko_solver give(std::unique_ptr<amr::Solver> solver);

/// A solver of the other side.
class SolverFromBeyond final : public amr::Solver {
 public:
  /// \param whose  of failures, e.g. "solver 'x' of 'x.so'"
  /// Throws what the other side does when asked for the traits.
  SolverFromBeyond(kumiko_solver solver, std::string name, std::string whose);
  ~SolverFromBeyond() override;
  SolverFromBeyond(const SolverFromBeyond&) = delete;
  SolverFromBeyond& operator=(const SolverFromBeyond&) = delete;

  const amr::SolverTraits& traits() const override { return traits_; }
  amr::Equation equation() const override;
  std::size_t coefficients() const override { return coefficients_; }
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const kumiko_patch in_c = to_c(patch);
    double cfl = 0.0;
    call_with(problem, functions_.prepare, &in_c, time, dt, coefficients.data(), &cfl);
    return cfl;
  }
  double rescale(const amr::Case& problem, double time, double dt,
                 std::span<double> coefficients) const override {
    double cfl = 0.0;
    call_with(problem, functions_.rescale, time, dt, coefficients.data(), &cfl);
    return cfl;
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    call(functions_.advance, to_c(before), to_c(coefficients), to_c(after));
  }
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    call(functions_.advance_with_fluxes, to_c(before), to_c(coefficients), to_c(after),
         fluxes.line(amr::FaceAxis::kX, 0));
  }
  double weight(const amr::Case& problem, const amr::PatchPoints& patch,
                double time) const override {
    if (functions_.weight == nullptr) return 1.0;
    const kumiko_patch in_c = to_c(patch);
    double weight = 0.0;
    call_with(problem, functions_.weight, &in_c, time, &weight);
    return weight;
  }
  void advance_list(std::span<const amr::PatchAdvance> list) const override;
  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const override {
    call(functions_.tendency, to_c(state), to_c(coefficients), to_c(range), to_c(tendency));
  }
  double state_cfl(amr::ConstPatchView state, std::span<const double> coefficients) const override {
    double cfl = 0.0;
    call(functions_.state_cfl, to_c(state), to_c(coefficients), &cfl);
    return cfl;
  }
  std::optional<amr::InnerPoint> inadmissible_point(amr::ConstPatchView state) const override {
    std::int32_t found = 0;
    std::int32_t i = 0;
    std::int32_t j = 0;
    call(functions_.inadmissible_point, to_c(state), &found, &i, &j);
    if (found == 0) return std::nullopt;
    return amr::InnerPoint{i, j};
  }
  void displacement(const amr::Case& problem, amr::Points points, double time, double tau,
                    amr::Vectors displacement) const override {
    call_with(problem, functions_.displacement, to_c(points), time, tau, to_c(displacement));
  }

 private:
  template <class Function, class... InC>
  void call(Function function, const InC&... values) const {
    call_beyond(whose_, [&](kumiko_error* error) { return function(self_, values..., error); });
  }
  /// Calls a function that is handed the case.
  template <class Function, class... InC>
  void call_with(const amr::Case& problem, Function function, const InC&... values) const {
    const LentCase lent = lend(problem);
    const auto call = [&](kumiko_error* error) {
      return function(self_, lent.in_c, values..., error);
    };
    call_beyond(whose_, call, lent.whose);
  }

  void* self_;
  kumiko_solver_functions functions_;  ///< as far as both sides know them
  std::string whose_;
  amr::SolverTraits traits_;
  std::size_t coefficients_ = 0;
};

}  // namespace kumiko::plugin::detail
