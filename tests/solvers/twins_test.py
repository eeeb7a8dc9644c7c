"""Contract: a step of a shipped solver is what its page says, computed here once more by other arithmetic: polynomials
by Lagrange's formula, whole arrays in place of patches, exp and log of the C library."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

KUMIKO = os.environ["KUMIKO"]
VORTEX = Path(os.environ["KUMIKO_CASES"]) / "vortex" / "vortex_t2.toml"
CELLS = 48
STEPS = 192  # of the whole period of 2
FIRST, LAST = 20, 28  # base steps whose states are compared
AROUND = 10  # cells beyond each side, more than a step reaches
PERIOD = 2.0
H = 1.0 / CELLS
DT = PERIOD / STEPS


def psi(x, y, t):
    return np.cos(np.pi * t / PERIOD) / np.pi * np.sin(np.pi * x) ** 2 * np.sin(np.pi * y) ** 2


def courant(t):
    """Courant numbers of the lower faces of all cells, normal to x and to y; arrays are [j, i]."""
    at = np.arange(-AROUND, CELLS + AROUND + 1) * H
    value = psi(at[None, :], at[:, None], t)
    scale = DT / H**2
    return (value[1:, :-1] - value[:-1, :-1]) * scale, (value[:-1, :-1] - value[:-1, 1:]) * scale


def along_x(function):
    """What a function of arrays along the last axis does along y: of transposed arrays."""
    return lambda *arrays: function(*(array.T for array in arrays)).T


def cell(u, away):
    """The cell that is so far from each cell along x."""
    return np.roll(u, -away, axis=1)


def gain(flux_x, flux_y):
    return flux_x - cell(flux_x, 1) + flux_y - np.roll(flux_y, -1, axis=0)


def donor_flux(u, v):
    return v * np.where(v >= 0, cell(u, -1), u)


def swept_flux(order):
    """The integral over the swept length of the polynomial that has the averages of `order` cells around the upwind
    one: by Lagrange's formula for its primitive, which is 0 at the face."""
    reach = (order + 1) // 2

    def flux(u, v):
        length = np.abs(v)
        total = np.zeros_like(u)
        for upwind in (True, False):
            # cells(k): the k-th cell against the flow, 0 the upwind one
            cells = (lambda k: cell(u, -1 - k)) if upwind else (lambda k: cell(u, k))
            primitive = {0: np.zeros_like(u)}
            for k in range(0, reach):
                primitive[k + 1] = primitive[k] + cells(k)
            for k in range(-1, -reach, -1):
                primitive[k] = primitive[k + 1] - cells(k)
            nodes = range(-reach + 1, reach + 1)
            value = np.zeros_like(u)
            for m in nodes:
                weight = np.ones_like(u)
                for n in nodes:
                    if n != m:
                        weight = weight * (length - n) / (m - n)
                value += weight * primitive[m]
            total = np.where((v >= 0) == upwind, value if upwind else -value, total)
        return total

    return flux


def half_step(flux, u, v):
    """u and half of its change by the flow along x in advective form."""
    f = flux(u, v)
    return u + 0.5 * ((f - cell(f, 1)) + u * (cell(v, 1) - v))


def zalesak(u, vx, vy, flux_x, flux_y):
    """Fluxes by the limiter of Zalesak 1979 between these and the donor cell's."""
    low_x, low_y = donor_flux(u, vx), along_x(donor_flux)(u, vy)
    low = u + gain(low_x, low_y)
    anti_x, anti_y = flux_x - low_x, flux_y - low_y
    most, least = np.maximum(u, low), np.minimum(u, low)
    for axis in (0, 1):
        around = [np.roll(most, away, axis) for away in (-1, 0, 1)]
        most = np.maximum.reduce(around)
        around = [np.roll(least, away, axis) for away in (-1, 0, 1)]
        least = np.minimum.reduce(around)
    in_x, in_y = np.maximum(anti_x, 0), np.maximum(anti_y, 0)
    out_x, out_y = np.minimum(anti_x, 0), np.minimum(anti_y, 0)
    inflow = in_x - cell(out_x, 1) + in_y - np.roll(out_y, -1, axis=0)
    outflow = cell(in_x, 1) - out_x + np.roll(in_y, -1, axis=0) - out_y
    with np.errstate(divide="ignore", invalid="ignore"):
        share_in = np.where(inflow > 0, np.minimum(1, (most - low) / inflow), 1)
        share_out = np.where(outflow > 0, np.minimum(1, (low - least) / outflow), 1)

    def limited(anti, low_flux, back):
        up = np.minimum(share_in, back(share_out))
        down = np.minimum(share_out, back(share_in))
        return low_flux + np.where(anti >= 0, up, down) * anti

    return (limited(anti_x, low_x, lambda a: cell(a, -1)),
            limited(anti_y, low_y, lambda a: np.roll(a, 1, axis=0)))  # fmt: skip


def lin_rood(outer, inner, limited):
    """The unsplit step of flux-form solvers: outer fluxes of what has half of the inner ones' change across."""

    def step(u, t):
        vx, vy = courant(t + 0.5 * DT)
        half_y, half_x = along_x(lambda a, v: half_step(inner, a, v))(u, vy), half_step(inner, u, vx)
        flux_x = outer(half_y, vx, u)
        flux_y = along_x(outer)(half_x, vy, u)
        if limited:
            flux_x, flux_y = zalesak(u, vx, vy, flux_x, flux_y)
        return u + gain(flux_x, flux_y)

    return step


def thinc_flux(half, v, u):
    """The tangent's flux of cells that an interface cuts, faded out into the donor cell's; values are 0 and 1. The
    gradient is of u, the values are those of the half step."""
    middle = np.where(v >= 0, cell(half, -1), half)
    ahead = np.where(v >= 0, half, cell(half, -1))
    behind = np.where(v >= 0, cell(half, -2), cell(half, 1))
    donor = v * middle
    rows = np.roll(u, 1, axis=0) + 2 * u + np.roll(u, -1, axis=0)
    columns = cell(u, -1) + 2 * u + cell(u, 1)
    normal = cell(rows, 1) - cell(rows, -1)
    along = np.roll(columns, -1, axis=0) - np.roll(columns, 1, axis=0)
    normal, along = (np.where(v >= 0, cell(g, -1), g) for g in (normal, along))
    m = 2 * middle - 1
    rise = np.where(ahead > behind, 1.0, -1.0)
    slope = 2 * np.minimum(rise * (ahead - middle), rise * (middle - behind))
    rest = 1 - np.abs(m)
    with np.errstate(divide="ignore", invalid="ignore"):
        steep = 2.3 * np.abs(normal) / np.sqrt(normal**2 + along**2 + 0.004**2)  # of values in 0 .. 1
        b = np.maximum(np.nan_to_num(steep), 0.05)
        c = np.abs(v)
        ratio = (np.sinh(b * c) + np.exp(b * rise * m) * np.sinh(b * (1 - c))) / np.sinh(b)
        swept = rise * (rise * m - np.log(ratio) / b)  # of values in -1 .. 1
        share = np.minimum(1, (rest - 2e-6) / 2e-6) * np.minimum(1, slope / (0.05 * rest)) ** 2
        share = share * np.minimum(1, np.nan_to_num(steep) / 0.05)
    tangent = np.sign(v) * (0.5 * c + 0.5 * swept)
    cut = (rest > 2e-6) & (slope > 0) & (v != 0)
    return np.where(cut, donor + np.where(cut, share, 0) * (np.where(cut, tangent, 0) - donor), donor)


def upwind1(u, t):
    vx, vy = courant(t)
    return u + gain(donor_flux(u, vx), along_x(donor_flux)(u, vy))


def upwind3_flux(u, v):
    """The upwind quadratic's mean of u, and the shear's part of the mean of the product."""
    from_below = (-cell(u, -2) + 5 * cell(u, -1) + 2 * u) / 6
    from_above = (2 * cell(u, -1) + 5 * u - cell(u, 1)) / 6
    mean = np.where(v >= 0, from_below, from_above)

    def difference(a):
        return 0.5 * (np.roll(a, -1, axis=0) - np.roll(a, 1, axis=0))

    return v * mean + difference(v) * difference(mean) / 12


def finite_volume_upwind3(u, t):
    def change(values, at):
        vx, vy = courant(at)
        return gain(upwind3_flux(values, vx), along_x(upwind3_flux)(values, vy))

    one = u + change(u, t)
    two = 0.75 * u + 0.25 * (one + change(one, t + DT))
    return u / 3 + 2 / 3 * (two + change(two, t + 0.5 * DT))


def semi_lagrangian_cubic(u, t):
    """Values at nodes; the departure point by the velocity where a particle arrives."""
    at = np.arange(-AROUND, CELLS + AROUND) * H
    x, y = at[None, :], at[:, None]
    strength = np.cos(np.pi * t / PERIOD)
    vx = strength * np.sin(np.pi * x) ** 2 * np.sin(2 * np.pi * y)
    vy = -strength * np.sin(np.pi * y) ** 2 * np.sin(2 * np.pi * x)
    away_x, away_y = -vx * DT / H, -vy * DT / H  # in spacings
    first_x, first_y = np.floor(away_x).astype(int), np.floor(away_y).astype(int)

    def weights(share):
        nodes = (-1, 0, 1, 2)
        return [np.prod([(share - n) / (m - n) for n in nodes if n != m], axis=0) for m in nodes]

    along_rows, along_columns = weights(away_x - first_x), weights(away_y - first_y)
    j, i = np.indices(u.shape)
    total = np.zeros_like(u)
    for q, of_y in enumerate(along_columns):
        for p, of_x in enumerate(along_rows):
            total += of_y * of_x * u[(j + first_y + q - 1) % len(u), (i + first_x + p - 1) % len(u)]
    return total


def outer_of(order):
    flux = swept_flux(order)
    return lambda half, v, _: flux(half, v)


TWINS = {
    "semi_lagrangian_cubic": ({"departure": "first_order"}, semi_lagrangian_cubic),
    "upwind1": ({}, upwind1),
    "finite_volume_upwind3": ({}, finite_volume_upwind3),
    "thinc": ({"limiter": "fct"}, lin_rood(thinc_flux, donor_flux, True)),
    "thinc unlimited": ({"limiter": "none"}, lin_rood(thinc_flux, donor_flux, False)),
}
for order in (3, 5, 7, 9):
    keys = {"order": str(order)}
    TWINS[f"flux_form_fct {order}"] = ({**keys, "limiter": "fct"}, lin_rood(outer_of(order), swept_flux(3), True))
    TWINS[f"flux_form_fct {order} unlimited"] = (
        {**keys, "limiter": "none"}, lin_rood(outer_of(order), swept_flux(3), False))  # fmt: skip


def field_of(file):
    values = np.zeros((CELLS, CELLS))
    with h5py.File(file) as state:
        level = state["level_0"]
        for box, begin in zip(level["boxes"][:], level["data:offsets=0"][:]):
            patch = level["data:datatype=0"][begin : begin + 256].reshape(16, 16)
            values[box["lo_j"] : box["hi_j"] + 1, box["lo_i"] : box["hi_i"] + 1] = patch
    return values


class Twins(unittest.TestCase):
    def test_given_a_disk_in_a_vortex_then_solver_and_twin_agree_to_round_off(self):
        for name, (keys, step) in TWINS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                settings = {
                    "solver.name": name.split()[0], **{f"solver.{key}": value for key, value in keys.items()},
                    "grid.base": CELLS, "amr.levels": 1, "time.steps": STEPS, "time.stop_step": LAST,
                    "output.every": FIRST,
                }  # fmt: skip
                words = [word for key, value in settings.items() for word in ("--set", f"{key}={json.dumps(value)}")]
                out = Path(folder) / "out"
                done = subprocess.run([KUMIKO, "run", VORTEX, "--quiet", "--output", out, *words],
                                      capture_output=True, text=True)  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr)
                u, end = (field_of(out / f"state_{at:06d}.hdf") for at in (FIRST, LAST))
                for at in range(FIRST, LAST):
                    inside = slice(AROUND, AROUND + CELLS)
                    u = step(np.pad(u, AROUND), at * DT)[inside, inside]
                self.assertGreater(np.abs(end - field_of(out / f"state_{FIRST:06d}.hdf")).max(), 0.1)
                self.assertLess(np.abs(u - end).max(), 2e-13)


if __name__ == "__main__":
    unittest.main()
