// Passes cases across the C interface, in either direction.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/plugin_abi.h>

#include "bridge/status.hpp"

namespace kumiko::plugin::detail {

inline kumiko_points to_c(amr::Points points) {
  return {points.x.data(), points.y.data(), points.size()};
}
inline amr::Points from_c(kumiko_points points) {
  return {{points.x, points.count}, {points.y, points.count}};
}
inline kumiko_vectors to_c(amr::Vectors vectors) { return {vectors.x.data(), vectors.y.data()}; }
inline amr::Vectors from_c(kumiko_vectors vectors, std::size_t count) {
  return {{vectors.x, count}, {vectors.y, count}};
}
inline kumiko_state to_c(amr::ConstPatchView view) {
  return {view.data(), view.components(), view.ghosts()};
}
inline amr::ConstPatchView from_c(kumiko_state state) {
  return {state.data, state.components, state.ghosts};
}
inline kumiko_field to_c(amr::PatchView view) {
  return {view.data(), view.components(), view.ghosts()};
}
inline amr::PatchView from_c(kumiko_field field) {
  return {field.data, field.components, field.ghosts};
}
inline std::span<const double> from_c(kumiko_coefficients coefficients) {
  return {coefficients.data, coefficients.count};
}
inline kumiko_coefficients to_c(std::span<const double> coefficients) {
  return {coefficients.data(), coefficients.size()};
}
inline kumiko_range to_c(const amr::PointRange& range) {
  return {range.i0, range.i1, range.j0, range.j1};
}
inline amr::PointRange from_c(kumiko_range range) {
  return {range.i0, range.i1, range.j0, range.j1};
}
inline kumiko_patch to_c(const amr::PatchPoints& patch) {
  return {sizeof(kumiko_patch), to_c(patch.points), patch.spacing, patch.first_i, patch.first_j};
}
inline amr::PatchPoints from_c(const kumiko_patch& patch) {
  return {from_c(patch.points), patch.spacing, patch.first_i, patch.first_j};
}

/// A case for the other side to call, while it lives; destroying it there does nothing.
struct LentCase {
  kumiko_case in_c;
  std::string_view whose;  ///< of failures; empty for a case of this side
};

/// Of a case of another side, that side's functions are handed on.
LentCase lend(const amr::Case& problem);
/// A case that the other side destroys.
kumiko_case give(std::unique_ptr<amr::Case> problem);

/// A case of the other side.
class CaseFromBeyond final : public amr::Case {
 public:
  /// \param whose  of failures, e.g. "case 'x' of 'x.so'"; empty for a case that was lent
  /// Throws what the other side does when asked for the facts.
  CaseFromBeyond(kumiko_case problem, std::string whose);
  ~CaseFromBeyond() override;
  CaseFromBeyond(const CaseFromBeyond&) = delete;
  CaseFromBeyond& operator=(const CaseFromBeyond&) = delete;

  int dimensions() const override { return facts_.dimensions; }
  amr::Extent extent() const override { return {facts_.extent_x, facts_.extent_y}; }
  amr::Boundaries boundaries() const override;
  double end_time() const override { return facts_.end_time; }
  int components() const override { return facts_.components; }
  std::vector<std::string> component_names() const override;
  amr::Equation equation() const override;
  bool steady_velocity() const override { return facts_.has_steady_velocity != 0; }
  std::optional<double> velocity_factor(double time) const override;
  double unit_factor_time() const override { return facts_.unit_factor_time; }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    forget(values);
    call(lent_.initial, to_c(points), component, values.data());
  }
  void boundary_values(amr::Side side, amr::Points points, int component, double time,
                       std::span<double> values) const override {
    forget(values);
    call(lent_.boundary_values, static_cast<int32_t>(side), to_c(points), component, time,
         values.data());
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    forget(velocity);
    call(lent_.velocity, to_c(points), time, to_c(velocity));
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    forget(values);
    return ask(lent_.stream_function, to_c(points), time, values.data());
  }
  bool exact_displacement(amr::Points points, double time, double tau,
                          amr::Vectors displacement) const override {
    forget(displacement);
    return ask(lent_.exact_displacement, to_c(points), time, tau, to_c(displacement));
  }
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override {
    forget(values);
    return ask(lent_.exact, to_c(points), component, time, values.data());
  }
  bool refinement_indicator(const amr::RefinementPatch& patch,
                            std::span<double> indicator) const override {
    forget(indicator);
    const kumiko_refinement_patch in_c{sizeof(in_c),  patch.level,        patch.time,
                                       patch.spacing, to_c(patch.points), to_c(patch.field)};
    return ask(lent_.refinement_indicator, &in_c, indicator.data());
  }
  int observe_every() const override { return lent_.observe == nullptr ? 0 : facts_.observe_every; }
  void observe(const amr::Observation& observation) const override;
  std::vector<amr::PublishedValue> published_values() const override;

  LentCase lend() const { return {{&lent_, case_.self}, whose_}; }

 private:
  /// Marks values as unwritten by NaN, which is found if the case leaves it, in place of an earlier
  /// answer that happens to lie there. Marks one value in a cache line, and the last one, since a
  /// velocity is asked for in every step.
  static void forget(std::span<double> values) {
    constexpr std::size_t kTogether = 8;
    constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t at = 0; at < values.size(); at += kTogether) values[at] = kUnwritten;
    if (!values.empty()) values.back() = kUnwritten;
  }
  static void forget(amr::Vectors vectors) {
    forget(vectors.x);
    forget(vectors.y);
  }

  template <class Function, class... InC>
  void call(Function function, const InC&... values) const {
    call_beyond(whose_,
                [&](kumiko_error* error) { return function(case_.self, values..., error); });
  }
  template <class Function, class... InC>
  bool ask(Function function, const InC&... values) const {
    return ask_beyond(whose_,
                      [&](kumiko_error* error) { return function(case_.self, values..., error); });
  }

  kumiko_case case_;
  kumiko_case_functions lent_;  ///< the case's, as far as both sides know them, but for destroy()
  std::string whose_;
  kumiko_case_facts facts_;
};

}  // namespace kumiko::plugin::detail
