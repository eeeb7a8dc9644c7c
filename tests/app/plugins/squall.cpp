// A case whose wind jumps: steps that were chosen before are too long, and are refused.
#include <array>
#include <optional>

#include <kumiko/plugin/plugin.hpp>

namespace kumiko::test {

namespace {

/// A hill of one cell in ten, in plain arithmetic.
class Squall final : public amr::Case {
 public:
  static amr::Description describe() {
    return {"squall",
            "a hill in a wind that jumps",
            {{"gust", 6.0, "factor of the wind", 1.0, 50.0},
             {"stream", 1.0, "factor of the stream function, which is wrong but for 1", -1.0, 1.0},
             {"factor", 0.0, "of velocity_factor(), which is wrong but for 1; 0: none", 0.0, 2.0}}};
  }
  explicit Squall(const amr::ParameterSet& parameters)
      : gust_(parameters.number("gust")),
        stream_(parameters.number("stream")),
        factor_(parameters.number("factor")) {}

  double end_time() const override { return 0.6; }
  void initial(amr::Points points, int, std::span<double> values) const override {
    evaluate(points, values, [](double x, double y) {
      const double square = ((x - 0.3) * (x - 0.3) + (y - 0.4) * (y - 0.4)) / 0.0225;
      return square < 1.0 ? (1.0 - square) * (1.0 - square) : 0.0;
    });
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    const double strength = strength_at(time);
    evaluate(points, velocity, [=](double x, double y) {
      return std::array{strength * (1.0 + 0.5 * y), strength * (0.5 - 0.25 * x)};
    });
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    const double strength = stream_ * strength_at(time);
    return evaluate(points, values, [=](double x, double y) {
      return strength * (y + 0.25 * y * y - 0.5 * x + 0.125 * x * x);
    });
  }

  std::optional<double> velocity_factor(double time) const override {
    if (factor_ == 0.0) return std::nullopt;
    // 1 at the start, whatever it is later.
    return time > 0.0 ? factor_ * (strength_at(time) / strength_at(0.0)) : 1.0;
  }

 private:
  /// Two gusts, with a calm between.
  double strength_at(double time) const {
    if (time < 0.15 || (time >= 0.25 && time < 0.4)) return 0.25;
    return time < 0.25 ? 0.25 * gust_ : 0.5 * gust_;
  }

  double gust_;
  double stream_;
  double factor_;
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::Squall)
