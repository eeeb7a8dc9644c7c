"""The tables and the budgets of the suite idle."""

from dataclasses import dataclass

from results import Results
from suite import Budget, Spread, extreme, table
from suites.idle_plan import (
    ALONE, BASE, CHANGING, DEFAULT, DIRECTION, FIB, FOUR, HALF_HOG, HOG, OPENMPS, PINNED, POLICIES, SHARED_PHASE, SOLO,
    SOLO_BESIDE, TWO, ZALESAK, Part, crowd_text, quota_text, systems,
)

# Busy waiting over blocking, without and with PAUSE, of fib(44) by 16 workers: on the bare machine and in a guest
# alone, and in two guests at once, with a hypervisor's default exits for loops with PAUSE. Without figures for four.
PAPER = {
    ("alone, bare", ALONE): (0.981, "-"),
    ("alone, guest", ALONE): (0.921, 0.916),
    (TWO, TWO): (1.64, 1.63),
    (FOUR, FOUR): ("grows", "grows"),
}
LEGEND = """A cell is the time over that of the policy sleep, which blocks at once, by the medians of the
rounds' ratios; /ideal is the time over the ideal share, which is one worker's time on a free core over the
cores left: a busy loop takes half a core, a quarter if it runs half the time, a tenth at nice 10.
With copies all times are converted: the mean over the copies by their number. A run that was
stopped after 5 s counts with that time.
"""
# By part and situation: times that should be near those of a machine that has the cores left only.
IDEAL_BOUNDS = {
    ("hogs", PINNED): 1.25,
    ("hogs", HALF_HOG): 1.15,
    ("quotas", quota_text(1.5)): 1.2,
    ("quotas", CHANGING): 1.2,
}
# Several workers for each core, over one.
CROWD_BOUNDS = {crowd_text(2): 1.05, crowd_text(4): 1.08, crowd_text(8): 1.15}


@dataclass(frozen=True)
class Figures:
    """A case is a part, a program, a situation and a system."""

    r: Results
    plan: dict[str, Part]
    cores: int

    def over_base(self, *key):
        return self.r.ratio(key, (*key[:3], BASE))

    def over_ideal(self, part, program, situation, system):
        """A ratio of medians; one worker has run alone in the same part."""
        work = self.r.spread((part, program, SOLO, DEFAULT)).median
        taken = self.r.spread((part, program, situation, system)).median
        if not work or not taken:
            return taken if work else work
        return taken / self.plan[part].situations()[situation].ideal_seconds(work, self.cores)

    def over_best(self, part, situation, others):
        """The default over the best of others: the largest of the ratios' medians, of Zalesak."""
        key = (part, ZALESAK, situation)
        return extreme(max, (self.r.ratio((*key, DEFAULT), (*key, other)).median for other in others))

    def has(self, part, situation):
        return part in self.plan and situation in self.plan[part].titles


def tables(suite, f):
    if DIRECTION in f.r.runs:
        done = list(f.r.good(DIRECTION).values())
        ratio = Spread.of(done[0]["ratios"]) if done else f.r.error(DIRECTION)
        yield table(f"direction, full size: {SHARED_PHASE}, {TWO}", ("pairs", "median"), [("spin over sleep", ratio)])
    for name, part in f.plan.items():
        if name == "phases":
            yield phases(suite, f, part)
            continue
        for program in part.programs:
            columns = [column for title in part.titles for column in (title, "/ideal")]
            seconds = [cell for title in part.titles for cell in (f.r.spread((name, program, title, BASE)), "-")]
            rows = [(f"{BASE}, seconds", *seconds)]
            for system in systems(program, suite.sizes[suite.quick]):
                keys = [(name, program, title, system) for title in part.titles]
                rows.append((system, *(cell for key in keys for cell in (f.over_base(*key), f.over_ideal(*key)))))
            yield table(f"{program}, {part.title}: time over {BASE}'s", ("system", *columns), rows)
    if "copies" in f.plan:
        yield paper(suite, f)
    rows = []
    for name, part in f.plan.items():
        for program in part.programs:
            for title in part.titles:
                key = (name, program, title)
                rows.append((f"{part.title}, {title}: {program}", f.r.ratio((*key, "pressure"), (*key, "adaptive"))))
    yield table("pressure over adaptive: time, round by round", ("situation", "median"), rows)
    yield LEGEND
    stopped = {key: None for key, run in f.r.outcomes() if run.report and run.report.get("stopped")}
    if stopped:
        yield "stopped, at least once: " + "; ".join(", ".join(key[1:]) for key in stopped)


def phases(suite, f, part):
    """All lengths next to each other."""
    rows = []
    for system in systems(part.programs[0], suite.sizes[suite.quick]):
        keys = [("phases", program, ALONE, system) for program in part.programs]
        rows += [(system, *(f.over_base(*key) for key in keys)), ("  /ideal", *(f.over_ideal(*key) for key in keys))]
    columns = ("system", *(program.removeprefix("phases, ") for program in part.programs))
    return table(f"phases alone: time over {BASE}'s, /ideal below", columns, rows)


def paper(suite, f):
    """Busy waiting over blocking. Zalesak is next to fib since its workers have more to wait for."""
    rows = []
    for (title, situation), (busy, pausing) in PAPER.items():
        for program in (FIB, ZALESAK):
            ours = ["-" if not f.has("copies", situation) else f.over_base("copies", program, situation, policy)
                    for policy in ("spin", "spin_pause")]
            theirs = (busy, pausing) if program == FIB else ("-", "-")
            rows.append((f"{title}: {program}", theirs[0], ours[0], theirs[1], ours[1]))
    columns = ("program", "paper, busy", "here, spin", "paper, busy + PAUSE", "here, spin_pause")
    return table("busy waiting over blocking: the paper's fib, and here", columns, rows)


def budgets(f):
    """Budgets of the default policy with Zalesak, unless their titles name others."""
    others = [policy for policy in POLICIES if policy != DEFAULT]
    for part in ("copies", "hogs"):
        for title in f.plan[part].titles if part in f.plan else ():
            bound = 1.03 if title == ALONE else 1.05
            yield Budget(f"Zalesak, {title}: default over best policy", bound, True, f.over_best(part, title, others))
    for part, title, bound in (("copies", ALONE, 1.0), ("hogs", HOG, 1.1), ("hogs", PINNED, 1.1)):
        if f.has(part, title):
            over = f.over_best(part, title, OPENMPS)
            yield Budget(f"Zalesak, {title}: default over better OpenMP", bound, True, over)
    compared = [
        ("hogs", PINNED, SOLO_BESIDE, "Zalesak, pinned loop: all workers over one", 0.8),
        ("quotas", quota_text(1.0), SOLO, "Zalesak, quota of 1 core: over one free worker", 1.1),
    ]
    compared += [("crowds", title, crowd_text(1), f"Zalesak, workers {title}: over 1 per core", bound)
                 for title, bound in CROWD_BOUNDS.items()]
    for part, above, below, name, bound in compared:
        if f.has(part, above):
            ratio = f.r.ratio((part, ZALESAK, above, DEFAULT), (part, ZALESAK, below, DEFAULT))
            yield Budget(name, bound, True, ratio.median)
    for (part, title), bound in IDEAL_BOUNDS.items():
        if f.has(part, title):
            over = f.over_ideal(part, ZALESAK, title, DEFAULT)
            yield Budget(f"Zalesak, {title}: over ideal share", bound, True, over)
    if f.has("copies", TWO):
        two = f.over_base("copies", ZALESAK, TWO, "spin").median
        yield Budget("Zalesak, 2 copies: spin over sleep, paper's way", 1.1, False, two)
