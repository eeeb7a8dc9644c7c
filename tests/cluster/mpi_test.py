"""Ranks by the MPIs that are installed: what goes over them, how they end, and who needs them."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

RANKS = os.environ["KUMIKO_MPI_RANKS"]
SEARCH = os.environ.get("KUMIKO_MPI_SEARCH", "")
LINKS = Path(os.environ["KUMIKO_LINKS"])
OPENMPI = os.environ.get("KUMIKO_MPIRUN_OPENMPI", "")
MPICH = os.environ.get("KUMIKO_MPIRUN_MPICH", "")
LIMIT = 60

# An MPI's launcher refuses root unless told, and a container may forbid to read other processes' memory.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not re.match(r"OMPI_|PMI|KUMIKO_LINK$|SLURM_", name)},
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def launch(launcher, ranks, what, program=RANKS, **more):
    """Runs ranks of the program; returns how that ended, with its time."""
    options = ["--oversubscribe", "--bind-to", "none"] if launcher == OPENMPI else []
    begin = time.monotonic()
    run = subprocess.run(
        [launcher, *options, "-n", str(ranks), program, *what.split()],
        env={**ENVIRONMENT, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT,
        check=False)
    run.seconds = time.monotonic() - begin
    return run


class Running:
    """Ranks of the program that tell their processes, and are then disturbed."""

    def __init__(self, launcher, ranks, what, **more):
        options = ["--oversubscribe", "--bind-to", "none"] if launcher == OPENMPI else []
        self.begin = time.monotonic()
        self.launcher = subprocess.Popen(  # pylint: disable=consider-using-with
            [launcher, *options, "-n", str(ranks), RANKS, what],
            env={**ENVIRONMENT, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.output = ""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        told = [rf"rank {rank} is process (\d+)" for rank in range(ranks)]
        found = [re.search(line, self.wait_for(line)) for line in told]
        if None in found:
            self.launcher.terminate()
            raise AssertionError(f"a rank does not tell its process:\n{self.output}")
        self.processes = [int(match[1]) for match in found]

    def read(self):
        for line in self.launcher.stdout:
            with self.changed:
                self.output += line
                self.changed.notify_all()

    def wait_for(self, pattern):
        """Waits until the output has what matches; returns all of it in any case, after a while."""
        with self.changed:
            self.changed.wait_for(lambda: re.search(pattern, self.output) or self.launcher.poll() is not None, LIMIT / 2)
            return self.output

    def end(self):
        """Waits for the end; returns the launcher's status and the output."""
        try:
            status = self.launcher.wait(LIMIT / 2)
        finally:
            self.launcher.kill()
            for process in self.processes:
                if is_there(process):
                    self.output += f"process {process} is still there"
            self.reader.join()
            self.launcher.stdout.close()
        return status, self.output


def is_there(process):
    """Whether a process still runs after some time for its end."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        if state == "Z":  # whoever should ask how it has ended takes its time
            return False
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    return True


class Ranks:
    """What holds for each MPI."""

    launcher = ""

    def test_given_two_ranks_then_all_calls_go_between_them(self):
        run = launch(self.launcher, 2, "all")
        self.assertEqual(run.returncode, 0, run.stdout)
        for rank in range(2):
            self.assertRegex(run.stdout, rf"rank {rank} of 2: cores [0-9,-]+, workers 1")

    @unittest.skipUnless(SEARCH, "the examples are not built")
    def test_given_a_search_on_two_ranks_then_it_finds_all(self):
        with tempfile.TemporaryDirectory() as folder:
            run = launch(self.launcher, 2, f"queens 13 1 1 {folder}", program=SEARCH)
            self.assertEqual(run.returncode, 0, run.stdout)
            record = json.loads((Path(folder) / "search.json").read_text())
        self.assertRegex(run.stdout, r"ranks 2\n(?:.*\n)*ways 73712\n")
        self.assertRegex(run.stdout, r"given (\d+)\ntaken \1\n")
        given = int(re.search(r"given (\d+)", run.stdout)[1])
        self.assertEqual([(each["name"], each["told"]) for each in record["processes"]],
                         [("rank 0", True), ("rank 1", True)])
        self.assertEqual(sum(part["giver"] != part["taker"] for part in record["parts"]), given)

    def test_given_a_rank_that_ends_by_an_exception_then_all_end_and_it_is_named(self):
        run = launch(self.launcher, 2, "throw")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("error: cannot go on", run.stdout)
        self.assertIn("rank 1 is gone: it has ended by an exception", run.stdout)
        self.assertIn("error: rank 1 is lost: it has ended by an exception", run.stdout)
        self.assertLess(run.seconds, 10)

    def test_given_a_terminated_launcher_then_all_end(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            ranks = Running(self.launcher, 2, "calls")
            ranks.launcher.send_signal(number)
            status, output = ranks.end()
            # MPICH's may say 0 then, of any program.
            if self.launcher == OPENMPI:
                self.assertNotEqual(status, 0)
            self.assertNotIn("is still there", output)

    def test_given_a_terminated_rank_then_all_end(self):
        ranks = Running(self.launcher, 2, "calls")
        os.kill(ranks.processes[0], signal.SIGTERM)
        status, output = ranks.end()
        self.assertNotEqual(status, 0)
        self.assertNotIn("is still there", output)

    def test_given_a_rank_that_is_killed_then_all_end_and_it_is_named(self):
        ranks = Running(self.launcher, 2, "calls")
        before = len(ranks.output)
        os.kill(ranks.processes[1], signal.SIGKILL)
        status, output = ranks.end()
        self.assertNotEqual(status, 0)
        # MPICH's launcher kills the others at once, and may name one of these.
        named = r"process rank 1\b" if self.launcher == OPENMPI else r"Killed \(signal 9\)"
        self.assertRegex(output[before:], named)
        self.assertNotIn("is still there", output)


@unittest.skipUnless(OPENMPI, "no mpirun.openmpi")
class OpenMpi(Ranks, unittest.TestCase):
    launcher = OPENMPI

    def test_given_four_ranks_then_all_calls_go_between_them(self):
        run = launch(self.launcher, 4, "all")
        self.assertEqual(run.returncode, 0, run.stdout)


@unittest.skipUnless(MPICH, "no mpirun.mpich")
class Mpich(Ranks, unittest.TestCase):
    launcher = MPICH


@unittest.skipUnless(MPICH or OPENMPI, "no mpirun")
class Trouble(unittest.TestCase):
    """What does not depend on the MPI, tested with the one that ends sooner."""

    launcher = MPICH or OPENMPI

    def test_given_a_rank_that_is_stopped_for_three_seconds_then_nothing_is_lost(self):
        ranks = Running(self.launcher, 2, "calls")
        os.kill(ranks.processes[1], signal.SIGSTOP)
        time.sleep(3)
        os.kill(ranks.processes[1], signal.SIGCONT)
        status, output = ranks.end()
        self.assertEqual(status, 0, output)
        self.assertNotIn("kumiko:", output)

    def test_given_a_fault_then_rank_worker_thread_and_process_are_named_and_all_end(self):
        run = launch(self.launcher, 2, "fault")
        self.assertNotEqual(run.returncode, 0)
        self.assertRegex(run.stdout, r'kumiko: rank 1: SIGSEGV at address 0x1230 on worker 0\n  thread "clumsy" 0x')
        self.assertRegex(run.stdout, r"process \d+ on host \S+ with KUMIKO_ON_FAULT=gdb it would wait for: gdb -p \d+")

    def test_given_ranks_that_wait_for_each_other_then_both_tell_for_what(self):
        ranks = Running(self.launcher, 2, "deadlock")
        output = ranks.wait_for(r"rank 1: no thread of any rank can run[^\0]*see names")
        ranks.launcher.terminate()
        ranks.end()
        self.assertRegex(output, r"kumiko: rank 0: no thread of any rank can run")
        self.assertRegex(output, r"rank 0 waits for an entry whose token is on rank 1 \(0x")
        self.assertRegex(output, r"kumiko: rank 1: no thread of any rank can run[^\0]*waits for an Entry \(0x")

    def test_given_gdb_in_the_environment_then_a_rank_waits_for_it_and_is_not_lost(self):
        ranks = Running(self.launcher, 2, "fault", KUMIKO_ON_FAULT="gdb")
        output = ranks.wait_for(r"it waits for: gdb -p \d+\n")
        self.assertRegex(output, r"process \d+ on host \S+ it waits for: gdb -p \d+\n")
        time.sleep(0.5)
        ranks.launcher.terminate()
        _, output = ranks.end()
        self.assertNotIn("is lost", output)
        self.assertNotIn("is still there", output)

    def test_given_a_rank_that_stays_stopped_then_it_is_told_of_and_lost_and_all_end(self):
        ranks = Running(self.launcher, 2, "impatient")
        os.kill(ranks.processes[1], signal.SIGSTOP)
        status, output = ranks.end()
        self.assertNotEqual(status, 0)
        where = rf"\(pid {ranks.processes[1]} on host \S+, stopped\)"
        self.assertRegex(output, r"rank 0 waits for rank 1, which has sent nothing for [0-9.]+ s " + where)
        self.assertRegex(output, r"error: rank 1 is lost: nothing has come from it for [0-9.]+ s " + where)
        self.assertNotIn("is still there", output)


class Choice(unittest.TestCase):
    @unittest.skipUnless(OPENMPI and MPICH, "needs both launchers")
    def test_given_the_launcher_of_another_mpi_then_that_is_refused(self):
        run = launch(MPICH, 2, "all", KUMIKO_LINK="openmpi")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("the launcher has started 2 ranks, but Open MPI says that there is 1", run.stdout)
        self.assertIn("start the program with the launcher of Open MPI", run.stdout)

    def test_given_no_launcher_then_a_rank_is_alone(self):
        run = subprocess.run([RANKS, "all"], env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("rank 0 of 1", run.stdout)

    def test_given_an_unknown_link_then_the_known_ones_are_named(self):
        run = subprocess.run([RANKS, "all"], env={**ENVIRONMENT, "KUMIKO_LINK": "pvm"}, capture_output=True, text=True,
                             timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 3)
        self.assertIn("KUMIKO_LINK is 'pvm'; give alone, openmpi or mpich", run.stderr)

    def test_given_a_program_beside_which_no_links_are_then_the_packages_are_named(self):
        for size, packages in (("OMPI_COMM_WORLD_SIZE", "openmpi-bin and libopenmpi-dev"),
                               ("PMI_SIZE", "mpich and libmpich-dev")):
            alone = Path(os.environ["KUMIKO_SCRATCH"], "program alone")
            alone.parent.mkdir(parents=True, exist_ok=True)
            alone.unlink(missing_ok=True)
            os.link(RANKS, alone)
            run = subprocess.run([alone, "all"], env={**ENVIRONMENT, size: "2"}, capture_output=True, text=True,
                                 timeout=LIMIT, check=False)
            alone.unlink()
            self.assertEqual(run.returncode, 3)
            self.assertIn("configure Kumiko by 'cmake --preset release' and build it again", run.stderr)
            self.assertIn(f"Debian has that MPI in {packages}", run.stderr)


    def test_given_an_mpi_by_which_a_program_can_be_built_then_its_link_was_built(self):
        for family in os.environ["KUMIKO_MPI"].split(","):
            with self.subTest(family), tempfile.TemporaryDirectory() as folder:
                compiler = shutil.which(f"mpicc.{family}")
                source = Path(folder, "program.c")
                source.write_text("#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
                command = [compiler, source, "-o", Path(folder, "program")]
                if compiler and subprocess.run(command, check=False).returncode == 0:
                    self.assertTrue(Path(LINKS, f"kumiko_link_{family}.so").exists())

    @unittest.skipUnless(Path(LINKS, "kumiko_link_openmpi.so").exists(), "no link by Open MPI")
    def test_given_a_process_with_another_mpi_then_a_second_one_is_refused(self):
        library = next((line.split()[2] for line in needed_paths(LINKS / "kumiko_link_openmpi.so")
                        if line.split()[0].startswith("libmpi.so")), None)
        run = subprocess.run([RANKS, "all"], env={**ENVIRONMENT, "LD_PRELOAD": library, "KUMIKO_LINK": "mpich"},
                             capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("libmpi.so.40', so it cannot use MPICH as well", run.stderr)


def needed_paths(file):
    shown = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if "=>" in line]


class Needs(unittest.TestCase):
    def test_given_what_is_built_then_only_the_links_and_their_peers_need_an_mpi(self):
        build = Path(os.environ["KUMIKO_BUILD"])
        # Of the benchmarks, if they are built: MPI alone.
        peers = {Path(build, "bin", f"{program}_{family}").resolve()
                 for program in ("ranks", "turns") for family in ("openmpi", "mpich")}
        files = [file for folder in ("bin", "lib") for file in (build / folder).rglob("*")
                 if file.is_file() and (os.access(file, os.X_OK) or ".so" in file.name) and file.suffix != ".a"]
        shown = subprocess.run(["readelf", "-d", *files], capture_output=True, text=True, check=False).stdout
        needing = {Path(part.splitlines()[0].strip()).resolve() for part in shown.split("File: ")[1:]
                   if re.search(r"NEEDED.*\[libmp(i|ich)[._]", part)}
        self.assertEqual(needing - peers, {file.resolve() for file in LINKS.glob("*.so")})


if __name__ == "__main__":
    unittest.main()
