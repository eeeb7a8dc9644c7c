// fib: a thread that does nothing but spawn and join, so that all of its time is overhead. With
// BENCH_INVOKE the calls are potential threads only, by lazy splitting.
#include <cstdint>
#include <string_view>
#include <utility>

#include "support/program.hpp"
#ifdef BENCH_INVOKE
#include <kumiko/runtime/invoke.hpp>
#endif

namespace kumiko::bench {
namespace {

#ifdef BENCH_INVOKE
std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  runtime::invoke([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); });
  return a + b;
}
#else
std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  System::Group group;
  std::int64_t a = 0;
  group.run([&a, n] { a = fib(n - 1); });
  const std::int64_t b = fib(n - 2);
  group.wait();
  return a + b;
}
#endif

class Fib {
 public:
  static constexpr std::string_view kName = "fib";

  explicit Fib(Arguments& arguments) : n_(arguments.integer("n", 30)) {}

  Measurement measure(System& system) const {
    std::int64_t value = 0;
    const auto compute = [&](std::int64_t n) { system.run([&value, n] { value = fib(n); }); };
    compute(n_);  // starts the workers, fills the pools
    const double seconds = seconds_of([&] { compute(n_); });
    return {seconds, spawns(n_), {{"value", value}}};
  }

 private:
  /// The calls that spawn: fib(n + 1) - 1.
  static std::uint64_t spawns(std::int64_t n) {
    std::uint64_t current = 0;
    std::uint64_t next = 1;
    for (std::int64_t i = 0; i <= n; ++i) current = std::exchange(next, current + next);
    return current > 1 ? current - 1 : 1;
  }

  std::int64_t n_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::Fib>(argc, argv);
}
