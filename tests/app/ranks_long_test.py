"""Contract: however ranks share a run, and whatever slows, disturbs or ends them, it has the bits and files of one
process, or can go on to them. What happens is drawn by seeds."""

import errno
import itertools
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from ranks_test import ENVIRONMENT, LIMIT, PRESENT, ZALESAK, RanksCase, errors, launch, settings

PARTITIONS = ("depth-first", "level", "canonical", "random")
SHARINGS = list(itertools.product(PARTITIONS, ("true", "false")))
DELAYS = {mpi: os.environ.get(f"KUMIKO_MPI_DELAYS_{mpi.upper()}", "") for mpi in PRESENT}

LAST = 24
KEYS = ["grid.base=64", "time.steps=640", f"time.stop_step={LAST}", "output.every=12", "output.extras=false"]
FILES = ("state_000012.hdf", f"state_{LAST:06}.hdf")


def sharing(at):
    """Keys by which ranks share a run: of eight in a row each is another."""
    partition, balance = SHARINGS[at % len(SHARINGS)]
    schedule = ("dataflow", "level")[(at + at // len(SHARINGS)) % 2]
    return [f"ranks.partition={partition}", f"ranks.balance={balance}", f"step.schedule={schedule}"]


def ways():
    """Every number of ranks with each sharing, by each MPI with one worker and with two."""
    kinds = itertools.product(range(1, 9), range(8 // (2 * len(PRESENT))), PRESENT, (1, 2))
    for at, (ranks, _, mpi, workers) in enumerate(kinds):
        yield mpi, ranks, workers, {}, sharing(at)


def disturbed():
    for seed in range(1, 21):
        mpi = PRESENT[seed % len(PRESENT)]
        yield mpi, 2 + seed % 3, 1 + seed // 2 % 2, {"KUMIKO_CHAOS_SEED": seed}, sharing(seed)


def held_back():
    """An MPI that holds messages back, and lets them overtake each other."""
    for seed, mpi in itertools.product(range(1, 9), PRESENT):
        environment = {"LD_PRELOAD": DELAYS[mpi], "KUMIKO_DELAYS_SEED": seed,
                       "KUMIKO_DELAYS_LONGEST": (200, 2000)[seed % 2], "KUMIKO_DELAYS_OVERTAKE": seed // 2 % 2}
        yield mpi, 2 + seed % 3, 1, environment, sharing(seed)


@unittest.skipUnless(PRESENT, "no MPI is installed")
class LongRanksTest(RanksCase):
    def setUp(self):
        super().setUp()
        done = self.alone("run", ZALESAK, *settings(*KEYS), "--output", "one", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_is_as_of_one(self, folder):
        self.assertEqual(self.summary(folder)["state_hash"], self.summary("one")["state_hash"])
        for name in FILES:
            same = (self.path / folder / name).read_bytes() == (self.path / "one" / name).read_bytes()
            self.assertTrue(same, f"{name} is another than one process writes")

    def run_on(self, mpi, parts, *arguments):
        return subprocess.run(launch(mpi, parts, *arguments), cwd=self.path, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=LIMIT, check=False)

    def share(self, table):
        """Runs each row's way. \\return what stderr was told"""
        told = []
        for mpi, ranks, workers, environment, keys in table:
            with self.subTest(mpi=mpi, ranks=ranks, workers=workers, environment=environment, keys=keys):
                run = self.run_on(mpi, [(ranks, environment)], "run", ZALESAK, *settings(*KEYS, *keys), "--workers",
                                  workers, "--output", "shared", "--overwrite", "--quiet")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assert_is_as_of_one("shared")
                told.append(run.stderr)
        return told

    def test_given_any_way_to_share_a_run_then_it_is_that_of_one_process(self):
        self.assertGreaterEqual(len(self.share(ways())), 64)

    def test_given_schedules_that_are_disturbed_then_the_run_is_that_of_one_process(self):
        self.share(disturbed())

    @unittest.skipUnless(all(DELAYS.values()), "no MPI can be made to hold messages back")
    def test_given_an_mpi_that_holds_messages_back_then_the_run_is_that_of_one_process(self):
        told = self.share(held_back())
        self.assertTrue(all("sends held" in each for each in told))

    def test_given_parts_by_any_numbers_of_ranks_then_the_run_is_that_of_one_process(self):
        draw = random.Random("parts")
        for rounds in range(6):
            ends = [*sorted(draw.sample(range(1, LAST), 3)), LAST]
            parts = [(draw.choice(PRESENT), draw.randint(1, 8), draw.randint(1, 2)) for _ in ends]
            with self.subTest(ends=ends, parts=parts):
                folder = f"parts{rounds}"
                for at, (end, (mpi, ranks, workers)) in enumerate(zip(ends, parts)):
                    what = ["--restart", folder] if at else [ZALESAK, *settings(*KEYS), "--output", folder]
                    keys = settings(f"time.stop_step={end}", *sharing(at))
                    run = self.run_on(mpi, [(ranks, {})], "run", *what, *keys, "--workers", workers, "--quiet")
                    self.assertEqual(run.returncode, 0, run.stderr)
                self.assert_is_as_of_one(folder)

    def test_given_a_rank_that_is_killed_at_any_time_then_the_run_goes_on_to_the_same_bits(self):
        # Regrids, windows and checkpoints in turn, every few milliseconds.
        for seed, mpi in itertools.product(range(1, 11), PRESENT):
            draw = random.Random(f"kill {seed} {mpi}")
            ranks = draw.randint(2, 4)
            with self.subTest(seed=seed, mpi=mpi, ranks=ranks):
                run, processes = self.start(mpi, ranks, "time.steps=64000", "checkpoint.every=4",
                                            *sharing(seed))
                time.sleep(draw.uniform(0, 1))
                os.kill(processes[draw.randrange(ranks)], signal.SIGKILL)
                text, seconds = self.end(run, processes)
                self.assertNotEqual(run.returncode, 0, text)
                self.assertLess(seconds, 30, text)
                shutil.copytree(self.path / self.folder(), self.path / "alone")
                self.assertEqual(self.goes_on(1 + seed % 5), self.goes_on(1, "alone"))
                shutil.rmtree(self.path / "alone")

    @unittest.skipUnless("openmpi" in PRESENT, "MPICH's launcher kills the others before they can speak")
    def test_given_any_rank_of_2_to_7_that_is_killed_then_one_line_names_it_and_the_way_on(self):
        for ranks in range(2, 8):
            for rank in range(ranks):
                with self.subTest(ranks=ranks, rank=rank):
                    self.assert_one_line_tells_of(rank, self.kill_one("openmpi", ranks, rank))

    def test_given_no_room_on_the_disk_of_one_rank_then_all_end_with_the_remedy_and_the_run_can_go_on(self):
        for at, (mpi, victim, error) in enumerate(
                itertools.product(PRESENT, range(3), (errno.ENOSPC, errno.EDQUOT))):
            with self.subTest(mpi=mpi, victim=victim, error=errno.errorcode[error]):
                # Some checkpoints go well; rank 0 writes more than values.
                faulty = {"LD_PRELOAD": os.environ["KUMIKO_FAULTS"], "KUMIKO_FAULT": "pwritev", "KUMIKO_ERRNO": error,
                          "KUMIKO_AFTER": 20 if victim else 300}
                parts = [(1, faulty if rank == victim else {}) for rank in range(3)]
                folder = f"full{at}"
                run = self.run_on(mpi, parts, "run", ZALESAK, *settings(*KEYS, "checkpoint.every=2",
                                                                       "checkpoint.on_failure=stop"),
                                  "--output", folder, "--quiet")
                self.assertNotEqual(run.returncode, 0)
                (line,) = errors(run.stderr)
                self.assertIn(os.strerror(error) + "; free space there, or name a folder elsewhere with --output", line)
                self.assertIn("continue with --restart", line)
                done = self.run_on(mpi, [(2, {})], "run", "--restart", folder, "--quiet")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_is_as_of_one(folder)


if __name__ == "__main__":
    unittest.main()
