"""docs/reference/keys.md between its marks: what `kumiko run --help-keys` says, as tables."""

import re
import subprocess
from pathlib import Path

BEGIN, END = "<!-- keys -->", "<!-- end -->"


def tables(help_text):
    """The keys in Markdown."""
    # A line that has no room for its text goes on by two spaces more.
    lines = help_text.replace("\n      ", " ").splitlines()
    written, rows = [], 0
    for at, line in enumerate(lines):
        if heading := re.match(r"Keys of (.*):$", line):
            whose = "every run" if heading[1].startswith("CASE") else heading[1].replace("'", "`")
            written += ["", f"## Keys of {whose}", "", "| key | values | default | |", "|---|---|---|---|"]
        elif re.match(r"[a-z]\S*\.\S+$", line):
            meaning, values = lines[at + 1].strip(), lines[at + 2].strip()
            values, _, default = values.partition("; ")
            default = re.sub(r"(?:^|.*; )default ", "", default) if "default" in default else default
            cells = (f"`{line}`", values, f"`{default}`" if default[:1] in '"[-0123456789tf' else default, meaning)
            written.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
            rows += 1
    if rows == 0:
        raise ValueError("'kumiko run --help-keys' lists no keys")
    return "\n".join(written) + "\n\n"


def page_with_tables(page: Path, kumiko: Path, environment):
    """The page's text as it should be."""
    text = page.read_text()
    plain = {name: value for name, value in environment.items() if name != "KUMIKO_PLUGIN_PATH"}
    shown = subprocess.run([kumiko, "run", "--help-keys"], env=plain, check=True, capture_output=True, text=True)
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + "\n" + tables(shown.stdout) + END + rest.partition(END)[2]
