"""The one direction that a short run can check: where two copies share the cores, spinning is slower than sleeping.

At the full size, since runs of some milliseconds tell nothing. On a machine that is idle otherwise the ratio is 1.9.
Beside compilers that take half of the cores single pairs are between 0.94 and 3.3, so their median counts, which was
between 1.09 and 1.97 in 20 tries, and more pairs are taken where it does not hold.
"""

from pathlib import Path

from measured import Spread
from text import spread

from .measure import Bench
from .plan import BASE, SHARED_PHASE, TWO, Case, Plan

PAIRS, MOST_PAIRS = 3, 11


def spin_over_sleep(programs: Path) -> Spread:
    bench = Bench(programs, Plan.of(False, ["copies"]))

    def seconds(system: str, turn: int) -> float:
        outcome = bench.run(Case("copies", SHARED_PHASE, TWO, system), turn)
        if outcome.error:
            raise RuntimeError(f"{SHARED_PHASE}, {TWO}, {system}: {outcome.error}")
        return outcome.seconds

    ratios: list[float] = []
    while len(ratios) < PAIRS or (len(ratios) < MOST_PAIRS and not holds(Spread.of(ratios))):
        ratios.append(seconds("spin", len(ratios)) / seconds(BASE, len(ratios)))
    return Spread.of(ratios)


def holds(ratio: Spread) -> bool:
    return ratio.middle > 1


def lines(ratio: Spread) -> list[str]:
    return ["", f"direction, full size: {SHARED_PHASE}, {TWO}", f"  spin over {BASE:<12} {spread(ratio)}"]


def faults(ratio: Spread) -> list[str]:
    if holds(ratio):
        return []
    return [f"two copies that spin should be slower than two that sleep, and take {ratio.middle:.2f} of their time"]
