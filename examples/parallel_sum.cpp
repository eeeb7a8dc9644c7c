// The sum of an array by halves. The order of the additions depends on the array's length only, so
// the result is bitwise the same on any number of workers.
//
//     build/release/bin/example_parallel_sum
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/parallel_for.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "arguments.hpp"

namespace rt = kumiko::runtime;

namespace {

double sum(std::span<const double> values) {
  constexpr std::size_t kLeaf = 1000;
  if (values.size() <= kLeaf) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  }
  const std::size_t half = values.size() / 2;
  double lower = 0;
  double upper = 0;
  rt::invoke([&] { lower = sum(values.first(half)); }, [&] { upper = sum(values.subspan(half)); });
  return lower + upper;
}

}  // namespace

int main(int argc, char** argv) {
  examples::read_arguments(argc, argv);
  std::vector<double> values(5'000'000);
  std::vector<double> results;
  for (const int workers : {1, 2, 4}) {
    rt::Runtime runtime(rt::Options{.workers = workers});
    runtime.run([&] {
      rt::parallel_for(std::size_t{0}, values.size(),
                       [&values](std::size_t i) { values[i] = 1.0 / static_cast<double>(i + 1); });
      results.push_back(sum(values));
    });
    std::printf("%d workers: %.17g\n", workers, results.back());
  }
  const bool same = results[0] == results[1] && results[1] == results[2];
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
