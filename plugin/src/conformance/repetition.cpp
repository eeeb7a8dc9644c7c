// Whether the same call gives the same bits: again, in another order, on other threads at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"
#include "conformance/threads.hpp"

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
    Task& task = tasks.emplace_back(
        Task{flows[static_cast<std::size_t>(number) % flows.size()], first, 0.0,
             [&subject, number](int i, int j, int component) {
               return subject.value(component, noise(i + 100 * number, j, component));
             }});
    PatchStep step(subject, place, task.values);
    task.dt = step.prepare_for(task.flow, 0.9 * subject.traits.cfl_limit);
  }
  return tasks;
}

std::vector<PatchStep> make_steps(const Subject& subject, const std::vector<Task>& tasks) {
  std::vector<PatchStep> steps;
  for (const Task& task : tasks) {
    steps.emplace_back(subject, Place(subject, task.first[0], task.first[1]), task.values);
  }
  return steps;
}

/// prepare() and everything else.
std::vector<double> outcome(const Task& task, PatchStep& step) {
  step.prepare(task.flow, task.dt);
  return step.outputs();
}

void scribble(Guarded& values, double value) { std::ranges::fill(values.values(), value); }

/// All that a step has written or left: values, ghosts, fluxes.
std::vector<double> result_of(PatchStep& step) {
  const std::span<const double> after = step.after_values.values();
  const std::span<const double> through = step.flux_values.values();
  std::vector<double> values(after.begin(), after.end());
  values.insert(values.end(), through.begin(), through.end());
  return values;
}

/// Advances the patches of all tasks in one list, of which that of task `first` is the head.
void advance_in_a_list(const Subject& subject, const std::vector<Task>& tasks,
                       std::vector<PatchStep>& steps, std::size_t first, bool with_fluxes) {
  std::vector<amr::PatchAdvance> list;
  for (std::size_t number = 0; number < kPatches; ++number) {
    const std::size_t at = (number + first) % kPatches;
    PatchStep& step = steps[at];
    step.prepare(tasks[at].flow, tasks[at].dt);
    list.push_back({step.before(), step.coefficients(), step.after()});
    if (with_fluxes) list.back().fluxes = step.fluxes();
  }
  subject.solver->advance_list(list);
}

/// How many patches come out of one list with other bits than by themselves.
int differ_in_a_list(const Subject& subject, const std::vector<Task>& tasks, bool with_fluxes) {
  std::vector<PatchStep> alone = make_steps(subject, tasks);
  std::vector<PatchStep> listed = make_steps(subject, tasks);
  advance_in_a_list(subject, tasks, listed, 0, with_fluxes);
  int differ = 0;
  for (std::size_t at = 0; at < kPatches; ++at) {
    alone[at].prepare(tasks[at].flow, tasks[at].dt);
    if (with_fluxes) {
      alone[at].advance_with_fluxes();
    } else {
      alone[at].advance();
    }
    differ += same_bits(result_of(alone[at]), result_of(listed[at])) ? 0 : 1;
  }
  return differ;
}

/// The same of both kinds of lists, as far as the solver is handed them; 0 without a kernel for
/// lists. On a single level one in flux form is asked for no fluxes.
int differ_in_lists(const Subject& subject, const std::vector<Task>& tasks) {
  if (!subject.traits.list_kernel) return 0;
  const int without = differ_in_a_list(subject, tasks, false);
  return without > 0 || !subject.traits.flux_form ? without
                                                  : differ_in_a_list(subject, tasks, true);
}

/// How many patches have other bits in a separable flow when they are rescaled from another time
/// and step than when they are prepared; 0 of a solver that does not rescale.
int differ_rescaled(const Subject& subject, const std::vector<Task>& tasks) {
  if (!subject.traits.rescales) return 0;
  const Flow flow = pulsing_vortices();
  std::vector<PatchStep> prepared = make_steps(subject, tasks);
  std::vector<PatchStep> rescaled = make_steps(subject, tasks);
  int differ = 0;
  for (std::size_t at = 0; at < kPatches; ++at) {
    const double dt = prepared[at].prepare_for(flow, 0.9 * subject.traits.cfl_limit);
    const double cfl = prepared[at].prepare(flow, dt);
    const double of_rescaled = rescaled[at].rescale(flow, 0.3, 0.4 * dt, dt);
    const bool is_same =
        cfl == of_rescaled && same_bits(prepared[at].outputs(), rescaled[at].outputs());
    differ += is_same ? 0 : 1;
  }
  return differ;
}

}  // namespace

Finding check_determinism(Subject& subject) {
  const std::vector<Task> tasks = make_tasks(subject);
  const Subject second(subject.factory, subject.parameters, subject.peer);
  std::vector<PatchStep> steps = make_steps(subject, tasks);
  std::vector<PatchStep> steps_of_second = make_steps(second, tasks);
  std::vector<std::vector<double>> expected;
  for (std::size_t at = 0; at < kPatches; ++at) {
    scribble(steps[at].coefficient_values, 0.0);
    expected.push_back(outcome(tasks[at], steps[at]));
  }
  int again = 0;
  int other_instance = 0;
  // The other way round, and over what coefficients happen to hold.
  for (std::size_t at = kPatches; at-- > 0;) {
    const auto differs = [&](PatchStep& step) {
      scribble(step.coefficient_values, std::numeric_limits<double>::quiet_NaN());
      return same_bits(outcome(tasks[at], step), expected[at]) ? 0 : 1;
    };
    again += differs(steps[at]);
    other_instance += differs(steps_of_second[at]);
  }
  const int in_a_list = differ_in_lists(subject, tasks);
  const int by_rescaling = differ_rescaled(subject, tasks);
  const Numbers numbers = {{"patches", kPatches},
                           {"differ_again", again},
                           {"differ_in_another_instance", other_instance},
                           {"differ_in_a_list", in_a_list},
                           {"differ_rescaled", by_rescaling}};
  if (in_a_list > 0) {
    return failed(numbers,
                  "advance_list() gives {} of {} patches other bits than advance() or "
                  "advance_with_fluxes() of each; let it compute the same",
                  in_a_list, kPatches);
  }
  if (by_rescaling > 0) {
    return failed(
        numbers,
        "rescale() gives {} of {} patches other bits or another CFL number than prepare() "
        "for the same step; let prepare() compute the field at unit_factor_time(), and "
        "then what rescale() does",
        by_rescaling, kPatches);
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

/// What all steps give one by one, and in one list where there is a kernel for lists. Threads begin
/// at different patches, so that different ones are under way at once.
std::vector<std::vector<double>> results_of(const Subject& subject, const std::vector<Task>& tasks,
                                            std::vector<PatchStep>& steps, std::size_t thread) {
  const std::size_t first = thread * kPatches / kThreads;
  std::vector<std::vector<double>> results;
  for (std::size_t number = 0; number < kPatches; ++number) {
    const std::size_t at = (number + first) % kPatches;
    results.push_back(outcome(tasks[at], steps[at]));
  }
  if (!subject.traits.list_kernel) return results;
  advance_in_a_list(subject, tasks, steps, first, subject.traits.flux_form);
  for (PatchStep& step : steps) results.push_back(result_of(step));
  return results;
}

/// How many of a thread's results have other bits than when it is the only one.
int wrong_results(const Subject& subject, const std::vector<Task>& tasks, std::size_t thread,
                  const std::vector<std::vector<double>>& expected) {
  std::vector<PatchStep> steps = make_steps(subject, tasks);
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto results = results_of(subject, tasks, steps, thread);
    for (std::size_t at = 0; at < results.size(); ++at) {
      wrong += same_bits(results[at], expected[at]) ? 0 : 1;
    }
  }
  return wrong;
}

/// The sum over all threads, which have the instances by turns.
int wrong_results_at_once(const std::vector<const Subject*>& instances,
                          const std::vector<Task>& tasks) {
  std::array<std::vector<std::vector<double>>, kThreads> expected;
  std::vector<PatchStep> steps = make_steps(*instances.front(), tasks);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    expected[thread] = results_of(*instances.front(), tasks, steps, thread);
  }
  return sum_of_threads(kThreads, instances.front()->activity, [&](std::size_t thread) {
    return wrong_results(*instances[thread % instances.size()], tasks, thread, expected[thread]);
  });
}

}  // namespace

Finding check_thread_safety(Subject& subject) {
  const std::vector<Task> tasks = make_tasks(subject);
  const Subject second(subject.factory, subject.parameters, subject.peer);
  const int one = wrong_results_at_once({&subject}, tasks);
  const int two = wrong_results_at_once({&subject, &second}, tasks);
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
