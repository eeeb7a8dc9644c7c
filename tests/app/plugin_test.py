"""Contract: whatever is wrong with a plugin is told in one line that names its file and the reason,
with exit code 2 before work starts and 1 after, and a run that a plugin ends loses no checkpoint."""

import os
import shutil
import unittest

from plugin_case import KUMIKO, SHIPPED, PLUGINS, FAULTY, SEVERAL, settings, PluginTest


class BrokenFile(PluginTest):
    BROKEN = {
        "bad_default.so": None,  # found by whoever uses it
        "bad_name.so": ["'Bad-Name'", "lower-case letters"],
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

    def test_given_a_pipe_then_nobody_waits_for_its_writer(self):
        pipe = self.path / "pipes" / "pipe.so"
        pipe.parent.mkdir()
        os.mkfifo(pipe)
        self.assert_told(self.run_shipped("--plugin-path", pipe), 2, pipe, "is not a file")
        done = self.run_shipped("--plugin-path", pipe.parent, "--set", "solver.name=mine")
        self.assert_told(done, 2, f"'{pipe}' was skipped, since it is not a file")

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


if __name__ == "__main__":
    unittest.main()
