// Wrong: what the parameter "fault" names; when it shows on the way, from the time "after" on. With
// no fault, both do all they say.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "still.hpp"

namespace kumiko::test {

namespace {

const std::string kAfterHelp = "the time from which on the fault shows";

[[gnu::noinline]] int recurse(int depth) {
  volatile int frame[64];
  frame[depth % 64] = depth;
  return depth < 0 ? 0 : recurse(depth + 1) + frame[depth % 64];
}

/// Touches the end of an array far larger than the stack's guard region.
[[gnu::noinline]] int take_large_frame() {
  volatile char frame[32 << 20];
  frame[0] = 1;
  return frame[0];
}

class FaultySolver final : public Still {
 public:
  static amr::Description describe() {
    amr::ParameterSpec fault{"fault", std::string("none"), "what it does wrong"};
    fault.choices = {"none",
                     "refuse",
                     "fail",
                     "no_ghosts",
                     "wide_ghosts",
                     "node_fluxes",
                     "zero_limit",
                     "nan_limit",
                     "infinite_limit",
                     "negative_components",
                     "countless_coefficients",
                     "more_coefficients_later",
                     "constant_cfl",
                     "nan_cfl",
                     "negative_cfl",
                     "fail_in_prepare",
                     "fail_in_advance",
                     "null_in_prepare",
                     "exit_in_prepare",
                     "never_return",
                     "throw_a_number",
                     "recurse",
                     "large_frame",
                     "refuse_on_way",
                     "multiply",
                     "write_nan"};
    return {"faulty_solver",
            "a solver with a fault of your choice",
            {fault, {"after", 0.0, kAfterHelp, 0.0, 100.0}}};
  }

  explicit FaultySolver(const amr::ParameterSet& parameters)
      : fault_(parameters.text("fault")), after_(parameters.number("after")) {
    if (fault_ == "refuse") throw std::invalid_argument("no such solver can be had");
    if (fault_ == "fail") throw std::runtime_error("the table of weights is missing");
    if (fault_ == "no_ghosts") traits_.ghosts = 0;
    if (fault_ == "wide_ghosts") traits_.ghosts = 9;
    if (fault_ == "zero_limit") traits_.cfl_limit = 0.0;
    if (fault_ == "nan_limit") traits_.cfl_limit = std::numeric_limits<double>::quiet_NaN();
    if (fault_ == "infinite_limit") traits_.cfl_limit = std::numeric_limits<double>::infinity();
    if (fault_ == "negative_components") traits_.components = -3;
    traits_.flux_form = fault_ == "node_fluxes";
  }

  std::size_t coefficients() const override {
    if (fault_ == "countless_coefficients") return std::size_t{1} << 60U;
    // As much as the engine makes room for, and then as much as would go beyond.
    if (fault_ == "more_coefficients_later" && was_asked_.exchange(true)) return 100000;
    return Still::coefficients();
  }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    if (shows("fail_in_prepare", time)) throw std::runtime_error("cannot prepare this patch");
    if (shows("null_in_prepare", time)) *static_cast<volatile int*>(nowhere_) = 1;
    if (shows("exit_in_prepare", time)) std::exit(0);
    while (shows("never_return", time)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::fill(coefficients.begin(), coefficients.end(), time);
    if (shows("constant_cfl", time)) return 2.0;
    if (shows("negative_cfl", time)) return -1.0;
    if (shows("nan_cfl", time)) return std::numeric_limits<double>::quiet_NaN();
    return Still::prepare(problem, patch, time, dt, coefficients);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    const double time = coefficients[0];
    if (shows("fail_in_advance", time)) throw std::runtime_error("cannot advance this patch");
    if (shows("refuse_on_way", time)) throw std::invalid_argument("no step can be had from here");
    if (shows("throw_a_number", time)) throw 42;
    if (shows("recurse", time)) recurse(0);
    if (shows("large_frame", time)) take_large_frame();
    Still::advance(before, coefficients, after);
    if (shows("multiply", time)) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) after(i, j) *= 100.0;
      }
    }
    if (shows("write_nan", time)) after(3, 4) = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  bool shows(const char* fault, double time) const { return fault_ == fault && time >= after_; }

  std::string fault_;
  double after_;
  void* nowhere_ = nullptr;
  mutable std::atomic<bool> was_asked_ = false;
};

/// A hill that a wind, which grows with time, carries to the right.
class FaultyCase final : public amr::Case {
 public:
  static amr::Description describe() {
    amr::ParameterSpec fault{"fault", std::string("none"), "what it does wrong"};
    fault.choices = {"none",
                     "refuse",
                     "fail",
                     "refuse_in_initial",
                     "fail_in_initial",
                     "fail_in_exact",
                     "fail_in_indicator",
                     "fail_in_velocity",
                     "no_memory_in_velocity",
                     "null_in_velocity",
                     "exit_in_velocity",
                     "exit_in_a_thread",
                     "nan_velocity",
                     "unwritten_initial",
                     "unwritten_velocity",
                     "unwritten_exact",
                     "null_in_end_time"};
    return {"faulty_case",
            "a case with a fault of your choice",
            {fault, {"after", 0.0, kAfterHelp, 0.0, 100.0}}};
  }

  explicit FaultyCase(const amr::ParameterSet& parameters)
      : fault_(parameters.text("fault")), after_(parameters.number("after")) {
    if (fault_ == "refuse") throw std::invalid_argument("no such case can be had");
    if (fault_ == "fail") throw std::runtime_error("the file of soundings is missing");
  }

  double end_time() const override {
    if (fault_ == "null_in_end_time") *static_cast<volatile int*>(nowhere_) = 1;
    return 1.0;
  }

  void initial(amr::Points points, int, std::span<double> values) const override {
    if (fault_ == "refuse_in_initial") throw std::invalid_argument("no such data can be had");
    if (fault_ == "fail_in_initial") throw std::runtime_error("there are no initial data");
    if (fault_ == "unwritten_initial") return;
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] =
          std::exp(-100.0 * (std::pow(points.x[at] - 0.4, 2) + std::pow(points.y[at] - 0.5, 2)));
    }
  }

  bool exact(amr::Points, int, double time, std::span<double>) const override {
    if (shows("fail_in_exact", time)) throw std::runtime_error("the series does not converge");
    return fault_ == "unwritten_exact";
  }

  bool refinement_indicator(const amr::RefinementPatch& patch, std::span<double>) const override {
    if (shows("fail_in_indicator", patch.time)) throw std::runtime_error("no fronts are known");
    return false;
  }

  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    if (shows("fail_in_velocity", time)) throw std::runtime_error("the wind is not known");
    if (shows("no_memory_in_velocity", time)) throw std::bad_alloc();
    if (shows("null_in_velocity", time)) *static_cast<volatile int*>(nowhere_) = 1;
    if (shows("exit_in_velocity", time) && std::getenv("KUMIKO_NO_EXIT") == nullptr) std::exit(0);
    if (shows("exit_in_a_thread", time)) std::thread([] { std::exit(0); }).join();
    if (shows("unwritten_velocity", time)) return;
    const double wind =
        shows("nan_velocity", time) ? std::numeric_limits<double>::quiet_NaN() : 0.1 * time;
    std::fill_n(velocity.x.begin(), points.size(), wind);
    std::fill_n(velocity.y.begin(), points.size(), 0.0);
  }

 private:
  bool shows(const char* fault, double time) const { return fault_ == fault && time >= after_; }

  std::string fault_;
  double after_;
  void* nowhere_ = nullptr;
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::FaultySolver, kumiko::test::FaultyCase)
