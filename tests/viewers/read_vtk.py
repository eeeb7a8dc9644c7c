"""VTK's own reader shows every leaf of the files once, with its values: read_vtk.py FOLDER"""

import sys
from pathlib import Path

import numpy as np
import vtk
from field import DOMAIN, FILES, fields, stored_at
from vtk.util.numpy_support import vtk_to_numpy


def check(path: Path) -> None:
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(str(path)), path
    reader.SetFileName(str(path))
    reader.Update()
    mesh = reader.GetOutputDataObject(0)
    assert mesh.GetClassName() == "vtkOverlappingAMR", mesh.GetClassName()
    iterator = mesh.NewIterator()
    area = 0.0
    spacings = set()
    while not iterator.IsDoneWithTraversal():
        grid = iterator.GetCurrentDataObject()
        h = grid.GetSpacing()[0]
        spacings.add(h)
        extent = grid.GetExtent()
        i0, j0 = (round(grid.GetBounds()[2 * axis] / h) for axis in (0, 1))
        width, height = extent[1] - extent[0], extent[3] - extent[2]
        x = stored_at(path.stem, (i0 + np.arange(width)) * h, h)
        y = stored_at(path.stem, (j0 + np.arange(height)) * h, h)
        x, y = np.meshgrid(x, y)
        for name, expected in fields(path.stem, x, y, h).items():
            values = vtk_to_numpy(grid.GetCellData().GetArray(name)).reshape(height, width)
            assert np.array_equal(values, expected), (path, name, i0, j0)
        area += width * height * h * h
        iterator.GoToNextItem()
    assert area == DOMAIN[0] * DOMAIN[1], (path, area)
    assert len(spacings) <= FILES[path.stem], (path, spacings)


if __name__ == "__main__":
    for name in FILES:
        check(Path(sys.argv[1]) / f"{name}.hdf")
    print(f"VTK {vtk.vtkVersion.GetVTKVersion()} reads {', '.join(FILES)}")
