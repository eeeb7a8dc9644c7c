"""Contract: the ideal share is what the cores left could do; a group is found and limited by the files of either
version, and where none can be made the reason is said. Groups here are folders of plain files."""

import os
import tempfile
import unittest
from pathlib import Path

from stand_ins import Failed
from quota import Group, Refused
from sharing import Hog, Situation, run_copies
from suites.idle_plan import PARTS, SOLO, SOLO_BESIDE

V1_FILES = ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cgroup.procs", "cpu.stat")


class IdealShare(unittest.TestCase):
    def test_a_busy_loop_takes_half_a_core(self):
        self.assertEqual(Situation("", hog=Hog()).cores_left(2), 1.5)
        self.assertEqual(Situation("", hog=Hog(duty=0.5)).cores_left(2), 1.75)
        self.assertAlmostEqual(Situation("", hog=Hog(nice=10)).cores_left(2), 1.903, 3)

    def test_a_quota_above_the_cores_adds_none(self):
        self.assertEqual(Situation("", quota=1.5).ideal_seconds(3.0, 2), 2.0)
        self.assertEqual(Situation("", quota=8.0).ideal_seconds(3.0, 2), 1.5)

    def test_a_quota_that_changes_counts_by_its_stretches(self):
        changing = Situation("", quota=2.0, course=((0.3, 1.0), (0.6, 2.0)))
        self.assertAlmostEqual(changing.ideal_seconds(0.4, 2), 0.2)  # ends before the first change
        self.assertAlmostEqual(changing.ideal_seconds(0.8, 2), 0.5)  # ends while there is one core
        self.assertAlmostEqual(changing.ideal_seconds(1.3, 2), 0.8)

    def test_one_core_that_is_shared_leaves_half_of_it(self):
        self.assertEqual(Situation("", hog=Hog(pinned=True)).ideal_seconds(1.0, 1), 2.0)


class Copies(unittest.TestCase):
    def test_one_that_takes_too_long_is_stopped(self):
        commands = [["echo", "done"], ["sleep", "30"]]
        outputs, used = run_copies(commands, dict(os.environ), Situation("", copies=2), 0.5)
        self.assertEqual(outputs, ["done\n", None])
        self.assertEqual(used["throttled"], 0)

    def test_one_that_fails_is_named(self):
        with self.assertRaisesRegex(Failed, r"failed \(exit status 3\): no memory"):
            run_copies([["sh", "-c", "echo error: no memory >&2; exit 3"]], dict(os.environ), Situation(""), 5)

    def test_a_busy_loop_runs_beside_them_and_ends_with_them(self):
        outputs, _ = run_copies([["pgrep", "-cf", "hog.py"]], dict(os.environ), Situation("", hog=Hog()), 5)
        self.assertGreaterEqual(int(outputs[0]), 1)


class Parts(unittest.TestCase):
    def test_one_worker_runs_in_each_part_and_beside_the_pinned_loop(self):
        for name, part in PARTS.items():
            with self.subTest(part=name):
                self.assertIn(SOLO, part.situations())
                self.assertEqual(SOLO_BESIDE in part.situations(), name == "hogs")


class Groups(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.membership = self.root / "membership"

    def group(self) -> Group:
        return Group(self.root, self.membership)

    def test_version_1_takes_microseconds_of_a_period(self):
        (self.root / "cpu,cpuacct/mine").mkdir(parents=True)
        for name in V1_FILES:
            (self.root / "cpu,cpuacct/mine" / name).touch()
        self.membership.write_text("5:memory:/\n1:cpu,cpuacct:/mine\n0::/\n")
        group = self.group()
        self.assertEqual(group.folder.parent, self.root / "cpu,cpuacct/mine")
        self.assertEqual((group.folder / "cpu.cfs_quota_us").read_text(), "-1")
        group.limit(1.5)
        self.assertEqual((group.folder / "cpu.cfs_quota_us").read_text(), "150000")
        self.assertEqual((group.folder / "cpu.cfs_period_us").read_text(), "100000")

    def test_version_2_passes_the_controller_on_first(self):
        (self.root / "mine").mkdir()
        (self.root / "mine/cgroup.subtree_control").write_text("memory")
        self.membership.write_text("0::/mine\n")
        group = self.group()
        self.assertEqual((self.root / "mine/cgroup.subtree_control").read_text(), "+cpu")
        self.assertEqual((group.folder / "cpu.max").read_text(), "max 100000")
        group.limit(0.5)
        self.assertEqual((group.folder / "cpu.max").read_text(), "50000 100000")

    def test_throttled_periods_are_counted(self):
        (self.root / "cpu").mkdir()
        (self.root / "cpu/cpu.cfs_quota_us").touch()
        self.membership.write_text("1:cpu:/\n")
        group = self.group()
        (group.folder / "cpu.stat").write_text("nr_periods 9\nnr_throttled 4\nthrottled_time 12\n")
        self.assertEqual(group.throttled(), 4)

    def test_without_a_group_the_reason_is_said(self):
        self.membership.write_text("5:memory:/\n")
        with self.assertRaisesRegex(Refused, "no control group for processor time is mounted"):
            self.group()

    def test_what_may_not_be_written_is_named(self):
        (self.root / "mine/cgroup.subtree_control").mkdir(parents=True)
        self.membership.write_text("0::/mine\n")
        with self.assertRaisesRegex(Refused, "cgroup.subtree_control"):
            self.group()


if __name__ == "__main__":
    unittest.main()
