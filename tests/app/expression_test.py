"""Contract: a case is written as formulas in its configuration, without C++: with the bits of the same case in C++,
through files, restarts and ranks, and with errors that say where a formula is wrong before anything is computed."""

import json
import os
import subprocess
import unittest

from command_case import CASES, KUMIKO, SMALL, ZALESAK, CommandTest

FORMULAS = CASES / "expression" / "zalesak.toml"
EXAMPLE = CASES / "expression" / "expression.toml"
HAS_MUPARSER = os.environ["KUMIKO_HAS_MUPARSER"] == "1"
MPIRUN = os.environ.get("KUMIKO_MPIRUN_MPICH", "")

# Text that no format may change, in a comment of the definitions.
AWKWARD = r"""
a = 0.5   # "quotes", 'single' ones, '''three''', \back\slashes\n and \u00e9, é, a tab:	, {braces}, 100 %
b = a/2
"""


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


class ExpressionCase(CommandTest):
    def summary(self, *arguments):
        done = self.kumiko("run", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


@unittest.skipUnless(HAS_MUPARSER, "this build has no muParser")
class Expression(ExpressionCase):
    def test_given_zalesaks_disk_as_formulas_then_state_and_error_have_the_bits_of_the_shipped_case(self):
        for solver in ("semi_lagrangian_cubic", "flux_form_fct"):
            keys = [*SMALL, "--solver", solver, "--no-files"]
            formulas, shipped = self.summary(FORMULAS, *keys), self.summary(ZALESAK, *keys)
            self.assertEqual(formulas["state_hash"], shipped["state_hash"], solver)
            self.assertEqual(formulas["error"], shipped["error"], solver)

    def test_given_an_unsteady_flow_then_every_backend_has_the_same_bits(self):
        keys = [EXAMPLE, *settings("time.stop_step=12"), "--no-files"]
        hashes = {
            self.summary(*keys, "--backend", backend, "--workers", workers)["state_hash"]
            for backend, workers in (("serial", 1), ("threads", 3), ("pthread", 2))
        }
        self.assertEqual(len(hashes), 1)

    @unittest.skipUnless(MPIRUN, "there is no MPICH")
    def test_given_two_ranks_then_the_bits_are_those_of_one(self):
        keys = ["run", str(EXAMPLE), *settings("time.stop_step=12"), "--no-files", "--json"]
        done = subprocess.run([MPIRUN, "-n", "2", KUMIKO, *keys], capture_output=True, text=True, cwd=self.path,
                              timeout=300)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["state_hash"], self.summary(*keys[1:])["state_hash"])

    def awkward(self, *keys):
        """The words of a run whose definitions hold what formats may change."""
        case = {"definitions": AWKWARD, "initial": "x > a ? 1 : b", "velocity_x": "1", "velocity_y": "sin(t)"}
        file = self.path / "awkward.toml"
        file.write_text(
            '[case]\nname = "expression"\nboundary = "periodic"\n'
            + "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in case.items())
            + '[solver]\nname = "upwind1"\n[grid]\nbase = 32\n[amr]\nlevels = 2\n[time]\nsteps = 64\n'
        )
        return [file, *settings(*keys), "--output", "run"]

    def test_given_texts_that_formats_may_change_then_a_restart_reads_them_from_the_checkpoint(self):
        whole = self.summary(*self.awkward("time.stop_step=20", "checkpoint.every=10"))
        self.assertEqual(whole["config"]["case"]["definitions"], AWKWARD)
        again = self.summary("--restart", "run/checkpoint_000010.hdf", "--output", "again")
        self.assertEqual(again["state_hash"], whole["state_hash"])
        self.assertEqual(again["config"]["case"], whole["config"]["case"])

    def test_given_print_config_or_the_effective_configuration_then_it_is_the_same_run(self):
        words = self.awkward("time.stop_step=4")
        whole = self.summary(*words)
        printed = self.kumiko("run", words[0], *settings("time.stop_step=4"), "--print-config")
        (self.path / "printed.toml").write_text(printed.stdout)
        for file in ("printed.toml", "run/effective.toml"):
            again = self.summary(file, "--no-files")
            self.assertEqual(again["state_hash"], whole["state_hash"], file)
            self.assertEqual(again["config"]["case"], whole["config"]["case"], file)

    def test_given_another_formula_at_a_restart_then_it_is_refused(self):
        self.summary(*self.awkward("time.stop_step=20", "checkpoint.every=10"))
        done = self.kumiko("run", "--restart", "run/checkpoint_000010.hdf", "--output", "again",
                           *settings("case.velocity_x=2"))  # fmt: skip
        self.assert_refused(done, "case.velocity_x")

    def test_given_a_mistake_then_the_error_names_key_column_and_what_was_expected(self):
        mistakes = {
            "case.initial=": ["case.initial is missing", "a formula in x and y"],
            "case.initial=x + foo(y)": ["case.initial, column 5: 'foo' is not known"],
            "case.initial=exp(-x": ["case.initial, column 4: this '(' has no ')'"],
            "case.initial=x +": ["case.initial, column 4", "a number, a name or '(' is expected"],
            "case.initial=atan2(x)": ["case.initial, column 1: 'atan2' takes two arguments"],
            "case.initial=1/(x - 0.5)": ["case.initial is not finite at x = 0.5, y = 0.5, t = 0"],
            "case.initial=cos(t)": ["column 5: 't' cannot be used here"],
            "case.stream_function=": ["the case has no velocity"],
            "case.velocity_x=y": ["case.stream_function and case.velocity_x", "all given"],
            "case.definitions=pi = 3": ["case.definitions, column 1: 'pi' is reserved"],
            "case.definitions=r = 1/0": ["case.definitions, column 5: the value of 'r' is not finite"],
            "case.left=wall": ["case.left, column 1: 'wall' is not known", "periodic, outflow, reflecting"],
        }
        for key, parts in mistakes.items():
            with self.subTest(key):
                done = self.kumiko("run", FORMULAS, *settings("case.exact=", key), "--output", "run")
                self.assert_refused(done, *parts)

    def test_given_a_mistake_then_a_dry_run_finds_it_too(self):
        done = self.kumiko("run", FORMULAS, *settings("case.exact=x +"), "--dry-run")
        self.assert_refused(done, "case.exact, column 4")


class Description(ExpressionCase):
    def test_given_case_show_then_it_has_the_keys_and_what_the_case_needs(self):
        done = self.kumiko("case", "show", "expression")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("case.stream_function", done.stdout)
        self.assertRegex(done.stdout, r"by defaults .*case\.initial is missing")

    @unittest.skipIf(HAS_MUPARSER, "this build has muParser")
    def test_given_no_muparser_then_the_error_says_what_to_install(self):
        done = self.kumiko("run", FORMULAS, "--output", "run")
        self.assert_refused(done, "muParser was missing", "libmuparser-dev")


if __name__ == "__main__":
    unittest.main()
