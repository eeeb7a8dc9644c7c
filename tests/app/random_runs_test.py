"""Contract: a run by time.cfl has one hash, one count of updates and one final file, whatever backend, schedule and
number of workers and ranks compute it, whatever files it writes by steps or by time, and wherever it is killed and goes
on, also while refused steps are taken again. Each run is drawn by its number: KUMIKO_RANDOM_RUNS of them (6)."""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from ranks_test import ENVIRONMENT, KUMIKO, PRESENT, RanksCase, command, settings

CASES = Path(os.environ["KUMIKO_CASES"])
SQUALL = os.environ["KUMIKO_SQUALL"]
RUNS = int(os.environ.get("KUMIKO_RANDOM_RUNS", "6"))

SOLVERS = {
    "vortex": [("semi_lagrangian_cubic", 1.0), ("flux_form_fct", 1.0)],
    "burgers": [("burgers", 0.5)],
    "squall": [("semi_lagrangian_cubic", 1.0), ("flux_form_fct", 1.0), ("upwind1", 1.0), ("burgers", 0.5)],
    "zalesak": [("semi_lagrangian_cubic", 1.0), ("thinc", 1.0)],
}
ENDS = {"vortex": 2.0, "burgers": 0.3, "squall": 0.6, "zalesak": 1.5}
# In every six runs each problem, and the one whose steps are refused thrice.
PROBLEMS = ("squall", "vortex", "squall", "burgers", "squall", "zalesak")


def sets(keys):
    return settings(*(f"{name}={value}" for name, value in keys.items()))


class RandomRuns(RanksCase):
    def run_well(self, words, **more):
        done = subprocess.run(words, cwd=self.path, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, **more)
        self.assertEqual(done.returncode, 0, done.stderr)

    def outcome(self, folder):
        summary = self.summary(folder)
        last = (self.path / folder / f"state_{summary['steps']:06}.hdf").read_bytes()
        return (summary["state_hash"], summary["updates"], summary["largest_cfl"], hash(last))

    def problem(self, draw, number):
        """Its words, and the keys that are its own."""
        name = PROBLEMS[number % len(PROBLEMS)]
        solver, limit = draw.choice(SOLVERS[name])
        cfl = limit if name == "squall" and solver != "burgers" else round(limit * draw.uniform(0.6, 1.0), 3)
        keys = {"solver.name": solver, "grid.base": draw.choice((32, 48)), "amr.levels": draw.choice((1, 2, 3)),
                "time.cfl": cfl, "time.end": ENDS[name]}  # fmt: skip
        if draw.random() < 0.4:
            exact = draw.choice(("output.interval", "output.times"))
            value = f"{ENDS[name] / 7:.6f}" if exact == "output.interval" else f"[{ENDS[name] / 3:.6f}]"
            keys |= {"output.exact": "true", exact: value}
        if name == "squall":
            (self.path / "squall.toml").write_text('[case]\nname = "squall"\n')
            return [self.path / "squall.toml", "--plugin-path", SQUALL, *sets(keys)]
        file = {"vortex": "vortex/vortex_t2.toml", "burgers": "burgers/burgers.toml", "zalesak": "zalesak/zalesak.toml"}
        return [CASES / file[name], *sets(keys)]

    def writing(self, draw, is_exact):
        """Keys of what is written, none of which may change a bit."""
        keys = {"checkpoint.keep": 99, "diagnostics.every": draw.choice((1, 7, 50))}
        if draw.random() < 0.6:
            keys["checkpoint.every"] = draw.randint(1, 20)
        else:
            keys["checkpoint.interval"] = round(draw.uniform(0.02, 0.2), 4)
        if draw.random() < 0.5:
            keys["output.every"] = draw.randint(1, 40)
        if draw.random() < 0.5 and not is_exact:
            keys["output.interval"] = round(draw.uniform(0.02, 0.3), 4)
        if draw.random() < 0.3:
            keys["diagnostics.interval"] = round(draw.uniform(0.02, 0.3), 4)
        return sets(keys)

    def way(self, draw, words):
        """The command that computes a part in a way of its own."""
        ranks = draw.choice((1, 1, 2, 3, 4)) if PRESENT else 1
        backend = "threads" if ranks > 1 else draw.choice(("threads", "threads", "pthread", "openmp", "serial"))
        schedule = draw.choice(("dataflow", "level")) if backend == "threads" else "auto"
        more = ["--backend", backend, "--quiet", "--set", f"step.schedule={schedule}"]
        if backend != "serial":
            more += ["--workers", draw.randint(1, 8 if ranks == 1 else 2)]
        run = ["run", *words, *more]
        if ranks > 1:
            return command(draw.choice(PRESENT), ranks, *run)
        return [KUMIKO, *map(str, run)]

    def killed_after(self, words, seconds):
        """Whether it was; else it has ended well."""
        with subprocess.Popen(words, cwd=self.path, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as run:  # fmt: skip
            try:
                errors = run.communicate(timeout=seconds)[1]
                self.assertEqual(run.returncode, 0, errors)
                return False
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                self.kill_ranks()
                run.communicate()
                return True

    def kill_ranks(self):
        """A launcher gives ranks groups of their own."""
        for process in Path("/proc").glob("[0-9]*"):
            try:
                is_own = os.readlink(process / "exe") == os.path.realpath(KUMIKO)
                if is_own and os.readlink(process / "cwd") == os.path.realpath(self.path):
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                continue

    def take(self, number):
        draw = random.Random(f"run {number}")
        problem = self.problem(draw, number)
        is_exact = "output.exact=true" in problem
        begun = time.monotonic()
        self.run_well([KUMIKO, *map(str, ["run", *problem, "--backend", "serial", "--quiet", "--output", "one"])])
        lasted = time.monotonic() - begun
        expected = self.outcome("one")
        folder = ["--output", "other"]
        first = [*problem, *self.writing(draw, is_exact), *folder]
        kills = draw.randint(0, 3)
        words = first
        for _ in range(kills):
            if not self.killed_after(self.way(draw, words), draw.uniform(0.2, 1.0) * lasted):
                break
            is_begun = any((self.path / "other").glob("*.hdf"))
            words = ["--restart", "latest", *folder] if is_begun else [*first, "--overwrite"]
            if problem[1] == "--plugin-path" and is_begun:
                words += ["--plugin-path", SQUALL]
        else:
            self.run_well(self.way(draw, words))
        self.assertEqual(self.outcome("other"), expected)
        # And from any file on the way.
        files = [*(self.path / "other").glob("checkpoint_*.hdf"), *(self.path / "other").glob("state_*.hdf")]
        plugins = ["--plugin-path", SQUALL] if problem[1] == "--plugin-path" else []
        self.run_well(self.way(draw, ["--restart", draw.choice(sorted(files)), *plugins, "--output", "third"]))
        self.assertEqual(self.outcome("third")[:2], expected[:2])


def test_of(number):
    def test(self):
        self.take(number)

    return test


for one in range(RUNS):
    setattr(RandomRuns, f"test_given_the_run_of_number_{one:02}_then_it_has_one_hash", test_of(one))

if __name__ == "__main__":
    unittest.main()
