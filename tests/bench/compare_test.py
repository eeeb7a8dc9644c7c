"""Contract: bench/README.md, "Comparing two commits". Intervals agree with published tables; verdicts follow the stated
rule; both builds run in turn, in orders that favour neither; what cannot be compared is named."""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from random import Random

from stand_ins import Programs
import compare
from compare.builds import BuildError, Commit, build, commit_of, worktree
from compare.counts import NoCount, TrapCounter
from compare.interval import Interval, interval_of, judge, rank_and_coverage
from compare.metrics import RuntimeMetric, Side, metrics_of, targets_of
from compare.session import AGAIN, BASE, HEAD, ORDERS, Row, Session, exit_status
from compare.table import row_figures, text

LIMIT = 0.03


def between(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high, 0.95)


CALM = between(0.995, 1.005)


class Intervals(unittest.TestCase):
    def test_ranks_are_those_of_published_tables(self):
        # Ranks and coverages of distribution-free intervals for the median with at least 95 %: Conover, Practical
        # Nonparametric Statistics, table A3 (the binomial distribution with p = 1/2).
        published = {
            6: (1, 0.96875),
            8: (1, 0.9922),
            9: (2, 0.9609),
            10: (2, 0.9785),
            12: (3, 0.9614),
            15: (4, 0.9648),
            18: (5, 0.9691),
            20: (6, 0.9586),
            25: (8, 0.9567),
        }
        for count, (rank, coverage) in published.items():
            with self.subTest(count=count):
                found = rank_and_coverage(count)
                self.assertEqual(found[0], rank)
                self.assertAlmostEqual(found[1], coverage, places=4)

    def test_five_values_are_too_few(self):
        self.assertEqual(rank_and_coverage(5)[0], 0)
        with self.assertRaisesRegex(ValueError, "at least 6"):
            interval_of([1.0] * 5)

    def test_the_ends_are_order_statistics(self):
        found = interval_of([1.3, 0.9, 1.0, 1.2, 1.1, 5.0, 0.8, 1.05, 0.95, 1.15])
        self.assertEqual((found.low, found.high), (0.9, 1.3))
        self.assertAlmostEqual(found.middle, 1.075)

    def test_intervals_hold_the_median_as_often_as_they_say(self):
        random = Random(1)
        hits = 0
        for _ in range(4000):
            found = interval_of([random.lognormvariate(0, 1) for _ in range(18)])  # its median is 1
            hits += found.low <= 1 <= found.high
        self.assertAlmostEqual(hits / 4000, 0.9691, delta=0.01)  # four standard deviations


class Verdicts(unittest.TestCase):
    def judged(self, low: float, high: float, again: Interval = CALM, instructions: float | None = None):
        return judge(between(low, high), again, instructions, LIMIT)

    def test_times_decide_where_they_can(self):
        self.assertEqual(self.judged(1.04, 1.30).word, "slower")
        self.assertEqual(self.judged(0.98, 1.02).word, "same")
        self.assertEqual(self.judged(0.975, 0.99).word, "same")
        self.assertEqual(self.judged(0.60, 0.95).word, "faster")
        self.assertEqual(self.judged(1.04, 1.30).reason, "time")

    def test_slower_than_before_but_perhaps_within_the_limit_cannot_be_told(self):
        found = self.judged(1.01, 1.06)
        self.assertEqual(found.word, "cannot tell")
        self.assertIn("5.0 % wide", found.reason)

    def test_what_is_not_slower_is_said_so(self):
        self.assertEqual(self.judged(0.90, 1.02).word, "not slower")

    def test_a_difference_that_base_has_from_itself_decides_nothing(self):
        noisy = between(0.90, 1.10)
        self.assertEqual(self.judged(1.05, 1.30, noisy).word, "cannot tell")
        self.assertEqual(self.judged(0.80, 0.95, noisy).word, "not slower")
        self.assertEqual(self.judged(1.12, 1.30, noisy).word, "slower")

    def test_instructions_decide_where_times_do_not(self):
        for ratio, word in ((1.05, "slower"), (0.9, "faster"), (1.01, "same")):
            with self.subTest(ratio=ratio):
                found = self.judged(0.9, 1.12, instructions=ratio)
                self.assertEqual((found.word, found.reason), (word, "instructions"))

    def test_instructions_that_contradict_the_times_decide_nothing(self):
        # As measured of UTS, whose SHA-1 without vectors executes more instructions in half the time.
        found = judge(Interval(0.422, 0.381, 1.067, 0.97), between(0.861, 2.339), 1.0804, LIMIT)
        self.assertEqual(found.word, "cannot tell")
        self.assertIn("1.080 of BASE's, and times contradict", found.reason)
        found = judge(Interval(1.5, 0.9, 2.0, 0.97), CALM, 0.9, LIMIT)
        self.assertEqual(found.word, "cannot tell")

    def test_instructions_do_not_overrule_times(self):
        self.assertEqual(self.judged(1.04, 1.30, instructions=1.0).word, "slower")

    def test_the_limit_is_the_caller_s(self):
        self.assertEqual(judge(between(1.04, 1.08), CALM, None, 0.1).word, "same")


# A program that writes down who ran it, and takes as long as it is told.
PROGRAM = """#!/bin/sh
echo {name} >> {log}
{more}
echo '{{"ns_per_operation": '{ns}', "result": {{"value": {value}}}}}'
"""


class Builds(unittest.TestCase):
    """With two folders of programs."""

    metric = RuntimeMetric("runtime", "fib, 1 worker", "ns per spawn", "fib_kumiko", False, ("n=30",))

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.log = self.root / "log"
        for name in (BASE, HEAD):
            (self.root / name).mkdir()

    def write(self, name: str, ns: str = "20.0", value: int = 1, more: str = "") -> None:
        path = self.root / name / "fib_kumiko"
        path.write_text(PROGRAM.format(log=str(self.log), name=name, ns=ns, value=value, more=more))
        path.chmod(0o755)

    def measured(self, pairs: int = 6, metric: RuntimeMetric | None = None) -> Row:
        sides = {name: Side(Programs(self.root / name), 1) for name in (BASE, HEAD)}
        return Session(sides, [metric or self.metric], LIMIT).run(pairs)[0]

    def test_both_run_in_turn_and_no_place_is_favoured(self):
        self.write(BASE)
        self.write(HEAD)
        self.measured(pairs=12)
        ran = self.log.read_text().split()
        self.assertEqual(len(ran), 36)
        for turn in range(12):
            self.assertEqual(ran[3 * turn : 3 * turn + 3].count(HEAD), 1)
        self.assertEqual([ran[place::3].count(HEAD) for place in range(3)], [4, 4, 4])
        for first, second in ((BASE, HEAD), (BASE, AGAIN), (HEAD, AGAIN)):
            before = [order for order in ORDERS if order.index(first) < order.index(second)]
            self.assertEqual(len(before), len(ORDERS) // 2)

    def test_a_slower_head_is_found_and_named(self):
        self.write(BASE)
        self.write(HEAD, ns="25.0")
        row = self.measured()
        self.assertEqual(row.verdict.word, "slower")
        self.assertAlmostEqual(row.ratio().middle, 1.25)
        self.assertEqual(row.base_again().middle, 1)
        self.assertEqual(exit_status([row]), 1)
        self.assertRegex(text([row], LIMIT, 6), r"fib, 1 worker +ns per spawn +20\.00 +25\.00 +1\.250 ")

    def test_of_rates_more_is_faster(self):
        self.write(BASE)
        self.write(HEAD, ns="10.0")
        row = self.measured(metric=replace(self.metric, rate=True))
        self.assertEqual(row.values(HEAD), [1e8] * 6)
        self.assertAlmostEqual(row.ratio().middle, 0.5)
        self.assertEqual((row.verdict.word, exit_status([row])), ("faster", 0))

    def test_a_program_that_base_lacks_is_named_and_does_not_count(self):
        self.write(HEAD)
        row = self.measured()
        self.assertEqual(row.failure, "fib_kumiko is missing in BASE")
        self.assertIn("not compared: fib_kumiko is missing in BASE", text([row], LIMIT, 6))
        self.assertEqual(exit_status([row]), 3)  # nothing else was compared
        self.write(BASE)
        self.assertEqual(exit_status([row, self.measured()]), 0)

    def test_a_program_that_head_lacks_cannot_be_passed_over(self):
        self.write(BASE)
        row = self.measured()
        self.assertEqual(row.failure, "fib_kumiko is missing in HEAD")
        self.assertEqual(exit_status([row]), 3)

    def test_a_program_that_fails_is_named(self):
        self.write(BASE)
        self.write(HEAD, more="echo error: no memory >&2; exit 1")
        row = self.measured()
        self.assertEqual(row.failure, "fib_kumiko of HEAD: failed (exit status 1): no memory")
        self.assertEqual(exit_status([row]), 3)

    def test_different_work_is_said(self):
        self.write(BASE)
        self.write(HEAD, value=2)
        row = self.measured()
        self.assertFalse(row.same_work())
        self.assertIn("may not do the same work", text([row], LIMIT, 6))

    def test_where_times_differ_by_chance_it_cannot_be_told(self):
        noise = "ns=$(od -An -N1 -tu1 /dev/urandom); ns=$((ns + 20))"
        self.write(BASE, ns="$ns", more=noise)
        self.write(HEAD, ns="$ns", more=noise)
        row = self.measured()
        self.assertIn(row.verdict.word, ("cannot tell", "not slower"))
        self.assertIn("no count of instructions", row.count_failure)

    def counted(self, base: list[int], head: list[int]) -> Row:
        """A session whose times say nothing, and whose counts are these, one after the other."""
        alternate = f"ns=$(($(wc -l < {self.log}) % 2 * 20 + 20))"  # every second program takes twice as long
        self.write(BASE, ns="$ns", more=alternate)
        self.write(HEAD, ns="$ns", more=alternate)
        counts = {BASE: iter(base), HEAD: iter(head)}

        class Counted(RuntimeMetric):
            def count(self, side, trap):
                return next(counts[side.build.folder.name])

        return self.measured(metric=Counted(**vars(self.metric) | {"counted": ("n=10",)}))

    def test_counts_decide_where_times_do_not(self):
        row = self.counted([1000] * 6, [1300, 1040, 1000])
        self.assertEqual((row.verdict.word, row.verdict.reason), ("slower", "instructions"))
        self.assertEqual(row.counts, {BASE: 1000, HEAD: 1040, AGAIN: 1000})
        self.assertEqual(exit_status([row]), 1)
        self.assertEqual(self.counted([1000] * 6, [1300, 1020, 1000]).verdict.word, "same")

    def test_counts_that_differ_by_themselves_decide_nothing(self):
        row = self.counted([1000, 1011] * 3, [1040] * 3)
        self.assertIn(row.verdict.word, ("cannot tell", "not slower"))
        self.assertEqual(row.count_failure, "two counts of BASE's instructions differ by 1.1 %")

    def test_figures_are_json(self):
        self.write(BASE)
        self.write(HEAD)
        figures = json.loads(json.dumps(row_figures(self.measured()), allow_nan=False))
        self.assertEqual(figures["verdict"], "same")
        self.assertEqual(figures["time_ratio"], {"median": 1, "low": 1, "high": 1, "coverage": 0.96875})


COUNTED = """
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
int main(int, char** argv) {
  const long rounds = std::atol(argv[1]);
  bool ready = false;
  bool go = false;
  bool done = false;
  std::thread worker([&] {
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    long n = rounds;
    asm volatile("1: dec %0; jnz 1b" : "+r"(n));
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    std::this_thread::sleep_for(std::chrono::hours(1));
  });
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  __atomic_store_n(&go, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("%d", std::chrono::steady_clock::now() > begin);
  std::fflush(stdout);
  std::_Exit(0);
}
"""


class Instructions(unittest.TestCase):
    def test_the_instructions_of_another_thread_are_counted_one_by_one(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            try:
                counter = TrapCounter(folder)
            except NoCount as failure:
                self.assertIn("x86-64", str(failure))
                self.skipTest(str(failure))
            (folder / "loop.cpp").write_text(COUNTED)
            program = str(folder / "loop")
            subprocess.run(["g++", "-std=c++20", "-O1", "-pthread", f"{program}.cpp", "-o", program], check=True)
            short, long = (counter.count([program, str(rounds)]) for rounds in (100, 10_100))
            # The other thread looks once more or less often, as the machine is busy.
            self.assertAlmostEqual(long - short, 2 * 10_000, delta=2_000)


class Commits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "--quiet")
        (self.root / ".gitignore").write_text("build/\n")
        (self.root / "CMakePresets.json").write_text(json.dumps({
            "version": 6,
            "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}],
        }))
        # A project with two programs, one of which does not compile.
        (self.root / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES NONE)\n"
            "file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bin)\n"
            "add_custom_target(good COMMAND ${CMAKE_COMMAND} -E copy /bin/true ${PROJECT_BINARY_DIR}/bin/good)\n"
            "add_custom_target(bad COMMAND false)\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=One")
        (self.root / "build/compare").mkdir(parents=True)

    def git(self, *words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(self.root), *identity, *words], check=True)

    def built(self) -> compare.Build:
        with contextlib.redirect_stdout(io.StringIO()):
            return build(self.root, commit_of(self.root, "HEAD"), ["good", "bad", "unknown"])

    def test_what_does_not_build_is_missing_and_the_rest_is_there(self):
        found = self.built()
        self.assertTrue(found.has("good"))
        self.assertFalse(found.has("bad") or found.has("unknown"))

    def test_a_build_is_used_again(self):
        first = self.built()
        before = (first.programs.parent / "build.ninja").stat().st_mtime_ns
        self.assertEqual((self.built().programs.parent / "build.ninja").stat().st_mtime_ns, before)

    def test_a_worktree_that_somebody_has_changed_is_refused(self):
        tree = worktree(self.root, commit_of(self.root, "HEAD"))
        (tree / "CMakeLists.txt").write_text("")
        with self.assertRaisesRegex(BuildError, "git worktree remove --force"):
            self.built()

    def test_a_name_that_is_not_a_commit_is_refused(self):
        with self.assertRaisesRegex(BuildError, "'nothing' is not a commit"):
            commit_of(self.root, "nothing")
        self.assertEqual(Commit("x", "0123456789abcdef", "One").short, "0123456789")


class Plan(unittest.TestCase):
    def test_every_suite_has_metrics_and_their_programs_are_built(self):
        metrics = metrics_of(None, False)
        self.assertEqual({metric.suite for metric in metrics}, {"runtime", "io", "amr", "checkpoint"})
        self.assertIn("io_client", targets_of(metrics))
        self.assertEqual(len({metric.title for metric in metrics}), len(metrics))

    def test_wrong_arguments_are_refused(self):
        for words, message in (
            (["a", "b", "--pairs", "5"], "fewer than 6"),
            (["a", "b", "--limit", "0"], "between 0 and 100"),
            (["a", "b", "other"], "invalid choice"),
        ):
            with self.subTest(words=words), contextlib.redirect_stderr(io.StringIO()) as errors:
                with self.assertRaises(SystemExit) as ended:
                    compare.parse_arguments(words, Path("/"))
                self.assertEqual(ended.exception.code, 2)
                self.assertIn(message, errors.getvalue())


if __name__ == "__main__":
    os.environ["GIT_CONFIG_GLOBAL"] = "/dev/null"
    unittest.main()
