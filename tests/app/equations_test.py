"""Contract: a run says which equation its solver solves, and gets an interpolation in time that suits the solver."""

import json
import unittest

from command_case import CASES, GAUSSIAN, CommandTest


class Equations(CommandTest):
    def warning(self, case, *keys):
        """What a short run says on stderr."""
        done = self.kumiko("run", CASES / case / f"{case}.toml", "--overwrite", "--output", "run",
                           *(word for key in ("time.stop_step=1", "amr.levels=1", *keys) for word in ("--set", key)))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_given_a_solver_of_another_equation_then_a_warning_says_so(self):
        told = self.warning("burgers", "solver.name=thinc")
        self.assertRegex(told, r"kumiko: warning: case 'burgers' .* burgers, but solver 'thinc' solves advection")
        told = self.warning("reacting_front", "solver.name=semi_lagrangian_cubic")
        self.assertIn("advection_reaction with rate = 8, but solver 'semi_lagrangian_cubic'", told)

    def test_given_other_constants_then_a_warning_names_both(self):
        told = self.warning("reacting_front", "case.rate=4")
        self.assertIn("with rate = 4, but solver 'advection_reaction' solves advection_reaction with rate = 8", told)
        self.assertIn("give case and solver the same constants", told)

    def test_given_the_same_equation_then_nothing_is_said(self):
        self.assertEqual(self.warning("burgers"), "")
        self.assertEqual(self.warning("reacting_front"), "")
        # Without a reaction it is advection, which other solvers solve too.
        self.assertEqual(self.warning("reacting_front", "case.rate=0", "solver.name=thinc", "time.steps=400"), "")

    def test_given_a_comparison_then_the_solver_of_another_equation_is_named(self):
        done = self.kumiko("compare", CASES / "burgers" / "burgers.toml", "--solvers", "burgers,upwind1",
                           "--resolutions", "32", "--set", "time.stop_step=4", "--set", "amr.levels=1")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("solver 'upwind1' solves advection", done.stderr)
        self.assertNotIn("solver 'burgers'", done.stderr)


class TimeInterpolation(CommandTest):
    def config_of(self, file, solver):
        keys = ["--set", f"solver.name={solver}", "--set", "time.stop_step=1", "--set", "grid.base=32"]
        keys += ["--set", "time.steps=1000"]
        done = self.kumiko("run", file, *keys, "--output", solver, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / solver / "summary.json").read_text())["config"]

    def test_given_another_solver_on_the_command_line_then_it_gets_the_interpolation_that_suits_it(self):
        suited = {
            "semi_lagrangian_cubic": "characteristic",
            "finite_volume_upwind3": "quadratic",
            "thinc": "linear",
        }
        for solver, interpolation in suited.items():
            config = self.config_of(GAUSSIAN, solver)
            self.assertEqual(config["step"]["time_interpolation"], interpolation, solver)

    def test_given_one_that_the_solver_cannot_do_then_auto_is_named(self):
        keys = ["solver.name=thinc", "step.time_interpolation=characteristic", "time.steps=2000"]
        keys = [word for key in keys for word in ("--set", key)]
        self.assert_refused(self.kumiko("run", GAUSSIAN, *keys), "linear", "auto")


if __name__ == "__main__":
    unittest.main()
