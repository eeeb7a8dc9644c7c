"""A busy loop that shares the cores with what is measured: hog.py NICE DUTY [CORE].

Says "ready" when it runs, and ends with whoever started it. With a DUTY below 1 it works and sleeps in bursts of 1 to
50 ms, the same in every run.
"""

import ctypes
import os
import random
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
SHORTEST, LONGEST = 1e-3, 50e-3  # seconds, of a burst
SEED = 20


def work(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def main(nice: int, duty: float, cores: list[int]) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(nice)
    if cores:
        os.sched_setaffinity(0, cores)
    print("ready", flush=True)
    draw = random.Random(SEED)
    while True:
        burst = draw.uniform(SHORTEST, LONGEST)
        work(burst)
        if duty < 1:
            time.sleep(burst / duty - burst)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), [int(core) for core in sys.argv[3:]])
