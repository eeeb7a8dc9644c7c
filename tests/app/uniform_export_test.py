"""Contract: kumiko export writes a state's field on a uniform grid: NumPy, VTK and text readers find the state's own
bits where its mesh has the level, elsewhere what is interpolated here anew from the records that h5py reads."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
SQUALL = Path(os.environ["KUMIKO_TEST_PLUGINS"]) / "squall.so"
PATCH = 16
SHORT = ["time.stop_step=8", "output.every=4"]
RUNS = {
    # Nodes with a fixed value outside, nodes and cells across periodic sides, three components.
    "zalesak": ("zalesak/zalesak.toml", ["grid.base=64", "time.steps=640", "output.extras=true", *SHORT]),
    "vortex": ("vortex/vortex.toml", ["grid.base=64", "time.steps=640", *SHORT]),
    "cells": ("vortex/vortex_t2.toml", ["grid.base=64", "amr.levels=3", *SHORT]),
    "dyes": ("dyes/dyes.toml", ["grid.base=64", "time.steps=640", *SHORT]),
    "channel": ("channel/channel.toml", SHORT),
}
PERIODIC = {"zalesak": False, "vortex": True, "cells": True}


def settings(keys):
    return [word for key in keys for word in ("--set", key)]


class Records:
    """A state as h5py reads it, and its first component on every level's whole grid."""

    def __init__(self, file, periodic=False):
        self.periodic = periodic
        with h5py.File(file) as state:
            self.has_cells = state["kumiko"].attrs["centring"] == b"cell"
            self.components = state.attrs["num_components"]
            self.time, self.step = state.attrs["time"], state.attrs["iteration"]
            self.levels = []
            for level in range(state.attrs["num_levels"]):
                group = state[f"level_{level}"]
                domain = group.attrs["prob_domain"]
                self.levels.append((
                    [(box["lo_i"], box["lo_j"]) for box in group["boxes"][:]],
                    group["data:datatype=0"][:].reshape(-1, self.components, PATCH, PATCH),
                    (domain["hi_j"] + 1, domain["hi_i"] + 1), group.attrs["dx"]))  # fmt: skip

    def covered(self, level, component=0):
        """The values of a level's patches; NaN elsewhere."""
        boxes, values, shape, _ = self.levels[level]
        field = np.full(shape, np.nan)
        for (i, j), patch in zip(boxes, values):
            field[j : j + PATCH, i : i + PATCH] = patch[component]
        return field

    def dense(self, level):
        own = self.covered(level) if level < len(self.levels) else None
        if level == 0:
            return own
        finer = self.finer(self.finer(self.dense(level - 1)).T).T
        return finer if own is None else np.where(np.isnan(own), finer, own)

    def finer(self, field):
        """Twice the points along x."""
        u = np.pad(field, ((0, 0), (2, 2)), mode="wrap" if self.periodic else "constant")
        at = lambda shift: u[:, 2 + shift : u.shape[1] - 2 + shift]  # noqa: E731
        if self.has_cells:
            half = (22 * (at(1) - at(-1)) - 3 * (at(2) - at(-2))) / 128
            pair = (at(0) - half, at(0) + half)
        else:
            pair = (at(0), (9 * (at(0) + at(1)) - at(-1) - at(2)) / 16)
        return np.stack(pair, axis=2).reshape(field.shape[0], -1)

    def finest_levels(self, level):
        """Of the mesh, at each point of a level's grid."""
        found = np.zeros(self.levels[level][2], np.int8)
        for finer, (boxes, _, _, _) in enumerate(self.levels):
            scale = 2.0 ** (level - finer)
            for i, j in boxes:
                ends = [round(end * scale) for end in (j, j + PATCH, i, i + PATCH)]
                found[ends[0] : ends[1], ends[2] : ends[3]] = finer
        return found


class UniformExport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.runs = Path(folder.name)
        for name, (case, keys) in RUNS.items():
            subprocess.run([KUMIKO, "run", CASES / case, *settings(keys), "--quiet", "--workers", "2",
                            "--output", cls.runs / name], check=True, timeout=300)  # fmt: skip

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def export(self, *arguments, **more):
        return subprocess.run([KUMIKO, "export", *map(str, arguments)], cwd=self.path, capture_output=True,
                              text=True, timeout=300, check=False, **more)  # fmt: skip

    def export_well(self, *arguments):
        done = self.export(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def state(self, name, step=8):
        return self.runs / name / f"state_{step:06}.hdf"

    def arrays(self, *arguments, name="uniform_000008.npz"):
        self.assertEqual(self.export_well(*arguments, "--format", "npz"), [f"./{name}"])
        return np.load(self.path / name, allow_pickle=False)

    def names(self):
        return sorted(file.name for file in self.path.iterdir())

    def test_given_a_state_then_each_level_has_its_bits_and_what_numpy_interpolates(self):
        for name, periodic in PERIODIC.items():
            records = Records(self.state(name), periodic)
            self.assertEqual(len(records.levels), 3)
            for level in range(4):
                with self.subTest(name, level=level):
                    found = self.arrays(self.state(name), "--uniform", level)
                    self.assertEqual(set(found.files), {"u", "x", "y", "level", "time", "step", "spacing"})
                    np.testing.assert_allclose(found["u"], records.dense(level), rtol=0, atol=1e-14)
                    self.assertEqual((found["time"], found["step"]), (records.time, records.step))
                    h = records.levels[0][3] / 2**level
                    self.assertEqual(found["spacing"], h)
                    offset = 0.5 if records.has_cells else 0.0
                    for axis, count in zip("yx", found["u"].shape):
                        np.testing.assert_array_equal(found[axis], (np.arange(count) + offset) * h)
                    if level == 3:
                        continue
                    own = records.covered(level)
                    there = ~np.isnan(own)
                    self.assertEqual(found["u"][there].tobytes(), own[there].tobytes())
                    np.testing.assert_array_equal(found["level"], records.finest_levels(level))

    def test_given_cells_then_every_grid_has_the_mass_of_the_state(self):
        row = (self.runs / "cells" / "diagnostics.csv").read_text().splitlines()
        mass = float(dict(zip(row[0].split(","), row[-1].split(",")))["mass"])
        for level in range(5):
            found = self.arrays(self.state("cells"), "--uniform", level)
            self.assertAlmostEqual(np.sum(found["u"], dtype=np.longdouble) * found["spacing"] ** 2 / mass,
                                   1, delta=1e-14)  # fmt: skip

    def test_given_no_level_then_it_is_the_finest_and_a_box_is_its_part(self):
        whole = self.arrays(self.state("zalesak"))
        self.assertEqual(whole["u"].shape, (256, 256))
        part = self.arrays(self.state("zalesak"), "--box", "0.25,0.5,-1,0.125")
        self.assertEqual((part["x"][0], part["x"][-1], part["y"][0], part["y"][-1]), (0.25, 0.5, 0, 0.125))
        for name in ("u", "level"):
            np.testing.assert_array_equal(part[name], whole[name][:33, 64:129])

    def test_given_components_then_all_or_the_one_that_is_named_are_written(self):
        state = self.state("dyes")
        found = self.arrays(state)
        for component, name in enumerate(("disk", "cone", "hump")):
            own = Records(state).covered(1, component)
            there = ~np.isnan(own)
            self.assertEqual(found[name][there].tobytes(), own[there].tobytes())
        one = self.arrays(state, "--component", "cone", name="uniform_cone_000008.npz")
        self.assertNotIn("disk", one.files)
        np.testing.assert_array_equal(one["cone"], found["cone"])
        done = self.export(state, "--format", "vti", "--component", "ink")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"'{state}' has no component 'ink'; it has: disk, cone, hump", done.stderr)

    def test_given_a_folder_then_all_its_states_are_written_in_each_format(self):
        for form, end in (("npz", "npz"), ("vti", "vti"), ("table", "txt")):
            names = [f"out/uniform_{step:06}.{end}" for step in (4, 8)]
            self.assertEqual(self.export_well(self.runs / "dyes", "--format", form, "-o", "out"), names)
            self.assertEqual(self.export_well(self.runs / "dyes", "--format", form, "-o", "out", "-q"), [])

    def test_given_a_table_then_it_has_the_bits_of_the_archive(self):
        for name in ("dyes", "channel"):
            arrays = self.arrays(self.state(name), "--box", "0.25,0.5,0,0.25")
            self.export_well(self.state(name), "--format", "table", "--box", "0.25,0.5,0,0.25")
            file = self.path / "uniform_000008.txt"
            lines = file.read_text().splitlines()
            fields = [field for field in arrays.files if arrays[field].shape == arrays["level"].shape]
            fields = ["level", *(field for field in fields if field != "level")]
            self.assertEqual(lines[1], " ".join(["# x y", *fields]))
            self.assertEqual(lines.count(""), len(arrays["y"]))
            columns = np.loadtxt(file).T
            x, y = np.meshgrid(arrays["x"], arrays["y"])
            for column, values in zip(columns, [x, y, *(arrays[field] for field in fields)], strict=True):
                np.testing.assert_array_equal(column, values.ravel())

    @unittest.skipIf(vtk is None, "python3-vtk9 is not installed: images are NOT tested")
    def test_given_an_image_then_vtk_has_points_of_nodes_and_cells_of_cells_at_their_places(self):
        for name in ("zalesak", "channel"):
            arrays = self.arrays(self.state(name))
            self.export_well(self.state(name), "--format", "vti")
            reader = vtk.vtkXMLImageDataReader()
            reader.SetFileName(str(self.path / "uniform_000008.vti"))
            reader.Update()
            image = reader.GetOutput()
            cells = name == "channel"
            data = image.GetCellData() if cells else image.GetPointData()
            values = vtk_to_numpy(data.GetArray("u")).reshape(arrays["u"].shape)
            np.testing.assert_array_equal(values, arrays["u"])
            x0, x1, y0, y1, _, _ = image.GetBounds()
            if cells:
                self.assertEqual((x0, x1, y0, y1), (0, 2, 0, 1))
            else:
                self.assertEqual((x0, x1, y0, y1), (0, arrays["x"][-1], 0, arrays["y"][-1]))
            self.assertEqual(image.GetFieldData().GetArray("TimeValue").GetValue(0), arrays["time"])

    def test_given_a_case_that_is_not_at_hand_then_a_warning_says_what_was_done_instead(self):
        (self.path / "squall.toml").write_text('[case]\nname = "squall"\n[solver]\nname = "semi_lagrangian_cubic"\n')
        keys = ["grid.base=64", "time.cfl=1", "time.stop_step=1", "amr.levels=2"]
        subprocess.run([KUMIKO, "run", "squall.toml", "--plugin-path", SQUALL, *settings(keys), "--quiet",
                        "--output", "run"], cwd=self.path, check=True, timeout=300)  # fmt: skip
        state = ["run/state_000001.hdf", "--format", "npz"]
        done = self.export(*state)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^kumiko: warning: 'run/state_000001.hdf': the case's boundaries are not known, "
                         r"since there is no case 'squall'; .* --plugin-path\n$")  # fmt: skip
        one_sided = np.load(self.path / "uniform_000001.npz")["u"]
        self.export_well(*state, "--plugin-path", SQUALL)
        known = np.load(self.path / "uniform_000001.npz")["u"]
        np.testing.assert_allclose(known, Records(self.path / state[0]).dense(1), rtol=0, atol=1e-14)
        np.testing.assert_array_equal(known[4:-4, 4:-4], one_sided[4:-4, 4:-4])
        # Without coarser places nothing is missing.
        self.assertEqual(self.export_well(*state, "--uniform", "0"), ["./uniform_000001.npz"])
        done = self.export(*state, "--plugin-path", "nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere", done.stderr)

    def test_given_a_wrong_request_then_it_is_refused_and_nothing_is_written(self):
        state = self.state("zalesak")
        for words, message in (
            (["--uniform", "8"], "--uniform: '8' is not a whole number from 0 to 7"),
            (["--uniform", "fine"], "--uniform: 'fine' is not a whole number from 0 to 7"),
            (["--box", "0,1,0"], "--box 0,1,0: give X0,X1,Y0,Y1 with X0 < X1"),
            (["--box", "0.5,0.5,0,1"], "give X0,X1,Y0,Y1"),
            (["--box", "0,1,1,0"], "give X0,X1,Y0,Y1"),
            (["--box", "0,1,0,inf"], "give X0,X1,Y0,Y1"),
            (["--box", "0,1,0,1,2"], "give X0,X1,Y0,Y1"),
            (["--box", "2,3,0,1"], "outside the domain of"),
            (["--box", "0.1,0.1001,0,1"], "their spacing is 0.00390625; widen the box"),
            (["--width", "400"], "--width cannot be combined with --format npz, only with png"),
        ):
            with self.subTest(words):
                done = self.export(state, "--format", "npz", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertEqual(self.names(), [])
        for option, value in (("--uniform", "1"), ("--box", "0,1,0,1"), ("--plugin-path", ".")):
            done = self.export(state, option, value)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{option} cannot be combined with --format plotfile, only with npz, vti and table", done.stderr)

    def test_given_a_wrong_file_among_right_ones_then_these_are_written_and_the_export_has_failed(self):
        (self.path / "notes.txt").write_text("a letter to a friend\n")
        done = self.export("notes.txt", self.state("dyes"), self.state("zalesak"), "--format", "npz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'notes.txt' is not a ", done.stderr)
        self.assertIn("has the same base step, 8, as", done.stderr)
        self.assertEqual(self.names(), ["notes.txt", "uniform_000008.npz"])
        done = self.export("missing.hdf", "--format", "npz")
        self.assertEqual(done.returncode, 2)

    @unittest.skipIf(os.environ["KUMIKO_SANITIZER"], "sanitizers take terabytes of addresses")
    def test_given_too_little_memory_then_the_message_names_what_takes_less(self):
        limit = ["bash", "-c", 'ulimit -v 500000; exec "$@"', "bash"]
        done = subprocess.run([*limit, KUMIKO, "export", self.state("zalesak"), "--format", "npz", "--uniform", "7"],
                              cwd=self.path, capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn("not enough memory for 8192 x 8192 points of level 7; choose a coarser level with --uniform",
                      done.stderr)  # fmt: skip
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
