"""Contract: whatever is wrong with a plugin is told in one line that names its file and the reason,
with exit code 2 before work starts and 1 after, and a run that a plugin ends loses no checkpoint."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
SHIPPED = Path(os.environ["KUMIKO_SHIPPED"])
PLUGINS = Path(os.environ["KUMIKO_TEST_PLUGINS"])
SANITIZER = os.environ["KUMIKO_SANITIZER"]

FAULTY = PLUGINS / "faulty.so"
SEVERAL = PLUGINS / "several.so"

# A run with what is shipped, for any solver to take part in.
SHIPPED_RUN = """
[case]
name = "zalesak"
[solver]
name = "upwind1"
[grid]
base = 32
[time]
steps = 320
stop_step = 2
[amr]
levels = 1
"""

# Two levels; the step k begins at the time k / 16, and the fault of a run shows in the step 9.
FAULTY_RUN = """
[case]
name = "faulty_case"
[solver]
name = "faulty_solver"
[grid]
base = 32
[amr]
levels = 2
[time]
steps = 16
[step]
time_interpolation = "linear"
[checkpoint]
every = 3
"""
FAULT_TIME = 9 / 16


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


class PluginTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.config = self.path / "faulty.toml"
        self.config.write_text(FAULTY_RUN)
        self.shipped_config = self.path / "shipped.toml"
        self.shipped_config.write_text(SHIPPED_RUN)

    def kumiko(self, *arguments, plugin_path=None, program=KUMIKO, **more):
        environment = {name: text for name, text in os.environ.items() if name != "KUMIKO_PLUGIN_PATH"} | more
        if plugin_path is not None:
            environment["KUMIKO_PLUGIN_PATH"] = plugin_path
        return subprocess.run(
            [program, *map(str, arguments)],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def run_faulty(self, *keys, folder="run", more=()):
        return self.kumiko(
            "run", self.config, "--plugin-path", FAULTY, "--output", folder, "--quiet",
            *settings(*keys), *more,
        )  # fmt: skip

    def run_shipped(self, *arguments, **more):
        return self.kumiko("run", self.shipped_config, "--quiet", *arguments, **more)

    def assert_told(self, done, code, *parts):
        """The exit code, and one line on stderr that names the parts."""
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("kumiko: error: "), lines[0])
        for part in parts:
            self.assertIn(str(part), lines[0])

    def assert_done(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def summary(self, folder="run"):
        return json.loads((self.path / folder / "summary.json").read_text())

    def copied(self, *names):
        """A folder with copies of the test plugins."""
        folder = self.path / "plugins"
        folder.mkdir(exist_ok=True)
        for name in names:
            shutil.copy(PLUGINS / name, folder)
        return folder


class BrokenFile(PluginTest):
    BROKEN = {
        "bad_default.so": None,  # found by whoever uses it
        "bad_name.so": ["'Bad-Name'", "small letters"],
        "no_symbol.so": ["no symbol kumiko_plugin_entry", "KUMIKO_PLUGIN"],
        "version_1.so": ["version 1 of", "Kumiko of version 1", "has version 2", "build it again",
                         "docs/reference/plugins.md"],
        "null_list.so": ["a number of solvers", "is NULL", "the list's address"],
        "no_size.so": ["whose size is 0", "set it to sizeof"],
        "other_version.so": ["version 999", "a compiler of another day", "build it again"],
        "returns_null.so": ["returns NULL", "KUMIKO_PLUGIN"],
        "shipped_name.so": ["'upwind1'", SHIPPED / "solver_upwind1.so", "rename one of them"],
        "throws_in_describe.so": ["the list of schemes is missing"],
        "throws_in_entry.so": ["cannot say what it offers", "the licence has run out"],
        "unresolved.so": ["kumiko_tests_defined_nowhere", "linked with"],
    }

    def test_given_a_plugin_that_cannot_be_used_then_the_run_is_refused(self):
        for name, reasons in self.BROKEN.items():
            if reasons is None:
                continue
            with self.subTest(name):
                done = self.run_shipped("--plugin-path", PLUGINS / name, "--output", "run")
                self.assert_told(done, 2, PLUGINS / name, *reasons)
                self.assertFalse((self.path / "run").exists())

    def test_given_such_a_plugin_in_a_folder_then_the_run_is_refused_too(self):
        folder = self.copied("several.so", "other_version.so")
        done = self.run_shipped("--plugin-path", folder)
        self.assert_told(done, 2, folder / "other_version.so", "version 999")

    def test_given_a_default_out_of_its_range_then_its_use_is_refused(self):
        plugin = PLUGINS / "bad_default.so"
        done = self.run_shipped("--plugin-path", plugin, "--set", "solver.name=bad_default")  # fmt: skip
        self.assert_told(done, 2, plugin, "solver.weight", "5", "0 to 1")
        self.assertEqual(self.run_shipped("--plugin-path", plugin).returncode, 0)

    def test_given_files_that_are_no_shared_objects_then_they_are_refused(self):
        text = self.path / "text.so"
        text.write_text("kumiko_plugin_entry, in a text\n")
        truncated = self.path / "truncated.so"
        truncated.write_bytes(SEVERAL.read_bytes()[:3000])
        empty = self.path / "empty.so"
        empty.touch()
        for file in (text, truncated, empty):
            with self.subTest(file.name):
                done = self.run_shipped("--plugin-path", file)
                self.assert_told(done, 2, file, "cannot be loaded")

    def test_given_a_path_that_is_not_there_then_the_run_is_refused(self):
        done = self.run_shipped("--plugin-path", self.path / "nowhere")
        self.assert_told(done, 2, self.path / "nowhere", "no folder or file")

    def test_given_a_folder_with_other_shared_objects_then_they_are_left_alone(self):
        folder = self.copied("no_plugin.so", "several.so")
        (folder / "notes.txt").write_text("kumiko_plugin_entry")
        (folder / "empty.so").touch()
        (folder / "cut.so").write_bytes(SEVERAL.read_bytes()[:400])
        self.assert_done(self.run_shipped("--plugin-path", folder))
        done = self.run_shipped("--plugin-path", folder, "--set", "solver.name=mine")
        for name, reason in (("empty", "it is empty"), ("cut", "its end is missing"),
                             ("no_plugin", "it is not a plugin: it has no KUMIKO_PLUGIN")):  # fmt: skip
            self.assert_told(done, 2, f"'{folder / name}.so' was skipped, since {reason}")
        done = self.run_shipped("--plugin-path", folder / "no_plugin.so")
        self.assert_told(done, 2, folder / "no_plugin.so", "is not a plugin", "KUMIKO_PLUGIN")

    def test_given_a_broken_plugin_then_lists_show_the_others_and_exit_with_2(self):
        for kind, name in (("solver", "still_cells"), ("case", "ramp")):
            with self.subTest(kind):
                done = self.kumiko(kind, "list", "--plugin-path", PLUGINS / "returns_null.so",
                                   "--plugin-path", SEVERAL)  # fmt: skip
                self.assert_told(done, 2, PLUGINS / "returns_null.so")
                self.assertIn(name, done.stdout)
                self.assertIn(str(SEVERAL), done.stdout)
                self.assertIn("zalesak" if kind == "case" else "semi_lagrangian_cubic", done.stdout)

    def test_given_several_broken_plugins_then_lists_have_a_line_for_each(self):
        names = ["bad_name.so", "no_symbol.so", "other_version.so", "unresolved.so"]
        paths = [word for name in names for word in ("--plugin-path", PLUGINS / name)]
        done = self.kumiko("solver", "list", *paths)
        self.assertEqual(done.returncode, 2)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(names), done.stderr)
        for name, line in zip(names, lines):
            self.assertIn(str(PLUGINS / name), line)


class Paths(PluginTest):
    def listed(self, *arguments, **more):
        done = self.kumiko("solver", "list", *arguments, **more)
        self.assert_done(done)
        return [line.split()[0] for line in done.stdout.splitlines()]

    def test_given_several_solvers_and_a_case_in_one_file_then_they_run(self):
        for solver in ("still_nodes", "still_cells"):
            done = self.run_shipped(
                "--plugin-path", SEVERAL, "--output", solver, "--set", "case.name=ramp",
                "--set", f"solver.name={solver}",
            )  # fmt: skip
            self.assert_done(done)
            self.assertEqual(self.summary(solver)["solver"], solver)
            self.assertEqual(self.summary(solver)["case"], "ramp")
            self.assertLess(self.summary(solver)["error"]["linf"], 1e-12)

    def test_given_files_of_a_plugin_that_is_gone_then_they_are_shown_and_exported(self):
        folder = self.copied("several.so")
        self.assert_done(self.run_shipped(
            "--plugin-path", folder, "--output", "run",
            *settings("case.name=ramp", "solver.name=still_cells", "checkpoint.every=1", "trace.from=0"),
        ))  # fmt: skip
        shutil.rmtree(folder)
        # Without the shipped plugins, too, which are beside the program.
        alone = shutil.copy(KUMIKO, self.path / "kumiko")
        checkpoint, trace = "run/checkpoint_000001.hdf", "run/trace.hdf"
        wanted = [["inspect", checkpoint], ["inspect", "run"], ["export", checkpoint]]
        wanted += [["export", trace, "--format", name] for name in ("chrome", "csv")]
        if os.environ["KUMIKO_HAS_VTK"] == "1":
            wanted += [["export", checkpoint, "--format", "png"]]
        for arguments in wanted:
            with self.subTest(" ".join(arguments)):
                self.assert_done(self.kumiko(*arguments, program=alone))
        self.assertTrue((self.path / "plt_000001" / "Header").exists())
        done = self.kumiko("run", "--restart", checkpoint, "--output", "more")
        self.assert_told(done, 2, "ramp", "--plugin-path")

    def test_given_a_plugin_by_its_folder_and_by_its_file_then_it_is_one(self):
        folder = self.copied("several.so")
        (self.path / "link").symlink_to(folder)
        names = self.listed("--plugin-path", folder, "--plugin-path", folder / "several.so",
                            "--plugin-path", "plugins", "--plugin-path", "link",
                            plugin_path=str(folder))  # fmt: skip
        self.assertEqual(names.count("still_cells"), 1)

    def test_given_a_copy_of_a_plugin_then_the_name_is_taken(self):
        folder = self.copied("several.so")
        done = self.run_shipped("--plugin-path", SEVERAL, "--plugin-path", folder)
        self.assert_told(done, 2, SEVERAL, folder / "several.so", "still_")

    def test_given_several_paths_then_all_are_searched(self):
        names = self.listed("--plugin-path", SEVERAL, "--plugin-path", FAULTY)
        self.assertIn("still_cells", names)
        self.assertIn("faulty_solver", names)
        self.assertEqual(names, sorted(names))
        for variable in (f"{SEVERAL}:{FAULTY}", f":{SEVERAL}::{FAULTY}:"):
            self.assertEqual(self.listed(plugin_path=variable), names)
        self.assertEqual(self.listed("--plugin-path", FAULTY, plugin_path=str(SEVERAL)), names)

    def test_given_an_empty_variable_then_only_shipped_plugins_are_found(self):
        self.assertEqual(self.listed(plugin_path=""), self.listed())
        self.assertEqual(self.listed(plugin_path=":"), self.listed())

    def test_given_an_empty_path_then_it_is_refused(self):
        self.assert_told(self.run_shipped("--plugin-path", ""), 2, "--plugin-path")

    def test_given_a_solver_that_no_plugin_offers_then_the_message_tells_where_to_name_one(self):
        done = self.run_shipped("--set", "solver.name=still_cells")
        self.assert_told(done, 2, "still_cells", "upwind1", "--plugin-path", "KUMIKO_PLUGIN_PATH")


class Environment(PluginTest):
    """A plugin that changes what belongs to all as it is loaded."""

    FILE = PLUGINS / "alters_environment.so"
    WORDS = "changed the floating-point environment, the locale and the signal mask of the whole process while it was loaded"

    def test_given_such_a_plugin_then_the_bits_of_others_stay_and_one_line_names_it(self):
        hashes = []
        for folder, path in (("without", []), ("with", ["--plugin-path", self.FILE])):
            done = self.run_shipped(*path, "--output", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("kumiko: warning:"), len(path) // 2, done.stderr)
            self.assertEqual(done.stderr.count(f"'{self.FILE}' {self.WORDS}"), len(path) // 2, done.stderr)
            hashes.append(self.summary(folder)["state_hash"])
        self.assertEqual(hashes[0], hashes[1])

    def test_given_such_a_plugin_then_lists_warn_and_checks_fail(self):
        listed = self.kumiko("solver", "list", "--plugin-path", self.FILE)
        self.assertEqual(listed.returncode, 0)
        self.assertIn(f"kumiko: warning: '{self.FILE}' {self.WORDS}", listed.stderr)
        checked = self.kumiko("solver", "check", self.FILE)
        self.assertEqual(checked.returncode, 1)
        self.assertIn(f"kumiko: error: '{self.FILE}' {self.WORDS}", checked.stderr)


class Parameters(PluginTest):
    def run_several(self, *keys):
        common = ["case.name=ramp", "solver.name=still_nodes"]
        return self.run_shipped("--plugin-path", SEVERAL, *settings(*common, *keys))

    def test_given_a_value_out_of_range_then_key_and_range_are_named(self):
        for value in ("0.2", "4.5", "nan", "inf"):
            self.assert_told(self.run_several(f"solver.weight={value}"), 2,
                             "solver.weight", "0.25 to 4")  # fmt: skip
        self.assertEqual(self.run_several("solver.weight=4").returncode, 0)

    def test_given_a_value_of_another_type_then_key_and_type_are_named(self):
        self.assert_told(self.run_several("solver.weight=heavy"), 2, "solver.weight", "number")

    def test_given_a_value_that_is_no_choice_then_the_choices_are_named(self):
        self.assert_told(self.run_faulty("solver.fault=another"), 2, "solver.fault", "'write_nan'")

    def test_given_an_unknown_key_then_it_is_named(self):
        self.assert_told(self.run_several("solver.wieght=1"), 2, "solver.wieght", "solver.weight")

    def test_given_the_key_of_another_plugins_solver_then_the_message_says_whose_it_is(self):
        done = self.run_several("solver.departure=second_order")
        self.assert_told(done, 2, "solver.departure", "solver 'semi_lagrangian_cubic'")
        done = self.run_faulty("solver.weight=1", more=["--plugin-path", SEVERAL])
        self.assert_told(done, 2, "solver.weight", "solver 'still_nodes'")


class BeforeTheFirstStep(PluginTest):
    def test_given_a_constructor_that_refuses_then_the_request_is_wrong(self):
        done = self.run_faulty("solver.fault=refuse")
        self.assert_told(done, 2, FAULTY, "'faulty_solver'", "no such solver can be had")
        done = self.run_faulty("case.fault=refuse")
        self.assert_told(done, 2, FAULTY, "'faulty_case'", "no such case can be had")

    def test_given_a_constructor_that_fails_then_the_run_fails(self):
        done = self.run_faulty("solver.fault=fail")
        self.assert_told(done, 1, FAULTY, "'faulty_solver'", "the table of weights is missing")
        done = self.run_faulty("case.fault=fail")
        self.assert_told(done, 1, FAULTY, "'faulty_case'", "the file of soundings is missing")

    def test_given_a_case_without_initial_data_then_the_run_fails(self):
        done = self.run_faulty("case.fault=fail_in_initial")
        self.assert_told(done, 1, FAULTY, "'faulty_case'", "there are no initial data",
                         "the initial field of level 0 patch (")  # fmt: skip
        self.assertEqual(done.stderr.count("t = 0"), 1, done.stderr)

    def test_given_a_case_that_throws_outside_the_steps_then_the_place_is_named(self):
        done = self.run_faulty("case.fault=fail_in_indicator", "amr.criterion=user")
        self.assert_told(done, 1, FAULTY, "'faulty_case'", "no fronts are known",
                         "(the refinement indicator of level 0 patch (", ") at t = 0)")  # fmt: skip
        done = self.run_faulty("case.fault=fail_in_exact")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the series does not converge (the exact solution of level 0 patch (", done.stderr)
        self.assertIn("at t = 1)", done.stderr)

    def test_given_traits_that_allow_no_step_then_the_request_is_wrong(self):
        reasons = {"no_ghosts": "0 ghost layers", "wide_ghosts": "9 ghost layers",
                   "node_fluxes": "flux form needs cells",
                   "zero_limit": "a CFL limit of 0", "nan_limit": "a CFL limit of nan",
                   "infinite_limit": "a CFL limit of inf", "negative_components": "-3 components",
                   "countless_coefficients": "1152921504606846976 coefficients"}  # fmt: skip
        for fault, reason in reasons.items():
            with self.subTest(fault):
                done = self.run_faulty(f"solver.fault={fault}")
                self.assert_told(done, 2, FAULTY, "'faulty_solver'", reason)
                self.assertFalse((self.path / "run").exists())

    def test_given_a_cfl_number_that_no_step_makes_small_enough_then_the_solver_is_blamed(self):
        done = self.run_faulty("solver.fault=constant_cfl")
        self.assert_told(done, 2, FAULTY, "'faulty_solver'", "CFL number 2", "prepare()", "fall")
        self.assertFalse((self.path / "run").exists())

    def test_given_a_cfl_number_that_is_no_number_then_the_velocity_is_not_blamed(self):
        done = self.run_faulty("solver.fault=nan_cfl")
        self.assert_told(done, 1, FAULTY, "'faulty_solver'", "CFL number that is not a number", "prepare()")

    def test_given_a_negative_cfl_number_then_the_solver_is_blamed(self):
        done = self.run_faulty("solver.fault=negative_cfl")
        self.assert_told(done, 2, FAULTY, "'faulty_solver'", "prepare()", "CFL number -1", "0 or more")

    def test_given_values_that_grow_beyond_sense_then_the_run_warns_that_it_may_be_unstable(self):
        done = self.run_faulty("solver.fault=multiply", "time.stop_step=5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Akumiko: warning: .*: the integral of \|u\| is \S+e\+\d+ times .*prepare\(\) returns\n\Z")
        self.assertEqual(self.run_faulty("time.stop_step=5", more=("--overwrite",)).stderr, "")

    def test_given_a_stream_function_that_contradicts_the_velocity_then_a_warning_shows_both(self):
        words = ["--plugin-path", PLUGINS / "squall.so", "--set", "case.name=squall", "--set", "time.stop_step=0",
                 "--set", "time.steps=400"]  # fmt: skip
        done = self.run_shipped(*words, "--set", "case.stream=-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: case 'squall': its stream function contradicts its velocity at", done.stderr)
        done = self.run_shipped(*words, "--overwrite")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_given_a_factor_that_contradicts_the_velocity_then_it_is_refused(self):
        words = ["--plugin-path", PLUGINS / "squall.so", "--set", "case.name=squall", "--set", "time.stop_step=2",
                 "--set", "time.steps=800", "--set", "solver.name=upwind1"]  # fmt: skip
        done = self.run_shipped(*words, "--set", "case.factor=1.25")
        self.assert_told(done, 2, "velocity_factor() is 15", "unit_factor_time()", "return nothing")
        self.assertEqual(self.run_shipped(*words, "--set", "case.factor=1").returncode, 0)

    def test_given_more_coefficients_than_were_declared_then_they_are_refused(self):
        done = self.run_faulty("solver.fault=more_coefficients_later")
        self.assert_told(done, 1, FAULTY, "'faulty_solver'", "coefficients()", "100000")

    def test_given_a_solver_that_is_made_of_nothing_then_the_run_fails(self):
        plugin = PLUGINS / "made_of_nothing.so"
        done = self.run_shipped("--plugin-path", plugin, "--set", "solver.name=made_of_nothing")  # fmt: skip
        self.assert_told(done, 1, plugin, "'made_of_nothing'", "the table made by its make() lacks a function")


class OnTheWay(PluginTest):
    def assert_run_stopped(self, done, *parts):
        """It failed in step 9, the checkpoints before are whole, and nothing else passes for one."""
        self.assert_told(done, 1, *parts)
        folder = self.path / "run"
        names = sorted(file.name for file in folder.glob("checkpoint_*"))
        files = [f"checkpoint_{step:06}.hdf" for step in (6, 9)]
        beside = [f"checkpoint_{step:06}.run.json" for step in (6, 9)]
        self.assertEqual(names, sorted(files + beside))
        for name in files:
            self.assert_done(self.kumiko("inspect", folder / name, "--json"))
        self.assertFalse((folder / "summary.json").exists())

    def assert_stops_again(self, *parts):
        """A restart goes on from the last checkpoint and stops where the run did."""
        done = self.kumiko("run", "--restart", "latest", "--output", "run", "--quiet",
                           "--plugin-path", FAULTY)  # fmt: skip
        self.assert_run_stopped(done, *parts)

    def test_given_a_solver_that_throws_then_the_run_stops_with_its_checkpoints(self):
        texts = {"fail_in_prepare": "cannot prepare this patch",
                 "fail_in_advance": "cannot advance this patch",
                 "throw_a_number": "not a std::exception"}  # fmt: skip
        for fault, text in texts.items():
            with self.subTest(fault):
                shutil.rmtree(self.path / "run", ignore_errors=True)
                done = self.run_faulty(f"solver.fault={fault}", f"solver.after={FAULT_TIME}")
                reason = [FAULTY, "'faulty_solver'", text, "(level 0 patch (", ", t = 0.5625)"]
                self.assert_run_stopped(done, *reason, "--restart run/checkpoint_000009.hdf")
                self.assert_stops_again(*reason)

    def test_given_any_schedule_and_backend_then_the_message_is_the_same(self):
        ways = [("serial", "level"), ("threads", "level"), ("threads", "dataflow"), ("pthread", "auto")]
        ways += [("openmp", "auto")] if SANITIZER != "thread" else []
        messages = set()
        for backend, schedule in ways:
            shutil.rmtree(self.path / "run", ignore_errors=True)
            done = self.run_faulty(
                "solver.fault=fail_in_advance", f"solver.after={FAULT_TIME}",
                f"step.schedule={schedule}", more=["--backend", backend],
            )  # fmt: skip
            self.assert_run_stopped(done, FAULTY)
            messages.add(done.stderr)
        self.assertEqual(len(messages), 1, messages)

    def test_given_a_solver_that_refuses_on_the_way_then_the_run_has_failed(self):
        done = self.run_faulty("solver.fault=refuse_on_way", f"solver.after={FAULT_TIME}")
        self.assert_run_stopped(done, FAULTY, "no step can be had from here")

    def test_given_a_cfl_number_that_stays_too_large_then_the_run_stops_and_the_solver_is_named(self):
        done = self.run_faulty("solver.fault=constant_cfl", f"solver.after={FAULT_TIME}")
        self.assert_run_stopped(done, FAULTY, "'faulty_solver'", "CFL number 2", "fall")

    def test_given_a_case_that_throws_then_its_file_is_named_and_not_the_solvers(self):
        solver = ["solver.name=semi_lagrangian_cubic", "case.fault=fail_in_velocity"]
        done = self.run_faulty(*solver, f"case.after={FAULT_TIME}")
        reason = [FAULTY, "case 'faulty_case'", "the wind is not known"]
        self.assert_run_stopped(done, *reason, "--restart run/checkpoint_000009.hdf")
        self.assertNotIn("solver_semi", done.stderr)
        self.assert_stops_again(*reason)

    def test_given_a_case_that_finds_no_memory_then_solver_and_place_are_named(self):
        done = self.run_faulty("solver.name=semi_lagrangian_cubic", "case.fault=no_memory_in_velocity",
                               f"case.after={FAULT_TIME}")  # fmt: skip
        self.assert_run_stopped(done, "solver_semi_lagrangian_cubic.so': not enough memory (level 0 patch (",
                                "--restart run/checkpoint_000009.hdf")  # fmt: skip

    def test_given_a_case_that_calls_exit_then_the_run_has_failed_and_the_place_is_named(self):
        where = {
            "exit_in_velocity": r"a plugin called exit\(\) in .* of level 0 patch \(\d+, \d+\).* at t = 0\.5625",
            "exit_in_a_thread": r"exit\(\) was called before the command had done its work, by a plugin or a library",
        }
        for fault, place in where.items():
            with self.subTest(fault):
                shutil.rmtree(self.path / "run", ignore_errors=True)
                done = self.run_faulty("solver.name=semi_lagrangian_cubic", f"case.fault={fault}", f"case.after={FAULT_TIME}")
                self.assertEqual(done.returncode, 1, done.stderr)
                first, second, third = done.stderr.splitlines()
                self.assertRegex(first, f"^kumiko: error: {place}")
                self.assertIn("must throw an exception", first)
                self.assertRegex(second, r"continue with --restart run/checkpoint_000006\.hdf")
                self.assertIn(f"case 'faulty_case' of '{FAULTY}'", third)

    @unittest.skipIf(SANITIZER, "sanitizers report faults themselves")
    def test_given_a_case_that_reads_a_null_pointer_then_the_report_says_where_and_how_to_go_on(self):
        workers = {"threads": "worker 0", "serial": "an OS thread that is not a worker"}
        for backend, worker in workers.items():
            with self.subTest(backend):
                shutil.rmtree(self.path / "run", ignore_errors=True)
                done = self.run_faulty("solver.name=semi_lagrangian_cubic", "case.fault=null_in_velocity", f"case.after={FAULT_TIME}",
                                       more=["--backend", backend, "--workers", "1"])  # fmt: skip
                self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
                self.assertIn(f"kumiko: SIGSEGV at address 0x0 on {worker}\n", done.stderr)
                self.assertRegex(done.stderr, r"\n  in .* of level 0 patch \(\d+, \d+\).* at t = 0\.5625")
                self.assertIn("faulty.so(", done.stderr)  # the backtrace
                self.assertIn(f"case 'faulty_case' of '{FAULTY}'", done.stderr)
                self.assertIn(f"\n  continue with --restart run/checkpoint_000006.hdf --plugin-path {FAULTY}\n", done.stderr)
                self.assertIn("gdb -p", done.stderr)

    @unittest.skipIf(SANITIZER, "sanitizers report faults themselves")
    def test_given_a_stack_that_overflows_on_any_backend_then_it_is_told_so(self):
        for fault, backend, workers in (("recurse", "serial", 1), ("recurse", "pthread", 2), ("recurse", "openmp", 2),
                                        ("recurse", "threads", 2), ("large_frame", "threads", 2)):  # fmt: skip
            with self.subTest(fault, backend=backend):
                shutil.rmtree(self.path / "run", ignore_errors=True)
                done = self.run_faulty(f"solver.fault={fault}", f"solver.after={FAULT_TIME}",
                                       more=["--backend", backend, "--workers", str(workers)])  # fmt: skip
                self.assertIn(done.returncode, (-signal.SIGSEGV, -signal.SIGABRT), done.stderr)
                self.assertIn("stack overflow", done.stderr)
                self.assertIn("continue with --restart run/checkpoint_00000", done.stderr)

    @unittest.skipIf(SANITIZER, "sanitizers report faults themselves")
    def test_given_a_static_initialiser_that_throws_then_its_file_is_named(self):
        done = self.run_shipped("--plugin-path", PLUGINS / "throws_at_load.so")
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
        self.assertIn("the licence has run out", done.stderr)
        self.assertIn(f"  in loading {PLUGINS / 'throws_at_load.so'}\n", done.stderr)

    def test_given_values_that_are_no_numbers_then_the_run_stops_and_names_the_solvers_file(self):
        done = self.run_faulty("solver.fault=write_nan", f"solver.after={FAULT_TIME}",
                               "amr.check_finite=1", "diagnostics.every=100")  # fmt: skip
        reason = [FAULTY, "faulty_solver", "point (3, 4)", "is nan"]
        self.assert_run_stopped(done, *reason)
        self.assert_stops_again(*reason)

    def test_given_such_values_that_nobody_looks_for_then_no_checkpoint_is_made_or_lost(self):
        done = self.run_faulty("solver.fault=write_nan", f"solver.after={FAULT_TIME}",
                               "amr.check_finite=0", "diagnostics.every=100")  # fmt: skip
        self.assert_run_stopped(done, FAULTY, "after base step 12")

    def test_given_such_values_in_a_state_then_it_is_not_written_and_the_last_good_one_is_named(self):
        done = self.run_faulty("solver.fault=write_nan", f"solver.after={FAULT_TIME}",
                               "amr.check_finite=0", "diagnostics.every=100",
                               "output.every=2")  # fmt: skip
        reason = [FAULTY, "point (3, 4)", "after base step 10", "--restart run/checkpoint_000009.hdf"]
        self.assert_told(done, 1, *reason)
        states = sorted(file.name for file in (self.path / "run").glob("state_*.hdf"))
        self.assertEqual(states, [f"state_{step:06}.hdf" for step in (2, 4, 6, 8)])
        done = self.run_faulty("solver.fault=write_nan", f"solver.after={FAULT_TIME}",
                               "amr.check_finite=0", "diagnostics.every=100", "output.every=1",
                               folder="other")  # fmt: skip
        self.assert_told(done, 1, "after base step 10", "--restart other/state_000009.hdf")

    def test_given_such_values_in_a_row_of_figures_then_they_are_named_as_well(self):
        done = self.run_faulty("solver.fault=write_nan", f"solver.after={FAULT_TIME}",
                               "amr.check_finite=0", "diagnostics.every=10")  # fmt: skip
        self.assert_run_stopped(done, FAULTY, "point (3, 4)", "after base step 10")

    def test_given_a_case_that_leaves_values_unwritten_then_they_are_no_numbers_and_told(self):
        for fault, told in {"unwritten_initial": "must write a finite value",
                            "unwritten_velocity": "which must write finite values"}.items():  # fmt: skip
            with self.subTest(fault):
                done = self.run_faulty(f"case.fault={fault}", "solver.name=semi_lagrangian_cubic")
                self.assertEqual(done.returncode, 1)
                self.assertIn(told, done.stderr)
                self.assertIn(f"case 'faulty_case' of '{FAULTY}'", done.stderr)
        done = self.run_faulty("case.fault=unwritten_exact", folder="exact")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("exact", done.stderr)
        self.assertIsNone(self.summary("exact")["error"]["rms"])

    def test_given_a_velocity_that_is_no_number_then_the_run_stops_and_names_the_cases_file(self):
        done = self.run_faulty("solver.name=semi_lagrangian_cubic", "case.fault=nan_velocity",
                               f"case.after={FAULT_TIME}")  # fmt: skip
        self.assert_run_stopped(done, FAULTY, "faulty_case", "velocity that is not a finite number")


class Restart(PluginTest):
    def test_given_a_run_with_a_plugin_then_a_restart_needs_it_too(self):
        self.assert_done(self.run_faulty(folder="whole"))
        self.assert_done(self.run_faulty("time.stop_step=8"))
        arguments = ["run", "--restart", "latest", "--output", "run", "--quiet",
                     "--set", "time.stop_step=16"]  # fmt: skip
        without = self.kumiko(*arguments)
        self.assert_told(without, 2, "faulty_", "--plugin-path", "KUMIKO_PLUGIN_PATH")
        self.assert_done(self.kumiko(*arguments, "--plugin-path", FAULTY))
        self.assertEqual(self.summary()["state_hash"], self.summary("whole")["state_hash"])

    def test_given_the_variable_then_a_restart_finds_the_plugin_by_it(self):
        self.assert_done(self.run_faulty("time.stop_step=8"))
        done = self.kumiko("run", "--restart", "run/checkpoint_000006.hdf", "--output", "again",
                           "--quiet", plugin_path=str(FAULTY))  # fmt: skip
        self.assert_done(done)


    def test_given_a_plugin_that_has_changed_then_a_restart_does_not_mix_the_two(self):
        run = ["--set", "case.name=ramp", "--set", "solver.name=still_nodes", "--set", "solver.weight=2.0",
               "--set", "grid.base=32", "--set", "time.steps=8", "--quiet"]  # fmt: skip
        (self.path / "ramp.toml").write_text("")
        self.assert_done(self.kumiko("run", "ramp.toml", *run, "--set", "time.stop_step=4", "--output", "run",
                                     "--plugin-path", SEVERAL))  # fmt: skip
        later = PLUGINS / "several_later.so"
        again = ["run", "--restart", "latest", "--output", "run", "--set", "time.stop_step=8", "--plugin-path", later]
        wrong = {"centring": ("has values of nodes", "solver 'still_nodes'", "values of cells"),
                 "extent": ("a domain of 1 by 1", "case 'ramp'", "2 by 2"),
                 "components": ("has 1 component of the field", "case 'ramp'", "has 2")}  # fmt: skip
        for changed, parts in wrong.items():
            with self.subTest(changed):
                done = self.kumiko(*again, KUMIKO_TEST_CHANGED=changed)
                self.assert_told(done, 2, "state_000004.hdf", later, *parts, "its plugin has changed")
        done = self.kumiko(*again, KUMIKO_TEST_CHANGED="keys")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no such key any more", done.stderr)
        self.assertIn("solver.weight: 2.0 -> none", self.kumiko("inspect", "run/state_000008.hdf").stdout)


class Compare(PluginTest):
    def test_given_a_solver_that_fails_then_the_others_are_compared_and_its_file_is_named(self):
        texts = {"write_nan": "is nan", "refuse_on_way": "no step can be had from here",
                 "throw_a_number": "not a std::exception"}  # fmt: skip
        for fault, text in texts.items():
            with self.subTest(fault):
                done = self.kumiko(
                    "compare", self.config, "--plugin-path", FAULTY,
                    "--solver", f"faulty_solver,fault={fault},after={FAULT_TIME}",
                    "--solver", "semi_lagrangian_cubic",
                )  # fmt: skip
                self.assert_told(done, 1, "1 of 2 runs failed")
                why = [line for line in done.stdout.splitlines() if " failed: " in line]
                self.assertEqual(len(why), 1, done.stdout)
                self.assertIn(str(FAULTY), why[0])
                self.assertIn(text, why[0])


class Check(PluginTest):
    def check(self, file, *arguments):
        done = self.kumiko("solver", "check", file, "--json", *arguments)
        reports = json.loads(done.stdout) if done.stdout else []
        return done, reports

    CAUGHT_BY = {
        "changes_constants": {"constants"},
        "counts_calls": {"determinism", "thread_safety"},
        "depends_on_place": {"translation"},
        "faces_differ": {"fluxes"},
        "forgets_component": {"memory", "constants"},
        "hides_nan": {"nan_input"},
        "leans_right": {"symmetry"},
        "overstates_cfl": {"stability"},
        "overstates_order": {"order"},
        "reads_one_layer_more": {"ghost_width"},
        "state_cfl_of_square": {"state_cfl"},
        "writes_coefficients": {"memory"},
        "wrong_declaration": {"declaration"},
        "wrong_displacement": {"displacement"},
        "wrong_tendency": {"tendency"},
    }

    def test_given_broken_solvers_then_the_right_checks_fail(self):
        if SANITIZER:
            self.skipTest("the sanitizers end the program where a solver writes or races")
        done, reports = self.check(PLUGINS / "nonconforming.so")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "")
        failed = {
            report["solver"]: {
                finding["check"] for finding in report["findings"] if finding["verdict"] == "failed"
            }
            for report in reports
        }
        for report in reports:
            self.assertFalse(report["passed"], report["solver"])
            self.assertEqual(report["file"], str(PLUGINS / "nonconforming.so"))
        self.assertIn("order", failed.pop("throws_in_advance"))
        self.assertEqual(failed, self.CAUGHT_BY)

    def test_given_a_name_then_only_that_solver_is_checked(self):
        done, reports = self.check(PLUGINS / "nonconforming.so", "--solver", "wrong_declaration")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([report["solver"] for report in reports], ["wrong_declaration"])
        done, _ = self.check(PLUGINS / "nonconforming.so", "--solver", "another")
        self.assert_told(done, 2, PLUGINS / "nonconforming.so", "'another'")

    def test_given_a_good_solver_then_it_passes(self):
        done, reports = self.check(SHIPPED / "solver_upwind1.so")
        self.assert_done(done)
        self.assertTrue(reports[0]["passed"])

    def test_given_a_solver_that_cannot_be_made_then_its_declaration_fails(self):
        texts = {"refuse": "no such solver", "wide_ghosts": "9", "zero_limit": "CFL limit of 0",
                 "nan_limit": "CFL limit of nan", "infinite_limit": "CFL limit of inf",
                 "countless_coefficients": "1152921504606846976"}  # fmt: skip
        for fault, text in texts.items():
            done, reports = self.check(FAULTY, "--set", f"solver.fault={fault}")
            self.assertEqual(done.returncode, 1, done.stderr)
            finding = reports[0]["findings"][0]
            self.assertEqual((finding["check"], finding["verdict"]), ("declaration", "failed"))
            self.assertIn(text, finding["text"])

    def test_given_a_cfl_number_that_is_always_the_same_then_the_memory_check_says_so(self):
        done, reports = self.check(FAULTY, "--set", "solver.fault=constant_cfl")
        self.assertEqual(done.returncode, 1, done.stderr)
        findings = {finding["check"]: finding for finding in reports[0]["findings"]}
        self.assertEqual(findings["memory"]["verdict"], "failed")
        self.assertIn("gave 2", findings["memory"]["text"])

    def test_given_a_check_that_ends_the_program_then_solver_and_check_are_named(self):
        place = f"check declaration of solver 'faulty_solver' of '{FAULTY}'"
        told = {"exit_in_prepare": (1, f"a plugin called exit() in {place}; ")}
        if not SANITIZER:
            told["null_in_prepare"] = (-signal.SIGSEGV, f"\n  in {place}\n")
        for fault, (code, text) in told.items():
            with self.subTest(fault):
                done = self.kumiko("solver", "check", FAULTY, "--set", f"solver.fault={fault}")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, f"solver faulty_solver of {FAULTY}\n", "what was known is out")

    def endless(self, words, **more):
        """A process that does not end by itself, for a minute at most."""
        run = subprocess.Popen([KUMIKO, *map(str, words)], stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        watchdog = threading.Timer(60, run.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        return run

    def test_given_a_first_mesh_that_never_ends_then_sigusr2_says_that_there_is_no_step_yet(self):
        words = ["run", self.config, "--plugin-path", FAULTY, *settings("solver.fault=never_return"), "--output", "run"]
        run = self.endless(words, cwd=self.path)
        # Until it has blocked the signal, which would end it before.
        bit = 1 << (signal.SIGUSR2 - 1)
        while not int(re.search(r"SigBlk:\s*(\w+)", Path(f"/proc/{run.pid}/status").read_text())[1], 16) & bit:
            self.assertIsNone(run.poll())
        for _ in range(2):
            run.send_signal(signal.SIGUSR2)
            self.assertRegex(run.stderr.readline(), r"\Akumiko: no base step yet: .*, for \S+ (us|ms|s)\n\Z")
        self.assertIsNone(run.poll())

    def test_given_a_check_that_never_ends_then_sigusr2_names_it(self):
        words = ["solver", "check", FAULTY, "--set", "solver.fault=never_return"]
        run = self.endless(words, stdout=subprocess.PIPE)
        self.assertIn("faulty_solver", run.stdout.readline())
        for _ in range(2):
            run.send_signal(signal.SIGUSR2)
            self.assertRegex(run.stderr.readline(),
                             r"\Akumiko: solver 'faulty_solver', check declaration: for \d+\.\d s\n\Z")  # fmt: skip
        self.assertIsNone(run.poll())

    def test_given_a_full_stdout_then_it_fails(self):
        for options in ([], ["--json"]):
            with self.subTest(options), open("/dev/full", "w") as full:
                done = subprocess.run([KUMIKO, "solver", "check", SHIPPED / "solver_upwind1.so", *options],
                                      stdout=full, stderr=subprocess.PIPE, text=True)  # fmt: skip
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.split(";")[0], "kumiko: error: cannot write to stdout")

    def test_given_a_parameter_out_of_range_then_the_request_is_wrong(self):
        done, _ = self.check(SEVERAL, "--solver", "still_nodes", "--set", "solver.weight=9")
        self.assert_told(done, 2, "solver.weight", "0.25 to 4")

    def test_given_a_parameter_twice_then_a_warning_says_which_counts(self):
        words = ["--solver", "still_nodes", "--set", "solver.weight=1", "--set", "solver.weight=2"]
        done, reports = self.check(SEVERAL, *words)
        self.assertEqual(len(reports), 1)
        self.assertIn("kumiko: warning: --set solver.weight=2 replaces --set solver.weight=1\n", done.stderr)

    def test_given_a_key_of_a_run_then_the_request_is_wrong(self):
        for key in ("amr.levels=2", "solver.name=still_cells"):
            with self.subTest(key):
                done, _ = self.check(SEVERAL, "--solver", "still_nodes", "--set", key)
                self.assert_told(done, 2, f"--set {key}", "solver.KEY=VALUE", "--solver")

    def test_given_a_default_out_of_its_range_then_file_and_key_are_named(self):
        done, _ = self.check(PLUGINS / "bad_default.so")
        self.assert_told(done, 2, PLUGINS / "bad_default.so", "solver.weight")

    def test_given_what_has_no_solver_then_the_request_is_wrong(self):
        case = SHIPPED / "case_zalesak.so"
        self.assert_told(self.check(case)[0], 2, case, "offers no solver")
        self.assert_told(self.check(PLUGINS)[0], 2, PLUGINS, "is not a file")
        missing = self.path / "missing.so"
        self.assert_told(self.check(missing)[0], 2, missing)
        for name in ("no_plugin.so", "other_version.so", "unresolved.so"):
            self.assert_told(self.check(PLUGINS / name)[0], 2, PLUGINS / name)


if __name__ == "__main__":
    unittest.main()
