"""Contract: a plugin that fails, before the first step or on the way, is named with the place, and the run can go on."""

import shutil
import signal
import unittest

from plugin_case import PLUGINS, SANITIZER, FAULTY, SEVERAL, FAULT_TIME, PluginTest


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

    def test_given_a_case_that_refuses_its_initial_data_then_the_request_is_wrong_and_the_plugin_is_named_once(self):
        done = self.run_faulty("case.fault=refuse_in_initial")
        self.assert_told(done, 2, FAULTY, "'faulty_case'", "no such data can be had")
        self.assertEqual(done.stderr.count(str(FAULTY)), 1, done.stderr)

    def test_given_a_case_that_throws_outside_the_steps_then_the_place_is_named(self):
        done = self.run_faulty("case.fault=fail_in_indicator", "amr.criterion=user")
        self.assert_told(done, 1, FAULTY, "'faulty_case'", "no fronts are known",
                         "(the refinement indicator of level 0 patch (", ") at t = 0)")  # fmt: skip
        done = self.run_faulty("case.fault=fail_in_exact")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the series does not converge (the exact solution of level 0 patch (", done.stderr)
        self.assertIn("at t = 1)", done.stderr)
        self.assertIn("; all base steps are taken: mend this first; continue with --restart run/", done.stderr)
        again = self.kumiko("run", "--restart", "run", "--plugin-path", FAULTY)
        self.assertIn("the run in 'run' has taken all its base steps, ", again.stdout)
        self.assertNotIn("complete already", again.stdout)

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
        self.assert_told(done, 2, FAULTY, "'faulty_solver'", "CFL number that is not a number", "prepare()")
        self.assertFalse((self.path / "run").exists())

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
    def test_given_a_crash_before_the_run_begins_then_the_report_names_the_case(self):
        done = self.run_faulty("case.fault=null_in_end_time")
        self.assertEqual(done.returncode, -signal.SIGSEGV, done.stderr)
        self.assertIn("\n  in a question to case 'faulty_case' of '", done.stderr)
        self.assertNotIn("continue with", done.stderr)
        self.assertFalse((self.path / "run").exists())

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


if __name__ == "__main__":
    unittest.main()
