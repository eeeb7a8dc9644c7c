"""The list of modules, cmake/modules.txt, for the scripts that go through the sources. Called as a program, it prints
the folders of sources, one a line; with KIND..., those of these kinds. usage: scripts/modules.py [KIND...]"""

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = "cmake/modules.txt"
KINDS = ("library", "plugins", "command", "preload", "programs")


@dataclass(frozen=True)
class Folder:
    name: str
    kind: str
    may_include: tuple[str, ...]

    @property
    def is_module(self):
        return self.kind != "programs"


def folders(root=ROOT):
    """All folders of sources, in the order of the list. Raises ValueError where a line of the list is wrong."""
    found = []
    for number, line in enumerate((root / LIST).read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        lower = {folder.name for folder in found if folder.is_module}
        if len(words) < 2 or words[1] not in KINDS or not set(words[2:]) <= lower:
            raise ValueError(f"{LIST}:{number}: a line is a folder, one of {', '.join(KINDS)}, and modules above that line")
        found.append(Folder(words[0], words[1], tuple(words[2:])))
    return found


if __name__ == "__main__":
    for folder in folders():
        if len(sys.argv) == 1 or folder.kind in sys.argv[1:]:
            print(folder.name)
