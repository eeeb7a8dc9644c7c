"""VTK's reader of AMReX's format shows every leaf of the plotfiles once, with its values:
read_plotfile.py FOLDER"""

import sys
from pathlib import Path

import numpy as np
import vtk
from field import DOMAIN, FILES, exact, stored_at
from vtk.util.numpy_support import vtk_to_numpy


def grids(folder: Path):
    reader = vtk.vtkAMReXGridReader()
    reader.SetFileName(str(folder))
    reader.UpdateInformation()
    reader.SetMaxLevel(8)
    for index in range(reader.GetNumberOfCellArrays()):
        reader.SetCellArrayStatus(reader.GetCellArrayName(index), 1)
    reader.Update()
    iterator = reader.GetOutputDataObject(0).NewIterator()
    while not iterator.IsDoneWithTraversal():
        yield iterator.GetCurrentDataObject()
        iterator.GoToNextItem()


def check(folder: Path) -> None:
    name = folder.name.removeprefix("plt_")
    area = 0.0
    for grid in grids(folder):
        h = grid.GetSpacing()[0]
        bounds = grid.GetBounds()
        x = stored_at(name, bounds[0] + h * np.arange(16), h)
        y = stored_at(name, bounds[2] + h * np.arange(16), h)
        ghosts = grid.GetCellData().GetArray("vtkGhostType")
        shown = np.ones(256, bool) if ghosts is None else vtk_to_numpy(ghosts) == 0
        for component, array in enumerate(("u", "w")):
            values = vtk_to_numpy(grid.GetCellData().GetArray(array)).reshape(16, 16)
            assert np.array_equal(values, exact(x[None, :], y[:, None], component)), folder
        area += shown.sum() * h * h
    assert area == DOMAIN[0] * DOMAIN[1], (folder, area)


if __name__ == "__main__":
    for name in FILES:
        check(Path(sys.argv[1]) / f"plt_{name}")
    print(f"VTK {vtk.vtkVersion.GetVTKVersion()} reads plotfiles of {', '.join(FILES)}")
