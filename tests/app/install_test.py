"""Contract: `cmake --install` brings what a user without the sources works with: the cases' configurations, the pages,
the man page, completions, and a package that names what it lacks. No text of it leads back to the sources."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["KUMIKO_BUILD"])
SOURCE = Path(os.environ["KUMIKO_SOURCE"])
CMAKE = os.environ["CMAKE_COMMAND"]

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")

PROGRAM = """
#include <cstdio>
#include <kumiko/plugin/registry.hpp>
int main() { std::puts(kumiko::plugin::find_solver("upwind1")->name.c_str()); }
"""
PROGRAM_BUILD = """
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
find_package(kumiko REQUIRED @COMPONENTS@)
if(TARGET kumiko::amr OR NOT @OPTIONAL@)
  add_executable(program program.cpp)
  target_link_libraries(program PRIVATE kumiko::amr)
endif()
"""

# Prints what bash would offer for the last of its arguments.
COMPLETE = """
source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_kumiko
printf '%s\\n' "${COMPREPLY[@]}"
"""

# Prints what zsh's functions that complete would be given for it.
DESCRIBE = """
compdef() {}
_describe() { print -rl -- "${(@P)4}"; false }
_arguments() { print -rl -- "$@" }
source "$0"
words=("$@") CURRENT=$#
_kumiko
"""


def words_after(heading, text):
    """The first words of the indented lines below a heading of a help."""
    return re.findall(r"^  (\S+)", text.partition(heading)[2], re.MULTILINE)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Installs once, for the classes of all tests."""
        if not hasattr(InstallTest, "prefix"):
            folder = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(folder.cleanup)
            InstallTest.prefix = Path(folder.name) / "the prefix"
            cls.call(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin" / "kumiko"
        cls.share = cls.prefix / "share"
        cls.pages = cls.share / "doc" / "kumiko"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    @staticmethod
    def call(*command, **more):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
        if done.returncode != 0:
            raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def kumiko(self, *arguments):
        return self.call(self.program, *arguments, cwd=self.path)

    def commands(self):
        """Each command as it is typed, with the options that its help lists."""
        found = {}
        for name in words_after("Subcommands:", self.kumiko("--help")):
            shown = self.kumiko(name, "--help")
            below = [f"{name} {word}" for word in words_after("Subcommands:", shown)]
            for command in below or [name]:
                text = self.kumiko(*command.split(), "--help")
                found[command] = set(re.findall(r"^  (?:-[a-z],)?(--[a-z-]+)", text, re.MULTILINE))
        return found


class Files(InstallTest):
    def test_given_the_installed_cases_then_they_are_those_of_the_sources_and_run(self):
        cases = self.share / "kumiko" / "cases"
        shipped = {file.relative_to(SOURCE / "cases") for file in (SOURCE / "cases").glob("*/*.t*")}
        self.assertEqual({file.relative_to(cases) for file in cases.rglob("*") if file.is_file()}, shipped)
        prefix = self.kumiko("--prefix").strip()
        self.assertEqual(prefix, str(self.prefix))
        self.kumiko("run", f"{prefix}/share/kumiko/cases/gaussian/gaussian.toml", "--set", "time.stop_step=1",
                    "--quiet")  # fmt: skip

    def test_given_a_configuration_that_is_not_here_then_the_installed_one_is_named(self):
        for named, meant in (("cases/zalesak/thesis.toml", "zalesak/thesis.toml"), ("vortex", "vortex/vortex.toml")):
            done = subprocess.run([self.program, "run", named], cwd=self.path, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"'{self.share}/kumiko/cases/{meant}'", done.stderr)
        done = subprocess.run([self.program, "run", "mine.toml"], cwd=self.path, capture_output=True, text=True)
        self.assertTrue(done.stderr.endswith("give the path of a TOML file\n"), done.stderr)

    def test_given_the_installed_pages_then_their_links_to_each_other_lead_somewhere(self):
        pages = list(self.pages.rglob("*.md"))
        self.assertIn(self.pages / "docs" / "guide" / "first-run.md", pages)
        followed = 0
        for page in pages:
            for target in LINK.findall(page.read_text()):
                path = Path(os.path.normpath(page.parent / target))
                if (self.pages / "docs") in path.parents or path.parent == self.pages and path.suffix == ".md":
                    self.assertTrue(path.exists(), f"{page}: {target}")
                    followed += 1
        self.assertGreater(followed, 100)
        self.assertTrue((self.pages / "LICENSE").exists())

    def test_given_the_citation_then_its_version_is_the_programs(self):
        citation = (self.pages / "CITATION.cff").read_text()
        self.assertIn(f"\nversion: {self.kumiko('--version').split()[1]}\n", citation)

    def test_given_installed_texts_and_templates_then_none_holds_a_path_of_the_build(self):
        self.kumiko("solver", "new", "my_scheme")
        self.kumiko("case", "new", "my_case")
        texts = [file for folder in (self.prefix, self.path) for file in folder.rglob("*") if file.is_file()]
        looked_at = 0
        for file in texts:
            content = file.read_bytes()
            if b"\0" in content:
                continue
            looked_at += 1
            for folder in (SOURCE, BUILD, *([self.prefix] if self.path in file.parents else [])):
                self.assertNotIn(str(folder).encode(), content, file)
        self.assertGreater(looked_at, 100)


class Texts(InstallTest):
    def man_page(self):
        return (self.share / "man" / "man1" / "kumiko.1").read_text()

    def test_given_the_man_page_then_it_names_each_command_and_its_options(self):
        sections = dict(re.findall(r"^\.SS \\fBkumiko (.*?)\\fR.*\n((?:(?!\.S[SH]).*\n)*)", self.man_page(), re.MULTILINE))
        commands = self.commands()
        self.assertIn("search join", commands)
        self.assertEqual(sections.keys(), commands.keys())
        for command, options in commands.items():
            named = {name.replace("\\", "") for name in re.findall(r"^.*\\fB(\\-\\-\S+?)\\fR", sections[command], re.MULTILINE)}
            self.assertEqual(named, options, command)
        self.assertIn("amr.threshold", self.man_page())

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_given_the_man_page_then_groff_has_nothing_against_it(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww"], input=self.man_page(), capture_output=True,
                              text=True, timeout=60)  # fmt: skip
        self.assertEqual(done.stderr, "")
        self.assertIn("CASE.toml", done.stdout)

    def offered(self, *words):
        """By bash, for the last word."""
        script = self.share / "bash-completion" / "completions" / "kumiko"
        return self.call("bash", "--norc", "-c", COMPLETE, script, "kumiko", *words).split()

    def test_given_bash_then_commands_and_options_are_completed(self):
        commands = self.commands()
        for command, options in commands.items():
            self.assertLessEqual(options, set(self.offered(*command.split(), "")), command)
            *group, last = command.split()
            self.assertIn(last, self.offered(*group, last[:1]))
        self.assertEqual(self.offered("ins"), ["inspect"])
        self.assertEqual(self.offered("run", "cases/zalesak.toml", "--over"), ["--overwrite"])
        # These words are not commands where they stand.
        self.assertEqual(self.offered("run", "--output", "solver", "--over"), ["--overwrite"])
        self.assertEqual(self.offered("run", "run", "--over"), ["--overwrite"])

    def test_given_bash_then_values_are_completed_and_files_are_left_to_it(self):
        self.assertEqual(self.offered("run", "--backend", "op"), ["openmp"])
        self.assertEqual(self.offered("run", "--backend", "=", "op"), ["openmp"])
        self.assertEqual(len(self.offered("run", "--backend", "=")), len(self.offered("run", "--backend", "")))
        self.assertEqual(self.offered("search", "serve", "qu"), ["queens"])
        self.assertEqual(self.offered("run", "--output", ""), [])

    def described(self, *words):
        """To zsh, for what follows the words."""
        script = self.share / "zsh" / "site-functions" / "_kumiko"
        return self.call("zsh", "-f", "-c", DESCRIBE, script, "kumiko", *words, "").splitlines()

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_given_zsh_then_commands_options_and_values_are_described(self):
        for command, options in self.commands().items():
            *group, last = command.split()
            shown = self.described(*group)
            self.assertEqual([line.startswith(f"{last}:") for line in shown].count(True), 1, command)
            shown = self.described(*command.split())
            named = {found[1] for line in shown if (found := re.match(r"\*?(--[a-z-]+)=?\[", line))}
            self.assertEqual(named, options, command)
        backend = [line for line in self.described("run") if line.startswith("--backend=")]
        self.assertRegex(backend[0], r":\(threads .*\)$")


class Package(InstallTest):
    def write_program(self, components="", optional="FALSE"):
        (self.path / "program.cpp").write_text(PROGRAM)
        text = PROGRAM_BUILD.replace("@COMPONENTS@", components).replace("@OPTIONAL@", optional)
        (self.path / "CMakeLists.txt").write_text(text)

    def configure(self, *options):
        return subprocess.run([CMAKE, "-S", self.path, "-B", self.path / "build", f"-Dkumiko_ROOT={self.prefix}", *options],
                              capture_output=True, text=True, timeout=120)  # fmt: skip

    def test_given_no_component_then_a_program_with_the_engine_is_built(self):
        self.write_program()
        done = self.configure()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.call(CMAKE, "--build", self.path / "build")
        self.assertEqual(self.call(self.path / "build" / "program"), "upwind1\n")

    def test_given_no_component_and_a_missing_package_then_what_is_left_out_is_said_and_why(self):
        self.write_program(optional="TRUE")
        done = self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without kumiko::amr", done.stdout)
        self.assertIn("libfmt-dev", done.stdout)
        self.assertIn("CMAKE_PREFIX_PATH", done.stdout)
        self.assertNotIn("kumiko::plugin", done.stdout)


if __name__ == "__main__":
    unittest.main()
