"""Reads the files of uniform_files_test.cpp by NumPy and VTK: read_uniform.py FOLDER."""

import sys
import zipfile
from pathlib import Path

import numpy as np

X, Y = np.array([0.5, 0.75, 1.0]), np.array([0.25, 0.5])
U = np.array([[0.1, 1 / 3, 1e300], [-0.0, 5.0, 6.5]])
SECOND = np.array([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]])
LEVEL = np.array([[0, 0, 1], [1, 2, 2]], np.int8)


def check_array(found, wanted, what):
    if found.dtype != wanted.dtype or found.shape != wanted.shape or found.tobytes() != wanted.tobytes():
        sys.exit(f"read_uniform.py: {what}: {found!r} instead of {wanted!r}")


def check_npz(file):
    if zipfile.ZipFile(file).testzip() is not None:
        sys.exit(f"read_uniform.py: {file} has a wrong sum")
    arrays = np.load(file, allow_pickle=False)
    # The second component is called "time", as the array of the time is.
    wanted = {"u": U, "time_": SECOND, "x": X, "y": Y, "level": LEVEL, "time": np.array(0.375),
              "step": np.array(12, np.int64), "spacing": np.array(0.25)}  # fmt: skip
    if set(arrays.files) != set(wanted):
        sys.exit(f"read_uniform.py: {file} holds {arrays.files}")
    for name, values in wanted.items():
        check_array(arrays[name], values, f"{name} of {file}")


def check_vti(file, centring):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(str(file))
    reader.Update()
    image = reader.GetOutput()
    cells = centring == "cell"
    data = image.GetCellData() if cells else image.GetPointData()
    other = image.GetPointData() if cells else image.GetCellData()
    shift = 0.125 if cells else 0.0
    geometry = (image.GetOrigin(), image.GetSpacing(), image.GetDimensions(), other.GetNumberOfArrays())
    dimensions = (4, 3, 1) if cells else (3, 2, 1)
    if geometry != ((0.5 - shift, 0.25 - shift, 0.0), (0.25,) * 3, dimensions, 0):
        sys.exit(f"read_uniform.py: {file} has origin, spacing, dimensions, others {geometry}")
    for name, wanted in (("u", U), ("time", SECOND), ("level", LEVEL)):
        check_array(vtk_to_numpy(data.GetArray(name)).reshape(2, 3), wanted, f"{name} of {file}")
    time = image.GetFieldData().GetArray("TimeValue").GetValue(0)
    steps = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    if time != 0.375 or steps != (0.375,):
        sys.exit(f"read_uniform.py: {file} is of time {time}, {steps}")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name in ("node", "cell"):
        check_npz(folder / f"{name}.npz")
    try:
        import vtk  # noqa: F401
    except ImportError:
        print("read_uniform.py: python3-vtk9 is not installed: images are NOT tested")
        sys.exit()
    for name in ("node", "cell"):
        check_vti(folder / f"{name}.vti", name)
