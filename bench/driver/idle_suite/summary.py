"""What the runs say: ratios round by round, ideal shares, budgets."""

from dataclasses import dataclass
from statistics import median

from measured import Budget, Spread

from .measure import Outcome
from .plan import (
    ALONE,
    BASE,
    CHANGING,
    DEFAULT,
    HALF_HOG,
    HOG,
    OPENMPS,
    PINNED,
    POLICIES,
    SOLO,
    SOLO_BESIDE,
    TWO,
    ZALESAK,
    Case,
    Plan,
    crowd_text,
    quota_text,
)


@dataclass(frozen=True)
class Summary:
    outcomes: dict[Case, list[Outcome]]
    plan: Plan
    cores: int

    def rounds(self, part: str, program: str, situation: str, system: str) -> dict[int, float]:
        """Seconds by round; a disturbed run counts where its round has no better one."""
        runs = self.outcomes.get(Case(part, program, situation, system), [])
        best_last = sorted((run for run in runs if not run.error), key=lambda run: run.disturbed, reverse=True)
        return {run.turn: run.seconds for run in best_last}

    def seconds(self, *key: str) -> Spread | None:
        values = list(self.rounds(*key).values())
        return Spread.of(values) if values else None

    def error(self, *key: str) -> str:
        """Why there is no figure; empty if there is one."""
        runs = self.outcomes.get(Case(*key), [])
        return next((run.error for run in runs if run.error), "") if self.seconds(*key) is None else ""

    def ratio(self, above: tuple[str, ...], below: tuple[str, ...]) -> Spread | None:
        """Of those rounds that have both."""
        over, under = self.rounds(*above), self.rounds(*below)
        shared = [over[turn] / under[turn] for turn in over if turn in under]
        return Spread.of(shared) if shared else None

    def over_base(self, part: str, program: str, situation: str, system: str) -> Spread | None:
        return self.ratio((part, program, situation, system), (part, program, situation, BASE))

    def over_ideal(self, part: str, program: str, situation: str, system: str) -> float | None:
        """Of the medians; one worker ran alone in the same part."""
        work = self.seconds(part, program, SOLO, DEFAULT)
        taken = self.seconds(part, program, situation, system)
        if work is None or taken is None:
            return None
        return taken.middle / self.plan.parts[part].situations()[situation].ideal_seconds(work.middle, self.cores)

    def over_best(self, part: str, program: str, situation: str, others: tuple[str, ...]) -> float | None:
        """The default over the best of others: the largest of the ratios' medians."""
        base = (part, program, situation, DEFAULT)
        ratios = [self.ratio(base, (part, program, situation, other)) for other in others]
        known = [ratio.middle for ratio in ratios if ratio is not None]
        return max(known) if known else None

    def differences(self) -> list[str]:
        """Programs whose runs do not all compute the same."""
        results: dict[str, set[str]] = {}
        for case, runs in self.outcomes.items():
            results.setdefault(case.program, set()).update(run.result for run in runs if run.result)
        return [f"{name}: the runs differ: {', '.join(sorted(said))}" for name, said in results.items() if len(said) > 1]

    def stopped(self) -> list[str]:
        return [
            f"{case.program}, {case.situation}, {case.system}"
            for case, runs in self.outcomes.items()
            if any(run.stopped for run in runs)
        ]


def middle(ratio: Spread | None) -> float | None:
    return None if ratio is None else ratio.middle


def titles(summary: Summary, part: str) -> list[str]:
    """Of the columns; none if the part is not measured."""
    return [column.title for column in summary.plan.parts[part].columns] if part in summary.plan.parts else []


def default_budgets(summary: Summary) -> list[Budget]:
    """The default policy against the others, and against the better one of OpenMP's two."""
    others = tuple(policy for policy in POLICIES if policy != DEFAULT)
    made = []
    for part, bound in (("copies", 1.05), ("hogs", 1.05)):
        for title in titles(summary, part):
            value = summary.over_best(part, ZALESAK, title, others)
            least = 1.03 if title == ALONE else bound
            made.append(Budget(f"Zalesak, {title}: default over best policy", least, True, value))
    for part, title, bound in (("copies", ALONE, 1.0), ("hogs", HOG, 1.1), ("hogs", PINNED, 1.1)):
        if title in titles(summary, part):
            value = summary.over_best(part, ZALESAK, title, OPENMPS)
            made.append(Budget(f"Zalesak, {title}: default over better OpenMP", bound, True, value))
    return made


# By part and situation: times that should be near those of a machine that has the cores left only.
IDEAL_BOUNDS = {
    ("hogs", PINNED): 1.25,
    ("hogs", HALF_HOG): 1.15,
    ("quotas", quota_text(1.5)): 1.2,
    ("quotas", CHANGING): 1.2,
}
# Several workers for each core, over one.
CROWD_BOUNDS = {crowd_text(2): 1.05, crowd_text(4): 1.08, crowd_text(8): 1.15}


def ratio_budgets(summary: Summary) -> list[Budget]:
    """Of the default policy: the part, the situations above and below, the bound."""
    compared = [
        ("hogs", PINNED, SOLO_BESIDE, "Zalesak, pinned loop: all workers over one", 0.8),
        ("quotas", quota_text(1.0), SOLO, "Zalesak, quota of 1 core: over one free worker", 1.1),
    ]
    for title, bound in CROWD_BOUNDS.items():
        compared.append(("crowds", title, crowd_text(1), f"Zalesak, workers {title}: over 1 per core", bound))
    made = []
    for part, above, below, name, bound in compared:
        if above in titles(summary, part):
            ratio = summary.ratio((part, ZALESAK, above, DEFAULT), (part, ZALESAK, below, DEFAULT))
            made.append(Budget(name, bound, True, middle(ratio)))
    return made


def budgets(summary: Summary) -> list[Budget]:
    made = default_budgets(summary) + ratio_budgets(summary)
    for (part, title), bound in IDEAL_BOUNDS.items():
        if title in titles(summary, part):
            value = summary.over_ideal(part, ZALESAK, title, DEFAULT)
            made.append(Budget(f"Zalesak, {title}: over ideal share", bound, True, value))
    if TWO in titles(summary, "copies"):
        two = middle(summary.over_base("copies", ZALESAK, TWO, "spin"))
        made.append(Budget("Zalesak, 2 copies: spin over sleep, paper's way", 1.1, False, two))
    return made


def pressure_over_default(summary: Summary, part: str) -> dict[tuple[str, str], Spread | None]:
    """By program and situation."""
    return {
        (program, situation.title): summary.ratio(
            (part, program, situation.title, "pressure"), (part, program, situation.title, "adaptive")
        )
        for program in summary.plan.parts[part].programs
        for situation in summary.plan.parts[part].columns
    }
