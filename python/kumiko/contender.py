"""What a comparison is asked for: its request, and the solvers that its options name."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from . import errors
from .program import Record, Refused
from .study import Request, key_of


@dataclass
class CompareRequest(Request):
    """The options of `kumiko compare`."""

    solvers: tuple[str, ...] = ()  # by name
    variants: tuple[str, ...] = ()  # NAME[,KEY=VALUE]...
    sweeps: tuple[str, ...] = ()  # KEY=VALUE,VALUE...
    resolutions: tuple[int, ...] = ()  # points of level 0 in x; none: the file's
    norm: str = "rms"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in errors.NORMS:
            raise Refused(f"the norm is '{self.norm}'; it can be {', '.join(errors.NORMS)}")


@dataclass
class Contender:
    """A solver to compare, with keys of its own."""

    option: str  # that names it
    label: str  # as the options give it: NAME[,KEY=VALUE]...
    solver: str
    settings: tuple[str, ...] = ()  # KEY=VALUE with full keys
    description: Record = field(default_factory=dict)  # what Kumiko.describe() returns of it
    cfl: float = 0.0  # of its runs, where they choose their steps: the file's, or the solver's limit
    interpolation: str = ""  # step.time_interpolation that it runs with
    swept: tuple[str, ...] = ()  # those of its settings that --sweep gave

    def sets(self, key: str) -> bool:
        return any(key_of(setting) == key for setting in self.settings)

    def as_asked(self) -> str:
        if not self.swept:
            return f"{self.option} {self.label}"
        sweeps = " ".join(f"--sweep {setting}" for setting in self.swept)
        if self.option == "solver.name":
            return sweeps
        own = self.label.removesuffix("," + ",".join(self.swept))
        return f"{self.option} {own} with {sweeps}"

    def with_setting(self, setting: str) -> Contender:
        return replace(
            self,
            label=f"{self.label},{setting}",
            settings=(*self.settings, full_setting(setting)),
            swept=(*self.swept, setting),
        )


def parts_of(text: str) -> list[str]:
    """Splits at commas outside brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "[") - (c == "]")
        if c == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def full_setting(setting: str) -> str:
    """A contender's KEY=VALUE by its full key: those without a table belong to [solver]."""
    return setting if "." in key_of(setting) else f"solver.{setting}"


def parse_contender(option: str, spec: str) -> Contender:
    """NAME[,KEY=VALUE]... of --solver, or a name alone, of --solvers. Raises Refused."""
    name, *settings = parts_of(spec)
    if not name:
        raise Refused(f"{option} '{spec}' has no solver's name; write it like --solver NAME,KEY=VALUE")
    for setting in settings:
        key = key_of(setting)
        if "=" not in setting or not key:
            raise Refused(
                f"--solver {spec}: '{setting}' is not of the form KEY=VALUE; write it like --solver NAME,KEY=VALUE"
            )
        if key in ("solver.name", "name", "case.name"):
            raise Refused(
                f"--solver {spec}: '{key}' cannot be set here; name the solver first, as in --solver NAME,KEY=VALUE, "
                "and the case in the file"
            )
    return Contender(option, ",".join((name, *settings)), name, tuple(full_setting(each) for each in settings))


def parse_sweep(spec: str) -> list[str]:
    """KEY=VALUE,VALUE... of --sweep as a list of KEY=VALUE. Raises Refused."""
    key, equals, values = spec.partition("=")
    key = key.strip()
    if not equals or not key or not all(parts_of(values)):
        raise Refused(
            f"--sweep {spec}: it is not of the form KEY=VALUE,VALUE,...; write it like --sweep amr.buffer=2,4"
        )
    if "." not in key or key in ("solver.name", "case.name"):
        raise Refused(
            f"--sweep {spec}: '{key}' cannot be swept; name a key in full, such as amr.threshold or solver.departure, "
            "and solvers by --solvers"
        )
    if key == "grid.base":
        raise Refused(f"--sweep {spec}: name the points of level 0 by --resolutions")
    settings = [f"{key}={value}" for value in parts_of(values)]
    twice = next((each for each in settings if settings.count(each) > 1), None)
    if twice:
        raise Refused(f"--sweep {spec}: {twice} is named twice")
    return settings


def parse_contenders(request: CompareRequest, of_file: str) -> list[Contender]:
    """The solvers to compare, each with every combination of the values of the sweeps. Raises Refused."""
    for name in request.solvers:
        if "=" in name:
            raise Refused(
                f"--solvers: '{name}' is not a solver's name; give keys of a solver as in --solver NAME,{name}"
            )
    contenders = [parse_contender("--solvers", name) for name in request.solvers]
    contenders += [parse_contender("--solver", spec) for spec in request.variants]
    contenders = contenders or [parse_contender("solver.name", of_file)]
    sweeps = [parse_sweep(spec) for spec in request.sweeps]
    swept = [key_of(values[0]) for values in sweeps]
    for contender in contenders:
        for key in swept:
            if contender.sets(key):
                raise Refused(f"--sweep {key}: {contender.as_asked()} sets this key, too; leave out one of them")
    for key in swept:
        if swept.count(key) > 1:
            raise Refused(f"--sweep {key}: another --sweep sets this key, too; leave out one of them")
        if request.setting_of(key):
            raise Refused(f"--sweep {key}: {request.setting_of(key)} sets this key, too; leave out one of them")
    all_contenders: list[Contender] = []
    for contender in contenders:
        for settings in itertools.product(*sweeps):
            own = contender
            for setting in settings:
                own = own.with_setting(setting)
            if any(other.label == own.label for other in all_contenders):
                raise Refused(
                    f"{own.as_asked()}: it is named twice; distinguish variants by keys, as in --solver "
                    f"{own.solver},KEY=VALUE"
                )
            all_contenders.append(own)
    return all_contenders


def refuse_solver_keys(settings: tuple[str, ...]) -> None:
    """Keys of a solver go with the solver's name, since no other solver may know them."""
    for setting in settings:
        key = key_of(setting)
        if key.startswith("solver."):
            own = "KEY" if key == "solver.name" else key.removeprefix("solver.")
            raise Refused(
                f"--set {setting}: set the keys of a solver together with its name, as in --solver NAME,{own}=VALUE"
            )
