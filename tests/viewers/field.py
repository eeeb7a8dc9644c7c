"""The field of the files that viewer_files writes, and the files with the levels that they show."""

# file: levels that have patches
FILES = {"node": 3, "cell": 3, "one_level": 1, "vanished": 2}
DOMAIN = (2.0, 1.0)


def exact(x, y, component):
    """The same as in tests/io/state_fixture.hpp."""
    return (component + 1) * (1 + 2 * x + 3 * y * y)


def stored_at(name, corner, spacing):
    """Where the value of a cell with this lower left corner stands: nodes are stored as the cells
    whose corner they are."""
    return corner + spacing / 2 if name == "cell" else corner
