"""Contract: folders and files that a command is given: another run's, unreadable, damaged; and the limits of the system."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import unittest

from command_case import ZALESAK, HAS_VTK, SMALL, without_rights_of_root, CommandTest


class Folder(CommandTest):
    """What a run's folder holds, and whose it is."""

    def test_given_a_folder_that_never_held_a_run_then_nothing_of_it_is_replaced(self):
        mine = self.path / "mine"
        mine.mkdir()
        for name in ("summary.json", "report.html", "trace.json", "field_end.png"):
            (mine / name).write_text("mine")
        for more in ([], ["--overwrite"]):
            done = self.kumiko("run", ZALESAK, *SMALL, "--output", "mine", *more)
            self.assert_refused(done, "'mine' has files but no run", "--output")
        self.assertEqual({file.read_text() for file in mine.iterdir()}, {"mine"})

    def test_given_a_folder_that_holds_a_run_then_it_is_replaced_on_demand_only(self):
        self.run_small("run")
        (self.path / "run" / "notes.txt").write_text("mine")
        done = self.kumiko("run", ZALESAK, *SMALL, "--output", "run")
        self.assert_refused(done, "'run' holds a run", "--overwrite", "--restart latest", "--output")
        self.assertNotIn("in use", done.stderr)
        self.run_small("run", "--overwrite")
        self.assertEqual((self.path / "run" / "notes.txt").read_text(), "mine")

    def test_given_the_folder_as_it_was_written_then_inspect_says_so(self):
        self.run_small("run")
        done = self.kumiko("inspect", "run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("run: whole", done.stdout)
        self.assertIn("summary.json", done.stdout)
        report = json.loads(self.kumiko("inspect", "run", "--json").stdout)
        self.assertTrue(report["whole"])
        listed = {file["name"] for file in report["files"]}
        self.assertEqual(listed | {"manifest.json"}, set(os.listdir(self.path / "run")))

    def test_given_bits_that_flip_then_inspect_names_the_file_wherever_they_are(self):
        self.run_small("run", "--set", "trace.from=0")
        rng = random.Random(5)
        for file in sorted((self.path / "run").iterdir()):
            whole = file.read_bytes()
            for sample in range(4):
                at = rng.randrange(len(whole))
                changed = bytearray(whole)
                changed[at] ^= 1 << rng.randrange(8)
                file.write_bytes(changed)
                done = self.kumiko("inspect", "run", "--json")
                self.assertEqual(done.returncode, 1, f"{file.name}, byte {at}")
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(f"the files in 'run' have changed since the run wrote them: {file.name} ", done.stderr)
                altered = [each for each in json.loads(done.stdout)["files"] if not each["whole"]]
                self.assertIn(file.name, [each["name"] for each in altered])
            file.write_bytes(whole)
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
        (self.path / "run" / "load.csv").unlink()
        self.assertIn("load.csv is missing", self.kumiko("inspect", "run").stderr)

    def test_given_bits_that_flip_then_report_refuses_the_run_or_says_so(self):
        self.run_small("run")
        if "KUMIKO_WITH_REPORT" in self.kumiko("report", "run").stderr:
            self.skipTest("this build cannot write reports")
        page = self.path / "run" / "report.html"
        rng = random.Random(6)
        for name in ("summary.json", "diagnostics.csv"):
            file = self.path / "run" / name
            whole = file.read_bytes()
            for sample in range(12):
                at = rng.randrange(len(whole))
                changed = bytearray(whole)
                changed[at] ^= 1 << rng.randrange(8)
                file.write_bytes(changed)
                done = self.kumiko("report", "run")
                self.assertIn(name, done.stderr, f"byte {at}")
                if done.returncode == 0:
                    self.assertIn(f"warning: the files in 'run' have changed since the run wrote them: {name}", done.stderr)
                    self.assertIn("have changed since the run wrote them", page.read_text())
                else:
                    self.assertEqual(done.returncode, 1, done.stderr)
            file.write_bytes(whole)
        done = self.kumiko("report", "run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("have changed since the run wrote them", page.read_text())

    def test_given_a_folder_without_a_finished_run_then_inspect_refuses_it(self):
        (self.path / "mine").mkdir()
        self.assert_refused(self.kumiko("inspect", "mine"), "'mine' does not hold a finished run")

    def test_given_a_summary_or_a_manifest_that_is_damaged_then_a_restart_is_advised_and_writes_it(self):
        for name, change, commands in (
            ("summary.json", lambda file: file.write_text("{"), ["inspect", "report"]),
            ("effective.toml", os.remove, ["inspect", "report"]),
            ("manifest.json", os.remove, ["inspect"]),
        ):
            with self.subTest(name):
                shutil.rmtree(self.path / "run", ignore_errors=True)
                self.copy_of_small("run")
                change(self.path / "run" / name)
                for command in commands:
                    done = self.kumiko(command, "run")
                    if "KUMIKO_WITH_REPORT" in done.stderr:
                        continue
                    self.assertIn(name, done.stderr)
                    self.assertIn("anew with kumiko run --restart run" if name != "manifest.json" else
                                  "kumiko run --restart run writes it anew", done.stderr)  # fmt: skip
                self.assertEqual(self.kumiko("run", "--restart", "run", "--quiet").returncode, 0)
                self.assertEqual(self.kumiko("inspect", "run").returncode, 0)


class Unreadable(CommandTest):
    """What may not be read or written is a wrong request, told with the remedy before work starts."""

    def setUp(self):
        super().setUp()
        self.copy_of_small("run", "--set", "trace.from=0")
        self.closed = self.path / "closed"
        shutil.copytree(self.path / "run", self.closed)
        self.closed.chmod(0)
        self.addCleanup(self.closed.chmod, 0o700)
        listed = subprocess.run(
            ["ls", self.closed], preexec_fn=without_rights_of_root, capture_output=True, check=False
        )
        self.can_be_restricted = listed.returncode != 0

    def restricted(self, *arguments):
        if not self.can_be_restricted:
            self.skipTest("root's rights cannot be given up here: folders without permission are NOT tested")
        return self.kumiko(*arguments, preexec_fn=without_rights_of_root)

    def reading_commands(self, name):
        yield ["inspect", name]
        yield ["inspect", name, "--json"]
        yield ["simulate", name]
        for form in ("plotfile", "chrome", "csv"):
            yield ["export", name, "--format", form]
        if HAS_VTK:
            yield ["export", name, "--format", "png"]
        if "KUMIKO_WITH_REPORT" not in self.kumiko("report", "run").stderr:
            yield ["report", name]

    def test_given_a_folder_that_may_not_be_read_then_every_command_says_so(self):
        for words in self.reading_commands("closed"):
            with self.subTest(words):
                done = self.restricted(*words)
                self.assert_refused(done, "'closed", os.strerror(errno.EACCES), "let this user read it")
        for words in (["inspect"], ["export"], ["export", "--format", "csv"]):
            with self.subTest(words):
                done = self.restricted(*words, "closed/state_000012.hdf")
                self.assert_refused(done, "'closed/state_000012.hdf'", "let this user read it")
        done = self.restricted("run", "--restart", "latest", "--output", "closed")
        self.assert_refused(done, "'closed'", os.strerror(errno.EACCES))

    def test_given_a_file_that_may_not_be_read_then_the_request_is_wrong(self):
        (self.path / "state.hdf").write_bytes((self.path / "run" / "state_000012.hdf").read_bytes())
        (self.path / "state.hdf").chmod(0)
        for words in (["inspect"], ["export"], ["run", "--output", "new", "--restart"]):
            with self.subTest(words):
                done = self.restricted(*words, "state.hdf")
                self.assert_refused(done, "'state.hdf' cannot be read", "let this user read it")

    def test_given_a_configuration_that_may_not_be_read_then_the_request_is_wrong(self):
        (self.path / "case.toml").write_text(ZALESAK.read_text())
        (self.path / "case.toml").chmod(0)
        done = self.restricted("run", "case.toml")
        self.assert_refused(done, "cannot read 'case.toml': Permission denied; let this user read it")

    def test_given_a_newest_state_that_may_not_be_read_then_latest_names_the_remedy(self):
        (self.path / "run" / "state_000012.hdf").chmod(0)
        done = self.restricted("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "'run/state_000012.hdf' cannot be read", "let this user read it")

    def test_given_a_file_of_a_run_that_may_not_be_read_then_the_request_is_wrong(self):
        inspect = [["inspect", "run"], ["inspect", "run", "--json"]]
        report = [words for words in self.reading_commands("run") if words[0] == "report"]
        picture = [["export", "run", "--format", "png"]] if HAS_VTK else []
        trace = [["simulate", "run"], ["export", "run", "--format", "csv"]]
        for name, commands in (
            ("manifest.json", inspect),
            ("summary.json", inspect + report),
            ("effective.toml", inspect + report),
            ("diagnostics.csv", inspect + report),
            ("load.csv", inspect + report),
            ("state_000012.hdf", inspect + picture + (report if HAS_VTK else [])),
            ("trace.hdf", inspect + trace + report),
        ):
            file = self.path / "run" / name
            file.chmod(0)
            for words in commands:
                with self.subTest(name, words=words):
                    done = self.restricted(*words)
                    self.assert_refused(done, f"'run/{name}' cannot be read", "let this user read it")
            file.chmod(0o600)

    def test_given_a_state_that_may_not_be_read_and_is_not_shown_then_the_report_is_made(self):
        if not HAS_VTK or "KUMIKO_WITH_REPORT" in self.kumiko("report", "run").stderr:
            self.skipTest("this build draws no pictures for reports")
        hidden = self.path / "run" / "state_000006.hdf"
        hidden.write_bytes((self.path / "run" / "state_000012.hdf").read_bytes())
        hidden.chmod(0)
        done = self.restricted("report", "run", "--output", "page.html", "--times", "9999")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_given_links_in_a_circle_then_every_command_says_so(self):
        (self.path / "loop").symlink_to("loop")
        for words in (*self.reading_commands("loop"), ["run", "--restart", "loop"]):
            with self.subTest(words):
                self.assert_refused(
                    self.kumiko(*words), "'loop'", os.strerror(errno.ELOOP), "name another"
                )
        for name in ("manifest.json", "summary.json", "trace.hdf"):
            (self.path / "run" / name).unlink()
            (self.path / "run" / name).symlink_to(name)
        self.assert_refused(self.kumiko("inspect", "run"), "run/manifest.json", "name another")
        self.assert_refused(self.kumiko("simulate", "run"), "run/trace.hdf", "name another")

    def test_given_the_other_kind_of_file_then_the_request_is_wrong(self):
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        (self.path / "text.hdf").write_text("neither\n")
        for words, message in (
            (["simulate", state], f"'{state}' is a checkpoint or a state, not a trace; name the run's trace.hdf"),
            (["export", state, "--format", "csv"], f"'{state}' is a checkpoint or a state, not a trace"),
            (["inspect", trace], f"'{trace}' is a trace, not a checkpoint; export it with --format"),
            (["export", trace], f"'{trace}' is a trace, not a checkpoint"),
            (["run", "--restart", trace], f"'{trace}' is a trace, not a checkpoint"),
            (["inspect", "text.hdf"], "'text.hdf' is not a checkpoint: it does not begin as an HDF5 file; name a checkpoint"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), message)

    def test_given_a_folder_that_may_not_be_written_then_nothing_is_begun(self):
        self.closed.chmod(0o500)
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        exports = [[state], [trace, "--format", "csv"]] + ([[state, "--format", "png"]] if HAS_VTK else [])
        for words in exports:
            for output in ("closed", "closed/below"):
                with self.subTest(words=words, output=output):
                    done = self.restricted("export", *words, "--output", output)
                    self.assert_refused(
                        done, f"'{output}'", "no permission to write to '", "/closed'", "--output"
                    )
        done = self.restricted("solver", "new", "mine", "--output", "closed/mine")
        self.assert_refused(done, "'closed/mine'", "no permission to write to '", "--output")

    def test_given_a_folder_that_may_be_written_but_not_listed_then_exports_are_put_there(self):
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        (self.path / "blind").mkdir()
        for words, made in (
            ([state], "plt_000012"),
            ([trace, "--format", "chrome"], "trace.json"),
            ([trace, "--format", "csv"], "trace.csv"),
            *([([state, "--format", "png"], "frame_000012.png")] if HAS_VTK else []),
        ):
            with self.subTest(words):
                (self.path / "blind").chmod(0o333)
                done = self.restricted("export", *words, "--output", "blind")
                (self.path / "blind").chmod(0o700)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, f"blind/{made}\n")
                self.assertTrue((self.path / "blind" / made).exists())

    def test_given_nothing_of_that_name_then_it_is_said_what_to_name(self):
        for words in self.reading_commands("nofile"):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), "there is no ", "'nofile'; ")
        self.assert_refused(
            self.kumiko("inspect", "nofile"),
            "there is no file 'nofile'; name a checkpoint, a state, or the folder of a finished run",
        )
        self.assert_refused(self.kumiko("inspect", "/dev/null"), "'/dev/null' is not a file; name ")
        self.assert_refused(
            self.kumiko("run", "--restart", "latest", "--output", "nowhere"),
            "there is no folder 'nowhere'; name the run's folder: --restart FOLDER",
        )
        done = self.kumiko("run", "--restart", "nofile.hdf")
        self.assert_refused(done, "there is no file 'nofile.hdf'; name ")
        self.assertNotIn("no earlier checkpoint", done.stderr)


class Damaged(CommandTest):
    """A file that is damaged is not a wrong request: every command that is to read it has failed."""

    def setUp(self):
        super().setUp()
        self.copy_of_small("run", "--set", "trace.from=0")

    def damage(self, name):
        file = self.path / "run" / name
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2] ^= 1
        file.write_bytes(whole)

    def assert_failed(self, *words, name):
        done = self.kumiko(*words)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(name, done.stderr)
        self.assertIn("run the case again", done.stderr)

    def test_given_a_damaged_and_a_missing_file_then_their_order_does_not_decide_the_code(self):
        state = "run/state_000012.hdf"
        self.damage("state_000012.hdf")
        for form in ["plotfile"] + (["png"] if HAS_VTK else []):
            for files in ([state, "nofile"], ["nofile", state]):
                with self.subTest(format=form, files=files):
                    done = self.kumiko("export", *files, "--format", form)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("there is no file 'nofile'", done.stderr)

    def has_report(self):
        return HAS_VTK and "KUMIKO_WITH_REPORT" not in self.kumiko("report", "run").stderr

    def test_given_a_damaged_state_then_all_end_with_1(self):
        state = "state_000012.hdf"
        commands = [["inspect", "run"], ["inspect", f"run/{state}"], ["export", f"run/{state}"]]
        if HAS_VTK:
            commands.append(["export", "run", "--format", "png"])
        if self.has_report():
            commands.append(["report", "run"])
        self.damage(state)
        for words in commands:
            with self.subTest(words):
                self.assert_failed(*words, name=state)
        # There another file may be named.
        done = self.kumiko("run", "--restart", f"run/{state}")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_given_a_damaged_trace_then_all_end_with_1(self):
        commands = [["simulate", "run"], ["export", "run", "--format", "csv"], ["inspect", "run"]]
        if self.has_report():
            commands.append(["report", "run"])
        self.damage("trace.hdf")
        for words in commands:
            with self.subTest(words):
                self.assert_failed(*words, name="trace.hdf")

    def test_given_a_damaged_table_then_all_end_with_1(self):
        if not self.has_report():
            self.skipTest("this build cannot write reports")
        (self.path / "run" / "load.csv").write_text("step\n")
        for words in (["inspect", "run"], ["report", "run"]):
            with self.subTest(words):
                self.assert_failed(*words, name="load.csv")


@unittest.skipIf(os.environ["KUMIKO_SANITIZER"], "sanitizers need more than these limits allow")
class Limits(CommandTest):
    """Of the process: what is missing is named, and what was computed is not lost for want of it."""

    def limited(self, kind, amount, *arguments):
        return self.kumiko(
            *arguments, preexec_fn=lambda: resource.setrlimit(kind, (amount, amount))
        )

    def test_given_too_few_descriptors_then_they_are_what_is_named(self):
        for limit in (4, 6, 8):
            words = ["run", ZALESAK, *SMALL, "--output", f"run{limit}"]
            done = self.limited(resource.RLIMIT_NOFILE, limit, *words)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn("ulimit -n", done.stderr)
            self.assertNotIn("is unknown", done.stderr)

    def test_given_a_run_that_cannot_begin_its_tables_then_the_same_command_serves_later(self):
        words = ["run", ZALESAK, *SMALL, "--output", "run", "--quiet"]
        self.assertEqual(self.limited(resource.RLIMIT_FSIZE, 0, *words).returncode, 1)
        self.assertEqual(list((self.path / "run").iterdir()), [])
        done = self.kumiko(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(HAS_VTK, "this build draws no pictures")
    def test_given_a_picture_that_cannot_be_written_then_the_run_is_complete_with_a_warning(self):
        self.run_small("run", "--set", "checkpoint.every=5")
        (self.path / "run" / "field_end.png").unlink()
        (self.path / "run" / "field_end.png.part").mkdir()
        words = ["run", ZALESAK, *SMALL, "--output", "run", "--restart", "run/checkpoint_000010.hdf"]
        done = self.kumiko(*words, "--overwrite", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: there is no picture field_end.png", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertTrue((self.path / "run" / "summary.json").exists())
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)

    def test_given_little_address_space_then_every_line_is_ours_and_a_done_run_is_complete(self):
        words = ["run", ZALESAK, *SMALL, "--workers", 1, "--quiet", "--overwrite", "--output", "run"]
        codes = set()
        for mebibytes in [*range(100, 420, 20), 4096]:  # the last one is enough on any machine
            done = self.limited(resource.RLIMIT_AS, mebibytes << 20, *words)
            # HDF5 reads a null pointer where it finds no memory as it begins; the report of that is ours, and its
            # backtrace names the library, libhdf5.so or libhdf5_serial.so with any version. No other fault is excused.
            is_fault = done.returncode == -signal.SIGSEGV and "kumiko: SIGSEGV at" in done.stderr
            if is_fault:
                self.assertRegex(done.stderr, r"/libhdf5[\w-]*\.so", f"{mebibytes} MiB")
            for line in done.stderr.splitlines() if not is_fault else ():
                if "error while loading shared libraries" not in line:
                    self.assertTrue(line.startswith("kumiko: "), f"{mebibytes} MiB: {done.stderr}")
            codes.add(done.returncode)
            if done.returncode == 0:
                self.assertTrue((self.path / "run" / "summary.json").exists())
                self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
        self.assertIn(0, codes)

    def test_given_too_little_memory_then_the_message_suits_the_command(self):
        self.copy_of_small("run")
        for mebibytes in range(80, 140, 10):
            done = self.limited(resource.RLIMIT_AS, mebibytes << 20, "run", ZALESAK, *SMALL, "--output", "more", "--overwrite")
            if "cannot start" in done.stderr:
                self.assertRegex(done.stderr, r"cannot start [1-9]\d* workers?: .*\(ulimit -u\).*\(ulimit -v\)")
            for command in ("inspect", "report"):
                done = self.limited(resource.RLIMIT_AS, mebibytes << 20, command, "run")
                self.assertNotIn("grid.base", done.stderr, "a key of a run, but none is computed")


if __name__ == "__main__":
    unittest.main()
