"""What the checks need to know of a page: its fenced blocks, headings, links and prose."""

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\S*)\s*$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?)(?: *\{#([\w-]+)\})?$")


@dataclass
class Block:
    """A fenced block: its language, the number of its first line, and its lines."""

    language: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


class Page:
    def __init__(self, path: Path):
        self.path = path
        self.lines = path.read_text().splitlines()
        self.blocks: list[Block] = []
        self.prose: list[tuple[int, str]] = []  # lines outside of blocks, with their numbers
        block = None
        for number, line in enumerate(self.lines, 1):
            fence = FENCE.match(line)
            if block is not None:
                if line.rstrip() == "```":
                    block = None
                else:
                    block.lines.append(line)
            elif fence:
                block = Block(fence[1], number + 1)
                self.blocks.append(block)
            elif not line.startswith("    "):
                self.prose.append((number, line))

    def links(self):
        """(line number, target) of every link and picture, those in code spans left out."""
        for number, line in self.prose:
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                yield number, target

    def anchors(self):
        """What `#…` may name here: the headings as GitHub spells them, and Doxygen's labels."""
        names, seen = set(), {}
        for _, line in self.prose:
            heading = HEADING.match(line)
            if not heading:
                continue
            slug = github_slug(heading[1])
            seen[slug] = seen.get(slug, -1) + 1
            names.add(slug if seen[slug] == 0 else f"{slug}-{seen[slug]}")
            if heading[2]:
                names.add(heading[2])
        return names


def github_slug(heading):
    """GitHub's anchor of a heading: small letters, no punctuation, a dash for each space."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
