"""The runs, the pages and the browser that the tests of reports share. Screenshots stay in KUMIKO_SCREENSHOTS."""

import base64
import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
HAS_VTK = os.environ["KUMIKO_HAS_VTK"] == "1"
SCREENSHOTS = Path(os.environ["KUMIKO_SCREENSHOTS"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
BACKENDS = {"threads": 2, "pthread": 2, "openmp": 2, "serial": 1}
STEPS = 12
EVERY = 6  # base steps from state to state
SMALL = [
    *["--set", "grid.base=64", "--set", "time.steps=640", "--set", f"time.stop_step={STEPS}"],
    *["--set", "diagnostics.every=3", "--set", f"output.every={EVERY}", "--quiet"],
]
MPIRUN = os.environ.get("KUMIKO_MPIRUN", "")
TRACED = ["--set", "trace.from=0"]
FIGURES = ["--set", "output.extras=true"]  # in one run alone, since pictures take long to draw and to decode
PHONE = (390, 844)
SCREEN = (1280, 900)


def kumiko(*arguments, launcher=()):
    return subprocess.run(
        [*launcher, KUMIKO, *map(str, arguments)], capture_output=True, text=True, timeout=300
    )


class Browser:
    """Chromium as it runs for root in a container too, with a note of all that it asks of a network."""

    def __init__(self, profile):
        options = webdriver.ChromeOptions()
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--disable-background-networking",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = shutil.which("chromedriver") or "/usr/bin/chromedriver"
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.shown = None

    def open(self, page, size=SCREEN, scheme="light"):
        """Loads a page, unless the test before has left it as it was."""
        wanted = (page, page.stat().st_mtime_ns, size, scheme)
        if wanted == self.shown:
            return
        self.shown = wanted
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": size[0],
                "height": size[1],
                "deviceScaleFactor": 1,
                "mobile": size == PHONE,
            },
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(page.as_uri())
        # Some versions of the driver come back before the new page is there.
        built = """return location.href === arguments[0] && document.readyState === "complete"
                     && document.getElementById("made-by").textContent !== "" """
        WebDriverWait(self.driver, 60).until(lambda driver: driver.execute_script(built, page.as_uri()))

    def forget(self):
        """The page is no longer as it was loaded."""
        self.shown = None

    def console(self):
        return self.driver.get_log("browser")

    def requests(self):
        """Addresses that the page asked for, but for itself and what it carries."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [address for address in asked if not address.startswith(("data:", "blob:"))]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def screenshot(self, name):
        """Of the whole page."""
        width, height = self.run(
            "return [innerWidth, document.documentElement.scrollHeight]"
        )
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {
                "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
            },
        )
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


def pair(process, other, **sums):
    names = ("given", "used", "again", "given_bytes", "result_bytes", "taken", "told", "taken_bytes", "told_bytes",
             "taken_s")
    return {"process": process, "other": other, **dict.fromkeys(names, 0), **sums}


TOLD = {"told": True, "host": "here", "workers": 1, "refusals": 1, "late": 0, "left_out": 0}
SEARCH_RECORD = {
    "kind": "kumiko search", "version": 1, "title": "queens 14", "seconds": 4,
    "processes": [
        {"name": "root", **TOLD, "pid": 11, "begin_s": -1, "end_s": 4, "clock_within_s": 0, "active_s": 3,
         "worked_s": 3.5, "asks": 2, "given": 2, "taken": 0, "again": 1, "bytes": 400},
        {"name": "1", **TOLD, "pid": 12, "begin_s": 0.5, "end_s": 4, "clock_within_s": 1e-4, "active_s": 2,
         "worked_s": 2, "asks": 3, "given": 0, "taken": 1, "again": 0, "bytes": 100},
        {"name": "2", "told": False},
    ],
    "pairs": [
        pair(0, 0, taken=1, told=1, taken_bytes=200, told_bytes=100, taken_s=1),
        pair(0, 1, given=1, used=1, given_bytes=200, result_bytes=100),
        pair(0, 2, given=1, again=1, given_bytes=200),
        pair(1, 0, taken=1, told=1, taken_bytes=200, told_bytes=100, taken_s=2),
    ],
    "searches": [{"process": 0, "begin_s": 0, "end_s": 4}],
    "parts": [
        {"giver": 0, "taker": 0, "divisions": 2, "bytes": 200, "result_bytes": 100, "begin_s": 2, "end_s": 3,
         "told": True},
        {"giver": 0, "taker": 1, "divisions": 3, "bytes": 200, "result_bytes": 100, "given_s": 0.9, "back_s": 3.1,
         "became": "used", "begin_s": 1, "end_s": 3, "told": True},
        {"giver": 0, "taker": 2, "divisions": 2, "bytes": 200, "result_bytes": 0, "given_s": 0.5, "back_s": 1.5,
         "became": "again"},
    ],
}


def run_case(path, *arguments, launcher=()):
    result = kumiko("run", ZALESAK, *SMALL, "--output", path, *arguments, launcher=launcher)
    if result.returncode != 0:
        raise AssertionError(result.stderr)


def make_run(path, name):
    """One of the runs that the tests share, or the record of a search, in the folder of its name."""
    if name in BACKENDS:
        more = FIGURES if name == "threads" else []
        run_case(path / name, "--backend", name, "--workers", BACKENDS[name], *TRACED, *more)
    elif name == "each":
        run_case(path / name, "--workers", 2, "--set", "diagnostics.every=1", "--set", "amr.levels=3")
    elif name == "plain":
        run_case(path / name, "--workers", 1, "--set", "amr.levels=1")
    elif name == "ranks":
        run_case(path / name, "--workers", 2, launcher=[MPIRUN, "-n", "2"])
    elif name == "search":
        (path / name).mkdir()
        (path / name / "search.json").write_text(json.dumps(SEARCH_RECORD))


def set_up(*pages, runs=()):
    """Makes pages, the runs that they show and other runs, and the browser, for all tests of a module. A page is that
    of the run of its name, or ranks.html and all.html, which show several runs."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    path = ReportTest.path = Path(folder.name)
    together = {"ranks": ["ranks", "plain"], "all": list(BACKENDS)}
    shown = [name for page in pages for name in together.get(page, [page])]
    for name in dict.fromkeys([*shown, *runs]):
        make_run(path, name)
    more = {
        "ranks": ["--output", path / "ranks.html"],
        "all": ["--output", path / "all.html", "--csv", path / "csv", "--title", "Four backends"],
        "search": ["--csv", path / "search-csv"],
    }
    for page in pages:
        result = kumiko("report", *(path / name for name in together.get(page, [page])), *more.get(page, []))
        if result.returncode != 0:
            raise AssertionError(result.stderr)
    ReportTest.browser = Browser(path / "profile")
    unittest.addModuleCleanup(ReportTest.browser.driver.quit)


class ReportTest(unittest.TestCase):
    def summary(self, name):
        return json.loads((self.path / name / "summary.json").read_text())

    def table(self, name):
        with open(self.path / "csv" / f"{name}.csv", newline="") as file:
            return list(csv.reader(file))[1:]

    def assert_quiet(self):
        self.assertEqual(self.browser.console(), [])
        asked = self.browser.requests()
        self.assertEqual([each for each in asked if not each.endswith(".html")], [])

    def assert_shows(self, name, column):
        """The headline table's column holds the summary's figures, and writes them as such."""
        summary = self.summary(name)
        cells = self.browser.run(
            """return Object.fromEntries([...document.querySelectorAll("#figures tr[data-key]")].map(
                 (row) => [row.dataset.key, [row.children[1 + arguments[0]].dataset.value,
                                             row.children[1 + arguments[0]].textContent]]))""",
            column,
        )
        self.assertGreater(len(cells), 20)
        for key, (value, text) in cells.items():
            expected = summary
            for part in key.split("/"):
                expected = expected[part]
            self.assertEqual(json.loads(value), expected, key)
            if key in ("imbalance", "error/rms", "error/max"):
                self.assertAlmostEqual(float(text), expected, delta=1e-4 * abs(expected))
            if key in ("updates/total", "steals", "workers", "steps"):
                self.assertEqual(int(text.replace(",", "")), expected)
