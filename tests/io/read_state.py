"""Reads a state file by its documented layout alone, and checks everything in it.

Usage: read_state.py FILE node|cell. The file holds the mesh and the field of state_fixture.hpp.
"""
import sys

import h5py
import numpy as np

PATCH = 16
EXTENT = (2.0, 1.0)


def exact(x, y, component):
    return (component + 1) * (1.0 + 2.0 * x + 3.0 * y * y)


def check(condition, what):
    if not condition:
        sys.exit(f"read_state.py: {what}")


def points(box, h, offset):
    """Coordinates within a box's cells: their lower-left corners for nodes, their centres for cells."""
    ilo, jlo, ihi, jhi = box
    return np.meshgrid((np.arange(ilo, ihi + 1) + offset) * h,
                       (np.arange(jlo, jhi + 1) + offset) * h)


def check_chombo_level(file, level, names, offset):
    group = file[f"level_{level}"]
    boxes, h = group["boxes"][:], group.attrs["dx"]
    offsets, data = group["data:offsets=0"][:], group["data:datatype=0"][:]
    record = len(names) * PATCH * PATCH
    check(np.array_equal(offsets, np.arange(len(boxes) + 1) * record), f"offsets of level {level}")
    check(data.size == offsets[-1], f"size of level {level}")
    order = [(box["lo_j"], box["lo_i"]) for box in boxes]
    check(order == sorted(set(order)), f"order of level {level}")
    values = data.reshape(len(boxes), len(names), PATCH, PATCH)
    for box, patch in zip(boxes, values):
        x, y = points(box.item(), h, offset)
        for component in range(len(names)):
            check(np.array_equal(patch[component], exact(x, y, component)), f"record {box}")
    domain = group.attrs["prob_domain"]
    check((domain["hi_i"] + 1) * h == EXTENT[0] and (domain["hi_j"] + 1) * h == EXTENT[1], "domain")


def check_vtk(file, names, offset):
    """Every point of the domain lies in exactly one box, and every cell has its point's value."""
    root = file["VTKHDF"]
    check(root.attrs["Type"] == b"OverlappingAMR" and list(root.attrs["Version"]) == [1, 0], "type")
    levels = [root[f"Level{k}"] for k in range(len(root))]
    finest = levels[-1].attrs["Spacing"][0]
    covered = np.zeros([round(length / finest) for length in reversed(EXTENT)], int)
    for level in levels:
        h, _, thickness = level.attrs["Spacing"]
        check(thickness == levels[0].attrs["Spacing"][2], "thickness")
        scale, start = round(h / finest), 0
        fields = [level["CellData"][name][:] for name in names]
        for ilo, ihi, jlo, jhi, klo, khi in level["AMRBox"][:]:
            check((klo, khi) == (0, 0), "one cell thick")
            x, y = points((ilo, jlo, ihi, jhi), h, offset)
            for component, field in enumerate(fields):
                check(np.array_equal(field[start:start + x.size],
                                     exact(x, y, component).ravel()), f"box {ilo, jlo, h}")
            start += x.size
            covered[jlo * scale:(jhi + 1) * scale, ilo * scale:(ihi + 1) * scale] += 1
        check(all(field.size == start for field in fields), "cells without a box")
    check(np.all(covered == 1), "the boxes do not cover the domain exactly once")


def main(path, centring):
    offset = {"node": 0.0, "cell": 0.5}[centring]
    with h5py.File(path, "r") as file:
        names = [file.attrs[f"component_{k}"].decode() for k in range(file.attrs["num_components"])]
        check(names == ["u", "w"], f"names {names}")
        check(file["Chombo_global"].attrs["SpaceDim"] == 2, "dimensions")
        for level in range(file.attrs["num_levels"]):
            check_chombo_level(file, level, names, offset)
        check_vtk(file, names, offset)
        run = file["kumiko"]
        check((run.attrs["step"], run.attrs["time"], run.attrs["dt"]) == (7, 0.125, 0.5), "run")
        check(run["configuration"][()] == b"[grid]\nbase = [64, 32]\n", "configuration")
        check(run.attrs["centring"] == centring.encode(), "centring")
        check(("node_placement" in run.attrs) == (centring == "node"), "node_placement")


if __name__ == "__main__":
    main(*sys.argv[1:])
