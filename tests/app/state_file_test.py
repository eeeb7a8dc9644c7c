"""Contract: another reader finds the run's leaf data, once over the domain, in the state file."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
BASE = 64
LEVELS = 3
FINEST = BASE << (LEVELS - 1)


class StateTest(unittest.TestCase):
    """A short run and the file of its last state."""

    toml = ZALESAK
    more_keys: list[str] = []

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        out = Path(cls.folder.name) / "run"
        keys = [f"grid.base={BASE}", f"amr.levels={LEVELS}", "time.steps=640", "time.stop_step=9"]
        keys += cls.more_keys
        settings = [word for key in keys for word in ("--set", key)]
        subprocess.run(
            [KUMIKO, "run", str(cls.toml), *settings, "--output", str(out), "--quiet"], check=True
        )
        cls.summary = json.loads((out / "summary.json").read_text())
        cls.last_row = cls.rows("diagnostics.csv")[-1]
        cls.file = h5py.File(out / "state_000009.hdf")
        cls.addClassCleanup(cls.file.close)

    @classmethod
    def rows(cls, name):
        with open(Path(cls.folder.name) / "run" / name, newline="") as file:
            return list(csv.DictReader(file))


class StateFile(StateTest):
    def leaves(self):
        """(level, i0, j0, values[j, i]) of every box of the VTKHDF view."""
        view = self.file["VTKHDF"]
        finest = 1.0 / FINEST
        for name in sorted(key for key in view if key.startswith("Level")):
            spacing = view[name].attrs["Spacing"][0]
            values = view[name]["CellData"]["u"][:]
            at = 0
            for i0, i1, j0, j1, k0, k1 in view[name]["AMRBox"][:]:
                self.assertEqual((k0, k1), (0, 0))
                shape = (j1 - j0 + 1, i1 - i0 + 1)
                count = shape[0] * shape[1]
                scale = round(spacing / finest)
                yield scale, i0, j0, values[at : at + count].reshape(shape)
                at += count
            self.assertEqual(at, len(values))

    def test_given_the_program_of_the_files_page_then_it_finds_the_seal_whole(self):
        page = (ZALESAK.parents[2] / "docs" / "reference" / "files.md").read_text()
        lines = page[page.index("    import struct, sys, xxhash") :].splitlines()
        length = next(n for n, line in enumerate(lines) if line and not line.startswith("    "))
        program = "\n".join(line[4:] for line in lines[:length])
        state = Path(self.folder.name) / "run" / "state_000009.hdf"
        whole = [sys.executable, "-c", program, str(state)]
        self.assertEqual(subprocess.run(whole).returncode, 0)
        damaged = Path(self.folder.name) / "damaged.hdf"
        content = bytearray(state.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
        run = subprocess.run([*whole[:3], str(damaged)], capture_output=True, text=True)
        self.assertIn("AssertionError", run.stderr)

    def test_given_the_boxes_then_they_cover_the_domain_once(self):
        covered = np.zeros((FINEST, FINEST), dtype=int)
        for scale, i0, j0, values in self.leaves():
            height, width = values.shape
            covered[
                j0 * scale : (j0 + height) * scale, i0 * scale : (i0 + width) * scale
            ] += 1
        self.assertTrue((covered == 1).all())

    def test_given_the_leaves_then_mass_and_extremes_are_those_of_the_run(self):
        mass = sum(values.sum() * (scale / FINEST) ** 2 for scale, _, _, values in self.leaves())
        self.assertAlmostEqual(mass, float(self.last_row["mass"]), places=13)
        smallest = min(values.min() for _, _, _, values in self.leaves())
        largest = max(values.max() for _, _, _, values in self.leaves())
        self.assertEqual(smallest, self.summary["error"]["min"])
        self.assertEqual(largest, self.summary["error"]["max"])

    def test_given_chombos_records_then_the_leaves_are_views_of_them(self):
        records = {}
        for level in range(LEVELS):
            group = self.file[f"level_{level}"]
            boxes = group["boxes"][:]
            data = group["data:datatype=0"][:].reshape(len(boxes), 16, 16)
            self.assertEqual(len(boxes), self.summary["patches"]["per_level"][level])
            for box, values in zip(boxes, data):
                records[(1 << (LEVELS - 1 - level), box["lo_i"], box["lo_j"])] = values
        for scale, i0, j0, values in self.leaves():
            record = records[(scale, i0 - i0 % 16, j0 - j0 % 16)]
            height, width = values.shape
            part = record[j0 % 16 : j0 % 16 + height, i0 % 16 : i0 % 16 + width]
            self.assertTrue(np.array_equal(values, part))

    def test_given_the_attributes_then_step_and_time_are_those_of_the_run(self):
        self.assertEqual(self.file.attrs["iteration"], 9)
        self.assertAlmostEqual(self.file.attrs["time"], float(self.last_row["time"]), places=15)
        self.assertEqual(self.file.attrs["num_levels"], LEVELS)


class Figures(StateTest):
    more_keys = ["output.extras=true"]

    def records(self):
        """Of each patch: its level, its values by component."""
        names = [self.file.attrs[f"component_{k}"].decode() for k in range(5)]
        self.assertEqual(names, ["u", "level", "worker", "cost_s", "indicator"])
        for level in range(LEVELS):
            data = self.file[f"level_{level}"]["data:datatype=0"][:].reshape(-1, 5, 16, 16)
            for record in data:
                yield level, dict(zip(names, record))

    def test_given_figures_then_the_run_is_the_same_without(self):
        StateFile.setUpClass()
        self.addCleanup(StateFile.doClassCleanups)
        self.assertEqual(self.summary["state_hash"], StateFile.summary["state_hash"])

    def test_given_figures_then_level_worker_and_cost_are_those_of_the_load(self):
        load = [row for row in self.rows("load.csv") if row["step"] == "8"]
        cost = 0.0
        for level, values in self.records():
            self.assertTrue((values["level"] == level).all())
            for name in ("worker", "cost_s"):
                self.assertTrue((values[name] == values[name][0, 0]).all())
            self.assertIn(str(int(values["worker"][0, 0])), [row["worker"] for row in load])
            cost += values["cost_s"][0, 0]
        # load.csv has nanoseconds.
        busy = sum(float(row["busy_s"]) for row in load)
        self.assertAlmostEqual(cost, busy, delta=1e-9 * len(load))

    def test_given_figures_then_the_indicator_is_loehners(self):
        delta, floor = 0.05, 0.01
        largest = 0.0
        for _, values in self.records():
            u = values["u"]
            e = np.zeros((14, 14))
            for before, at, after in (
                (u[1:-1, :-2], u[1:-1, 1:-1], u[1:-1, 2:]),
                (u[:-2, 1:-1], u[1:-1, 1:-1], u[2:, 1:-1]),
            ):
                slopes = abs(before - at) + abs(at - after)
                filter = delta * (abs(before) + 2 * abs(at) + abs(after))
                e = np.maximum(e, abs(before - 2 * at + after) / (slopes + filter + floor))
            np.testing.assert_allclose(values["indicator"][1:-1, 1:-1], e, rtol=1e-12, atol=1e-15)
            largest = max(largest, e.max())
        self.assertGreater(largest, 0.5)

    def test_given_figures_then_the_vtk_view_shows_them(self):
        for level in range(LEVELS):
            cells = self.file[f"VTKHDF/Level{level}/CellData"]
            self.assertEqual(set(cells), {"u", "level", "worker", "cost_s", "indicator"})
            self.assertTrue((cells["level"][:] == level).all())


class SeveralComponents(StateTest):
    toml = CASES / "dyes" / "dyes.toml"
    names = ["disk", "cone", "hump"]

    def test_given_three_components_then_records_and_view_have_their_names(self):
        names = [self.file.attrs[f"component_{k}"].decode() for k in range(3)]
        self.assertEqual(names, self.names)
        self.assertEqual(self.file.attrs["num_components"], 3)
        for level in range(LEVELS):
            self.assertEqual(set(self.file[f"VTKHDF/Level{level}/CellData"]), set(self.names))

    def test_given_three_components_then_the_view_has_the_extremes_and_mass_of_each(self):
        for name in self.names:
            cells, mass = [], 0.0
            for level in range(LEVELS):
                group = self.file[f"VTKHDF/Level{level}"]
                cells.append(group["CellData"][name][:])
                mass += cells[-1].sum() * group.attrs["Spacing"][0] ** 2
            values = np.concatenate(cells)
            figures = self.summary["components"][name]
            self.assertEqual(values.min(), figures["min"])
            self.assertEqual(values.max(), figures["max"])
            self.assertAlmostEqual(mass, figures["mass"], places=13)


class CompressedFigures(Figures):
    more_keys = ["output.extras=true", "output.compression=deflate"]

    def test_given_compression_then_each_patch_is_a_chunk_of_hdf5s_own_filters(self):
        for level in range(LEVELS):
            records = self.file[f"level_{level}/data:datatype=0"]
            self.assertEqual((records.chunks, records.shuffle), ((5 * 256,), True))
            self.assertEqual(records.compression, "gzip")
            chunks = self.file[f"kumiko/level_{level}/chunks"][:].reshape(-1, 2)
            for number, (offset, length) in enumerate(chunks):
                info = records.id.get_chunk_info_by_coord((number * 5 * 256,))
                self.assertEqual((info.byte_offset, info.size), (offset, length))


if __name__ == "__main__":
    unittest.main()
