"""h5dump prints the records as they are: read_h5dump.py FOLDER"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from field import FILES, fields, stored_at

PATCH = 16


def numbers(path: Path, dataset: str) -> list[float]:
    command = ["h5dump", "-y", "-w", "1", "-m", "%.17g", "-d", dataset, str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    data = text[text.index("DATA {") + 6 :]
    return [float(word) for word in re.findall(r"[-+0-9.e]+", data)]


def check(path: Path) -> None:
    for level in range(FILES[path.stem]):
        h = 1 / 32 / 2**level
        corners = numbers(path, f"/level_{level}/boxes")
        records = np.array(numbers(path, f"/level_{level}/data:datatype=0"))
        point = np.arange(PATCH * PATCH)
        expected = []
        for i0, j0, _, _ in zip(*[iter(corners)] * 4):
            x = stored_at(path.stem, (i0 + point % PATCH) * h, h)
            y = stored_at(path.stem, (j0 + point // PATCH) * h, h)
            expected += fields(path.stem, x, y, h).values()
        assert np.array_equal(records, np.concatenate(expected)), (path, level)


if __name__ == "__main__":
    for name in FILES:
        check(Path(sys.argv[1]) / f"{name}.hdf")
    print(f"h5dump reads {', '.join(FILES)}")
