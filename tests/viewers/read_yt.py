"""yt, which takes the files for Chombo's, finds every leaf once with its values, and so in plotfiles:
read_yt.py FOLDER"""

import sys
from pathlib import Path

import numpy as np
import yt
from field import DOMAIN, FILES, fields, stored_at


def check(path: Path, name: str, kind: str) -> None:
    data = yt.load(str(path))
    assert data.max_level == FILES[name] - 1, (path, data.max_level)
    leaves = data.all_data()
    h = leaves["index", "dx"].d
    x = stored_at(name, leaves["index", "x"].d - h / 2, h)
    y = stored_at(name, leaves["index", "y"].d - h / 2, h)
    # Figures are not exported.
    expected = fields(name if kind == "chombo" else "node", x, y, h)
    for field, values in expected.items():
        assert np.array_equal(leaves[kind, field].d, values), (path, field)
    assert np.sum(h * h) == DOMAIN[0] * DOMAIN[1], path


if __name__ == "__main__":
    yt.set_log_level("error")
    for name in FILES:
        check(Path(sys.argv[1]) / f"{name}.hdf", name, "chombo")
        check(Path(sys.argv[1]) / f"plt_{name}", name, "boxlib")
    print(f"yt {yt.__version__} reads {', '.join(FILES)}, and their plotfiles")
