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


def paragraph_before(page: Page, fence):
    """The text that stands above the line of a fence, empty lines between them left out."""
    end = fence - 1
    while end > 0 and not page.lines[end - 1].strip():
        end -= 1
    start = end
    while start > 0 and page.lines[start - 1].strip():
        start -= 1
    return "\n".join(page.lines[start:end])


def quoted_parts(block):
    """The lines of a quotation without their indentation, in parts where `...` leaves some out."""
    parts = [[]]
    for line in block.lines:
        if line.strip() in ("...", "// ..."):
            parts.append([])
        else:
            parts[-1].append(line.strip())
    return [part for part in parts if part]


def false_quotations(page: Page):
    """A block of C++ below a paragraph with a link to a source quotes it: its lines stand there, side by side."""
    for block in page.blocks:
        sources = [target for target in LINK.findall(paragraph_before(page, block.line - 1))
                   if target.endswith((".cpp", ".hpp"))]  # fmt: skip
        if block.language != "cpp" or not sources:
            continue
        source = (page.path.parent / sources[-1]).resolve()
        if not source.exists():
            continue  # the link is dead, which is said elsewhere
        lines = [line.strip() for line in source.read_text().splitlines()]
        place = 0
        for part in quoted_parts(block):
            found = next((at for at in range(place, len(lines)) if lines[at:at + len(part)] == part), None)
            if found is None:
                gone = next((line for line in part if line not in lines), part[0])
                yield f"{page.path}:{block.line}: '{sources[-1]}' does not hold this, from '{gone}' on"
                break
            place = found + len(part)


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


def other_version(root: Path):
    """The newest version of the changelog, where it has one, is that of the program."""
    newest = re.search(r"^## \[(\d[^\]]*)\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    program = re.search(r"^project\(kumiko VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    if newest and newest[1] != program[1]:
        yield f"CHANGELOG.md: its newest version is {newest[1]}, and CMakeLists.txt says {program[1]}"


def commanding(root: Path):
    """The pages whose commands are run."""
    guide = sorted((root / "docs" / "guide").glob("*.md"))
    return [Page(root / "README.md"), *map(Page, guide), Page(root / "docs" / "cluster.md")]


def faults(root: Path):
    for file in tracked(root, "*.md"):
        page = Page(file)
        yield from dead_links(page)
        yield from long_lines(page)
        yield from false_quotations(page)
    for page in commanding(root):
        yield from indented_blocks(page)
    yield from gaps_of_index(root)
    yield from names_of_no_page(root)
    yield from other_version(root)
