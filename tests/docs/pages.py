"""What is asked of the pages by themselves: links that lead somewhere, lines that fit, an index without
gaps, and names of pages in the sources that exist."""

import re
import subprocess
from pathlib import Path

from markdown import LINK, Page

MOST_COLUMNS = 120
PAGE_NAME = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md")


def tracked(root: Path, *patterns):
    """The repository's files, those that are new and not ignored too."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=root, check=True, capture_output=True, text=True)  # fmt: skip
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def dead_links(page: Page):
    for line, target in page.links():
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.path.parent / name).resolve() if name else page.path
        if not file.exists():
            yield f"{page.path}:{line}: the link to '{target}' leads to no file"
        elif anchor and anchor not in Page(file).anchors():
            yield f"{page.path}:{line}: '{name or page.path.name}' has no heading '#{anchor}'"


def long_lines(page: Page):
    """Tables cannot be broken, nor what benchmarks printed; of a link only the text counts."""
    if page.path.parent.parts[-2:] == ("bench", "results"):
        return
    for number, line in enumerate(page.lines, 1):
        if line.startswith("|") or "](http" in line:
            continue
        columns = len(LINK.sub("]()", line))
        if columns > MOST_COLUMNS:
            yield f"{page.path}:{number}: {columns} columns; at most {MOST_COLUMNS}"


def indented_blocks(page: Page):
    """A block that is not fenced has no language, so that nothing would say whether it is to be run."""
    before = ""
    for number, line in enumerate(page.lines, 1):
        inside = any(block.line <= number < block.line + len(block.lines) for block in page.blocks)
        if line.startswith("    ") and before == "" and not inside:
            yield f"{page.path}:{number}: an indented block; put it between ```sh, ```console, ```text … and ```"
        before = line.strip() if not line.startswith("    ") else "code"


def gaps_of_index(root: Path):
    """Every page is one link away from the index; the decisions by their folder."""
    index = Page(root / "docs" / "README.md")
    reached = {(index.path.parent / target.partition("#")[0]).resolve() for _, target in index.links()}
    for file in tracked(root, "docs/*.md"):
        if file != index.path and not {file.resolve(), file.parent.resolve()} & reached:
            yield f"{index.path}: has no link to {file.relative_to(root)}"


def names_of_no_page(root: Path):
    """Sources, scripts and messages name pages by their path."""
    for file in tracked(root, ":!tests/docs"):  # whose own examples are of no pages
        try:
            lines = file.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for name in PAGE_NAME.findall(line):
                if not (root / name).exists():
                    yield f"{file}:{number}: there is no {name}"


def commanding(root: Path):
    """The pages whose commands are run."""
    return [Page(root / "README.md"), *map(Page, sorted((root / "docs" / "guide").glob("*.md")))]


def faults(root: Path):
    for file in tracked(root, "*.md"):
        page = Page(file)
        yield from dead_links(page)
        yield from long_lines(page)
    for page in commanding(root):
        yield from indented_blocks(page)
    yield from gaps_of_index(root)
    yield from names_of_no_page(root)
