"""Checks the pages, and runs what README.md and the guide print; scripts/check-docs calls it."""

import argparse
import concurrent.futures
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import commands
import container
import keys
import pages
import tables
from markdown import Page

ROOT = Path(__file__).resolve().parents[2]
KEYS = ROOT / "docs" / "reference" / "keys.md"
FILES = ROOT / "docs" / "reference" / "files.md"


def check_pages(build):
    loaded = unittest.defaultTestLoader.loadTestsFromName("docs_test")
    said = io.StringIO()
    if not unittest.TextTestRunner(said, verbosity=0).run(loaded).wasSuccessful():
        print(said.getvalue(), file=sys.stderr)
        return ["the checks of the pages do not find what they should"]
    found = list(pages.faults(ROOT))
    for page, text in generated(build) if build else []:
        if text != page.read_text():
            found.append(f"{page}: its tables are not those of the program; run scripts/check-docs --write")
    return found


def generated(build: Path):
    """Each page that has tables made from the program, and its text as it should be."""
    yield KEYS, keys.page_with_tables(KEYS, build / "bin" / "kumiko", os.environ)
    program = build / "bin" / "file_tables"
    if program.exists():  # not in a build without tests
        yield FILES, tables.text_with_tables(FILES.read_text(), tables.printed(program))


def scratch_of(folder: Path, build: Path):
    """A folder that looks like the sources' with build/release, so that what a page writes stays apart."""
    for name in sorted({file.relative_to(ROOT).parts[0] for file in pages.tracked(ROOT)}):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(build)
    (folder / "home").mkdir()


def run_guide(page: Page, build: Path, long, kept: Path):
    """Runs a page in a folder of its own. Returns the fault, if there is one, and the seconds."""
    index = Page(ROOT / "docs" / "README.md")
    setup = [] if page.path.parent == ROOT else list(commands.commands_of(index))
    printed = [command for command in commands.commands_of(page)
               if command.minutes == 0 or (long and command.minutes <= commands.MOST_MINUTES)]  # fmt: skip
    if page.path.parent == ROOT:
        # These build the program; the long form runs them where there is none yet.
        printed = [command for command in printed if not command.text.startswith("scripts/")]
    name = page.path.relative_to(ROOT)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scratch_of(Path(folder), build)
        environment = {key: os.environ[key] for key in ("PATH", "LANG", "CXX", "CC") if key in os.environ}
        environment |= {key: value for key, value in os.environ.items() if "PIP" in key or "CERT" in key}
        environment["HOME"] = str(Path(folder) / "home")
        outputs = kept / str(name).replace("/", "-")
        timeout = 600 * (1 + sum(command.minutes for command in printed))  # on a busy machine too
        fault = commands.run_page(setup + printed, Path(folder), environment, outputs, timeout)
    seconds = time.monotonic() - started
    if fault is None:
        print(f"{name}: {len(printed)} commands as printed, {seconds:.0f} s", flush=True)
        return None
    command, what = fault
    return f"{name}:{command.line}: `{command.text.strip()}` {what}"


def run_commands(build: Path, long, only):
    """All pages, or those that are named; as many at once as there are cores."""
    kept = ROOT / "build" / "docs-check"
    shutil.rmtree(kept, ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        wanted = [page for page in pages.commanding(ROOT) if not only or page.path in only]
        ran = pool.map(lambda page: run_guide(page, build, long, kept), wanted)
        return [fault for fault in ran if fault]


def write_tables(build: Path):
    for page, text in generated(build):
        if text != page.read_text():
            page.write_text(text)
            print(f"{page} is written anew")


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/check-docs", description=__doc__)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--pages", action="store_true", help="links, lines and names only; no program is needed")
    form.add_argument("--long", action="store_true",
                      help="also what takes minutes or the network, and README.md in an empty Debian")  # fmt: skip
    form.add_argument("--write", action="store_true", help="write the tables of docs/reference/keys.md and files.md anew")
    parser.add_argument("--page", action="append", default=[], type=Path, help="run this page's commands only")
    parser.add_argument("build", nargs="?", type=Path, default=ROOT / "build" / "release",
                        help="the build whose program is run (default: build/release)")  # fmt: skip
    return parser.parse_args()


def main():
    asked = arguments()
    build = None if asked.pages else asked.build.resolve()
    if build and not (build / "bin" / "kumiko").exists():
        sys.exit(f"error: there is no {build}/bin/kumiko; build it: cmake --preset program && cmake --build --preset program")
    if asked.write:
        write_tables(build)
        return
    only = [page.resolve() for page in asked.page]
    faults = check_pages(build)
    if not asked.pages:
        faults += run_commands(build, asked.long, only)
    if asked.long and not only:
        faults += container.run_readme(ROOT)
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    print("the pages are as they should be")


if __name__ == "__main__":
    main()
