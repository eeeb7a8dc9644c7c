"""Contract: a page that has a dead link, a line too long, or a command that does not do what the page prints,
is found, and a page that is right is not."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import commands
import keys
import pages
import tables
from markdown import Page, github_slug


class Tables(unittest.TestCase):
    def test_given_a_marked_page_then_its_table_is_replaced_and_the_rest_is_kept(self):
        page = "before\n<!-- table: a -->\n\n| old |\n\n<!-- end -->\nafter\n"
        expected = "before\n<!-- table: a -->\n\n| new |\n\n<!-- end -->\nafter\n"
        self.assertEqual(tables.text_with_tables(page, {"a": "| new |\n"}), expected)

    def test_given_a_table_without_a_place_or_a_place_without_a_table_then_it_is_an_error(self):
        for described in ({}, {"a": "", "b": ""}):
            with self.assertRaises(ValueError):
                tables.text_with_tables("<!-- table: a -->\n<!-- end -->\n", described)


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def page(self, text, name="page.md"):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return Page(file)

    def run_text(self, text, long=False):
        printed = [c for c in commands.commands_of(self.page(text)) if long or c.minutes == 0]
        return commands.run_page(printed, self.folder, dict(os.environ), self.folder / "outputs", timeout=20)


class Links(Documents):
    def test_given_links_to_what_is_there_then_none_is_dead(self):
        self.page("# The other one\n## Its `code` & more\n## Twice\n## Twice\n## Named {#its-name}\n", "other.md")
        page = self.page("# Here\n[a](other.md) [b](other.md#its-code--more) [c](#here) [d](https://nowhere.invalid)\n"
                         "[e](other.md#twice-1) [f](other.md#its-name) `[g](code)`\n"
                         "```sh\n[h](block)\n```\n")  # fmt: skip
        self.assertEqual(list(pages.dead_links(page)), [])

    def test_given_a_file_or_a_heading_that_is_not_there_then_the_line_is_named(self):
        self.page("# Other\n", "other.md")
        page = self.page("[a](gone.md)\n\n[b](other.md#gone)\n![c](gone.png)\n")
        found = list(pages.dead_links(page))
        self.assertEqual([fault.split(":")[1] for fault in found], ["1", "3", "4"])

    def test_given_punctuation_then_the_slug_is_github_s(self):
        self.assertEqual(github_slug("Checkpoints and states: `*.hdf`"), "checkpoints-and-states-hdf")


class Version(Documents):
    def test_given_a_changelog_whose_newest_version_is_not_the_programs_then_both_are_named(self):
        (self.folder / "CMakeLists.txt").write_text("project(kumiko VERSION 0.2.0 LANGUAGES CXX)\n")
        for headings, faults in (
            ("## [Unreleased]\n", 0),
            ("## [Unreleased]\n## [0.2.0] - 2026-11-24\n## [0.1.0]\n", 0),
            ("## [0.1.0] - 2026-11-23\n", 1),
        ):
            self.page(headings, "CHANGELOG.md")
            found = list(pages.other_version(self.folder))
            self.assertEqual(len(found), faults, found)
            self.assertTrue(all("0.1.0" in fault and "0.2.0" in fault for fault in found))


class Lines(Documents):
    def test_given_121_columns_then_the_line_is_named_unless_it_is_a_table_or_a_link(self):
        wide = "x" * 121
        page = self.page(f"{wide}\n| {wide} |\n[x](https://{wide})\n[x]({wide})\n```sh\n{wide}\n```\n")
        self.assertEqual([fault.split(":")[1] for fault in pages.long_lines(page)], ["1", "6"])

    def test_given_a_block_that_is_not_fenced_then_it_is_named(self):
        page = self.page("text\n\n    true\n\n```sh\n\n    true\n```\n")
        self.assertEqual([fault.split(":")[1] for fault in pages.indented_blocks(page)], ["3"])


class Quotations(Documents):
    SOURCE = "// Adds.\nint main() {\n  int a = 1;\n  int b = 2;\n\n  return a + b;\n}\n"

    def faults_of(self, quoted, above="See [it](adds.cpp):\n\n"):
        (self.folder / "adds.cpp").write_text(self.SOURCE)
        return list(pages.false_quotations(self.page(f"{above}```cpp\n{quoted}\n```\n")))

    def test_given_lines_of_the_source_then_nothing_is_said(self):
        for quoted in ("int a = 1;\nint b = 2;", "  int b = 2;\n\n  return a + b;",
                       "int main() {\n  ...\n  return a + b;\n}", "int a = 1;\n// ...\n}"):  # fmt: skip
            self.assertEqual(self.faults_of(quoted), [], quoted)

    def test_given_lines_that_the_source_has_not_or_not_so_then_the_block_is_named(self):
        for quoted, gone in (("int a = 1;\nint c = 3;", "int c = 3;"), ("int b = 2;\nint a = 1;", "int b = 2;"),
                             ("int a = 1;\nreturn a + b;", "int a = 1;"), ("}\n...\nint a = 1;", "int a = 1;")):  # fmt: skip
            found = self.faults_of(quoted)
            self.assertEqual(len(found), 1, quoted)
            self.assertIn("page.md:4:", found[0])
            self.assertIn(gone, found[0])

    def test_given_no_source_above_then_it_is_no_quotation(self):
        for above in ("", "[it](adds.cpp)\n\nText.\n\n", "[a page](page.md)\n"):
            self.assertEqual(self.faults_of("int c;", above), [])


class Repository(Documents):
    def setUp(self):
        super().setUp()
        subprocess.run(["git", "init", "-q", self.folder], check=True)

    def test_given_a_page_that_the_index_does_not_name_then_it_is_named(self):
        self.page("[a](guide/a.md) [all](decisions)\n", "docs/README.md")
        for name in ("docs/guide/a.md", "docs/guide/b.md", "docs/decisions/001.md"):
            self.page("", name)
        found = list(pages.gaps_of_index(self.folder))
        self.assertEqual(len(found), 1)
        self.assertIn("docs/guide/b.md", found[0])

    def test_given_a_source_that_names_a_page_that_has_gone_then_it_is_named(self):
        self.page("", "docs/here.md")
        (self.folder / "source.cpp").write_text("// see docs/here.md\n// and docs/gone.md, ../docs/gone.md\n")
        self.assertEqual(len(list(pages.names_of_no_page(self.folder))), 1)


HELP = """Keys of CASE.toml and --set:
case.name
    the case to compute
    text; required
amr.floor
    times the
      largest |u|
    number, 0 to 1; default 0.01

Keys of solver 'thinc':
solver.limiter
    none: cheaper
    text: 'fct' or 'none'; default "fct"
"""


class Keys(Documents):
    def test_given_the_program_s_help_then_the_tables_hold_every_key(self):
        rows = [line for line in keys.tables(HELP).splitlines() if line.startswith("| `")]
        self.assertEqual(rows, ["| `case.name` | text | required | the case to compute |",
                                r"| `amr.floor` | number, 0 to 1 | `0.01` | times the largest \|u\| |",
                                "| `solver.limiter` | text: 'fct' or 'none' | `\"fct\"` | none: cheaper |"])  # fmt: skip
        self.assertIn("## Keys of solver `thinc`", keys.tables(HELP))

    def test_given_a_help_without_keys_then_it_is_an_error(self):
        self.assertRaises(ValueError, keys.tables, "Keys of CASE.toml and --set:\n")


class Commands(Documents):
    def test_given_commands_that_do_as_printed_then_nothing_is_said(self):
        self.assertIsNone(self.run_text("```sh\nmkdir a && cd a   # folders stay\nNAME=\"b c\"\ncat <<'END' > file\n"
                                        "$NAME\nEND\nsleep 0 &\nwait\n```\ntext\n```console\n$ cat \\\n  file\n"
                                        "$NAME\n$ echo \"$NAME\"; pwd\nb ...\n...\n```\n"))  # fmt: skip

    def test_given_a_command_that_fails_then_its_line_is_named_and_later_ones_are_not_run(self):
        command, what = self.run_text("```sh\ntrue\necho why; false\ntouch later\n```\n")
        self.assertEqual(command.line, 3)
        self.assertIn("why", what)
        self.assertFalse((self.folder / "later").exists())

    def test_given_other_output_than_printed_then_both_are_shown(self):
        command, what = self.run_text("```console\n$ echo 1.5042e-01\n1.5043e-01\n```\n")
        self.assertEqual(command.line, 2)
        self.assertIn("1.5042e-01", what)
        self.assertIn("1.5043e-01", what)

    def test_given_a_printed_error_then_the_command_must_fail(self):
        self.assertIsNone(self.run_text("```console\n$ echo 'x: error: no'; false\nx: error: no\n```\n"))
        self.assertIsNotNone(self.run_text("```console\n$ echo 'x: error: no'\nx: error: no\n```\n"))

    def test_given_a_change_then_it_is_applied_or_named(self):
        change = "```diff\n--- file\n+++ file\n@@ -1,2 +1,2 @@\n-one\n+three\n two\n```\n"
        self.assertIsNone(self.run_text("```sh\nprintf 'one\\ntwo\\n' > file\n```\n" + change
                                        + "```console\n$ cat file\nthree\ntwo\n```\n"))  # fmt: skip
        self.assertIsNotNone(self.run_text("```sh\nprintf 'four\\nfive\\n' > file\n```\n" + change))

    def test_given_minutes_or_network_behind_a_command_then_it_is_for_the_long_form(self):
        text = "```sh\ntrue   # in 5 minutes\nfalse   # 1 minute: long\nfalse   # network\nfalse   # 36 minutes\n```\n"
        self.assertIsNone(self.run_text(text))
        self.assertIsNotNone(self.run_text(text, long=True))
        minutes = [command.minutes for command in commands.commands_of(self.page(text))]
        self.assertEqual(minutes, [0, 1, 1, 36])

    def test_given_a_command_that_does_not_end_then_it_is_stopped(self):
        printed = list(commands.commands_of(self.page("```sh\nsleep 1000\n```\n")))
        _, what = commands.run_page(printed, self.folder, dict(os.environ), self.folder / "outputs", timeout=1)
        self.assertIn("longer than 1 s", what)


if __name__ == "__main__":
    unittest.main()
