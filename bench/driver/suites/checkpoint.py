"""The cost of checkpoints in a run, and the bandwidth at which a large state gets to the disk."""

from suite import Budget, Suite, table

EVERY = 100  # base steps
REVOLUTION = 2560
WITHOUT, WITH, STATE = ("without",), ("with",), ("state",)
LARGE, SMALL = (512, 256), (32, 1)  # patches in x, and MiB of records
WAYS = {
    "checkpoint": "checkpoint_s",
    "plain write of the same bytes": "plain_s",
    "records by H5Dwrite": "library_s",
    "compressed checkpoint": "packed_s",
    "checking it": "verify_s",
}


class Declared(Suite):
    about = "cost of checkpoints in a run; 256 MiB compared with a plain write and the HDF5 library"
    program = "checkpoint_write"
    fields = ("work",)
    repetitions = 9

    def __init__(self, *words):
        super().__init__(*words)
        self.steps = 200 if self.quick else REVOLUTION
        self.patches, self.mebibytes = SMALL if self.quick else LARGE

    def comparisons(self):
        return [[WITHOUT, WITH], [STATE]]

    def measure(self, key, turn):
        if key == STATE:
            with self.programs.scratch() as folder:
                words = (f"folder={folder}", f"patches_x={self.patches}", f"turn={turn}")
                return self.programs.report("checkpoint_write", *words, limit=300)
        settings = {"time.stop_step": self.steps, "checkpoint.every": EVERY if key == WITH else 0}
        return self.programs.kumiko("zalesak", settings, then=self.with_size, limit=300)

    def with_size(self, folder, summary):
        size = (folder / f"state_{self.steps:06}.hdf").stat().st_size
        return summary | {"bytes_per_point": size / (sum(summary["patches"]["per_level"]) * 256)}

    def over(self, r, peer):
        """The checkpoint's bandwidth over another way's to write the same."""
        return r.ratio(STATE, STATE, peer, "checkpoint_s")

    def tables(self, r):
        yield table(f"Zalesak's disk, {self.steps} base steps, a checkpoint every {EVERY}", ("run", "median"), (
            ("seconds without", r.spread(WITHOUT)),
            ("seconds with", r.spread(WITH)),
            ("with over without, round by round", r.ratio(WITH, WITHOUT)),
            ("bytes per point", r.spread(WITH, "bytes_per_point").median),
        ))
        bandwidth = {way: r.spread(STATE, lambda report, s=seconds: report["bytes"] / report[s], 1e-6)
                     for way, seconds in WAYS.items()}
        yield table(f"a state of {self.mebibytes} MiB, MB/s until it is on the disk", ("way", "median"), (
            *bandwidth.items(),
            ("checkpoint over plain", self.over(r, "plain_s")),
            ("checkpoint over H5Dwrite", self.over(r, "library_s")),
            ("compressed size over the size", r.spread(STATE, lambda report: report["packed_bytes"] / report["bytes"])),
            ("bytes per point", r.spread(STATE, lambda report: report["bytes"] / report["points"])),
        ))

    def budgets(self, r):
        yield Budget("run with checkpoints over without", 1.05, True, r.ratio(WITH, WITHOUT).median)
        yield Budget("checkpoint over plain write", 1 / 1.2, False, self.over(r, "plain_s").median)

    def failures(self, r):
        return r.different("state_hash", lambda key: "Zalesak's disk")

    def figures(self, r):
        cases = {"without": WITHOUT, "with": WITH, "states": STATE}
        return {name: list(r.good(key).values()) for name, key in cases.items()}
