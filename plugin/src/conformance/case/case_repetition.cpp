// Whether a case gives the same bits again, in other batches, and to other threads at once.
#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <future>
#include <vector>

#include "conformance/case/case_checks.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr std::size_t kAskers = 4;
constexpr int kRepeats = 5;

/// All that the case says of some of the points, at a time.
void answers_at(const CaseSubject& subject, const Places& places, double time,
                std::vector<double>& all) {
  const auto keep = [&](const std::vector<double>& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  for (const std::vector<double>& axis : subject.velocity(places, time)) keep(axis);
  if (const auto stream = subject.stream(places, time)) keep(*stream);
  for (int component = 0; component < subject.components; ++component) {
    keep(subject.initial(places, component));
    if (const auto exact = subject.exact(places, component, time)) keep(*exact);
  }
}

/// What the case says of the points, asked for so many of them in one call.
std::vector<double> answers(const CaseSubject& subject, std::size_t batch) {
  std::vector<double> all;
  for (const double time : subject.times) {
    for (std::size_t begin = 0; begin < subject.inside.size(); begin += batch) {
      const std::size_t end = std::min(subject.inside.size(), begin + batch);
      Places places;
      for (std::size_t at = begin; at < end; ++at) {
        places.add(subject.inside.x[at], subject.inside.y[at]);
      }
      answers_at(subject, places, time, all);
    }
  }
  return all;
}

/// How many rounds of a thread have other bits than when it is the only one.
int wrong_rounds(const CaseSubject& subject, const std::vector<double>& expected,
                 std::size_t batch) {
  int wrong = 0;
  for (int round = 0; round < kRepeats; ++round) {
    wrong += same_bits(answers(subject, batch), expected) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

Finding check_case_determinism(CaseSubject& subject) {
  constexpr std::size_t kRow = 16;
  const std::vector<double> expected = answers(subject, kRow);
  const Numbers numbers = {{"values", static_cast<double>(expected.size())}};
  if (!same_bits(answers(subject, kRow), expected)) {
    return failed(numbers, "the same call gives other bits again; keep nothing between calls");
  }
  std::vector<double> of_rows = expected;
  std::vector<double> singly = answers(subject, 1);
  // Each comes in the order of its own batches.
  std::ranges::sort(of_rows);
  std::ranges::sort(singly);
  if (!same_bits(singly, of_rows)) {
    return failed(numbers,
                  "a point by itself has other bits than in a row of {}; let each value depend on "
                  "its own point alone",
                  kRow);
  }
  return passed(numbers, "the same bits again, and point by point");
}

Finding check_case_thread_safety(CaseSubject& subject) {
  constexpr std::array<std::size_t, kAskers> kBatches = {256, 100, 37, 16};
  std::array<std::vector<double>, kAskers> expected;
  for (std::size_t thread = 0; thread < kAskers; ++thread) {
    expected[thread] = answers(subject, kBatches[thread]);
  }
  std::barrier start(static_cast<std::ptrdiff_t>(kAskers));
  std::vector<std::future<int>> wrong;
  for (std::size_t thread = 0; thread < kAskers; ++thread) {
    wrong.push_back(std::async(std::launch::async, [&, thread] {
      const CheckNote note(subject.activity);
      start.arrive_and_wait();
      return wrong_rounds(subject, expected[thread], kBatches[thread]);
    }));
  }
  int sum = 0;
  for (std::future<int>& each : wrong) sum += each.get();
  const std::size_t rounds = kAskers * kRepeats;
  const Numbers numbers = {{"threads", kAskers},
                           {"rounds", static_cast<double>(rounds)},
                           {"wrong", static_cast<double>(sum)}};
  if (sum == 0) return passed(numbers, "the same bits on {} threads at once", kAskers);
  return failed(numbers,
                "on {} threads at once {} of {} rounds have other bits than alone; keep scratch "
                "space on the stack, not in members or static variables",
                kAskers, sum, rounds);
}

}  // namespace kumiko::plugin::conformance
