// Whether the same call gives the same bits: again, in another order, on other threads at once.
#include <algorithm>
#include <array>
#include <barrier>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr std::size_t kPatches = 12;

/// One of a set of steps on different patches, states and flows, not yet prepared.
struct Task {
  Flow flow;
  std::array<int, 2> first;
  double dt;
  PatchStep::Values values;
};

std::vector<Task> make_tasks(const Subject& subject) {
  std::vector<Task> tasks;
  for (int number = 0; number < static_cast<int>(kPatches); ++number) {
    const std::array<int, 2> first = {16 * (number % 4), 16 * (number / 4)};
    const Place place(subject, first[0], first[1]);
    const std::vector<Flow> flows = flows_around(place.centre_x(), place.centre_y());
    Task task{flows[static_cast<std::size_t>(number) % flows.size()], first, 0.0,
              [&subject, number](int i, int j, int component) {
                return subject.value(component, noise(i + 100 * number, j, component));
              }};
    PatchStep step(subject, place);
    step.fill(task.values);
    task.dt = step.prepare_for(task.flow, 0.9 * subject.traits.cfl_limit);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<PatchStep> make_steps(const Subject& subject, const std::vector<Task>& tasks) {
  std::vector<PatchStep> steps;
  for (const Task& task : tasks) {
    steps.emplace_back(subject, Place(subject, task.first[0], task.first[1]));
    steps.back().fill(task.values);
  }
  return steps;
}

/// prepare() and everything else, by one instance.
std::vector<double> outcome(const Task& task, PatchStep& step, const amr::Solver& solver) {
  step.prepare(solver, task.flow, task.dt);
  return step.outputs(solver);
}

void scribble(Guarded& values, double value) { std::ranges::fill(values.values(), value); }

/// Advances the patches of all tasks in one list, of which that of task `first` is the head.
void advance_in_a_list(const std::vector<Task>& tasks, std::vector<PatchStep>& steps,
                       const amr::Solver& solver, std::size_t first, bool with_fluxes) {
  std::vector<amr::PatchAdvance> list;
  for (std::size_t number = 0; number < kPatches; ++number) {
    const std::size_t at = (number + first) % kPatches;
    PatchStep& step = steps[at];
    step.prepare(solver, tasks[at].flow, tasks[at].dt);
    scribble(step.after_values(), std::numeric_limits<double>::quiet_NaN());
    list.push_back({std::as_const(step).before(), step.coefficients(), step.after()});
    if (with_fluxes) list.back().fluxes = step.fluxes();
  }
  solver.advance_list(list);
}

/// How many patches have other values or fluxes after their step than elsewhere.
int differing(const std::vector<PatchStep>& steps, const std::vector<PatchStep>& others) {
  int differ = 0;
  for (std::size_t at = 0; at < kPatches; ++at) {
    const bool is_same =
        same_bits(steps[at].after_values().values(), others[at].after_values().values()) &&
        same_bits(steps[at].flux_values().values(), others[at].flux_values().values());
    differ += is_same ? 0 : 1;
  }
  return differ;
}

/// How many patches come out of one list with other bits than by themselves.
int differ_in_a_list(const Subject& subject, const std::vector<Task>& tasks, bool with_fluxes) {
  const amr::Solver& solver = *subject.solver;
  std::vector<PatchStep> alone = make_steps(subject, tasks);
  std::vector<PatchStep> listed = make_steps(subject, tasks);
  for (std::size_t at = 0; at < kPatches; ++at) {
    PatchStep& one = alone[at];
    one.prepare(solver, tasks[at].flow, tasks[at].dt);
    scribble(one.after_values(), std::numeric_limits<double>::quiet_NaN());
    if (with_fluxes) {
      solver.advance_with_fluxes(one.before(), one.coefficients(), one.after(), one.fluxes());
    } else {
      one.advance(solver);
    }
  }
  advance_in_a_list(tasks, listed, solver, 0, with_fluxes);
  return differing(listed, alone);
}

/// The same of both kinds of lists, as far as the solver is handed them; 0 without a kernel for
/// lists. On a single level one in flux form is asked for no fluxes.
int differ_in_lists(const Subject& subject, const std::vector<Task>& tasks) {
  if (!subject.traits.list_kernel) return 0;
  const int without = differ_in_a_list(subject, tasks, false);
  return without > 0 || !subject.traits.flux_form ? without
                                                  : differ_in_a_list(subject, tasks, true);
}

}  // namespace

Finding check_determinism(Subject& subject) {
  const std::vector<Task> tasks = make_tasks(subject);
  std::vector<PatchStep> steps = make_steps(subject, tasks);
  const std::unique_ptr<amr::Solver> second = subject.make();
  std::vector<std::vector<double>> expected;
  for (std::size_t at = 0; at < kPatches; ++at) {
    scribble(steps[at].coefficient_values(), 0.0);
    expected.push_back(outcome(tasks[at], steps[at], *subject.solver));
  }
  int again = 0;
  int other_instance = 0;
  // The other way round, and over what coefficients happen to hold.
  for (std::size_t at = kPatches; at-- > 0;) {
    const auto differs = [&](const amr::Solver& solver) {
      scribble(steps[at].coefficient_values(), std::numeric_limits<double>::quiet_NaN());
      return same_bits(outcome(tasks[at], steps[at], solver), expected[at]) ? 0 : 1;
    };
    again += differs(*subject.solver);
    other_instance += differs(*second);
  }
  const int in_a_list = differ_in_lists(subject, tasks);
  const Numbers numbers = {{"patches", kPatches},
                           {"differ_again", again},
                           {"differ_in_another_instance", other_instance},
                           {"differ_in_a_list", in_a_list}};
  if (in_a_list > 0) {
    return failed(numbers,
                  "advance_list() gives {} of {} patches other bits than advance() or "
                  "advance_with_fluxes() of each; let it compute the same",
                  in_a_list, kPatches);
  }
  if (again + other_instance == 0) {
    return passed(numbers, "the same bits again, in another order and from another instance");
  }
  return failed(numbers,
                "the same step has other bits for {} of {} patches when done again in another "
                "order, for {} by another instance; keep nothing between calls, and let prepare() "
                "fill all that advance() reads",
                again, kPatches, other_instance);
}

namespace {

constexpr std::size_t kThreads = 4;
constexpr int kRounds = 25;

/// Threads begin at different patches, so that different ones are under way at once.
std::size_t first_of(std::size_t thread) { return thread * kPatches / kThreads; }

/// What the steps give one by one, and each thread's list where there is a kernel for lists.
struct Expected {
  std::vector<std::vector<double>> alone;
  std::vector<std::vector<PatchStep>> listed;
};

Expected expected_results(const Subject& subject, const std::vector<Task>& tasks) {
  const amr::Solver& solver = *subject.solver;
  Expected expected;
  std::vector<PatchStep> steps = make_steps(subject, tasks);
  for (std::size_t at = 0; at < kPatches; ++at) {
    expected.alone.push_back(outcome(tasks[at], steps[at], solver));
  }
  for (std::size_t thread = 0; thread < kThreads && subject.traits.list_kernel; ++thread) {
    expected.listed.push_back(make_steps(subject, tasks));
    advance_in_a_list(tasks, expected.listed.back(), solver, first_of(thread),
                      subject.traits.flux_form);
  }
  return expected;
}

/// How many of a thread's results have other bits than `expected`.
int wrong_results(const Subject& subject, std::size_t thread, const amr::Solver& solver,
                  const std::vector<Task>& tasks, const Expected& expected) {
  std::vector<PatchStep> steps = make_steps(subject, tasks);
  std::vector<PatchStep> listed = make_steps(subject, tasks);
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t number = 0; number < kPatches; ++number) {
      const std::size_t at = (number + first_of(thread)) % kPatches;
      wrong += same_bits(outcome(tasks[at], steps[at], solver), expected.alone[at]) ? 0 : 1;
    }
    if (!subject.traits.list_kernel) continue;
    advance_in_a_list(tasks, listed, solver, first_of(thread), subject.traits.flux_form);
    wrong += differing(listed, expected.listed[thread]);
  }
  return wrong;
}

/// The sum over all threads; instance t of `solvers`, or the only one, serves thread t.
int wrong_results_at_once(const Subject& subject, const std::vector<const amr::Solver*>& solvers,
                          const std::vector<Task>& tasks, const Expected& expected) {
  std::array<int, kThreads> wrong = {};
  std::array<std::exception_ptr, kThreads> errors;
  std::barrier start(static_cast<std::ptrdiff_t>(kThreads));
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        start.arrive_and_wait();
        try {
          wrong[thread] =
              wrong_results(subject, thread, *solvers[thread % solvers.size()], tasks, expected);
        } catch (...) {
          errors[thread] = std::current_exception();
        }
      });
    }
  }
  int sum = 0;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    if (errors[thread]) std::rethrow_exception(errors[thread]);
    sum += wrong[thread];
  }
  return sum;
}

}  // namespace

Finding check_thread_safety(Subject& subject) {
  const std::vector<Task> tasks = make_tasks(subject);
  const std::unique_ptr<amr::Solver> second = subject.make();
  const Expected expected = expected_results(subject, tasks);
  const int one = wrong_results_at_once(subject, {subject.solver.get()}, tasks, expected);
  const int two =
      wrong_results_at_once(subject, {subject.solver.get(), second.get()}, tasks, expected);
  const std::size_t steps = kThreads * kPatches * kRounds * (subject.traits.list_kernel ? 2 : 1);
  const Numbers numbers = {{"threads", kThreads},
                           {"steps", steps},
                           {"wrong_on_one_instance", one},
                           {"wrong_on_two_instances", two}};
  if (one + two == 0) {
    return passed(numbers, "{} steps on {} threads at once have the bits of steps one by one",
                  2 * steps, kThreads);
  }
  return failed(
      numbers,
      "on {} threads at once {} of {} steps of one instance have other bits than alone, {} of {} "
      "of two instances; keep scratch space on the stack, not in members or static variables",
      kThreads, one, steps, two, steps);
}

}  // namespace kumiko::plugin::conformance
