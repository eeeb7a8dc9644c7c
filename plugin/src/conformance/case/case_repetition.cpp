// Whether a case gives the same bits again, in other batches, and to other threads at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "conformance/case/case_checks.hpp"
#include "conformance/patch_step.hpp"
#include "conformance/threads.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr std::size_t kAskers = 4;
constexpr int kRepeats = 5;

using Lists = std::vector<std::vector<double>>;

/// All that the case says of some of the points, at a time.
Lists answers_at(const CaseSubject& subject, const Places& places, double time) {
  Lists lists;
  const auto keep = [&](std::vector<double> values) { lists.push_back(std::move(values)); };
  for (std::vector<double>& axis : subject.velocity(places, time)) keep(std::move(axis));
  if (auto stream = subject.stream(places, time)) keep(std::move(*stream));
  if (auto displacement = subject.displacement(places, time, 0.1 * time)) {
    for (std::vector<double>& axis : *displacement) keep(std::move(axis));
  }
  for (int component = 0; component < subject.components; ++component) {
    keep(subject.initial(places, component));
    if (auto exact = subject.exact(places, component, time)) keep(std::move(*exact));
    for (const amr::Side side : subject.prescribed_sides) {
      keep(subject.prescribed(side, places.on(side, subject.extent), component, time));
    }
  }
  return lists;
}

/// The answers of the case for the points, so many of them in one call: for each time and question
/// in the order of the points.
std::vector<double> answers(const CaseSubject& subject, std::size_t batch) {
  std::vector<double> all;
  for (const double time : subject.times) {
    all.push_back(subject.problem.velocity_factor(time).value_or(0.0));
    Lists lists;
    for (std::size_t begin = 0; begin < subject.inside.size(); begin += batch) {
      const std::size_t end = std::min(subject.inside.size(), begin + batch);
      Places places;
      for (std::size_t at = begin; at < end; ++at) {
        places.add(subject.inside.x[at], subject.inside.y[at]);
      }
      const Lists more = answers_at(subject, places, time);
      lists.resize(std::max(lists.size(), more.size()));
      for (std::size_t at = 0; at < more.size(); ++at) {
        lists[at].insert(lists[at].end(), more[at].begin(), more[at].end());
      }
    }
    for (const std::vector<double>& list : lists) all.insert(all.end(), list.begin(), list.end());
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
  if (!same_bits(answers(subject, 1), expected)) {
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
  const int sum = sum_of_threads(kAskers, subject.activity, [&](std::size_t thread) {
    return wrong_rounds(subject, expected[thread], kBatches[thread]);
  });
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
