"""Contract: the words of the command line: which are understood, which are refused and how, and what help says."""

import json
import os
import re
import resource
import subprocess
import unittest
from pathlib import Path

from command_case import (
    KUMIKO,
    CASES,
    ZALESAK,
    THESIS,
    GAUSSIAN,
    HAS_VTK,
    HAS_OPENMP,
    SMALL,
    without_rights_of_root,
    CommandTest,
)


class NobodyListens(CommandTest):
    """What happens where not even an error can be told."""

    def test_given_a_full_stderr_then_the_exit_code_says_what_went_wrong(self):
        for words in (["run", "nofile.toml"], ["--nonsense"], ["inspect", "nofile"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([KUMIKO, *words], cwd=self.path, stderr=full, check=False)
                self.assertEqual(done.returncode, 2)


class Values(CommandTest):
    def test_given_an_option_where_a_value_should_be_then_it_is_not_taken_for_one(self):
        for words in (["--output", "--quiet"], ["--restart", "--output", "run"], ["--set", "--workers", "2"], ["-o", "-q"]):
            with self.subTest(words):
                done = self.kumiko("run", ZALESAK, *words)
                self.assert_refused(done, f"'{words[0]}' needs a value", f"the option '{words[1]}'")
        # What only looks like one is a value.
        done = self.kumiko("run", ZALESAK, *SMALL, "--output", "--folder", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.path / "--folder" / "summary.json").exists())

    def test_given_a_full_stdout_then_whatever_prints_says_so(self):
        for words in (["--version"], ["run", "--help"], ["run", "--help-keys"], ["solver", "list"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([KUMIKO, *words], cwd=self.path, stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn("cannot write to stdout", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


class Words(CommandTest):
    """What a message shows of the words that it was given."""

    def test_given_control_characters_then_the_terminal_gets_them_as_text(self):
        done = self.kumiko("inspect", "no\x1b[31mfile\n\x07")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'no\\x1b[31mfile\\n\\x07'", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_given_control_characters_then_a_warning_has_them_as_text_too(self):
        stale = self.path / "no\x1b[31mplugin\n\x07.so"
        stale.write_text("")
        done = self.kumiko("solver", "list", env={**os.environ, "KUMIKO_PLUGIN_PATH": str(stale)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: ", done.stderr)
        self.assertIn("/no\\x1b[31mplugin\\n\\x07.so", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class Refusal(CommandTest):
    def test_given_a_missing_file_then_it_is_named(self):
        self.assert_refused(self.kumiko("run", "missing.toml"), "missing.toml", "No such file")

    def test_given_a_grid_that_does_not_suit_the_domain_then_its_key_and_both_spacings_are_named(self):
        done = self.kumiko("run", ZALESAK, "--set", "grid.base=[128, 64]")
        self.assert_refused(done, "'grid.base' = [128, 64]", "domain of 1 × 1", "0.0078125 in x", "0.015625 in y")

    def test_given_a_misspelled_key_then_place_and_nearest_key_are_named(self):
        text = ZALESAK.read_text().replace("levels = 3", "levls = 3")
        (self.path / "typo.toml").write_text(text)
        line = 1 + text[: text.index("levls")].count("\n")
        self.assert_refused(
            self.kumiko("run", "typo.toml"), f"typo.toml:{line}", "amr.levls", "amr.levels"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "amr.treshold=0.2"),
            "amr.treshold",
            "amr.threshold",
        )

    def test_given_values_out_of_range_then_key_and_range_are_named(self):
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "amr.levels=0"), "amr.levels", "1 to 8"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "grid.base=100"), "grid.base", "100", "16"
        )

    def test_given_refinement_that_cannot_be_then_the_key_is_named(self):
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--set", "amr.criterion=user"), "amr.criterion"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--set", "amr.derefine_threshold=0.5"),
            "amr.derefine_threshold",
            "amr.threshold",
        )
        (self.path / "far.toml").write_text(
            ZALESAK.read_text() + "\n[[amr.region]]\nx = [2, 3]\ny = [0, 1]\n"
        )
        self.assert_refused(self.kumiko("run", "far.toml", *SMALL), "amr.region", "domain")

    def test_given_too_few_steps_then_the_smallest_number_that_would_do_is_named(self):
        base = ["run", ZALESAK, "--set", "grid.base=64", "--set", "time.stop_step=1"]
        self.assert_refused(
            self.kumiko(*base, "--set", "time.steps=100"), "CFL", "time.steps", "202"
        )
        self.assert_refused(self.kumiko(*base, "--set", "time.steps=201"), "CFL")
        done = self.kumiko(*base, "--set", "time.steps=202", "--output", "here")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_given_an_output_folder_that_cannot_be_written_then_it_is_named(self):
        (self.path / "file").write_text("mine")
        for output in ("file", "file/below", "/proc/kumiko"):
            self.assert_refused(self.kumiko("run", ZALESAK, *SMALL, "--output", output), output)
        self.assertEqual((self.path / "file").read_text(), "mine")
        (self.path / "closed").mkdir(mode=0o555)
        words = ["run", ZALESAK, *SMALL, "--output", "closed"]
        self.assert_refused(self.kumiko(*words, preexec_fn=without_rights_of_root), "closed")

    def test_given_a_used_folder_then_overwrite_is_asked_for_and_spares_foreign_files(self):
        self.copy_of_small("here")
        before = (self.path / "here" / "summary.json").read_text()
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--output", "here"), "here", "--overwrite"
        )
        self.assertEqual((self.path / "here" / "summary.json").read_text(), before)
        (self.path / "here" / "notes.txt").write_text("mine")
        (self.path / "here" / "state_999999.hdf").write_text("of an earlier run")
        self.run_small("here", "--overwrite")
        self.assertEqual((self.path / "here" / "notes.txt").read_text(), "mine")
        self.assertFalse((self.path / "here" / "state_999999.hdf").exists())

    def test_given_wrong_words_then_the_command_says_where_help_is(self):
        self.assert_refused(self.kumiko("fly"), "--help")
        self.assert_refused(self.kumiko("run"), "CASE.toml")
        self.assert_refused(self.kumiko("run", ZALESAK, "--backend", "mpi"), "mpi", "threads")
        self.assert_refused(self.kumiko("run", ZALESAK, "--workers", "0"), "--workers")
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--backend", "serial", "--workers", "2"), "serial"
        )
        self.assert_refused(self.kumiko("run", ZALESAK, "--set", "case.name=foo"), "foo", "zalesak")
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--summary", "no/such/folder.json"),
            "there is no folder 'no/such'", "mkdir -p no/such",
        )

    def test_given_a_value_that_cannot_be_then_it_is_told_in_plain_words_what_it_can_be(self):
        for words, message in (
            (["run", ZALESAK, "--backend", "thread"],
             "--backend: 'thread' is unknown; it can be threads, pthread, openmp or serial; "
             "did you mean 'threads'?"),
            (["run", ZALESAK, "--backend", "mpi"],
             "--backend: 'mpi' is unknown; it can be threads, pthread, openmp or serial; "
             "see 'kumiko run --help'"),
            (["compare", GAUSSIAN, "--norm", "rsm"], "it can be rms, l1_relative, l1 or linf; did you mean 'rms'?"),
            (["scaling", ZALESAK, "--backends", "threads,pthred"], "did you mean 'pthread'?"),
            (["simulate", "run", "--models", "level,dataflw"], "did you mean 'dataflow'?"),
            (["export", "state.hdf", "--format", "pgn"], "did you mean 'png'?"),
            (["export", "state.hdf", "--quantity", "costs"], "did you mean 'cost'?"),
            (["run", ZALESAK, "--workers", "two"],
             "--workers: 'two' is not a whole number from 1 to 4096; see 'kumiko run --help'"),
            (["run", ZALESAK, "--workers", "-1"], "'-1' is not a whole number from 1 to 4096"),
            (["simulate", "run", "--seed", "x"], "--seed: 'x' is not a whole number from 0 to "),
            (["run", ZALESAK, "--workers", "010"],
             "--workers: '010' has a leading zero; write '10'; see 'kumiko run --help'"),
            (["scaling", ZALESAK, "--workers", "1,08"], "--workers: '08' has a leading zero; write '8'"),
            (["compare", GAUSSIAN, "--resolutions", "017"], "--resolutions: '017' has a leading zero; write '17'"),
            (["simulate", "run", "--seed", "00"], "--seed: '00' has a leading zero; write '0'"),
            (["run", ZALESAK, "--workers", "00"], "'00' is not a whole number from 1 to 4096"),
            (["report", "run", "--times", "1,x"], "--times: 'x' is not a number; see 'kumiko report --help'"),
            (["report", "run", "--times", "1,nan"], "--times: 'nan' is not a finite number; see "),
            (["report", "run", "--times", "1e400"], "--times: '1e400' is not a finite number; see "),
            (["solver", "new", "mine", "--output"], "--output needs a value; see 'kumiko solver new --help'"),
            (["run", ZALESAK, "--backend", "serial", "--backend", "threads"],
             "--backend is given twice; see 'kumiko run --help'"),
            (["inspect"], "FILE is required; see 'kumiko inspect --help'"),
            (["run"], "name CASE.toml, or a run to continue with --restart; see 'kumiko run --help'"),
            (["inspect", "one", "two"],
             "'two' is one argument too many; 'kumiko inspect' takes one FILE; see 'kumiko inspect --help'"),
            (["solver"], "'kumiko solver' needs a command: list, show, new, check; see 'kumiko solver --help'"),
            ([], "'kumiko' needs a command: run, "),
        ):  # fmt: skip
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), message)

    def test_given_a_time_in_any_notation_of_numbers_then_it_is_not_what_is_refused(self):
        for time_ in ("+1.5", "1e-400", "-2", ".5", "1e3"):
            with self.subTest(time_):
                done = self.kumiko("report", "nofile", "--times", time_)
                self.assertNotIn("--times", done.stderr)

    def test_given_a_misspelled_solver_or_case_then_the_nearest_is_named(self):
        for words, meant in (
            (["run", ZALESAK, "--set", "case.name=zalesk"], "zalesak"),
            (["run", GAUSSIAN, "--set", "solver.name=thinz"], "thinc"),
            (["compare", GAUSSIAN, "--solvers", "semi_lagrangian_cubic,upwin1"], "upwind1"),
            (["compare", GAUSSIAN, "--solver", "upwin1,amr.levels=1"], "upwind1"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), f"did you mean '{meant}'?")

    def test_given_a_solver_to_compare_that_is_wrong_then_the_option_is_the_one_that_was_typed(self):
        for words, message in (
            (["--solvers", "upwind1,nope"], "--solvers nope: there is no solver 'nope'"),
            (["--solvers", "upwind1,upwind1"], "--solvers upwind1: it is named twice"),
            (["--solvers", "upwind1", "--solver", "nope"], "--solver nope: there is no solver 'nope'"),
            (["--solver", "nope,amr.levels=1"], "error: --solver nope,amr.levels=1: there is no solver 'nope'"),
            (["--solvers", "upwind1,amr.levels=1"], "as in --solver NAME,amr.levels=1"),
            (["--solver", "upwind1,grid.base=64", "--resolutions", "32"],
             "--solver upwind1,grid.base=64: grid.base together with --resolutions"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko("compare", GAUSSIAN, *words), message)

    def test_given_a_misspelled_option_then_the_nearest_of_its_command_is_named(self):
        for words, typo, meant in (
            (["run", ZALESAK, "--wrokers", "2"], "--wrokers", "--workers"),
            (["run", "--wrokers=2", ZALESAK], "--wrokers", "--workers"),
            (["run", "--output", "here", ZALESAK, "-quiet"], "-quiet", "--quiet"),
            (["table", THESIS, "--summray", "t.json"], "--summray", "--summary"),
            (["compare", GAUSSIAN, "--resoltions=32"], "--resoltions", "--resolutions"),
            (["scaling", ZALESAK, "--backend", "threads"], "--backend", "--backends"),
            (["simulate", "run", "--modles", "level"], "--modles", "--models"),
            (["inspect", "state.hdf", "--jsn"], "--jsn", "--json"),
            (["export", "state.hdf", "--fromat", "png"], "--fromat", "--format"),
            (["report", "run", "--titel", "A run"], "--titel", "--title"),
            (["solver", "list", "--plugin_path=here"], "--plugin_path", "--plugin-path"),
            (["solver", "new", "mine", "--ouput", "here"], "--ouput", "--output"),
            (["solver", "check", "mine.so", "--solvr", "mine"], "--solvr", "--solver"),
            (["case", "new", "mine", "--ouput", "here"], "--ouput", "--output"),
            (["--vrsion"], "--vrsion", "--version"),
            (["run", ZALESAK, "--out", "here"], "--out", "--output"),
        ):
            with self.subTest(words):
                message = f"unknown option '{typo}'; did you mean '{meant}'?"
                self.assert_refused(self.kumiko(*words), message)
        done = self.kumiko("run", ZALESAK, "--frobnicate", "--workers", "2")
        self.assert_refused(done, "unknown option '--frobnicate'", "'kumiko run --help'")
        # What stands for a value is not an option.
        self.assert_refused(self.kumiko("run", ZALESAK, "--set", "rnu"), "rnu", "KEY=VALUE")

    def test_given_an_option_before_its_command_then_its_place_is_told(self):
        done = self.kumiko("-w", "2", "run", ZALESAK)
        self.assert_refused(done, "'-w' stands before the command", "'kumiko COMMAND -w'")
        done = self.kumiko("solver", "--plugin-path", ".", "list")
        self.assert_refused(done, "'kumiko solver COMMAND --plugin-path'")

    def test_given_the_help_of_export_then_it_says_what_each_format_is(self):
        words = " ".join(self.kumiko("export", "--help").stdout.split())
        choices, help_text = re.search(r"--format TEXT:\{([^}]*)\}(?:=| \[)plotfile\]? (.*?) -o,--output TEXT", words).groups()
        of_states, of_traces = help_text.removeprefix("of a state: ").split(". Of a trace: ")
        named = [part.split(", ")[:-1] for part in f"{of_states}; {of_traces}".split("; ")]
        self.assertEqual(sum(named, []), choices.split(","))

    def test_given_a_picture_option_then_it_is_refused_for_all_formats_but_those_that_are_named(self):
        for option, value, formats in (("--width", "400", "png, mp4, gif and webm"), ("--fps", "5", "mp4, gif and webm")):
            for form in ("plotfile", "chrome", "otf2", "csv"):
                done = self.kumiko("export", "state.hdf", "--format", form, option, value)
                message = f"{option} cannot be combined with --format {form}, only with {formats}"
                with self.subTest(form):
                    self.assert_refused(done, message)

    def test_given_a_misspelled_command_then_the_nearest_is_named(self):
        for words, typo, meant in (
            (["rnu"], "rnu", "run"),
            (["rnu", ZALESAK, "--workers", "2"], "rnu", "run"),
            (["solver", "chek", "mine.so"], "chek", "check"),
            (["sovler", "list"], "sovler", "solver"),
            (["case", "lst"], "lst", "list"),
        ):
            with self.subTest(words):
                message = f"unknown command '{typo}'; did you mean '{meant}'?"
                self.assert_refused(self.kumiko(*words), message)
        self.assert_refused(self.kumiko("fly"), "unknown command 'fly'", "run", "'kumiko --help'")
        self.assert_refused(self.kumiko("solver", "fly"), "'fly'", "check", "'kumiko solver --help'")


class Help(CommandTest):
    def test_given_case_list_then_zalesak_is_there(self):
        result = self.kumiko("case", "list")
        self.assertEqual(result.returncode, 0)
        self.assertIn("zalesak", result.stdout)

    def test_given_a_summary_that_would_replace_something_else_then_it_is_refused(self):
        (self.path / "notes.txt").write_text("mine")
        done = self.kumiko("run", ZALESAK, *SMALL, "--summary", "notes.txt")
        self.assert_refused(done, "--summary", "'notes.txt'", "does not hold a summary")
        self.assertEqual((self.path / "notes.txt").read_text(), "mine")
        self.copy_of_small("one")
        done = self.kumiko("run", ZALESAK, *SMALL, "--output", "two", "--summary", "one/summary.json")
        self.assert_refused(done, "--summary", "another run")
        for _ in range(2):
            self.run_small("three", "--summary", "copy.json", "--overwrite")

    def test_given_a_summary_beside_the_run_by_a_link_then_it_is_the_runs_own(self):
        (self.path / "link").symlink_to(".")
        for _ in range(2):
            summary = self.run_small("run", "--summary", "link/run/summary.json", "--overwrite")
        self.assertEqual(summary["steps"], 12)

    def test_given_version_then_it_is_named(self):
        result = self.kumiko("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^kumiko \d+\.\d+\.\d+\n")

    def test_given_version_then_the_parts_are_those_that_the_program_has(self):
        parts = self.kumiko("--version").stdout.splitlines()[1]
        with_, _, without = parts.partition("; without ")
        self.assertTrue(with_.startswith("with "), parts)
        needed = subprocess.run(["ldd", KUMIKO], capture_output=True, text=True, check=True).stdout
        links = {link.stem for link in Path(KUMIKO).resolve().parent.parent.glob("lib*/kumiko/links/*.so")}
        known = {
            "hwloc": "libhwloc.so" in needed,
            "liburing": "liburing.so" in needed,
            "Open MPI": "kumiko_link_openmpi" in links,
            "MPICH": "kumiko_link_mpich" in links,
            "pictures (VTK)": HAS_VTK,
            "formulas (muParser)": os.environ["KUMIKO_HAS_MUPARSER"] == "1",
        }
        for part, is_there in known.items():
            with self.subTest(part):
                self.assertEqual(part in with_, is_there, parts)
                self.assertEqual(part in without, not is_there, parts)

    def test_given_help_then_it_fits_a_screen_and_has_an_example_that_is_understood(self):
        commands = re.findall(r"^  (\w+) ", self.kumiko("--help").stdout.partition("Subcommands:")[2], re.M)
        groups = {"search": ("serve", "join"), "solver": ("list", "show", "new", "check"), "case": ("list", "show", "new")}
        for words in [[name] for name in commands if name not in groups] + [
            [group, name] for group, names in groups.items() for name in names
        ]:
            with self.subTest(words):
                text = self.kumiko(*words, "--help").stdout
                self.assertLessEqual(len(text.splitlines()), 60)
                self.assertLessEqual(max(map(len, text.splitlines())), 100)
                example = text.splitlines()[-1].split()
                self.assertEqual(example[: len(words) + 1], ["kumiko", *words])
                # Whatever its files are, here they are missing: nothing of the line itself is refused.
                self.assertNotIn("--help", self.kumiko(*example[1:]).stderr)

    def test_given_the_commands_of_help_then_the_page_of_commands_has_each(self):
        page = (CASES.parent / "docs" / "reference" / "command-line.md").read_text()
        commands = re.findall(r"^  (\w+) ", self.kumiko("--help").stdout.partition("Subcommands:")[2], re.M)
        self.assertEqual([name for name in commands if f"\n| `{name} " not in page], [])

    def test_given_help_keys_then_those_of_all_tables_or_of_one_are_listed(self):
        every = self.kumiko("run", "--help-keys")
        self.assertEqual((every.returncode, every.stderr), (0, ""))
        self.assertLessEqual(max(map(len, every.stdout.splitlines())), 100)
        for key in ("amr.threshold", "time.steps", "solver.departure", "case.sigma"):
            self.assertIn(f"\n{key}\n", every.stdout)
        solvers = self.kumiko("compare", "--help-keys", "solver").stdout
        self.assertIn("\nsolver.departure\n", solvers)
        self.assertNotIn("amr.threshold", solvers)
        self.assert_refused(self.kumiko("run", "--help-keys=solvr"), "'solvr'", "did you mean 'solver'?")
        self.assert_refused(self.kumiko("run", "--help-keys", ""), "'' is not the name of a table")

    def test_given_a_misspelled_command_or_option_then_no_help_hides_it(self):
        self.assert_refused(self.kumiko("rum", "--help"), "unknown command 'rum'", "did you mean 'run'?")
        self.assert_refused(self.kumiko("help", "run"), "'help' is not a command; see 'kumiko --help'\n")
        self.assert_refused(self.kumiko("run", "--outptu", "x", "--help"), "did you mean '--output'?")

    def test_given_json_then_lists_name_what_there_is(self):
        for kind, known in (("solver", "thinc"), ("case", "zalesak")):
            listed = json.loads(self.kumiko(kind, "list", "--json").stdout)
            self.assertIn(known, [one["name"] for one in listed])
            for one in listed:
                self.assertTrue(Path(one["file"]).is_file(), one)

    def test_given_a_solver_then_show_says_what_it_is(self):
        shown = self.kumiko("solver", "show", "thinc").stdout
        for part in ("advection", "cell averages", "solver.beta", "conserves mass"):
            self.assertIn(part, shown)
        self.assert_refused(self.kumiko("solver", "show", "thnc"), "'thnc'", "did you mean 'thinc'?")

    def test_given_a_case_then_show_says_what_it_is_posed_for(self):
        shown = self.kumiko("case", "show", "channel").stdout
        for part in ("advection", "domain               2 by 1", "left                 fixed value 1", "steady",
                     "case.inflow", "the exact solution at the end"):  # fmt: skip
            self.assertIn(part, shown)
        self.assertIn("velocity             unsteady", self.kumiko("case", "show", "vortex").stdout)
        self.assert_refused(self.kumiko("case", "show", "chanel"), "'chanel'", "did you mean 'channel'?")


class Results(CommandTest):
    """Results on stdout, and a stdout that takes none."""

    TINY = [GAUSSIAN, "--set", "amr.levels=1", "--set", "grid.base=32", "--set", "time.stop_step=4"]

    def test_given_json_then_stdout_holds_the_summary_and_stderr_the_text(self):
        for option in (["--json"], ["--summary", "-"]):
            with self.subTest(option):
                done = self.kumiko("run", *self.TINY, "--output", "run", "--overwrite", *option)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, (self.path / "run/summary.json").read_text())
                self.assertIn("state hash", done.stderr)
        self.assertFalse((self.path / "-").exists())
        self.assert_refused(self.kumiko("run", *self.TINY, "--json", "--summary", "a.json"), "--json", "--summary")

    def test_given_a_comparison_on_stdout_then_it_is_one_document_and_complete(self):
        done = self.kumiko("compare", *self.TINY[:3], "--solvers", "semi_lagrangian_cubic", "--resolutions", "16,32",
                           "--summary", "-")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertTrue(found["complete"])
        self.assertEqual(len(found["runs"]), 2)

    def test_given_a_stdout_that_takes_nothing_then_the_run_is_complete_all_the_same(self):
        for redirection in (">/dev/full", ">&-", "| true"):
            with self.subTest(redirection):
                words = ["bash", "-c", f'set -o pipefail; "$@" {redirection}', "-", KUMIKO, "run", *self.TINY]
                done = subprocess.run([*map(str, words), "--output", "run", "--overwrite"], cwd=self.path,
                                      capture_output=True, text=True, timeout=60)  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr)
                if redirection != "| true":  # which may have read it all
                    self.assertRegex(done.stderr, r"\Akumiko: warning: .* stdout; the run is complete.*'run'\n\Z")
                self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
                # No file of the run got what was to be printed.
                for file in (self.path / "run").iterdir():
                    self.assertNotIn(b"imbalance   ", file.read_bytes())

    def test_given_a_summary_that_would_be_another_file_of_the_run_then_nothing_is_written(self):
        for name in ("state_000002.hdf", "diagnostics.csv"):
            done = self.kumiko("run", *self.TINY, "--output", "run", "--summary", f"run/{name}")
            self.assert_refused(done, f"'run/{name}' is the name of another file of a run")
            self.assertFalse((self.path / "run").exists())
        self.assert_refused(self.kumiko("run", *self.TINY, "--summary", ""), "--summary: it is empty")

    def test_given_a_summary_that_would_be_the_runs_folder_then_nothing_is_written(self):
        for output, summary in (("run", "run"), ("run", "./run/"), ("runs/one/two", "runs")):
            done = self.kumiko("run", *self.TINY, "--output", output, "--summary", summary)
            self.assert_refused(done, f"--summary: the run makes '{summary}' a folder", f"'{output}/summary.json'")

    def test_given_a_folder_for_a_file_then_the_file_in_it_or_the_right_option_is_named(self):
        plugin = self.path / "mine" / "build" / "mine.so"
        plugin.parent.mkdir(parents=True)
        plugin.touch()
        self.assert_refused(self.kumiko("solver", "check", "mine"), "such as 'mine/build/mine.so'")
        self.assert_refused(self.kumiko("run", "mine"), "'mine' is a folder; name a TOML file\n")
        (self.path / "mine" / "effective.toml").touch()
        self.assert_refused(self.kumiko("run", "mine"), "'mine' is a folder; name a TOML file, or continue its run with "
                                                        "kumiko run --restart mine")  # fmt: skip

    def test_given_a_run_that_left_no_checkpoint_then_no_restart_is_advised(self):
        words = ("run", *self.TINY, "--output", "run")
        self.kumiko(*words)
        self.assert_refused(self.kumiko(*words), "or continue it with --restart latest")
        for file in (self.path / "run").glob("*.hdf"):
            file.unlink()
        done = self.kumiko(*words)
        self.assert_refused(done, "replace that run with --overwrite, or name another folder")
        self.assertNotIn("--restart", done.stderr)

    def test_given_a_full_stdout_then_what_is_in_files_is_no_failure_and_what_is_not_is_one(self):
        few = (GAUSSIAN, "--solvers", "upwind1", "--resolutions", "16")
        self.kumiko("run", *self.TINY, "--output", "run", "--set", "trace.from=0")
        for words, saved in (
            (["compare", *few, "--output", "compared"], "the results are in 'compared'"),
            (["compare", *few, "--summary", "compared.json"], "the results are in 'compared.json'"),
            (["compare", *few], None),
            (["simulate", "run", "--output", "simulated"], "the results are in 'simulated'"),
            (["simulate", "run", "--ranks", "2", "--json"], None),
            (["simulate", "run", "--json", "--output", "with_json"], None),
            (["export", "run", "--format", "chrome", "--output", "exported"], r"'exported/.*' is complete"),
            (["report", "run", "--output", "page.html"], "the report is written to 'page.html'"),
            (["solver", "new", "mine"], "the folder is written"),
        ):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([KUMIKO, *map(str, words)], cwd=self.path, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=60)  # fmt: skip
                self.assertEqual(done.returncode, 0 if saved else 1, done.stderr)
                kind = f"warning: cannot write to stdout; {saved}" if saved else "error: cannot write to stdout"
                self.assertRegex(done.stderr, rf"(?m)^kumiko: {kind}")

    def test_given_other_values_at_a_restart_then_key_old_and_new_value_are_named(self):
        self.kumiko("run", *self.TINY, "--output", "run")
        done = self.kumiko("run", *self.TINY, "--set", "grid.base=64", "--output", "run", "--restart", "latest")
        self.assertEqual(done.returncode, 2)
        self.assertIn("grid.base was [32, 32] and is now [64, 64]", done.stderr)
        self.assertIn("A restart may change amr.*, amr.region.*, checkpoint.*,", done.stderr)

    def test_given_nothing_to_restart_from_then_the_remedy_is_named(self):
        (self.path / "notes").mkdir()
        (self.path / "notes/text.hdf").write_text("not a checkpoint")
        done = self.kumiko("run", "--restart", "notes/text.hdf", "--output", "new")
        self.assert_refused(done, "'notes/text.hdf'", "name a checkpoint or a state")
        self.assert_refused(self.kumiko("run", "--restart", "latest"), "--restart FOLDER", "CASE.toml")

    def test_given_a_broken_plugin_in_the_environment_then_it_is_a_warning_and_where_it_is_asked_for_an_error(self):
        (self.path / "plugins").mkdir()
        (self.path / "plugins/stale.so").write_bytes(b"kumiko_plugin_entry")
        environment = {**os.environ, "KUMIKO_PLUGIN_PATH": "plugins:gone"}
        done = self.kumiko("run", *self.TINY, "--output", "run", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("KUMIKO_PLUGIN_PATH", "plugins/stale.so", "'gone'"):
            self.assertIn(part, done.stderr)
        done = self.kumiko("run", *self.TINY, "--output", "other", "--plugin-path", "plugins")
        self.assert_refused(done, "plugins/stale.so")

    def test_given_a_limit_of_cpu_time_then_the_run_ends_with_a_checkpoint(self):
        words = [KUMIKO, "run", ZALESAK, "--set", "time.steps=10240", "--output", "run", "--workers", "1"]
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (2, 60))
        done = subprocess.run([*map(str, words)], cwd=self.path, capture_output=True, text=True, timeout=120,
                              preexec_fn=limit)  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("SIGXCPU", done.stderr)
        self.assertEqual(len(list((self.path / "run").glob("checkpoint_*.hdf"))), 1)


if __name__ == "__main__":
    unittest.main()
