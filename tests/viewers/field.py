"""The field of the files that viewer_files writes, and the files with the levels that they show."""

import numpy as np

# file: levels that have patches
FILES = {"node": 3, "cell": 3, "one_level": 1, "vanished": 2, "figures": 3, "deflate": 3}
DOMAIN = (2.0, 1.0)


def exact(x, y, component):
    """The field of tests/io/state_fixture.hpp."""
    return (component + 1) * (1 + 2 * x + 3 * y * y)


def fields(name, x, y, h):
    """What a file holds at points of levels with spacing h, by component. The figures are those of
    tests/io/state_fixture.hpp."""
    values = {"u": exact(x, y, 0), "w": exact(x, y, 1)}
    if name in ("figures", "deflate"):
        i, j = np.floor(x / (16 * h)), np.floor(y / (16 * h))
        values["level"] = np.log2(1 / 32 / h) + 0 * x
        values["worker"] = (i + j) % 3
        values["cost_s"] = 0.5 + i / 8
        values["indicator"] = exact(x, y, 0) / 8
    return values


def stored_at(name, corner, spacing):
    """Where the value of a cell with this lower left corner stands: nodes are stored as the cells
    whose corner they are."""
    return corner + spacing / 2 if name == "cell" else corner
