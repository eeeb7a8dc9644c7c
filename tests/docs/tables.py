"""docs/reference/files.md between its marks: what the program file_tables prints of described records."""

import re
import subprocess
from pathlib import Path

MARKED = re.compile(r"(<!-- table: ([^\n]+) -->\n)(?:.*?)(<!-- end -->)", re.DOTALL)


def printed(program: Path):
    """The tables by their titles."""
    shown = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    titles_and_tables = re.split(r"^# (.+)\n", shown, flags=re.MULTILINE)[1:]
    return dict(zip(titles_and_tables[::2], titles_and_tables[1::2]))


def text_with_tables(text, tables):
    """The page's text as it should be. Raises ValueError unless it has a place for each table."""
    found = {mark[2] for mark in MARKED.finditer(text)}
    if found != set(tables):
        raise ValueError(f"tables {sorted(found)} are marked, and {sorted(tables)} are described")
    return MARKED.sub(lambda mark: mark[1] + "\n" + tables[mark[2]] + "\n" + mark[3], text)
