"""One case on two ranks of one worker, compared with one process of two workers and with the model's prediction."""

from dataclasses import dataclass

from mpi import FAMILIES, environment
from suite import Budget, Suite, table

RANKS = 2
PREDICTED, ONE, TWO = "predicted", "one worker", "two workers"
FAMILY = {family.title: family for family in FAMILIES}
HEAVY = "heavy patches"  # that differ in cost, so that all of the run is traced, since they change


@dataclass(frozen=True)
class Size:
    """A run, with the step of the case's file."""

    title: str
    steps: int
    traced: tuple[int, int]  # base steps: from, how many
    case: str = "zalesak"
    keys: tuple[tuple[str, int], ...] = ()

    def settings(self, steps: int) -> dict:
        return dict(self.keys) | {"time.stop_step": steps}


def disk(base: int, steps: int) -> Size:
    keys = (("grid.base", base), ("time.steps", 10 * base))
    return Size(f"Zalesak's disk, base {base}, {steps} base steps", steps, (4, 16), keys=keys)


def heavy(steps: int) -> Size:
    return Size(f"Heavy patches, reacting front, {steps} base steps", steps, (0, steps), "reacting_front")


SIZES = {"base 256": disk(256, 640), "base 1024": disk(1024, 48), HEAVY: heavy(160)}
QUICK = {"base 64": disk(64, 24), HEAVY: heavy(8)}


def total(name):
    return lambda report: float(sum(rank[name] for rank in report["ranks"]))


def bytes_a_bundle(report):
    return total("bytes")(report) / total("bundles")(report)


def memory(report):
    return report["memory"]["bytes_per_point"]


class Declared(Suite):
    about = "a case on two ranks of one worker, compared with one process of two and the model"
    program = "kumiko"
    fields = ("size", "by")

    def __init__(self, *words):
        super().__init__(*words)
        self.workers = RANKS
        self.sizes = QUICK if self.quick else SIZES

    def comparisons(self):
        return [cases for size in self.sizes
                for cases in ([(size, PREDICTED)], [(size, by) for by in (ONE, TWO, *FAMILY)])]

    def is_single(self, key):
        return key[1] == PREDICTED

    def measure(self, key, turn):
        size, by = self.sizes[key[0]], key[1]
        if by == PREDICTED:
            return self.predict(size)
        run = {"environment": environment()}
        if by in FAMILY:
            FAMILY[by].require_link(self.programs)
            run = FAMILY[by].launch(RANKS)
        workers = RANKS if by == TWO else 1
        return self.programs.kumiko(size.case, size.settings(size.steps), "--workers", workers, limit=300, **run)

    def predict(self, size):
        """The model's prediction from a run of one worker."""
        first, count = size.traced
        settings = size.settings(first + count) | {"trace.from": first, "trace.steps": count}
        words = ("--ranks", RANKS, "--workers", 1, "--network", "shared")
        return self.programs.kumiko(
            size.case, settings, "--workers", 1, limit=300, environment=environment(),
            then=lambda folder, _: self.programs.simulate(folder, *words)["predictions"][0],
        )

    def of_ranks(self, r, size, by):
        """The figures of an MPI."""
        key = (size, by)
        speed_up, predicted = r.ratio((size, ONE), key), r.spread((size, PREDICTED), "speed_up").median
        return {
            "seconds": r.spread(key),
            "over two workers": r.ratio(key, (size, TWO)),
            "speed-up": speed_up,
            "predicted over it": speed_up.under(predicted) if predicted else predicted,
            "bundles a base step": r.spread(key, total("bundles"), 1 / self.sizes[size].steps),
            "bytes a bundle": r.spread(key, bytes_a_bundle),
            "memory over one's": r.ratio(key, (size, TWO), memory),
        }

    def tables(self, r):
        for name, size in self.sizes.items():
            rows = [("seconds by one worker", r.spread((name, ONE))), ("seconds by two workers", r.spread((name, TWO))),
                    ("speed-up of two ranks, predicted", r.spread((name, PREDICTED), "speed_up"))]
            for by in FAMILY:
                rows += [(f"{by}: {what}", value) for what, value in self.of_ranks(r, name, by).items()]
            yield table(size.title, ("run", "median"), rows)

    def budgets(self, r):
        for size in self.sizes:
            predicted, edges = (r.spread((size, PREDICTED), name).median for name in ("speed_up", "edges_per_step"))
            for by in FAMILY:
                value = {what: value.median for what, value in self.of_ranks(r, size, by).items()}
                title = f"{size}, {by}: "
                if size == HEAVY:
                    yield Budget(title + "predicted speed-up, least", 0.85, False, value["predicted over it"])
                    yield Budget(title + "predicted speed-up, most", 1.15, True, value["predicted over it"])
                    continue
                yield Budget(title + "two ranks over two workers", 1.35, True, value["over two workers"])
                yield Budget(title + "seconds over predicted", 1.1, True, predicted / value["speed-up"])
                yield Budget(title + "bundles over edges", 0.4, True, value["bundles a base step"] / edges)
                yield Budget(title + "bytes a bundle", 400, False, value["bytes a bundle"])
                yield Budget(title + "memory over one's", 1.3, True, value["memory over one's"])

    def failures(self, r):
        return r.different("state_hash", lambda key: key[0])

    def figures(self, r):
        return {"sizes": [{"size": name, "case": size.case, "steps": size.steps, **dict(size.keys)}
                          for name, size in self.sizes.items()]}
