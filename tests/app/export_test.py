"""Contract: states are exported as plotfiles and pictures, and what is not a state is named."""

import os
import random
import shutil
import unittest

from restart_case import KEYS, RestartTest, ZALESAK, settings


class Export(RestartTest):
    def test_given_states_then_plotfiles_are_made_of_them_and_never_replaced(self):
        self.run_well(ZALESAK, *settings(*KEYS, "output.every=20"))
        states = sorted((self.path / "run").glob("state_*.hdf"))
        done = self.kumiko("export", *states, "--output", "plots")
        self.assertEqual(done.returncode, 0, done.errors)
        names = [f"plots/plt_{step:06}" for step in (20, 40, 60)]
        self.assertEqual(done.output.splitlines(), names)
        for step, name in zip((20, 40, 60), names):
            header = (self.path / name / "Header").read_text().splitlines()
            row = next(row for row in self.rows("diagnostics.csv") if row["step"] == str(step))
            self.assertEqual(float(header[4]), float(row["time"]))
        done = self.kumiko("export", states[0], "--output", "plots")
        self.assert_refused(done, "'plots/plt_000020' already exists", "--output")
        shutil.copy(states[0], self.path / "copy.hdf")
        done = self.kumiko("export", states[0], "copy.hdf", "--output", "both")
        self.assertEqual(done.returncode, 1, done.errors)
        self.assertIn(f"'copy.hdf' has the same base step, 20, as '{states[0]}'", done.errors)

    def test_given_states_and_png_then_frames_are_drawn(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=3"))
        done = self.kumiko(
            "export", "run/state_000003.hdf", "--format", "png", "--range", "0,1"
        )
        if os.environ["KUMIKO_HAS_VTK"] != "1":
            self.assert_refused(done, "KUMIKO_WITH_VTK", "plotfile")
            return
        self.assertEqual(done.returncode, 0, done.errors)
        # The run's own picture of the same state, whose colours are those of the first: 0 to 1.
        self.assertEqual(
            (self.path / "frame_000003.png").read_bytes(),
            (self.path / "run" / "field_end.png").read_bytes(),
        )

    def test_given_what_cannot_be_exported_then_it_is_named(self):
        self.run_well(ZALESAK, *settings("grid.base=64", "time.steps=640", "time.stop_step=4"))
        (self.path / "notes.txt").write_text("a letter to a friend\n")
        done = self.kumiko("export", "notes.txt", "run/state_000004.hdf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("notes.txt", done.errors)
        self.assertIn("plt_000004", done.output)
        state = "run/state_000004.hdf"
        self.assert_refused(self.kumiko("export", state, "missing.hdf"), "there is no file 'missing.hdf'")
        self.assert_refused(self.kumiko("export", state, f"./{state}"), f"'./{state}' is named twice")
        self.assertIn("--format", self.kumiko("export", "missing.hdf", "--format", "bmp").errors)

    def test_given_many_states_then_a_fault_of_the_request_is_told_once(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=40", "output.every=20"))
        for words in (["--box", "2,3,0,1"], ["--component", "ink"]):
            self.assert_refused(self.kumiko("export", "run", "--format", "npz", *words), "state_000020.hdf")

    def test_given_two_exports_to_one_file_then_it_is_whole_and_each_is_done_or_refused(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=4"))
        words = ["export", "run/state_000004.hdf", "--format", "npz", "--uniform", "3", "--quiet"]
        self.assertEqual(self.kumiko(*words, "--output", "alone").returncode, 0)
        both = [self.start(*words, "--output", "same") for _ in range(4)]
        for process in both:
            _, errors = process.communicate(timeout=600)
            if process.returncode != 0:
                self.assertEqual(process.returncode, 1, errors)
                self.assertIn("another process is writing", errors)
        self.assertIn(0, [process.returncode for process in both])
        whole = (self.path / "alone" / "uniform_000004.npz").read_bytes()
        self.assertEqual((self.path / "same" / "uniform_000004.npz").read_bytes(), whole)

    def test_given_what_is_not_hdf5_then_every_command_calls_the_request_wrong(self):
        (self.path / "notes.txt").write_text("a letter to a friend\n" * 99)
        (self.path / "noise.hdf").write_bytes(random.Random(1).randbytes(5000))
        commands = [["inspect"], ["inspect", "--json"], ["export"], ["simulate"]]
        commands += [["export", "--format", form] for form in ("csv", "chrome")]
        if os.environ["KUMIKO_HAS_VTK"] == "1":
            commands += [["export", "--format", "png"]]
        for name in ("notes.txt", "noise.hdf"):
            for command, *options in commands:
                with self.subTest(name=name, command=command, options=options):
                    done = self.kumiko(command, name, *options)
                    self.assert_refused(done, f"'{name}' is not a ", "HDF5")


if __name__ == "__main__":
    unittest.main()
