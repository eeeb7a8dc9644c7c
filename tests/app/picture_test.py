"""Contract: kumiko export draws states as pictures with one range of colours, and joins them to
animations by ffmpeg; it needs neither the case nor the solver."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
HAS_VTK = os.environ["KUMIKO_HAS_VTK"] == "1"
HAS_FFMPEG = shutil.which("ffmpeg") is not None
SHORT = ["--set", "time.stop_step=20", "--set", "output.every=10", "--workers", "2", "--quiet"]
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640", *SHORT]
QUANTITIES = ("field", "worker", "cost", "indicator")


class Png:
    """Pixels of an RGB picture without interlacing."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
        at, packed = 8, b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at : at + 8])
            body = data[at + 8 : at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, depth, colours = struct.unpack(">IIBB", body[:10])
                assert (depth, colours) == (8, 2), "not RGB"
            if kind == b"IDAT":
                packed += body
            at += length + 12
        self.rows = self.unfiltered(zlib.decompress(packed))

    def unfiltered(self, data):
        rows, before, stride = [], bytearray(3 * self.width), 3 * self.width
        for y in range(self.height):
            kind = data[y * (stride + 1)]
            row = bytearray(data[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
            for x in range(stride):
                left = row[x - 3] if x >= 3 else 0
                corner = before[x - 3] if x >= 3 else 0
                row[x] = (row[x] + self.guess(kind, left, before[x], corner)) % 256
            rows.append(row)
            before = row
        return rows

    @staticmethod
    def guess(kind, left, above, corner):
        if kind == 4:
            estimate = left + above - corner
            distances = [(abs(estimate - one), at) for at, one in enumerate((left, above, corner))]
            return (left, above, corner)[min(distances)[1]]
        return (0, left, above, (left + above) // 2)[kind]

    def at(self, x, y):
        """From the lower left corner."""
        return tuple(self.rows[self.height - 1 - y][3 * x : 3 * x + 3])


@unittest.skipUnless(HAS_VTK, "this build draws no pictures")
class PictureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.runs = Path(cls.folder.name)
        for name, more in (
            ("zalesak", [*SMALL, "--set", "output.extras=true"]),
            ("dyes", SMALL),
            ("channel", SHORT),
        ):
            cls.make(name, CASES / name / f"{name}.toml", more)

    @classmethod
    def make(cls, name, case, arguments):
        subprocess.run([KUMIKO, "run", str(case), *arguments, "--output", str(cls.runs / name)],
                       check=True, timeout=300)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def export(self, *arguments, **environment):
        return subprocess.run(
            [KUMIKO, "export", *map(str, arguments)],
            cwd=self.path,
            capture_output=True,
            text=True,
            timeout=300,
            env=os.environ | {"DISPLAY": ""} | environment,
        )

    def names(self):
        return sorted(file.name for file in self.path.iterdir())

    def png(self, name):
        return Png((self.path / name).read_bytes())

    def test_given_a_folder_then_all_its_states_are_drawn_for_each_quantity(self):
        for quantity in QUANTITIES:
            result = self.export(self.runs / "zalesak", "--format", "png", "--quantity", quantity)
            self.assertEqual(result.returncode, 0, result.stderr)
            infix = "" if quantity == "field" else f"_{quantity}"
            expected = [f"frame{infix}_{step:06}.png" for step in (10, 20)]
            self.assertEqual(result.stdout.split(), [f"./{name}" for name in expected])
        self.assertEqual(len(self.names()), 8)

    def test_given_fields_of_other_sizes_then_their_labels_differ(self):
        pictures = []
        for size in ("1e-5", "1e-7"):
            keys = [f"case.inflow={size}", f"case.height={size}", "time.stop_step=20"]
            result = subprocess.run(
                [KUMIKO, "run", CASES / "channel" / "channel.toml", *(word for key in keys for word in ("--set", key)),
                 "--quiet", "--overwrite", "--output", "small"],
                cwd=self.path, capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            pictures.append((self.path / "small" / "field_end.png").read_bytes())
        self.assertNotEqual(*pictures)

    def test_given_a_range_then_its_ends_are_the_end_colours(self):
        state = self.runs / "zalesak" / "state_000010.hdf"
        result = self.export(state, "--format", "png", "--range", "-1,0", "--width", "500")
        self.assertEqual(result.returncode, 0, result.stderr)
        picture = self.png("frame_000010.png")
        self.assertEqual(picture.width, 500)
        # Nothing is in the lower left quarter: 0 is now the last colour of viridis. The corner's
        # node lies in the middle between outlines.
        self.assertEqual(picture.at(45, 42), (253, 231, 37))

    def test_given_many_states_then_one_range_holds_for_all(self):
        both = self.export(self.runs / "zalesak", "--format", "png", "--width", "400")
        self.assertEqual(both.returncode, 0, both.stderr)
        lows, highs = [], []
        for step in (10, 20):
            state = self.runs / "zalesak" / f"state_{step:06}.hdf"
            text = subprocess.run([KUMIKO, "inspect", "--json", str(state)], check=True,
                                  capture_output=True, text=True).stdout
            for level in json.loads(text)["levels"]:
                lows.append(level["components"]["u"]["min"])
                highs.append(level["components"]["u"]["max"])
        alone = self.export(self.runs / "zalesak" / "state_000010.hdf", "--format", "png",
                            "--output", "alone", "--width", "400", "--range",
                            f"{min(lows)!r},{max(highs)!r}")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual((self.path / "alone" / "frame_000010.png").read_bytes(),
                         (self.path / "frame_000010.png").read_bytes())

    def test_given_a_component_then_that_is_drawn_and_unknown_ones_are_named(self):
        for name in ("disk", "cone", "hump"):
            result = self.export(self.runs / "dyes", "--format", "png", "--component", name,
                                 "--range", "0,1", "--width", "400")
            self.assertEqual(result.returncode, 0, result.stderr)
        pictures = {(self.path / f"frame_{name}_000020.png").read_bytes()
                    for name in ("disk", "cone", "hump")}
        self.assertEqual(len(pictures), 3)
        result = self.export(self.runs / "dyes" / "state_000010.hdf", "--format", "png",
                             "--component", "ink")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no component 'ink'; it has: disk, cone, hump", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_given_a_wrong_file_among_right_ones_then_these_are_drawn_and_the_export_has_failed(self):
        state = self.runs / "dyes" / "state_000010.hdf"
        (self.path / "notes.txt").write_text("a letter to a friend\n")
        for form, name in (("png", "frame_000010.png"), ("plotfile", "plt_000010")):
            result = self.export(state, self.path / "notes.txt", "--format", form)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(name, self.names())

    def test_given_a_wide_domain_then_so_is_the_picture(self):
        result = self.export(self.runs / "channel", "--format", "png", "--width", "1314")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = (self.path / "frame_000020.png").read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        self.assertEqual(width, 1314)
        self.assertLess(height, 800, "2 × 1")

    def test_given_no_plugins_then_pictures_need_none(self):
        state = self.runs / "zalesak" / "state_000010.hdf"
        result = self.export(state, "--format", "png", KUMIKO_PLUGIN_PATH="")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_given_a_state_without_figures_then_the_error_says_how_to_have_them(self):
        result = self.export(self.runs / "dyes", "--format", "png", "--quantity", "worker")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 2, "one line for each file")
        for line in result.stderr.splitlines():
            self.assertRegex(line, r"state_0000\d0.hdf'.*output.extras=true")
        self.assertEqual(self.names(), [])

    def test_given_a_wrong_request_then_it_is_refused(self):
        state = self.runs / "zalesak" / "state_000010.hdf"
        for arguments, word in (
            (["--range", "1,0"], "--range"),
            (["--range", "1"], "--range"),
            (["--range", "0,x"], "--range"),
            (["--quantity", "heat"], "--quantity"),
            (["--quantity", "cost", "--component", "disk"], "--component"),
            (["--width", "3"], "--width"),
        ):
            result = self.export(state, "--format", "png", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(word, result.stderr)
        result = self.export(self.path, "--format", "png")
        self.assertEqual(result.returncode, 2)
        self.assertIn("holds no states", result.stderr)

    def test_given_a_run_that_was_ended_before_its_first_state_then_its_newest_checkpoint_is_named(self):
        shutil.copy(self.runs / "zalesak" / "state_000010.hdf", self.path / "checkpoint_000010.hdf")
        for form in ("png", "plotfile"):
            result = self.export(self.path, "--format", form)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"'{self.path / 'checkpoint_000010.hdf'}'", result.stderr)

    def test_given_nothing_that_can_be_exported_then_no_folder_is_left(self):
        result = self.export(self.path, "--format", "png", "--output", self.path / "new")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(self.names(), [])
        (self.path / "own").mkdir()
        self.export(self.path, "--format", "png", "--output", self.path / "own")
        self.assertEqual(self.names(), ["own"], "one that was there stays")

    def test_given_states_of_one_step_then_neither_replaces_the_other_unseen(self):
        files = [self.runs / name / "state_000010.hdf" for name in ("zalesak", "dyes")]
        result = self.export(*files, "--format", "png")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has the same base step, 10, as", result.stderr)
        self.assertEqual(self.names(), ["frame_000010.png"])

    def test_given_no_ffmpeg_then_the_error_names_the_remedy(self):
        result = self.export(self.runs / "zalesak", "--format", "mp4", PATH="/nonexistent")
        self.assertEqual(result.returncode, 2)
        self.assertIn("apt install ffmpeg", result.stderr)
        self.assertEqual(self.names(), [])

    def test_given_an_ffmpeg_that_fails_then_its_words_are_told_and_nothing_is_left(self):
        tools = self.path / "tools"
        tools.mkdir()
        (tools / "ffmpeg").write_text("#!/bin/sh\necho no such encoder >&2\nexit 3\n")
        (tools / "ffmpeg").chmod(0o755)
        result = self.export(self.runs / "zalesak", "--format", "webm", "--width", "400",
                             PATH=f"{tools}:/usr/bin:/bin")
        self.assertEqual(result.returncode, 1)
        self.assertIn("status 3: no such encoder", result.stderr)
        self.assertEqual(self.names(), ["tools"])

    def test_given_an_ffmpeg_by_a_relative_path_then_it_is_run_all_the_same(self):
        tools = self.path / "my tools"
        tools.mkdir()
        # Its last argument is the file to make.
        (tools / "ffmpeg").write_text('#!/bin/sh\nfor last; do :; done\necho made >"$last"\n')
        (tools / "ffmpeg").chmod(0o755)
        result = self.export(self.runs / "zalesak", "--format", "gif", "--width", "400",
                             PATH="my tools:/usr/bin:/bin")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual((self.path / "field.gif").read_text(), "made\n")

    @unittest.skipUnless(HAS_FFMPEG, "ffmpeg is not installed: animations are NOT tested")
    def test_given_ffmpeg_then_an_animation_has_a_picture_for_each_state(self):
        for form, magic in (("mp4", b"ftyp"), ("gif", b"GIF8"), ("webm", b"\x1aE\xdf\xa3")):
            result = self.export(self.runs / "zalesak", "--format", form, "--fps", "5", "--width",
                                 "401", "--quantity", "worker")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, f"./worker.{form}\n")
            self.assertIn(magic, (self.path / f"worker.{form}").read_bytes()[:16])
            probe = subprocess.run(
                ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                 "stream=nb_read_frames,avg_frame_rate", "-of", "json", f"worker.{form}"],
                cwd=self.path, check=True, capture_output=True, text=True)
            stream = json.loads(probe.stdout)["streams"][0]
            self.assertEqual(int(stream["nb_read_frames"]), 2)
            if form == "mp4":  # the others' rates are guesses of ffprobe
                self.assertEqual(stream["avg_frame_rate"], "5/1")
        self.assertEqual(self.names(), ["worker.gif", "worker.mp4", "worker.webm"])

    @unittest.skipUnless(HAS_FFMPEG, "ffmpeg is not installed: animations are NOT tested")
    def test_given_signs_that_mean_something_to_ffmpeg_then_they_are_parts_of_names(self):
        for name in ("100%", "a%03d", "b:c", "-x"):
            result = self.export(self.runs / "dyes", "--format", "gif", f"--output={name}", "--width", "300")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([file.name for file in (self.path / name).iterdir()], ["field.gif"])


if __name__ == "__main__":
    unittest.main()
