"""Ranks by MPI where much goes wrong: more ranks than cores, messages that are held back, ranks that are killed or
stopped, calls of MPI that fail. What happens is drawn by seeds; KUMIKO_MPI_SEEDS="7 1" takes one from 7 on."""

import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from mpi_test import ENVIRONMENT, MPICH, OPENMPI, RANKS

FIRST, COUNT = (int(word) for word in os.environ.get("KUMIKO_MPI_SEEDS", "1 14").split())
SEEDS = range(FIRST, FIRST + COUNT)

LIMIT = 300  # of a run that ends well, in seconds, on a machine that does much else
LIMIT_OF_LOSS = 20  # of one that a rank's end ends
STOPPED = 3


def state_of(process):
    """A letter; None if there is no such process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def states_of_threads(process):
    """A letter for each; the first is the main thread, which sleeps while the workers run."""
    return "".join(filter(None, (state_of(f"{process}/task/{task}") for task in os.listdir(f"/proc/{process}/task"))))


class Launch:
    """Ranks under way. However they end, none of their processes is left when this is."""

    def __init__(self, launcher, *parts):
        """Each part is a number of ranks, their environment, and what they do."""
        self.mark = f"KUMIKO_TEST_MARK={uuid.uuid4()}"
        self.size = sum(ranks for ranks, _, _ in parts)
        self.output_file = tempfile.TemporaryFile("w+", errors="replace")
        command = [launcher, *(["--oversubscribe", "--bind-to", "none"] if launcher == OPENMPI else [])]
        for i, (ranks, environment, what) in enumerate(parts):
            settings = [f"{name}={value}" for name, value in environment.items()]
            command += [*([":"] if i else []), "-n", str(ranks), "/usr/bin/env", *settings, RANKS, *what.split()]
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(command, env={**ENVIRONMENT, name: value}, stdin=subprocess.DEVNULL,
                                        stdout=self.output_file, stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.output_file.close()

    def output(self):
        self.output_file.seek(0)
        return self.output_file.read()

    def processes(self):
        """The launcher, what it has started, and the ranks."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                pass  # it has ended
        return found

    def ranks(self):
        """The ranks' processes by rank, as far as they are there."""
        found = {}
        for process in self.processes():
            try:
                folder = Path(f"/proc/{process}")
                if (folder / "exe").readlink() != Path(RANKS).resolve():
                    continue
                rank = re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", (folder / "environ").read_bytes())
                found[int(rank[1])] = process
            except OSError:
                pass
        return found

    def wait_for_ranks(self):
        """Returns them when all are there."""
        end = time.monotonic() + LIMIT
        while len(found := self.ranks()) < self.size:
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"not all ranks have started:\n{self.output()}")
            time.sleep(0.002)
        return found

    def stop(self, process):
        """Returns whether it is stopped; it may have ended before."""
        try:
            os.kill(process, signal.SIGSTOP)
        except ProcessLookupError:
            return False
        while (state := state_of(process)) not in ("T", "Z", "X", None):
            time.sleep(0.001)
        return state == "T"

    @staticmethod
    def go_on(process):
        """Lets a process go on that was stopped, and may have been killed meanwhile."""
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def end(self, limit):
        """Waits for the end; returns the launcher's status."""
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            states = {rank: states_of_threads(process) for rank, process in self.ranks().items()}
            raise AssertionError(f"no end within {limit} s; the ranks' threads: {states}:\n{self.output()}") from None

    def left_over(self):
        """Processes that have not ended soon after the launcher."""
        end = time.monotonic() + 5
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.01)
        return left


class Ranks:
    """What holds for each MPI."""

    launcher = ""
    delays = ""

    def run_well(self, *parts):
        with Launch(self.launcher, *parts) as launch:
            begin = time.monotonic()
            status = launch.end(LIMIT)
            output = launch.output()
            self.assertEqual(status, 0, output)
            self.assertEqual(launch.left_over(), [])
            self.assert_all_said_so(launch)
            return output, time.monotonic() - begin

    def assert_all_said_so(self, launch):
        output = launch.output()
        for rank in range(launch.size):
            self.assertRegex(output, rf"rank {rank}(: the flood is over| of {launch.size}: cores)")

    def assert_all_ended(self, launch):
        self.assertNotEqual(launch.end(LIMIT_OF_LOSS), 0, launch.output())
        self.assertEqual(launch.left_over(), [], "processes are left over")

    def time_of(self, known, ranks, what):
        """How long a run takes that nothing happens to."""
        if (ranks, what) not in known:
            known[ranks, what] = self.run_well((ranks, {}, what))[1]
        return known[ranks, what]

    def for_seeds(self, seeds, check):
        """Calls check(seed, random numbers of the test and seed); returns what those that passed have returned."""
        results = []
        for seed in seeds:
            with self.subTest(seed=seed):
                results.append(check(seed, random.Random(f"{self.id()} {seed}")))
        return results

    def test_given_eight_ranks_then_all_calls_go_between_them(self):
        self.run_well((8, {}, "all"))

    def test_given_an_mpi_that_holds_messages_back_then_all_calls_go_between_ranks(self):
        for overtakes in (False, True):
            counts = self.for_seeds(SEEDS[overtakes::2], lambda seed, draw: self.hold_back(seed, draw, overtakes))
            if not counts:
                continue  # few seeds were asked for
            held, sends, overtaking, against, late, *_ = (sum(column) for column in zip(*counts))
            print(f"{held} of {sends} sends held, {overtaking} overtaking, {against} of them against MPI's order; "
                  f"{late} late")
            self.assertGreater(overtaking, against)
            self.assertEqual(against > 0, overtakes)

    def hold_back(self, seed, draw, overtakes):
        """Returns the sums of what all ranks report."""
        ranks = 2 + seed % 7
        longest = draw.choice([200, 2000, 10000])
        environment = {"LD_PRELOAD": self.delays, "KUMIKO_DELAYS_SEED": seed, "KUMIKO_DELAYS_LONGEST": longest,
                       "KUMIKO_DELAYS_OVERTAKE": int(overtakes)}
        output, seconds = self.run_well((ranks, environment, f"flood {seed}"))
        found = re.findall(r"delays of rank \d+: (\d+) of (\d+) sends held, \d+ us at most; (\d+) overtaking, "
                           r"(\d+) of them in their channel; (\d+) late; (\d+) left; (\d+) yields",
                           output)
        self.assertEqual(len(found), ranks, output)
        counts = [[int(number) for number in line] for line in found]
        for held, _, _, _, late, left, yields in counts:
            self.assertGreater(held, 0)
            self.assertGreater(late, 0)
            self.assertEqual(left, 0)
            self.assertEqual(yields, 0, "MPI has given the core away while all waited for the poll's end")
        print(f"seed {seed}: {ranks} ranks, up to {longest} us, {seconds:.1f} s", flush=True)
        return [sum(column) for column in zip(*counts)]

    def test_given_a_rank_that_is_killed_then_all_end_and_none_is_left(self):
        usual = {}
        kills = sum(self.for_seeds(SEEDS, lambda seed, draw: self.kill(seed, draw, usual)))
        self.assertGreater(2 * kills, COUNT, "most runs ended before their rank was killed")

    def kill(self, seed, draw, usual):
        """Returns whether the run had not ended before."""
        ranks, what = draw.choice([(2, "flood"), (4, "flood"), (3, "all")])
        moment = draw.uniform(0, self.time_of(usual, ranks, what))
        victim = draw.randrange(ranks)
        kind = draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        with Launch(self.launcher, (ranks, {}, what)) as launch:
            process = launch.wait_for_ranks()[victim]
            time.sleep(moment)
            if not launch.stop(process):
                self.assertEqual(launch.end(LIMIT), 0, launch.output())
                return False
            begin = time.monotonic()
            os.kill(process, kind)
            launch.go_on(process)
            self.assert_all_ended(launch)
            print(f"seed {seed}: rank {victim} of {ranks} by {kind.name} after {moment:.2f} s of '{what}': "
                  f"all ended {time.monotonic() - begin:.2f} s later", flush=True)
            return True

    def test_given_a_rank_that_stops_for_a_while_then_all_goes_on(self):
        usual = {}
        stops = sum(self.for_seeds(SEEDS[::3], lambda seed, draw: self.hold_still(seed, draw, usual)))
        self.assertGreater(stops, 0, "all runs ended before their rank was stopped")

    def hold_still(self, seed, draw, usual):
        """Returns whether the run had not ended before."""
        ranks = draw.choice([2, 4])
        moment = draw.uniform(0, 0.6 * self.time_of(usual, ranks, "flood"))
        rank = draw.randrange(ranks)
        with Launch(self.launcher, (ranks, {}, "flood")) as launch:
            process = launch.wait_for_ranks()[rank]
            time.sleep(moment)
            is_stopped = launch.stop(process)
            if is_stopped:
                time.sleep(STOPPED)
                self.assertEqual(state_of(process), "T", launch.output())
                self.assertIsNone(launch.process.poll(), launch.output())
                launch.go_on(process)
            self.assertEqual(launch.end(LIMIT), 0, launch.output())
            self.assert_all_said_so(launch)
            self.assertEqual(launch.left_over(), [])
            print(f"seed {seed}: rank {rank} of {ranks} stopped after {moment:.2f} s", flush=True)
            return is_stopped

    def test_given_a_call_of_mpi_that_fails_then_it_is_told_and_all_end(self):
        self.for_seeds(SEEDS[::3], self.fail_a_call)

    def fail_a_call(self, seed, draw):
        ranks = draw.randint(2, 4)
        call = int(10 ** draw.uniform(0, 3))
        failing = (1, {"LD_PRELOAD": self.delays, "KUMIKO_DELAYS_FAIL": call}, "flood")
        others = (ranks - 1, {}, "flood")
        with Launch(self.launcher, *draw.choice([(failing, others), (others, failing)])) as launch:
            self.assertNotEqual(launch.end(LIMIT), 0, launch.output())
            self.assertRegex(launch.output(), "error: rank [0-9] is lost: MPI_(Isend|Testsome of .*|Improbe): ")
            self.assertEqual(launch.left_over(), [])
            print(f"seed {seed}: call {call} of a rank of {ranks} failed", flush=True)


@unittest.skipUnless(OPENMPI, "no mpirun.openmpi")
class OpenMpi(Ranks, unittest.TestCase):
    launcher = OPENMPI
    delays = os.environ.get("KUMIKO_MPI_DELAYS_OPENMPI", "")


@unittest.skipUnless(MPICH, "no mpirun.mpich")
class Mpich(Ranks, unittest.TestCase):
    launcher = MPICH
    delays = os.environ.get("KUMIKO_MPI_DELAYS_MPICH", "")


if __name__ == "__main__":
    unittest.main()
