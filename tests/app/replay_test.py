"""Contract: another simulator finds for what the model's ranks do and send the time that the model has predicted."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
SMPIRUN = os.environ["KUMIKO_SMPIRUN"]
MOST_RANKS = 8
# What a message costs a core is among the ranks' actions; latency and bandwidth are the platform's. It has no gap
# between messages. A nanosecond is an operation.
NETWORK = "400,1500,0,0.08"
PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="host" suffix="" radical="0-{MOST_RANKS - 1}" speed="1Gf" bw="12.5GBps" lat="0.75us"/>
</platform>
"""
# A wire and nothing else: no factors by which real networks are slower, no cost of MPI itself; and messages set out when
# they are sent, whether or not somebody waits for them.
PLAIN = ["smpi/async-small-thresh:100000000", "smpi/send-is-detached-thresh:100000000",
         "network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "smpi/os:0:0:0", "smpi/or:0:0:0",
         "smpi/ois:0:0:0", "smpi/display-timing:yes"]


class ReplayTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def call(self, *command):
        done = subprocess.run([*map(str, command)], cwd=self.path, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_given_ranks_then_their_replay_takes_as_long_as_predicted(self):
        keys = ["grid.base=64", "time.steps=640", "time.stop_step=20", "trace.from=4"]
        self.call(KUMIKO, "run", ZALESAK, "--quiet", "--workers", "1", "--output", "run",
                  *[word for key in keys for word in ("--set", key)])
        (self.path / "platform.xml").write_text(PLATFORM)
        (self.path / "hosts").write_text("".join(f"host{rank}\n" for rank in range(MOST_RANKS)))
        for ranks in (2, 4, MOST_RANKS):
            with self.subTest(ranks=ranks):
                told = self.call(KUMIKO, "simulate", "run", "--ranks", ranks, "--network", NETWORK, "--replay",
                                 f"by{ranks}", "--json")
                predicted = json.loads(told.stdout)["predictions"][0]["seconds"]
                replayed = self.call(SMPIRUN, "-np", ranks, "-platform", "platform.xml", "-hostfile", "hosts",
                                     *[f"--cfg={setting}" for setting in PLAIN], "-replay", f"by{ranks}/ranks.txt")
                seconds = float(re.search(r"Simulated time: ([\d.e+-]+)", replayed.stdout + replayed.stderr)[1])
                self.assertLess(abs(predicted / seconds - 1), 0.1, f"{predicted} s, and {seconds} s")


if __name__ == "__main__":
    unittest.main()
