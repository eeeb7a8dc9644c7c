"""Contract: kumiko run --from begins a new run with a stored state: with its bits on the state's own grid, with the mass
of its cells on any other one; files and results say what it has begun with; a restart goes on with its bits; ranks,
backends and workers change nothing; what does not fit is refused before anything is written."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from command_case import CASES, DYES, KUMIKO, VORTEX, ZALESAK, CommandTest

CHANNEL = CASES / "channel" / "channel.toml"
DEFORMATION = next((CASES / "deformation").glob("*.toml"))
MPIRUN = {"openmpi": os.environ.get("KUMIKO_MPIRUN_OPENMPI", ""), "mpich": os.environ.get("KUMIKO_MPIRUN_MPICH", "")}


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


SHORT = settings("grid.base=64", "time.steps=640", "time.stop_step=12", "output.times=[0.0]")
SOLVERS = ("semi_lagrangian_cubic", "finite_volume_upwind3")


class FromState(CommandTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.runs = Path(folder.name)
        for solver in SOLVERS:
            subprocess.run([KUMIKO, "run", ZALESAK, *SHORT, "--solver", solver, "--quiet", "-o", cls.runs / solver],
                           check=True, timeout=300)  # fmt: skip

    def hash_of(self, folder):
        return json.loads((folder / "summary.json").read_text())["state_hash"]

    def begun(self, *arguments, name="new"):
        done = self.kumiko("run", *arguments, "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads((self.path / name / "summary.json").read_text()), done.stdout

    def inspected(self, file):
        done = self.kumiko("inspect", "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_given_its_own_grid_then_the_run_begins_with_the_bits_of_the_state(self):
        for solver in SOLVERS:
            source = self.runs / solver
            state = source / "state_000012.hdf"
            summary, said = self.begun(ZALESAK, *SHORT, "--solver", solver, "--from", state, name=solver)
            self.assertIn("bit for bit", said)
            begun = summary["begun_from"]
            self.assertEqual(begun["state_hash"], self.hash_of(source))
            self.assertEqual((begun["file"], begun["case"], begun["step"]), ("state_000012.hdf", "zalesak", 12))
            self.assertEqual((begun["begun_at"], begun["mass_change"]), (0.0, 0.0))
            # The first state of the new run is the last one of the other: one that begins with it has its hash.
            first = self.path / solver / "state_000000.hdf"
            again, _ = self.begun(ZALESAK, *SHORT, "--solver", solver, "--from", first, name=f"{solver}_again")
            self.assertEqual(again["begun_from"]["state_hash"], self.hash_of(source))
            self.assertEqual(again["state_hash"], summary["state_hash"])
            self.assertEqual(self.inspected(first)["begun_from"], begun)

    def test_given_a_folder_then_its_newest_state_is_taken_and_inspect_says_so(self):
        summary, _ = self.begun(ZALESAK, *SHORT, "--from", self.runs / SOLVERS[0])
        self.assertEqual(summary["begun_from"]["step"], 12)
        text = self.kumiko("inspect", "new/state_000012.hdf").stdout
        self.assertRegex(text, r"begun with +state_000012.hdf: base step 12 of case zalesak")

    def test_given_another_grid_then_the_mass_of_cells_is_kept(self):
        state = self.runs / "finite_volume_upwind3" / "state_000012.hdf"
        for base, levels in ((96, 3), (80, 2), (32, 3), (48, 1)):
            keys = settings(f"grid.base={base}", f"amr.levels={levels}", "time.steps=1920", "time.stop_step=1")
            summary, said = self.begun(ZALESAK, *keys, "--solver", "finite_volume_upwind3", "--from", state,
                                       name=f"{base}")  # fmt: skip
            self.assertIn("interpolated", said)
            self.assertLess(abs(summary["begun_from"]["mass_change"]), 1e-14)
            mass = summary["begun_from"]["mass"][0]
            self.assertLess(abs(mass["after"] / mass["before"] - 1.0), 1e-14)
            self.assertRegex(said, r"mass +0\.058")

    def test_given_another_solver_then_nodes_and_cells_become_one_another(self):
        for source, solver in (SOLVERS, SOLVERS[::-1]):
            keys = settings("grid.base=96", "time.steps=1920", "time.stop_step=1")
            summary, _ = self.begun(ZALESAK, *keys, "--solver", solver, "--from", self.runs / source, name=solver)
            self.assertLess(abs(summary["begun_from"]["mass_change"]), 1e-2)
            self.assertNotEqual(summary["begun_from"]["mass_change"], 0.0)

    def test_given_a_restart_half_way_then_the_bits_are_those_of_the_whole_run(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        for time in ("0", "state"):
            for base in (64, 80):
                keys = settings(f"grid.base={base}", "time.steps=640", "output.every=5", "output.times=[0.0]")
                words = [ZALESAK, *keys, "--from", state, "--from-time", time]
                name = f"{time}{base}"
                whole, _ = self.begun(*words, *settings("time.stop_step=12"), name=name)
                for step in (0, 5):
                    part = f"{name}_{step}"
                    done = self.kumiko("run", "--restart", f"{name}/state_{step:06}.hdf", "-o", part, "-w", "1")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    rest = json.loads((self.path / part / "summary.json").read_text())
                    for key in ("state_hash", "begun_from", "time", "error", "mass_drift"):
                        self.assertEqual(rest[key], whole[key])
                    last = "state_000012.hdf"
                    self.assertEqual((self.path / part / last).read_bytes(), (self.path / name / last).read_bytes())
                # The effective configuration is the new run's own.
                shown = self.kumiko("run", *words, *settings("time.stop_step=12"), "--print-config").stdout
                self.assertEqual((self.path / name / "effective.toml").read_text(), shown)

    def test_given_the_states_time_then_the_run_goes_on_from_there_and_has_errors(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        keys = settings("grid.base=64", "time.steps=640")
        keys += settings("time.stop_step=3")
        goes_on, _ = self.begun(ZALESAK, *keys, "--from", state, "--from-time", "state")
        at = goes_on["begun_from"]["time"]
        self.assertGreater(at, 0.1)
        self.assertEqual(goes_on["begun_from"]["begun_at"], at)
        self.assertAlmostEqual(goes_on["time"], at + 3 * (goes_on["end_time"] - at) / 640, places=12)
        self.assertLess(goes_on["error"]["rms"], 0.2)
        self.assertTrue(goes_on["begun_from"]["has_exact"])

    def test_given_another_time_or_case_then_there_are_no_errors(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        short = settings("grid.base=64", "time.steps=640", "time.stop_step=2")
        at_0, said = self.begun(ZALESAK, *short, "--from", state, name="at_0")
        self.assertIn("errors               none", said)
        other, _ = self.begun(VORTEX, *short, "--from", state, "--from-time", "state", name="other")
        # Not in what begins with such a run either.
        third, _ = self.begun(ZALESAK, *short, "--from", self.path / "at_0", "--from-time", "state", name="third")
        for summary in (at_0, other, third):
            self.assertIsNone(summary["error"]["rms"])
            self.assertFalse(summary["begun_from"]["has_exact"])
        self.assertEqual(other["begun_from"]["case"], "zalesak")

    def test_given_steps_by_cfl_then_a_restart_has_the_same_bits(self):
        state = self.runs / SOLVERS[1] / "state_000012.hdf"
        keys = settings("grid.base=64", "time.cfl=0.5", "time.stop_step=10", "output.every=5")
        words = [ZALESAK, *keys, "--solver", SOLVERS[1], "--from", state, "--from-time", "state"]
        whole, _ = self.begun(*words)
        done = self.kumiko("run", "--restart", "new/state_000005.hdf", "-o", "rest")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.hash_of(self.path / "rest"), whole["state_hash"])

    def test_given_other_backends_and_workers_then_the_bits_are_the_same(self):
        state = self.runs / SOLVERS[1] / "state_000012.hdf"
        words = ["run", ZALESAK, *settings("grid.base=80", "time.steps=640", "time.stop_step=5"), "--from", state,
                 "--no-files", "--json"]  # fmt: skip
        hashes = set()
        for more in (("-b", "serial"), ("-w", "1"), ("-w", "3"), ("-b", "pthread", "-w", "2")):
            done = self.kumiko(*words, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            hashes.add(json.loads(done.stdout)["state_hash"])
        self.assertEqual(len(hashes), 1)

    def test_given_ranks_then_the_bits_and_the_files_are_those_of_one(self):
        present = {name: program for name, program in MPIRUN.items() if program}
        if not present:
            self.skipTest("there is no MPI")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        state = self.runs / SOLVERS[1] / "state_000012.hdf"
        for base in (64, 80):
            keys = settings(f"grid.base={base}", "time.steps=640", "time.stop_step=5")
            words = ["run", ZALESAK, *keys, "--solver", SOLVERS[1], "--from", state, "-w", "1", "--quiet", "-o"]
            self.assertEqual(self.kumiko(*words, f"one{base}").returncode, 0)
            for mpi, program in present.items():
                how = ["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []
                for ranks in (2, 4):
                    name = f"{mpi}{ranks}_{base}"
                    done = subprocess.run([program, *how, "-n", str(ranks), KUMIKO, *map(str, words), name],
                                          cwd=self.path, env=environment, capture_output=True, text=True,
                                          timeout=300)  # fmt: skip
                    self.assertEqual(done.returncode, 0, done.stderr)
                    last = "state_000005.hdf"
                    self.assertEqual((self.path / name / last).read_bytes(),
                                     (self.path / f"one{base}" / last).read_bytes())  # fmt: skip

    # --- What is refused ---

    def refused(self, case, state, *more, says):
        self.assert_refused(self.kumiko("run", case, *settings("grid.base=64"), "--from", state, *more), *says)

    def test_given_what_is_not_a_state_then_it_is_refused(self):
        for name in ("text.hdf", "empty.hdf"):
            (self.path / name).write_text("no state" if name == "text.hdf" else "")
            self.refused(ZALESAK, name, says=["--from: ", f"'{name}'"])
        (self.path / "folder").mkdir()
        self.refused(ZALESAK, "folder", says=["--from: 'folder' has no whole checkpoint; name a run's folder"])
        self.refused(ZALESAK, "nowhere.hdf", says=["--from: there is no file 'nowhere.hdf'; name a checkpoint"])

    def test_given_values_that_are_not_finite_or_damage_then_it_is_refused(self):
        for name, make in (("nan.hdf", [os.environ["KUMIKO_SPOIL_STATE"], self.runs / SOLVERS[0] / "state_000012.hdf"]),
                           ("cut.hdf", None)):  # fmt: skip
            file = self.path / name
            if make:
                subprocess.run([*make, file], check=True, timeout=60)
            else:
                file.write_bytes((self.runs / SOLVERS[0] / "state_000012.hdf").read_bytes()[:-100])
            self.refused(ZALESAK, name, says=["--from: ", name, "not finite" if make else ""])

    def test_given_another_domain_other_components_or_other_sides_then_it_is_refused(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        self.assert_refused(
            self.kumiko("run", CHANNEL, "--from", state),
            f"--from: '{state}' has a domain of 1 by 1, but that of case 'channel' is 2 by 1; name a state")  # fmt: skip
        self.refused(DYES, state, says=["has 1 component, u, but case 'dyes' has 3; name a state of a case"])
        self.refused(DEFORMATION, state, says=[
            "is of case 'zalesak', whose sides are not periodic, but those of case 'deformation' are periodic in x and y"
        ])  # fmt: skip

    def test_given_a_time_that_is_over_then_it_is_refused(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        self.refused(ZALESAK, state, "--from-time", "state", "--set", "time.end=0.1", says=[
            "--from-time state: ", "is at t = 0.11781, and the run is to end at t = 0.1; set time.end to a later time"
        ])  # fmt: skip

    def test_given_options_that_contradict_each_other_then_they_are_refused(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        self.refused(ZALESAK, state, "--restart", state, says=["--from begins a new run, and --restart continues one"])
        self.assert_refused(self.kumiko("run", ZALESAK, "--from-time", "state"), "--from-time: there is no state")
        self.refused(ZALESAK, state, "--from-time", "7", says=["--from-time"])
        self.assert_refused(self.kumiko("run", "--from", state), "name CASE.toml")

    def test_given_the_folder_of_the_state_then_it_is_not_removed(self):
        shutil.copytree(self.runs / SOLVERS[0], self.path / "run")
        done = self.kumiko("run", ZALESAK, *SHORT, "--from", "run", "-o", "run", "--overwrite")
        self.assert_refused(done, "--from: 'run/state_000012.hdf' would be removed", "--output")
        done = self.kumiko("run", ZALESAK, *SHORT, "--from", "run", "-o", "run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--overwrite", done.stderr)

    def test_given_a_dry_run_then_it_builds_the_mesh_of_the_state(self):
        state = self.runs / SOLVERS[0] / "state_000012.hdf"
        done = self.kumiko("run", ZALESAK, *SHORT, "--from", state, "--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(re.search(r"begins with .*state_000012.hdf", done.stdout))
        self.assertEqual(self.files(), self.files_before)


if __name__ == "__main__":
    unittest.main()
