"""The outcomes of a suite's rounds: spreads, ratios of the same round, and the reasons of missing values."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, field
from statistics import median

from kumiko.measurement import Missing, Spread

DISTURBING = 0.1  # of the cores, used by other processes meanwhile
Key = tuple  # of a case: strings and numbers
Figure = str | Callable[[dict], float]  # of a report: one of its names, or computed from it


@dataclass(frozen=True)
class Outcome:
    """The report of a case's programs in a round, or the reason why there is none."""

    turn: int
    report: dict | None = None
    error: str = ""
    is_expected: bool = False  # the error, on this machine
    wall_s: float = 0.0  # of the programs, their start and their end included
    others_share: float = 0.0  # of the cores, that others used meanwhile

    @property
    def disturbed(self) -> bool:
        return self.others_share > DISTURBING


@dataclass
class Results:
    """By case: the outcomes of the rounds."""

    figure: Figure  # that counts unless another one is named
    drop_disturbed: bool = False  # where a case has undisturbed outcomes too
    cases: Collection[Key] = ()  # that the suite declares
    runs: dict[Key, list[Outcome]] = field(default_factory=dict)

    def good(self, key: Key) -> dict[int, dict]:
        """Reports by round; of two in a round, one that is not disturbed counts."""
        done = sorted((run for run in self.runs.get(key, []) if run.report is not None), key=lambda run: -run.disturbed)
        calm = [run for run in done if not run.disturbed]
        return {run.turn: run.report for run in (calm if self.drop_disturbed and calm else done)}

    def error(self, key: Key) -> Missing:
        """Why a case has no value."""
        failed = [run for run in self.runs.get(key, []) if run.error]
        if failed:
            return Missing(failed[-1].error, failed[-1].is_expected)
        return Missing("not measured" if key in self.cases else f"no case {key} in comparisons()")

    def values(self, key: Key, figure: Figure | None = None) -> dict[int, float] | Missing:
        """By round."""
        figure = figure or self.figure
        reports = self.good(key)
        if not reports:
            return self.error(key)
        try:
            return {turn: figure(r) if callable(figure) else r[figure] for turn, r in sorted(reports.items())}
        except KeyError as name:
            return Missing(f"the report lacks {name}")

    def spread(self, key: Key, figure: Figure | None = None, scale: float = 1.0) -> Spread | Missing:
        values = self.values(key, figure)
        return values if isinstance(values, Missing) else Spread.of(value * scale for value in values.values())

    def ratio(
        self, over: Key, under: Key, figure: Figure | None = None, below: Figure | None = None
    ) -> Spread | Missing:
        """Ratios of values of the same round, which share disturbances; of the medians if no round has both."""
        above, other = self.values(over, figure), self.values(under, below or figure)
        if isinstance(above, Missing) or isinstance(other, Missing):
            return above if isinstance(above, Missing) else other
        both = sorted(above.keys() & other.keys())
        if not both:
            return Spread.of([median(above.values()) / median(other.values())])
        return Spread.of([above[turn] / other[turn] for turn in both])

    def outcomes(self) -> list[tuple[Key, Outcome]]:
        return [(key, run) for key, runs in self.runs.items() for run in runs]

    def rounds(self) -> int:
        return 1 + max((run.turn for _, run in self.outcomes()), default=-1)

    def disturbed(self) -> str:
        runs = [run for _, run in self.outcomes()]
        return (
            f"{sum(run.disturbed for run in runs)} of {len(runs)} runs were disturbed: others used more than"
            f" {100 * DISTURBING:.0f} % of the cores"
        )

    def errors(self) -> dict[str, list[Key]]:
        """Unexpected ones: the cases of each."""
        found: dict[str, list[Key]] = {}
        for key, run in self.outcomes():
            if run.error and not run.is_expected:
                found.setdefault(run.error, []).append(key)
        return found

    def different(self, figure: Figure, group: Callable[[Key], str]) -> list[str]:
        """A line for each group of cases whose values of a figure, such as a hash, are not all the same."""
        found: dict[str, dict] = {}
        for key in self.runs:
            values = self.values(key, figure)
            for value in () if isinstance(values, Missing) else values.values():
                found.setdefault(group(key), {}).setdefault(value, set()).add(title_of(key))
        texts = {name: [f"{value}: {', '.join(sorted(by))}" for value, by in of.items()] for name, of in found.items()}
        return [f"{name}: the runs differ: {'; '.join(values)}" for name, values in texts.items() if len(values) > 1]

    def as_json(self, fields: tuple[str, ...]) -> list[dict]:
        return [dict(zip(fields, key, strict=True)) | asdict(run) for key, run in self.outcomes()]


def title_of(key: Key) -> str:
    return ", ".join(str(part) for part in key if part != "")
