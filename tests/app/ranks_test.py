"""Contract: the ranks that an MPI's launcher starts run a case as one process does, to the same files; what ends one
of them ends all, with one clear error, and nothing that was written is lost."""

import csv
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
GAUSSIAN = CASES / "gaussian" / "gaussian.toml"
MPIRUN = {"openmpi": os.environ.get("KUMIKO_MPIRUN_OPENMPI", ""), "mpich": os.environ.get("KUMIKO_MPIRUN_MPICH", "")}
PRESENT = [name for name, program in MPIRUN.items() if program]
LIMIT = 90

# Three levels, a regrid at least every four base steps.
KEYS = ["grid.base=64", "time.steps=640"]

# An MPI's launcher refuses root unless told, and a container may forbid to read other processes' memory.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not re.match(r"OMPI_|PMI|KUMIKO_LINK$|SLURM_", name)},
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
# Open MPI's launcher kills the others so many seconds after one has gone, which a busy machine may need to say why.
PATIENT = {**ENVIRONMENT, "OMPI_MCA_odls_base_sigkill_timeout": "6"}


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


def launch(mpi, parts, *arguments):
    """Each part is a number of ranks, and what their environment has besides."""
    words = [MPIRUN[mpi], *(["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else [])]
    for at, (ranks, environment) in enumerate(parts):
        variables = [f"{name}={value}" for name, value in environment.items()]
        words += [*([":"] if at else []), "-n", str(ranks), *(["env", *variables] if variables else []), KUMIKO,
                  *map(str, arguments)]
    return words


def command(mpi, ranks, *arguments):
    return launch(mpi, [(ranks, {})], *arguments)


def has_fma():
    return re.search(r"^flags\b.*\bfma\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE) is not None


def errors(text):
    return [line for line in text.splitlines() if line.startswith("kumiko: error:")]


class RanksCase(unittest.TestCase):
    """A folder for runs, and what starts, watches and ends them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.runs = 0

    def alone(self, *arguments):
        return subprocess.run([KUMIKO, *map(str, arguments)], cwd=self.path, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=LIMIT, check=False)

    def on_ranks(self, mpi, ranks, *arguments, environment=ENVIRONMENT, **more):
        return subprocess.run(command(mpi, ranks, *arguments), cwd=self.path, env=environment, text=True,
                              capture_output=True, timeout=LIMIT, check=False, **more)

    def start(self, mpi, ranks, *keys):
        """Starts a run without an end in sight. \\return it and its ranks' processes, once it takes steps"""
        self.runs += 1
        run = subprocess.Popen(
            command(mpi, ranks, "run", ZALESAK, *settings(
                "grid.base=64", "time.steps=2000000", "checkpoint.every=20", "diagnostics.every=20", *keys),
                "--output", self.folder()),
            cwd=self.path, env=PATIENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.kill)
        self.wait_until(run, self.checkpoints)
        processes = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "exe") != os.path.realpath(KUMIKO):
                    continue
                if os.readlink(process / "cwd") != os.path.realpath(self.path):
                    continue
                found = re.search(rb"(?:OMPI_COMM_WORLD|PMI)_RANK=(\d+)", (process / "environ").read_bytes())
            except OSError:
                continue
            processes[int(found[1])] = int(process.name)
        self.assertEqual(sorted(processes), list(range(ranks)))
        return run, processes

    def folder(self):
        return f"run{self.runs}"

    def checkpoints(self):
        return sorted(self.path.glob(f"{self.folder()}/checkpoint_*.hdf"))

    def wait_until(self, run, ready):
        limit = time.monotonic() + LIMIT
        while not ready():
            if run.poll() is not None or time.monotonic() > limit:
                run.kill()
                self.fail(f"the run has not got there: {run.communicate()}")
            time.sleep(0.02)

    def end(self, run, processes):
        """Waits for the end. \\return stderr, and the seconds that it took"""
        begin = time.monotonic()
        _, text = run.communicate(timeout=LIMIT)
        seconds = time.monotonic() - begin
        for process in processes.values():
            self.assertFalse(self.is_there(process), f"process {process} is still there; {text}")
        return text, seconds

    @staticmethod
    def is_there(process):
        for _ in range(100):
            try:
                if Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] == "Z":
                    return False
            except (FileNotFoundError, ProcessLookupError):
                return False
            time.sleep(0.05)
        return True

    def kill_one(self, mpi, ranks, rank):
        """Kills a rank of a run. \\return stderr"""
        run, processes = self.start(mpi, ranks)
        os.kill(processes[rank], signal.SIGKILL)
        text, seconds = self.end(run, processes)
        self.assertNotEqual(run.returncode, 0)
        self.assertLess(seconds, 30, text)
        return text

    def assert_one_line_tells_of(self, rank, text):
        """Of the rank that is lost, and of the way to go on; no other rank is blamed, nobody else speaks."""
        self.assertNotIn("ending after the base steps", text)  # the launcher's SIGTERM is not the user's
        lines = [line for line in text.splitlines() if re.search(r"rank \d+ is |treats rank|error:", line)]
        self.assertEqual(len(lines), 1, text)
        self.assertRegex(lines[0], rf"^kumiko: error: rank {rank} is lost: its process has ended \(.*\); "
                               rf"continue with --restart {self.folder()}(/checkpoint_\d+\.hdf)?$")  # fmt: skip

    def goes_on(self, ranks, folder=None):
        """The run can go on from its latest checkpoint, on so many ranks. \\return the hash of ten base steps later"""
        folder = folder or self.folder()
        latest = sorted(self.path.glob(f"{folder}/checkpoint_*.hdf"))[-1]
        step = int(re.search(r"(\d+)", latest.name)[1])
        arguments = ["run", "--restart", folder, *settings(f"time.stop_step={step + 10}"), "--quiet"]
        run = self.alone(*arguments) if ranks == 1 else self.on_ranks(PRESENT[0], ranks, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("trying an older one", run.stderr)
        return self.summary(folder)["state_hash"]

    def summary(self, folder):
        return json.loads((self.path / folder / "summary.json").read_text())


@unittest.skipUnless(PRESENT, "no MPI is installed")
class RanksTest(RanksCase):
    def test_given_ranks_of_each_mpi_then_files_are_those_of_one_process(self):
        keys = settings(*KEYS, "time.stop_step=40", "output.every=20", "output.extras=false")
        self.assertEqual(self.alone("run", ZALESAK, *keys, "--output", "one", "--quiet").returncode, 0)
        one = self.summary("one")
        ways = [("openmpi", 2), ("openmpi", 4), ("mpich", 2)]
        for mpi, ranks in (way for way in ways if way[0] in PRESENT):
            with self.subTest(mpi=mpi, ranks=ranks):
                folder = f"{mpi}{ranks}"
                run = self.on_ranks(mpi, ranks, "run", ZALESAK, *keys, "--output", folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                for rank in range(ranks):
                    self.assertRegex(run.stdout, rf"rank {rank} of {ranks}: cores [0-9,-]+, workers 1")
                shared = self.summary(folder)
                self.assertEqual(shared["state_hash"], one["state_hash"])
                self.assertEqual(shared["workers"], ranks)
                self.assertEqual(len(shared["ranks"]), ranks)
                self.assertEqual(sum(rank["updates"] for rank in shared["ranks"]), one["updates"]["total"])
                self.assertEqual(sum(rank["patches"] for rank in shared["ranks"]), sum(one["patches"]["per_level"]))
                self.assertTrue(all(rank["bundles"] > 0 for rank in shared["ranks"]))
                self.assertEqual(sum(rank["steals"] for rank in shared["ranks"]), shared["steals"])
                for name in ("state_000020.hdf", "state_000040.hdf", "states.hdf.series", "effective.toml"):
                    same = (self.path / folder / name).read_bytes() == (self.path / "one" / name).read_bytes()
                    self.assertTrue(same, f"{name} is another than one process writes")
                inspected = self.alone("inspect", folder)
                self.assertEqual(inspected.returncode, 0, inspected.stderr)

    def test_given_ranks_that_share_a_core_then_the_summary_tells_how_often_each_was_preempted(self):
        one_core = {min(os.sched_getaffinity(0))}
        run = self.on_ranks(PRESENT[-1], 2, "run", ZALESAK, *settings(*KEYS, "time.stop_step=40"), "--output", "run",
                            preexec_fn=lambda: os.sched_setaffinity(0, one_core))
        self.assertEqual(run.returncode, 0, run.stderr)
        times = [rank["preempted"] for rank in self.summary("run")["ranks"]]
        self.assertTrue(all(count > 0 for count in times), times)
        self.assertIn(f"preempted            {min(times)} .. {max(times)} times a rank", run.stdout)

    def test_given_ranks_on_unlike_processors_then_the_state_is_that_of_one_process(self):
        arguments = ["run", ZALESAK, *settings(*KEYS, "time.stop_step=20")]
        self.alone(*arguments, "--output", "one")
        unlike = launch(PRESENT[0], [(1, {"KUMIKO_ISA": "baseline"}), (1, {})], *arguments, "--output", "unlike")
        result = subprocess.run(unlike, cwd=self.path, env=ENVIRONMENT, text=True, capture_output=True, timeout=LIMIT,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        hashes = [json.loads((self.path / run / "summary.json").read_text())["state_hash"] for run in ("one", "unlike")]
        self.assertEqual(hashes[0], hashes[1])

    def test_given_a_run_by_one_process_then_ranks_go_on_with_it(self):
        whole = settings(*KEYS, "time.stop_step=40")
        self.assertEqual(self.alone("run", GAUSSIAN, *whole, "--output", "one", "--quiet").returncode, 0)
        part = settings(*KEYS, "time.stop_step=20")
        alone = self.alone("run", GAUSSIAN, *part, "--workers", 4, "--output", "part", "--quiet")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        before = self.summary("part")["steals"]
        rest = settings("time.stop_step=40", "trace.from=24", "trace.steps=8")
        run = self.on_ranks(PRESENT[-1], 3, "run", "--restart", "part", *rest)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("restarts from part/state_000020.hdf, base step 20", run.stdout)
        after = self.summary("part")
        self.assertEqual(after["state_hash"], self.summary("one")["state_hash"])
        self.assertEqual(sum(rank["steals"] for rank in after["ranks"]), after["steals"] - before)
        exported = self.alone("export", "part", "--format", "csv", "--output", "table")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        with (self.path / "table/trace.csv").open() as table:
            self.assertEqual({row["worker"] for row in csv.DictReader(table)}, {"0", "1", "2"})

    def test_given_a_wrong_request_then_one_error_says_what_one_process_says(self):
        wrong = [
            ["run", "nothing.toml"],
            ["run", "--no-such-option"],
            ["no-such-command"],
            ["run", ZALESAK, *settings("grid.base=banana")],
            ["run", ZALESAK, *settings("time.steps=100"), "--output", "never"],
        ]
        for mpi in PRESENT:
            for arguments in wrong:
                with self.subTest(mpi=mpi, arguments=arguments):
                    one = self.alone(*arguments)
                    shared = self.on_ranks(mpi, 2, *arguments)
                    self.assertEqual(shared.returncode, one.returncode)
                    self.assertEqual(errors(shared.stderr), errors(one.stderr))
                    self.assertEqual(len(errors(one.stderr)), 1)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_given_ranks_that_have_read_something_else_then_one_error_says_what(self):
        # What lies at one path may differ between hosts: here between working folders.
        for folder, every in (("a", 64), ("b", 128)):
            (self.path / folder).mkdir()
            (self.path / folder / "case.toml").write_text(f"{ZALESAK.read_text()}\n[output]\nevery = {every}\n")
        launch = command(PRESENT[-1], 1, "run", "case.toml", "--output", "out")
        first = [launch[0], "-wdir", str(self.path / "a"), *launch[1:]]
        second = ["-n", "1", "-wdir", str(self.path / "b"), *launch[launch.index(KUMIKO):]]
        run = subprocess.run([*first, ":", *second], cwd=self.path, env=ENVIRONMENT, text=True, capture_output=True,
                             timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(len(errors(run.stderr)), 1, run.stderr)
        self.assertIn("rank 1 has a different configuration than rank 0", run.stderr)
        self.assertFalse((self.path / "a/out").exists())

    def test_given_ranks_that_are_asked_for_something_else_then_one_error_says_what(self):
        given = ["run", ZALESAK, *settings(*KEYS), "--output", "out"]
        for others, words in ((["run", ZALESAK, *settings(*KEYS), "--output", "other"], " has a different --output than rank 0"),
                              ([*given, "--overwrite"], " has a different --overwrite than rank 0"),
                              ([*given, "--quiet"], " has a different --quiet than rank 0"),
                              ([*given, "--no-such-option"], ": unknown option '--no-such-option'")):  # fmt: skip
            with self.subTest(others=others[-1]):
                first = command(PRESENT[-1], 1, *given)
                run = subprocess.run([*first, ":", "-n", "1", KUMIKO, *map(str, others)], cwd=self.path, env=ENVIRONMENT,
                                     text=True, capture_output=True, timeout=LIMIT, check=False)
                self.assertEqual(run.returncode, 2, run.stderr)
                (line,) = errors(run.stderr)
                self.assertIn(f"rank 1{words}", line)
                self.assertEqual(list(self.path.iterdir()), [])

    def test_given_c_libraries_that_compute_otherwise_then_the_run_says_so(self):
        arguments = ["run", ZALESAK, *settings(*KEYS, "time.stop_step=1"), "--overwrite", "--output", "out"]
        words = "exp, sin or pow of the C library of rank 1 differ in the last bits from those of rank 0"
        for tunables, told in (({}, False), ({"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA"}, has_fma())):
            run = subprocess.run(launch(PRESENT[-1], [(1, {}), (1, tunables)], *arguments), cwd=self.path,
                                 env=ENVIRONMENT, text=True, capture_output=True, timeout=LIMIT, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(words in run.stderr, told, run.stderr)

    def test_given_what_needs_one_process_then_it_is_refused(self):
        for arguments, words in [
            (["run", ZALESAK, "--backend", "openmp"], "several ranks need --backend threads"),
            (["report", "."], "only 'kumiko run' computes on several ranks; start 'kumiko report' without a launcher"),
        ]:
            with self.subTest(arguments=arguments):
                run = self.on_ranks(PRESENT[-1], 2, *arguments)
                self.assertEqual(run.returncode, 2)
                self.assertEqual(run.stdout, "")
                (line,) = errors(run.stderr)
                self.assertIn(words, line)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_given_a_run_that_is_complete_then_ranks_say_that_nothing_is_left_and_keep_its_summary(self):
        keys = settings(*KEYS, "time.stop_step=8")
        self.assertEqual(self.on_ranks(PRESENT[0], 2, "run", ZALESAK, *keys, "--output", "run").returncode, 0)
        before = self.summary("run")
        again = self.on_ranks(PRESENT[0], 2, "run", "--restart", "run")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("the run in 'run' is at time.stop_step, base step 8: nothing is left to do", again.stdout)
        self.assertNotIn("busy 0.0", again.stdout)
        self.assertEqual(self.summary("run"), before)

    def scaled(self, *arguments, **environment):
        return subprocess.run([KUMIKO, "scaling", str(ZALESAK), *settings(*KEYS, "time.stop_step=12"), *arguments],
                              cwd=self.path, env={**ENVIRONMENT, **environment}, text=True, capture_output=True,
                              timeout=LIMIT, check=False)

    def test_given_ranks_to_compare_then_each_runs_by_a_launcher_and_figures_are_of_the_fewest(self):
        by_hand = " ".join(command(PRESENT[-1], 0)[:-2]) + " {ranks}"
        for name, arguments in (("usual", []), ("named", ["--launcher", by_hand])):
            with self.subTest(launcher=name):
                done = self.scaled("--ranks", "2,1", "--output", name, *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"ranks +workers +least s .*\n +1 +1 .*\n +2 +1 ")
                scaling = json.loads((self.path / name / "scaling.json").read_text())
                self.assertTrue(scaling["complete"])
                self.assertEqual(scaling["reference"], {"ranks": 1, "workers": 1})
                one, two = scaling["runs"]
                self.assertEqual((one["ranks"], two["ranks"]), (1, 2))
                self.assertEqual(len(two["summary"]["ranks"]), 2)
                self.assertEqual(one["summary"]["state_hash"], two["summary"]["state_hash"])
                speed_up = one["wall_s"]["median"] / two["wall_s"]["median"]
                self.assertAlmostEqual(two["speed_up"]["median"], speed_up)
                self.assertAlmostEqual(two["parallel_efficiency"], speed_up / 2)
                self.assertEqual(sorted(path.name for path in (self.path / name).iterdir()),
                                 ["efficiency.svg", "scaling.csv", "scaling.json", "scaling.tex", "speed_up.svg"])

    def test_given_no_launcher_then_the_error_says_what_to_do(self):
        done = self.scaled("--ranks", "1,2", "--output", "never", PATH="/nowhere")
        self.assertEqual(done.returncode, 2)
        (line,) = errors(done.stderr)
        self.assertRegex(line, r"found no launcher for .*; install mpirun\.\w+.*--launcher")
        # A run's own error, out of what its launcher says.
        done = self.scaled("--ranks", "2", "--launcher",
                           " ".join(command(PRESENT[0], 0)[:-2]) + " {ranks} env KUMIKO_LINK=neither")
        self.assertEqual(done.returncode, 1)
        (line,) = errors(done.stderr)
        self.assertIn("KUMIKO_LINK is 'neither'", line)

    def test_given_little_work_on_one_core_then_fewer_ranks_are_recommended_beforehand(self):
        core = {min(os.sched_getaffinity(0))}
        little = settings("grid.base=64", "amr.levels=1", "time.steps=640", "time.stop_step=2")
        much = settings("grid.base=1024", "amr.levels=1", "time.steps=10240", "time.stop_step=1")
        for keys, ranks, limits in ((little, 4, {"preexec_fn": lambda: os.sched_setaffinity(0, core)}), (much, 2, {})):
            run = self.on_ranks(PRESENT[0], ranks, "run", ZALESAK, *keys, "--output", f"by{ranks}", **limits)
            self.assertEqual(run.returncode, 0, run.stderr)
            told = re.findall(r"kumiko: warning: 4 ranks are likely to be slower than 1: with the first mesh .*",
                              run.stderr)
            self.assertEqual(len(told), int(keys is little), run.stderr)

    def test_given_a_rank_that_is_killed_then_all_end_soon_and_the_run_can_go_on(self):
        for mpi in PRESENT:
            for ranks, rank in ((2, 0), (2, 1), (5, 0), (4, 2)) if mpi == "openmpi" else ((2, 0), (2, 1)):
                with self.subTest(mpi=mpi, ranks=ranks, rank=rank):
                    text = self.kill_one(mpi, ranks, rank)
                    # MPICH's launcher kills the others at once.
                    if mpi == "openmpi":
                        self.assert_one_line_tells_of(rank, text)
                    self.goes_on(1 + rank)

    def test_given_a_rank_whose_plugin_calls_exit_then_the_place_is_named(self):
        (self.path / "faulty.toml").write_text('case.name = "faulty_case"\nsolver.name = "semi_lagrangian_cubic"\n')
        keys = settings("case.fault=exit_in_velocity", "case.after=0.5", "grid.base=32", "amr.levels=2", "time.steps=16",
                        "step.time_interpolation=linear")  # fmt: skip
        for mpi in PRESENT:
            parts = [(1, {"KUMIKO_NO_EXIT": "1"}), (1, {})]
            words = launch(mpi, parts, "run", "faulty.toml", *keys, "--plugin-path", os.environ["KUMIKO_FAULTY"],
                           "--output", mpi)  # fmt: skip
            run = subprocess.run(words, cwd=self.path, env=PATIENT, text=True, capture_output=True, timeout=LIMIT)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(run.stderr, r"kumiko: error: a plugin called exit\(\) in .* of level \d patch \(\d+, \d+\)")

    def test_given_a_step_that_becomes_too_long_then_ranks_leave_the_last_whole_state_and_go_on_from_it(self):
        vortex = CASES / "vortex" / "vortex_t8.toml"
        half = settings("grid.base=32", "time.steps=256", "time.stop_step=128")
        self.assertEqual(self.alone("run", vortex, *half, "--output", "half").returncode, 0)
        # Half-way the vortex is at rest; the few steps that suffice there do not later.
        few = settings("time.steps=160", "time.stop_step=0")
        by_cfl = ["--restart", "latest", *settings("time.cfl=0.8")]
        hashes = set()
        for mpi in PRESENT:
            failed = self.on_ranks(mpi, 3, "run", "--restart", "half/state_000128.hdf", *few, "--output", mpi,
                                   environment=PATIENT)
            self.assertEqual(len(errors(failed.stderr)), 1, failed.stderr)
            self.assertIn(f"continue with --restart {mpi}/checkpoint_", failed.stderr)
            self.assertEqual(self.on_ranks(mpi, 2, "run", *by_cfl, "--output", mpi).returncode, 0)
            hashes.add(self.summary(mpi)["state_hash"])
        failed = self.alone("run", "--restart", "half/state_000128.hdf", *few, "--output", "one")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(self.alone("run", *by_cfl, "--output", "one").returncode, 0)
        hashes.add(self.summary("one")["state_hash"])
        self.assertEqual(len(hashes), 1)

    def test_given_a_rank_that_stands_still_for_a_while_then_the_run_goes_on(self):
        run, processes = self.start(PRESENT[0], 2)
        os.kill(processes[1], signal.SIGSTOP)
        time.sleep(3)
        before = self.checkpoints()[-1]
        os.kill(processes[1], signal.SIGCONT)
        self.wait_until(run, lambda: self.checkpoints()[-1] > before)
        os.kill(processes[0], signal.SIGTERM)
        text, _ = self.end(run, processes)
        self.assertIn("ended by signal 15 (SIGTERM)", text)

    def test_given_sigusr2_to_any_rank_then_one_status_tells_of_each_rank(self):
        run, processes = self.start(PRESENT[-1], 2)
        # The last as a launcher does that gives it to all ranks.
        for ranks in ([1], [0, 1]):
            for rank in ranks:
                os.kill(processes[rank], signal.SIGUSR2)
            time.sleep(0.5)
        os.kill(processes[1], signal.SIGSTOP)
        time.sleep(0.3)  # until all of its threads stand still
        os.kill(processes[0], signal.SIGUSR2)
        time.sleep(2)
        os.kill(processes[1], signal.SIGCONT)
        os.kill(processes[0], signal.SIGTERM)
        text, _ = self.end(run, processes)
        status = r"zalesak: base step \d+ of 2000000, t = .* ago\n"
        for rank in range(2):
            told = (rf"  rank {rank} on \S+: (\d+\.\d % of the updates, busy \d+\.\d %, )?\d+ messages sent, "
                    rf"\d+ MB at the peak\n"
                    rf"    worker {rank}: (idle|(advance|blend|finish) of level .*) for \S+ (us|ms|s)\n")
            status += rf"({told}|  rank 1: no answer within 1 s.*\n)"
        found = [match[0] for match in re.finditer(status, text)]
        self.assertEqual(["no answer" in status for status in found], [False, False, True], text)
        self.assertEqual(text.count("zalesak: base step"), 3, text)

    def test_given_a_terminal_then_the_bar_tells_of_the_ranks(self):
        words = ["run", str(ZALESAK), *settings(*KEYS, "time.stop_step=640"), "--output", "run"]
        launch = command(PRESENT[-1], 1)
        bar = f"stty columns 160; {KUMIKO} {' '.join(words)} > /dev/null"
        run = subprocess.run(
            [*launch[:-1], "script", "-qefc", bar, "/dev/null", ":", "-n", "1", KUMIKO, *words],
            cwd=self.path, env={**ENVIRONMENT, "TERM": "xterm", "LC_ALL": "C"}, text=True, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"zalesak  \[#*-*\] .* M updates/s  imbalance .*  2 ranks \d+-\d+ % busy  patches ")

    def test_given_a_signal_to_any_rank_then_the_run_ends_with_a_checkpoint(self):
        for mpi in PRESENT:
            for rank in range(2):
                with self.subTest(mpi=mpi, rank=rank):
                    run, processes = self.start(mpi, 2)
                    os.kill(processes[rank], signal.SIGTERM)
                    text, _ = self.end(run, processes)
                    self.assertNotEqual(run.returncode, 0)
                    (line,) = errors(text)
                    step = re.search(r"ended by signal 15 \(SIGTERM\) after base step (\d+)", line)[1]
                    self.assertIn(f"checkpoint_{int(step):06}.hdf", line)
                    self.goes_on(2)

    def test_given_no_room_for_a_file_on_any_rank_then_all_end_and_the_run_can_go_on(self):
        for mpi, rank in [(mpi, rank) for mpi in PRESENT for rank in range(2)]:
            with self.subTest(mpi=mpi, rank=rank):
                run, processes = self.start(mpi, 2, "checkpoint.on_failure=stop")
                resource.prlimit(processes[rank], resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
                text, _ = self.end(run, processes)
                self.assertNotEqual(run.returncode, 0)
                (line,) = errors(text)
                self.assertIn("File too large", line)
                self.assertEqual("rank 1: cannot write" in line, rank == 1)
                self.assertIn("continue with --restart", line)
                self.assertEqual(list(self.path.glob(f"{self.folder()}/*.hdf.part")), [])
                self.goes_on(2)


if __name__ == "__main__":
    unittest.main()
