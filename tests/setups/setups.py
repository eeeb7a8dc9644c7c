"""The project's list of set-ups: runs of many kinds, each with one hash whoever computes it.

A set-up is drawn from its own number, so that a longer list begins as a shorter one does. Those in plain arithmetic
have a stored hash (hashes.csv), the same on every machine; the others, whose cases ask the C library for sines and
exponentials, can be compared between two programs on one machine alone."""

import json
import math
import random
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

COUNT = 246
OF_FORMULAS = 240  # set-ups from this number on are of FORMULA_FILES: those before keep what they draw
OF_PATTERNS = 0.7  # the share of the set-ups whose case is patterns.cpp; the others are shipped files

# Files in plain arithmetic, and those that call exp, sin or cos.
PLAIN_FILES = [
    "zalesak/zalesak.toml", "zalesak/thesis.toml", "zalesak/thinc.toml", "zalesak/flux_form_fct.toml",
    "zalesak/finite_volume.toml", "vortex/vortex.toml", "deformation/deformation.toml",
]  # fmt: skip
OTHER_FILES = [
    "gaussian/gaussian.toml", "dyes/dyes.toml", "channel/channel.toml", "burgers/burgers.toml",
    "reacting_front/reacting_front.toml",
]  # fmt: skip

WIDE_FILES = ["channel/channel.toml", "expression/expression.toml"]  # whose domain is 2 × 1
FORMULA_FILES = ["expression/zalesak.toml", "expression/expression.toml"]  # the first in plain arithmetic

# Solvers with the largest CFL number that they are given, and whether they advance averages of cells.
SOLVERS = {
    "semi_lagrangian_cubic": (0.9, False),
    "upwind1": (0.9, True),
    "finite_volume_upwind3": (0.9, True),
    "flux_form_fct": (0.9, True),
    "thinc": (0.9, True),
}


@dataclass
class SetUp:
    number: int
    file: str  # below cases/, or "" for patterns.cpp
    keys: dict = field(default_factory=dict)
    stop: int = 12  # base steps that are taken
    restart: int = 0  # the base step at which the run is gone on with from its checkpoint; 0: at none
    ranks: int = 1
    backend: str = "serial"
    workers: int = 1

    @property
    def is_plain(self):
        return self.file == "" or self.file in PLAIN_FILES or self.file == FORMULA_FILES[0]

    @property
    def name(self):
        what = self.file or "patterns " + self.keys["solver.name"]
        return f"{self.number:03d} {what}"

    def words(self, stop):
        """The options of `kumiko run` that take it to a base step."""
        keys = {**self.keys, "time.stop_step": stop}
        words = ["--backend", self.backend, "--workers", str(self.workers), "--quiet"]
        for key, value in keys.items():
            words += ["--set", f"{key}={json.dumps(value)}"]
        return words


def of_solver(draw, is_node_only):
    """Keys of a solver."""
    name = "semi_lagrangian_cubic" if is_node_only else draw.choice(list(SOLVERS))
    keys = {"solver.name": name}
    if name == "semi_lagrangian_cubic":
        keys["solver.interpolation"] = draw.choice(["cubic", "cubic", "quintic"])
        keys["solver.departure"] = draw.choice(["first_order", "second_order"])
    if name == "flux_form_fct":
        keys["solver.order"] = draw.choice(["3", "5", "7", "9"])
    if name in ("flux_form_fct", "thinc"):
        keys["solver.limiter"] = draw.choice(["fct", "fct", "none"])
    return keys


def of_mesh(draw):
    return {
        "amr.levels": draw.choice([1, 2, 2, 3, 3, 4]),
        "amr.interval": draw.choice([0, 1, 2, 4, 4, 7]),
        "amr.buffer": draw.choice([1, 2, 2, 3, 5]),
        "amr.threshold": draw.choice([0.05, 0.1, 0.1, 0.3]),
        "amr.hysteresis": draw.choice([0, 0, 0, 2]),
        "amr.min_lifetime": draw.choice([0, 0, 0, 5]),
        "step.subcycling": draw.choice([True, True, True, False]),
    }


def of_patterns(draw):
    """A pattern in a flow. The numbers of steps follow from the largest speed."""
    case = {
        "case.name": "patterns",
        "case.shape": draw.choice(["block", "slab", "hill", "waves", "empty"]),
        "case.wind_x": draw.choice([0.75, -0.3, 1.0, 0.0]),
        "case.wind_y": draw.choice([-0.5, 0.4, 0.0]),
        "case.rate": draw.choice([0.0, 0.0, 0.7, 3.0]),
        "case.phase": draw.choice([0.0, 0.25, 0.6]),
        "case.size": draw.choice([1.0, 1.0, 1.0, 1e-9, 3e5]),
        "case.components": draw.choice([1, 1, 1, 2, 3]),
        "case.flow": draw.choice(["stream", "stream", "velocity"]),
    }
    sides = ["periodic", "periodic", "fixed", "outflow", "prescribed"]
    solver = of_solver(draw, False)
    if SOLVERS[solver["solver.name"]][1]:
        sides.append("reflecting")
    case["case.x"], case["case.y"] = draw.choice(sides), draw.choice(sides)
    if case["case.shape"] == "empty":
        case["case.x"] = "prescribed"
    if "periodic" not in (case["case.x"], case["case.y"]):
        case["case.turn"] = draw.choice([0.0, 0.5, -0.4])
    if solver["solver.name"] == "thinc":
        solver["solver.high"] = case["case.size"]
    patches_x, patches_y = draw.choice([(2, 2), (3, 3), (4, 4), (4, 2), (2, 6), (5, 1), (1, 4)])
    case["case.width"], case["case.height"] = patches_x / 4, patches_y / 4
    mesh = of_mesh(draw)
    speed = abs(case["case.wind_x"]) + abs(case["case.wind_y"])
    speed += abs(case.get("case.turn", 0.0)) * (patches_x + patches_y) / 8
    cfl = draw.choice([0.3, 0.6, 1.0]) * SOLVERS[solver["solver.name"]][0]
    per_base_step = 1 if mesh["step.subcycling"] else 2 ** (mesh["amr.levels"] - 1)
    # 64 points a unit of length on level 0, and a time of 1.
    steps = max(32, math.ceil(64 * speed * per_base_step / cfl))
    return {**case, **solver, **mesh, "grid.base": [16 * patches_x, 16 * patches_y], "time.steps": steps}


def of_file(draw, file):
    """A shipped file on a coarser grid: its steps serve it."""
    keys = {key: value for key, value in of_mesh(draw).items() if key in ("amr.interval", "amr.buffer", "amr.threshold")}
    keys["amr.levels"] = draw.choice([1, 2, 3])
    keys["grid.base"] = [64, 32] if file in WIDE_FILES else draw.choice([32, 48, 64])
    return keys


def set_up(number):
    draw = random.Random(f"set-up {number}")
    setup = SetUp(number, "")
    if number >= OF_FORMULAS:
        setup.file = FORMULA_FILES[number % 2]
        setup.keys = of_file(draw, setup.file)
    elif draw.random() < OF_PATTERNS:
        setup.keys = of_patterns(draw)
    else:
        setup.file = draw.choice(PLAIN_FILES + OTHER_FILES)
        setup.keys = of_file(draw, setup.file)
    setup.stop = draw.choice([6, 9, 12, 17])
    if draw.random() < 0.3:
        setup.restart = draw.randint(1, setup.stop - 1)
    setup.backend = draw.choice(["serial", "threads", "threads", "threads", "pthread", "openmp"])
    setup.workers = 1 if setup.backend == "serial" else draw.choice([1, 2, 3])
    if setup.backend == "threads" and draw.random() < 0.25:
        setup.ranks = draw.choice([2, 3])
        setup.keys["ranks.partition"] = draw.choice(["depth-first", "level", "random"])
    return setup


def all_set_ups(count=COUNT):
    return [set_up(number) for number in range(count)]


class RunFailed(Exception):
    """What a program says of a set-up, in place of a hash."""


def hash_of(setup, kumiko, plugin, cases, launcher):
    """The hash of the final state, by one program. Without a launcher a run on ranks is one of one process, whose bits
    are the same."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        file = cases / setup.file if setup.file else folder / "patterns.toml"
        if not setup.file:
            (folder / "patterns.toml").write_text("")
        command = [*launcher, "-n", str(setup.ranks)] if launcher and setup.ranks > 1 else []
        command += [kumiko, "run", file, "--plugin-path", plugin, "--output", folder / "out"]
        first = [*setup.words(setup.restart), "--set", f"checkpoint.every={setup.restart}"]
        parts = [first, [*setup.words(setup.stop), "--restart", "latest"]]
        for words in parts if setup.restart else [setup.words(setup.stop)]:
            try:
                done = subprocess.run([str(word) for word in [*command, *words]], capture_output=True, text=True,
                                      timeout=300)  # fmt: skip
            except subprocess.TimeoutExpired:
                raise RunFailed("not done in 300 s") from None
            if done.returncode != 0:
                raise RunFailed(done.stderr.strip() or f"exit {done.returncode}")
        return json.loads((folder / "out" / "summary.json").read_text())["state_hash"]
