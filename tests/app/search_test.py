"""Contract: whoever joins a search works for it, and whichever of them is killed, stopped or leaves at whatever moment,
the count is right, with a checkpoint also where that is who searches; who does not belong to it is refused and told
why."""

import contextlib
import json
import os
import pty
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ROUNDS = int(os.environ.get("KUMIKO_SEARCH_ROUNDS", "4"))
LIMIT = 120
MOST_WAKE_UPS = 1500  # a second
WAYS = {10: 724, 12: 14200, 14: 365596}


class SearchTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.secret = self.make_secret("secret", "0123456789abcdef0123456789abcdef\n")

    def make_secret(self, name, text, mode=0o600):
        path = self.path / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def start(self, *arguments):
        process = subprocess.Popen([KUMIKO, "search", *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)

        def end():
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def serve(self, *arguments, listen="127.0.0.1:0", problem="queens", size=12):
        """\\return the process and where it listens"""
        process = self.start("serve", problem, size, "--listen", listen, "--secret", self.secret, "--workers", 1,
                             *arguments)
        return process, self.address(process)

    def address(self, process):
        """\\return where it listens, which a relay says when it has joined"""
        line = process.stdout.readline()
        if line.startswith("joined "):
            line = process.stdout.readline()
        found = re.match(r"listening at (\S+); others join: kumiko search join (\S+) --secret (\S+)$", line)
        self.assertTrue(found, line + (process.stderr.read() if not line else ""))
        return found[1]

    def join(self, address, *arguments):
        return self.start("join", address, "--secret", self.secret, "--workers", 1, *arguments)

    def ended(self, process):
        """\\return what it has printed"""
        output, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, output + errors)
        return output

    def refused(self, *arguments):
        """\\return why"""
        done = subprocess.run([KUMIKO, "search", *map(str, arguments)], capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        self.assertIn(done.returncode, (1, 2), done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"\Akumiko: error: [^\n]*\n\Z")
        return done.stderr

    def assert_found(self, output, size):
        self.assertIn(f"queens {size}: {WAYS[size]} ways in ", output)

    def test_alone(self):
        root, _ = self.serve()
        self.assert_found(self.ended(root), 12)

    def test_given_helpers_and_a_relay_then_all_are_told_of_the_end(self):
        root, address = self.serve("--helpers", 2, size=14)
        relay = self.join(address, "--listen", "127.0.0.1:0")
        behind = self.join(self.address(relay))
        helper = self.join(address)
        output = self.ended(root)
        self.assert_found(output, 14)
        self.assertRegex(output, r"\nparts given to others [1-9]")
        for process in (relay, behind, helper):
            self.assertRegex(self.ended(process), r"(^|\n)the search is done\nparts given to others ")

    def report(self, folder):
        """\return the data in the page of a search"""
        done = subprocess.run([KUMIKO, "report", str(folder)], capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        if "KUMIKO_WITH_REPORT" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (folder / "report.html").read_text()
        return json.loads(re.search(r'id="report-data">(.*?)</script>', page, re.DOTALL)[1])

    def test_given_output_then_the_record_says_who_worked_for_whom_and_a_page_shows_it(self):
        folder = self.path / "out"
        root, address = self.serve("--helpers", 3, "--output", folder, size=14)
        relay = self.join(address, "--listen", "127.0.0.1:0")
        behind = self.join(self.address(relay))
        self.assertTrue(behind.stdout.readline().startswith("joined "))
        killed = self.join(address)
        helper = self.join(address)
        self.assertEqual(root.stdout.readline(), "waiting for 3 helpers\n")
        for each in (killed, helper):  # else the search might wait for a third one for ever
            self.assertTrue(each.stdout.readline().startswith("joined "))
        time.sleep(0.3)  # so that it has a part, as a rule
        killed.kill()
        output = self.ended(root)
        self.assert_found(output, 14)
        self.assertIn(f"kumiko report {folder}\n", output)
        outputs = [output, *map(self.ended, (relay, behind, helper))]
        record = json.loads((folder / "search.json").read_text())
        self.assertEqual(record["title"], "queens 14")
        processes = record["processes"]
        self.assertEqual(processes[0]["name"], "root")
        self.assertEqual(sum(":" in each["name"] for each in processes), 1)
        told = {each["pid"]: each for each in processes if each["told"]}
        # Where the search ends sooner, the other one tells too.
        self.assertLessEqual({each.pid for each in (root, relay, behind, helper)}, set(told))
        for process, text in zip((root, relay, behind, helper), outputs, strict=True):
            given, taken, again, asks = re.search(
                r"given to others (\d+), taken from others (\d+), given again (\d+); asked others (\d+)", text).groups()
            each = told[process.pid]
            self.assertEqual(each["given"], int(given))
            self.assertEqual(each["taken"], int(taken))
            self.assertEqual(each["asks"], int(asks))
            self.assertLessEqual(int(again), each["given"])
            if each["taken"]:  # so that it has had an answer
                self.assertLess(each["clock_within_s"], 1)
        parts = record["parts"]
        for number, each in enumerate(processes):
            if not each["told"]:
                continue
            others = [part for part in parts if part["giver"] != part["taker"]]
            given = [part for part in others if part["giver"] == number and "became" in part]
            taken = [part for part in others if part["taker"] == number and "told" in part]
            self.assertEqual(len(given), each["given"])
            self.assertEqual(len(taken), each["taken"])
            pairs = [pair for pair in record["pairs"] if pair["process"] == number and pair["other"] != number]
            self.assertEqual(sum(pair["given"] for pair in pairs), each["given"])
            self.assertEqual(sum(pair["taken"] for pair in pairs), each["taken"])
            self.assertEqual(sum(pair["used"] for pair in pairs), sum(part["became"] == "used" for part in given))
            self.assertEqual(sum(pair["given_bytes"] + pair["told_bytes"] for pair in pairs), each["bytes"])
        for part in parts:
            if "became" in part:
                self.assertLessEqual(part["given_s"], part["back_s"])
            if "told" in part:
                self.assertLessEqual(part["begin_s"], part["end_s"])
            if "became" in part and "told" in part:  # within what the clocks may be off
                off = sum(processes[part[side]]["clock_within_s"] for side in ("giver", "taker"))
                self.assertLessEqual(part["given_s"], part["begin_s"] + off)
                self.assertLessEqual(part["begin_s"], part["back_s"] + off)
        data = self.report(folder)
        if data is not None:
            self.assertEqual(data["search"], record)
            self.assertEqual([chart["id"] for chart in data["charts"]],
                             ["search_working", "search_given", "search_taken", "search_bytes"])
            self.assertEqual(data["charts"][0]["panels"][0]["categories"], [each["name"] for each in processes])

    def test_given_a_folder_that_holds_another_record_then_it_is_refused_before_the_search(self):
        folder = self.path / "used"
        folder.mkdir()
        (folder / "search.json").write_text("{}")
        arguments = ["serve", "queens", 10, "--listen", "127.0.0.1:0", "--secret", self.secret, "--output"]
        self.assertIn("name another folder", self.refused(*arguments, folder))
        self.assertIn("secret", self.refused(*arguments, self.secret))
        self.assertEqual((folder / "search.json").read_text(), "{}")

    def test_given_an_address_without_a_port_then_its_form_is_told(self):
        told = self.refused("join", "127.0.0.1", "--secret", self.secret)
        self.assertIn("'127.0.0.1' is not HOST:PORT; write it as 0.0.0.0:5555", told)

    def test_given_a_parent_that_is_lost_then_a_helper_says_so(self):
        root, address = self.serve("--helpers", 3)
        relay = self.join(address, "--listen", "127.0.0.1:0")
        behind = self.join(self.address(relay))
        self.assertTrue(behind.stdout.readline().startswith("joined "))
        relay.send_signal(signal.SIGINT)
        self.assertIn("left, as asked\n", self.ended(relay))
        _, errors = behind.communicate(timeout=LIMIT)
        self.assertEqual(behind.returncode, 1)
        self.assertRegex(errors, r"kumiko: error: lost the connection to 127.0.0.1:\d+: .*; the search may still be running")
        root.kill()
        _, errors = root.communicate()
        self.assertIn("process 1 has joined\nprocess 1 has gone: ", errors)

    def test_given_a_launchers_ranks_then_they_are_refused(self):
        environment = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
        done = subprocess.run([KUMIKO, "search", "join", "127.0.0.1:1", "--secret", self.secret], env=environment,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("without a launcher", done.stderr)

    def test_given_pentominoes_then_they_are_counted(self):
        root, _ = self.serve(problem="pentomino", size=11)
        self.assertIn("pentomino 11: 649 ways in ", self.ended(root))

    def test_given_pentominoes_with_a_checkpoint_then_nothing_is_done_again(self):
        for _ in range(2):
            root, _ = self.serve("--checkpoint", self.path / "checkpoint", problem="pentomino", size=11)
            output = self.ended(root)
            self.assertIn("pentomino 11: 649 ways in ", output)
        self.assertEqual(self.done_now(output), 0)

    def test_whoever_is_killed_stopped_or_joins_the_count_is_right(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                chance = random.Random(seed)
                root, address = self.serve("--helpers", 2, size=14)
                helpers = [self.join(address), self.join(address, "--listen", "127.0.0.1:0")]
                helpers.append(self.join(self.address(helpers[1])))
                while root.poll() is None and len(helpers) < 8:
                    time.sleep(chance.random() * 0.2)
                    ended = chance.choice(helpers)
                    if ended.poll() is None:
                        ended.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
                    helpers.append(self.join(address))
                self.assert_found(self.ended(root), 14)
                for helper in helpers:
                    helper.kill()

    def test_whoever_is_killed_who_searches_too_a_search_with_a_checkpoint_goes_on(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                chance = random.Random(seed)
                file = self.path / f"checkpoint{seed}"
                helpers, parts, killed = [], 0, 0
                while True:
                    root, address = self.serve("--checkpoint", file, size=14)
                    helpers.extend(self.join(address) for _ in range(chance.randrange(3)))
                    self.await_results(root, file)
                    time.sleep(chance.random() * 0.2)
                    if killed == 4 or root.poll() is not None:
                        break
                    root.kill()
                    root.communicate()
                    killed += 1
                output = self.ended(root)
                self.assert_found(output, 14)
                parts = int(re.search(r"\n(\d+) parts in '", output)[1])
                self.assertGreater(killed, 0)
                self.assertLess(self.done_now(output), parts)
                for helper in helpers:
                    helper.kill()
                again, _ = self.serve("--checkpoint", file, "--helpers", 9, size=14)
                output = self.ended(again)
                self.assert_found(output, 14)
                self.assertEqual(self.done_now(output), 0)

    def await_results(self, process, file):
        """Waits until the process has written what it has found, or has ended."""
        size = file.stat().st_size
        while file.stat().st_size == size and process.poll() is None:
            time.sleep(0.01)

    def done_now(self, output):
        """\\return how many parts a search has done that its checkpoint did not have"""
        return int(re.search(r"(\d+) of them done now\n", output)[1])

    def test_given_ctrl_c_then_a_search_with_a_checkpoint_says_how_to_go_on(self):
        file = self.path / "checkpoint"
        root, address = self.serve("--checkpoint", file, size=14)
        helper = self.join(address)
        self.assertTrue(helper.stdout.readline().startswith("joined "))
        self.await_results(root, file)
        root.send_signal(signal.SIGINT)
        _, errors = root.communicate(timeout=LIMIT)
        self.assertEqual(root.returncode, 1, errors)
        parts = re.search(r"kumiko: error: stopped; '.*' has ([1-9]\d*) parts?: the same command continues\n\Z", errors)
        self.assertTrue(parts, errors)
        _, errors = helper.communicate(timeout=LIMIT)
        self.assertIn("the search may still be running", errors)
        root = self.start("serve", "queens", 14, "--listen", "127.0.0.1:0", "--secret", self.secret, "--checkpoint", file)
        output = self.ended(root)
        self.assertIn(f"continues from {parts[1]} part", output)
        self.assert_found(output, 14)

    def test_given_a_terminal_then_a_search_with_a_checkpoint_shows_how_far_it_is(self):
        terminal, end = pty.openpty()
        with open(terminal, "rb", buffering=0) as shown, open(end, "wb", buffering=0) as errors:
            command = [KUMIKO, "search", "serve", "queens", "12", "--listen", "127.0.0.1:0", "--secret", self.secret]
            done = subprocess.run([*command, "--checkpoint", self.path / "checkpoint"], stdout=subprocess.PIPE,
                                  stderr=errors, text=True, timeout=LIMIT, check=True)
            line = shown.read(4096).decode()
        self.assert_found(done.stdout, 12)
        self.assertRegex(line, r"queens 12: \d+ of \d+ parts done, 0 helpers here")

    def test_given_a_checkpoint_of_another_search_or_in_use_then_it_is_refused(self):
        file = self.path / "checkpoint"
        root, _ = self.serve("--checkpoint", file, size=10)
        self.ended(root)
        content = file.read_bytes()
        serve = ["--listen", "127.0.0.1:0", "--secret", self.secret, "--checkpoint", file]
        self.assertIn("belongs to 'queens 10', not to 'queens 12'", self.refused("serve", "queens", 12, *serve))
        self.assertEqual(file.read_bytes(), content)
        file.unlink()
        self.serve("--checkpoint", file, "--helpers", 1, size=12)
        self.assertIn("another process uses it", self.refused("serve", "queens", 12, *serve))

    def wake_ups(self, process):
        """\return how often the process's threads have gone to sleep so far"""
        counts = []
        for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
            with contextlib.suppress(OSError):  # a thread that has ended meanwhile
                counts.append(int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", status.read_text())[1]))
        return sum(counts)

    def assert_sleeping(self, *processes):
        before = [self.wake_ups(process) for process in processes]
        begin = time.monotonic()
        time.sleep(3)
        seconds = time.monotonic() - begin
        for process, count in zip(processes, before, strict=True):
            # Some 80 to 500; processes that polled had 3000 and more, which took 2 to 15 % of a core.
            self.assertLess((self.wake_ups(process) - count) / seconds, MOST_WAKE_UPS)

    def test_given_nothing_to_search_yet_then_who_serves_and_who_helps_sleep(self):
        root, address = self.serve("--helpers", 2, size=14)
        self.assertEqual(root.stdout.readline(), "waiting for 2 helpers\n")
        self.assert_sleeping(root)
        helper = self.join(address)
        self.assertTrue(helper.stdout.readline().startswith("joined "))
        time.sleep(3)  # while it asks less and less often
        self.assert_sleeping(root, helper)
        other = self.join(address)
        self.assert_found(self.ended(root), 14)
        self.ended(helper)
        self.ended(other)

    def test_given_ctrl_c_then_a_helper_leaves(self):
        root, address = self.serve("--helpers", 3, size=14)
        helper = self.join(address)
        self.assertTrue(helper.stdout.readline().startswith("joined "))
        helper.send_signal(signal.SIGINT)
        self.assertIn("left, as asked\n", self.ended(helper))
        root.kill()

    def test_who_does_not_belong_is_refused(self):
        root, address = self.serve("--helpers", 2, size=10)
        other = self.make_secret("other", "another secret of enough characters\n")
        self.assertIn("secret", self.refused("join", address, "--secret", other))
        with socket.create_connection(address.split(":")) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")
            stranger.settimeout(LIMIT)
            with contextlib.suppress(ConnectionResetError):  # what it has sent was not read to its end
                while stranger.recv(4096):
                    pass
        helpers = [self.join(address), self.join(address)]
        self.assert_found(self.ended(root), 10)
        for helper in helpers:
            self.ended(helper)

    def test_wrong_requests_are_told_with_their_remedy(self):
        serve = ["serve", "queens", 10, "--listen", "127.0.0.1:0", "--secret"]
        self.assertIn("head -c 32 /dev/urandom", self.refused(*serve, self.path / "none"))
        self.assertIn(f"'{self.path}' is a folder; name a file", self.refused(*serve, self.path))
        self.assertIn("is not a regular file", self.refused(*serve, "/dev/null"))
        self.assertIn("chmod 600", self.refused(*serve, self.make_secret("open", 40 * "x", 0o644)))
        self.assertIn("can be guessed", self.refused(*serve, self.make_secret("short", "word")))
        self.assertIn("queens or pentomino", self.refused("serve", "quens", 10, "--listen", "127.0.0.1:0", "--secret",
                                                          self.secret))
        self.assertIn("size", self.refused("serve", "queens", 99, "--listen", "127.0.0.1:0", "--secret", self.secret))
        self.assertIn("HOST:PORT", self.refused("join", "somewhere", "--secret", self.secret))
        self.assertIn("the port '99999' is not a whole number from 0 to 65535",
                      self.refused("join", "127.0.0.1:99999", "--secret", self.secret))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            self.assertIn("127.0.0.1", self.refused("join", f"127.0.0.1:{port}", "--secret", self.secret))
            self.assertIn("in use", self.refused("serve", "queens", 10, "--listen", f"127.0.0.1:{port}", "--secret",
                                                 self.secret))


if __name__ == "__main__":
    unittest.main()
