"""Contract: the report of a run is one page that needs nothing else, shows the summary's figures, and works on
screens of every kind. Looked at in Chromium, whose screenshots stay in KUMIKO_SCREENSHOTS."""

import base64
import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
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


def setUpModule():
    """The runs, their pages, and the browser, for all tests."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    path = ReportTest.path = Path(folder.name)
    for backend, workers in BACKENDS.items():
        more = FIGURES if backend == "threads" else []
        run_case(path / backend, "--backend", backend, "--workers", workers, *TRACED, *more)
    run_case(path / "each", "--workers", 2, "--set", "diagnostics.every=1", "--set", "amr.levels=3")
    run_case(path / "plain", "--workers", 1, "--set", "amr.levels=1")
    pages = [[path / name] for name in (*BACKENDS, "plain")]
    if MPIRUN:
        run_case(path / "ranks", "--workers", 2, launcher=[MPIRUN, "-n", "2"])
        pages.append([path / "ranks", path / "plain", "--output", path / "ranks.html"])
    together = [*(path / name for name in BACKENDS), "--output", path / "all.html"]
    (path / "search").mkdir()
    (path / "search" / "search.json").write_text(json.dumps(SEARCH_RECORD))
    pages.append([path / "search", "--csv", path / "search-csv"])
    pages.append([*together, "--csv", path / "csv", "--title", "Four backends"])
    for arguments in pages:
        result = kumiko("report", *arguments)
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


class Page(ReportTest):
    def test_given_each_backend_then_its_page_is_quiet_and_shows_the_summary(self):
        for name in reversed(BACKENDS):
            with self.subTest(backend=name):
                self.browser.open(self.path / name / "report.html")
                self.assert_quiet()
                self.assert_shows(name, 0)
                self.assertGreater(self.drawn(), 6)
                rows = 4 if name == "threads" else 1
                self.assertEqual(self.pictures(), rows * STEPS // EVERY if HAS_VTK else 0)
        self.browser.open(self.path / "threads" / "report.html")
        self.browser.screenshot("light")

    def drawn(self):
        """Charts that hold marks."""
        return self.browser.run(
            """return [...document.querySelectorAll(".chart")].filter((box) =>
                 box.querySelectorAll("svg path").length > 3 || box.querySelector("canvas")).length"""
        )

    def pictures(self):
        """Pictures that the browser could decode, each with a text for those who cannot see it."""
        return self.browser.run(
            """return Promise.all([...document.images].map((image) => image.decode()))
                 .then(() => [...document.images].filter((image) => image.naturalWidth > 100 && image.alt
                   && Number(image.getAttribute("width")) === image.naturalWidth
                   && Number(image.getAttribute("height")) === image.naturalHeight).length)"""
        )

    @unittest.skipUnless(HAS_VTK, "pictures are drawn by VTK")
    def test_given_pictures_then_two_stand_side_by_side_large_enough_for_their_labels(self):
        self.browser.open(self.path / "threads" / "report.html")
        places = self.browser.run(
            """return [...document.querySelectorAll(".pictures")].map((row) =>
                 [...row.querySelectorAll(".picture")].map((box) => {
                   const place = box.getBoundingClientRect();
                   const layers = [...box.children].map((layer) => layer.getBoundingClientRect());
                   return [place.x, place.y, place.width, layers.every((layer) =>
                     layer.x === place.x && layer.y === place.y
                     && layer.width === place.width && layer.height === place.height)]; }))"""
        )
        self.assertEqual(len(places), 4)
        for row in places:
            self.assertEqual(len(row), STEPS // EVERY)
            self.assertEqual(len({round(y) for _, y, _, _ in row}), 1)
            for _, _, width, layers_lie_upon_one_another in row:
                self.assertGreater(width, 0.42 * SCREEN[0])
                self.assertTrue(layers_lie_upon_one_another)

    @unittest.skipUnless(HAS_VTK, "pictures are drawn by VTK")
    def test_given_patches_that_did_not_nest_then_pictures_and_figures_say_how_many(self):
        self.browser.open(self.path / "threads" / "report.html")
        captions = self.browser.run(
            "return [...document.querySelectorAll('.pictures figcaption')].map((each) => each.innerText)"
        )
        left_out = self.summary("threads")["patches"]["unnested"]
        self.assertGreater(left_out, 0, "this mesh has no gaps")
        self.assertIn(f"{left_out} tagged patches left out, not nested", captions[STEPS // EVERY - 1])

    def test_given_steps_then_their_axis_begins_at_0_and_no_two_labels_crowd(self):
        self.browser.open(self.path / "threads" / "report.html")
        for chart in ("patches_level", "updates_level", "balance_step", "busy_step"):
            labels = self.browser.run(
                """const chart = echarts.getInstanceByDom(document.querySelector(`#${arguments[0]} .chart`));
                   const axis = chart.getModel().getComponent("xAxis").axis;
                   return [axis.scale.getExtent()[0], axis.getViewLabels().map((label) =>
                     [label.formattedLabel, axis.dataToCoord(label.tickValue)])]""",
                chart,
            )
            begin, ticks = labels
            self.assertEqual(begin, 0, chart)
            self.assertEqual(ticks[0][0], "0", chart)
            places = [place for _, place in ticks]
            for before, after in zip(places, places[1:]):
                self.assertGreater(after - before, 70, (chart, ticks))

    def test_given_a_histogram_then_its_ticks_are_round_and_stand_where_bars_begin(self):
        self.browser.open(self.path / "threads" / "report.html")
        labels, edges, counts, top = self.browser.run(
            """const chart = echarts.getInstanceByDom(document.querySelector("#patch_times .chart"));
               const axis = chart.getModel().getComponent("xAxis", 1).axis;
               const panel = JSON.parse(document.getElementById("report-data").textContent).charts
                 .find((each) => each.id === "patch_times").panels[0];
               return [axis.getViewLabels().map((label) => [label.formattedLabel, label.tickValue]),
                 [...panel.categories, panel.upper], panel.series.map((series) => series.y),
                 chart.getModel().getComponent("yAxis").axis.scale.getExtent()[1]]"""
        )
        self.assertGreater(len(labels), 1)
        for text, at in labels:
            self.assertRegex(text, r"^0?\.?0*[125]0*$")
            self.assertEqual(text, edges[at])
        self.assertGreaterEqual(top, max(map(sum, zip(*counts))), "the levels' bars are not stacked")

    @unittest.skipUnless(MPIRUN, "no MPI is installed")
    def test_given_a_run_on_ranks_then_a_table_and_a_chart_tell_what_each_did(self):
        self.browser.open(self.path / "ranks.html")
        self.assert_quiet()
        cells = self.browser.run(
            """return [...document.querySelectorAll("#ranks tbody tr")].map((row) =>
                 [...row.querySelectorAll("td[data-value]")].map((cell) => JSON.parse(cell.dataset.value)))"""
        )
        keys = ("workers", "patches", "updates", "busy_s", "wait_s", "messages", "bundles", "bytes", "peak_rss_bytes")
        ranks = self.summary("ranks")["ranks"]
        self.assertEqual(cells[:2], [[rank[key] for key in keys] for rank in ranks])
        balance = [max(two) / sum(two) * 2 for two in zip(*cells[:2])]
        for shown, expected in zip(cells[2], balance):
            self.assertAlmostEqual(shown, expected)
        drawn = self.browser.run(
            """return [...document.querySelectorAll("#busy_rank .chart")].map((box) =>
                 echarts.getInstanceByDom(box).getOption().series.map((series) => series.name))"""
        )
        self.assertEqual(drawn, [["busy", "waiting"]])
        self.browser.screenshot("ranks")
        self.browser.open(self.path / "threads" / "report.html")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#ranks').length"), 0)

    def test_given_several_runs_then_they_stand_side_by_side(self):
        self.browser.open(self.path / "all.html")
        self.assert_quiet()
        for column, name in enumerate(BACKENDS):
            self.assert_shows(name, column)
        self.assertEqual(self.browser.run("return document.title"), "Four backends")
        self.assertEqual(
            self.browser.run(
                """return echarts.getInstanceByDom(document.querySelector("#balance_runs .chart"))
                     .getOption().series.map((series) => series.name)"""
            ),
            list(BACKENDS),
        )
        self.browser.screenshot("side-by-side")

    def test_given_the_tables_then_the_efficiency_ends_at_the_summarys(self):
        rows = self.table("balance_step")
        for name in BACKENDS:
            so_far = [float(row[3]) for row in rows if row[0] == name and row[1] == "run so far"]
            self.assertEqual(len(so_far), STEPS)
            self.assertAlmostEqual(so_far[-1], self.summary(name)["imbalance"], places=12)

    def test_given_diagnostics_of_each_step_then_the_updates_of_the_levels_are_those_of_the_workers(self):
        result = kumiko("report", self.path / "each", "--csv", self.path / "each-csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        by_level, by_worker = {}, {}
        with open(self.path / "each-csv" / "updates_level.csv", newline="") as file:
            for row in list(csv.reader(file))[1:]:
                by_level[int(row[2])] = by_level.get(int(row[2]), 0) + float(row[3])
        with open(self.path / "each" / "load.csv", newline="") as file:
            for row in csv.DictReader(file):
                step = int(row["step"])
                by_worker[step] = by_worker.get(step, 0) + int(row["updates"])
        self.assertEqual(len(by_worker), STEPS)
        self.assertGreater(len(set(by_worker.values())), 1, "the mesh never changes")
        self.assertEqual(by_level, by_worker)

    def test_given_the_chart_then_its_numbers_are_those_of_the_table(self):
        self.browser.open(self.path / "all.html")
        drawn = self.browser.run(
            """return [...document.querySelectorAll("#patches_level .chart")].flatMap((box) =>
                 echarts.getInstanceByDom(box).getOption().series.flatMap((series) => series.data))"""
        )
        self.assertEqual(drawn, [[float(row[2]), float(row[3])] for row in self.table("patches_level")])

    def test_given_runs_that_are_all_in_balance_then_the_axis_begins_and_ends_around_them(self):
        page = self.path / "balanced.html"
        result = kumiko("report", self.path / "serial", self.path / "plain", "--output", page)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.browser.open(page)
        self.assert_quiet()
        axes = self.browser.run(
            """return [...document.querySelectorAll("#balance_step .chart")].map((box) =>
                 echarts.getInstanceByDom(box).getModel().getComponent("yAxis").axis.scale.getExtent())"""
        )
        self.assertEqual(axes, [[1, 2], [1, 2]])

    def test_given_several_runs_then_the_files_of_each_are_called_by_it(self):
        self.browser.open(self.path / "all.html")
        names = self.browser.run(
            "return [...document.querySelectorAll('a.csv')].map((link) => link.download)"
        )
        self.assertEqual(len(names), len(set(names)))
        for name in BACKENDS:
            self.assertIn(f"timeline-{name}.csv", names)

    def test_given_a_link_for_numbers_then_it_hands_out_the_table(self):
        self.browser.open(self.path / "all.html")
        text = self.browser.run(
            """const whole = URL.createObjectURL;
               let handed;
               URL.createObjectURL = (blob) => { handed = blob; return "#"; };
               document.querySelector("#updates_level a.csv").click();
               URL.createObjectURL = whole;
               return handed.text()"""
        )
        handed = list(csv.reader(text.splitlines()))[1:]
        as_numbers = lambda rows: [[*row[:2], *map(float, row[2:])] for row in rows]
        self.assertEqual(as_numbers(handed), as_numbers(self.table("updates_level")))

    def test_given_a_run_without_trace_figures_and_levels_then_sentences_say_how_to_get_them(self):
        self.browser.open(self.path / "plain" / "report.html")
        self.assert_quiet()
        self.assert_shows("plain", 0)
        text = self.browser.run("return document.body.innerText")
        for part in ("trace.from=0", "amr.levels=2", "backend threads"):
            self.assertIn(part, text)
        self.assertIn("output.extras=true" if HAS_VTK else "KUMIKO_WITH_VTK=ON", text)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.timeline').length"), 0)


class Timeline(ReportTest):
    def setUp(self):
        self.addCleanup(self.browser.forget)

    def extent(self):
        """Of the time axis as it is drawn, which the chart rounds, how many bars lie well beyond it, and how many
        there are."""
        return self.browser.run(
            """const chart = echarts.getInstanceByDom(document.querySelector(".timeline"));
               const [from, to] = chart.getModel().getComponent("xAxis").axis.scale.getExtent();
               const work = chart.getOption().series.flatMap((series) => series.data).filter((bar) => bar[3] > -2);
               const slack = (to - from) / 100;
               const beyond = work.filter((bar) => bar[1] < from - slack || bar[0] > to + slack);
               return [from, to, beyond.length, work.length]"""
        )

    def settle(self):
        """Until the next frame has been drawn."""
        self.browser.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))"
        )

    def test_given_the_wheel_and_the_buttons_then_the_axis_zooms(self):
        self.browser.open(self.path / "threads" / "report.html")
        whole = self.extent()
        self.assertEqual(whole[0], 0)
        self.assertGreater(whole[3], 0, "no bars are drawn")
        box = self.browser.driver.find_element(By.CSS_SELECTOR, ".timeline")
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", box)
        middle = self.browser.run(
            "const r = arguments[0].getBoundingClientRect(); return [r.x + r.width / 2, r.y + 70]", box
        )
        wheel = {"type": "mouseWheel", "x": middle[0], "y": middle[1], "deltaX": 0, "deltaY": -240}
        self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", wheel)
        self.settle()
        closer = self.extent()
        self.assertLess(closer[1] - closer[0], 0.95 * (whole[1] - whole[0]))
        buttons = self.browser.driver.find_elements(By.CSS_SELECTOR, "#timeline button")
        buttons[0].click()
        self.settle()
        closest = self.extent()
        self.assertLess(closest[1] - closest[0], 0.6 * (closer[1] - closer[0]))
        self.assertEqual(closest[2], 0, "what is out of view is drawn")
        buttons[2].click()
        self.settle()
        self.assertEqual(self.extent(), whole)
        self.assert_quiet()

    def test_given_a_bar_under_the_mouse_then_its_patch_is_told(self):
        self.browser.open(self.path / "threads" / "report.html")
        self.browser.run(
            """const chart = echarts.getInstanceByDom(document.querySelector(".timeline"));
               const begin = Math.min(...chart.getOption().series[0].data.map((bar) => bar[0]));
               chart.dispatchAction({type: "dataZoom", startValue: begin, endValue: begin + 50});"""
        )
        self.settle()
        self.browser.run(
            """const chart = echarts.getInstanceByDom(document.querySelector(".timeline"));
               const at = chart.getOption().series.findIndex((series) => series.data.some((bar) => bar[3] >= 0));
               chart.dispatchAction({type: "showTip", seriesIndex: at, dataIndex:
                 chart.getOption().series[at].data.findIndex((bar) => bar[3] >= 0)});"""
        )
        self.settle()
        text = self.browser.run("return document.querySelector('.timeline').innerText")
        self.assertRegex(text, r"level \d patch \(\d+, \d+\), advance")
        self.assertRegex(text, r"in block \d+ of its level")
        self.assertRegex(text, r"base step \d+")
        self.assertRegex(text, r"worker [01]")
        self.browser.screenshot("timeline")


class Search(ReportTest):
    """A search of which one process was lost: another one did its part again."""

    def cells(self, selector):
        return self.browser.run(
            """return [...document.querySelectorAll(arguments[0])].map((row) =>
                 [...row.children].map((cell) => cell.innerText))""",
            selector,
        )

    def test_given_a_search_then_its_page_has_a_row_for_each_process_and_says_who_worked_for_whom(self):
        self.browser.open(self.path / "search" / "report.html")
        self.assert_quiet()
        self.assertEqual(self.browser.run("return document.querySelector('h1').innerText"), "Search: queens 14")
        rows = self.cells("#figures tbody tr")
        self.assertEqual([row[0] for row in rows], ["root", "1", "2 (did not tell)"])
        self.assertEqual(rows[0][3:6], ["4 s", "3 s", "87.5 %"])
        self.assertEqual(
            self.cells("#whom tbody tr[data-taker]"), [["root", "1 in 1 s"], ["1", "1 in 2 s"], ["2", "1"]]
        )
        self.browser.screenshot("search")

    def test_given_a_search_then_its_timeline_has_a_bar_for_each_part_in_the_row_of_who_did_it(self):
        self.browser.open(self.path / "search" / "report.html")
        bars = self.browser.run(
            """const chart = echarts.getInstanceByDom(document.querySelector(".timeline"));
               return chart.getOption().series.flatMap((series) =>
                 series.data.map((bar) => [series.name, ...bar.slice(0, 3)]))"""
        )
        self.assertEqual(
            sorted(bars),
            [["for root", 0, 4, 0], ["for root", 0.5, 1.5, 2], ["for root", 1, 3, 1], ["for root", 2, 3, 0]],
        )
        self.browser.run(
            """echarts.getInstanceByDom(document.querySelector(".timeline")).dispatchAction(
                 {type: "showTip", seriesIndex: 0, dataIndex: 2})"""
        )
        self.browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))")
        text = self.browser.run("return document.querySelector('.timeline').innerText")
        self.assertIn("1 for root, 2 s", text)
        self.assertIn("after 3 divisions; 200 B there, 100 B back", text)
        self.assertIn("its result was used", text)

    def test_given_a_phone_then_no_part_of_a_search_is_wider_than_the_screen(self):
        self.browser.open(self.path / "search" / "report.html", size=PHONE)
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE[0])
        self.assert_quiet()

    def test_given_a_search_then_its_tables_have_a_row_for_each_process(self):
        with open(self.path / "search-csv" / "search_given.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["run", "series", "process", "parts"])
        self.assertIn(["search", "given again", "root", "1"], rows)
        self.assertIn(["search", "used", "root", "1"], rows)


class Screens(ReportTest):
    def colour(self):
        colour = self.browser.run("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3

    def assert_pictures_do_not_glare(self):
        """They are transparent about the domain, and what is written there is light."""
        corners, filters = self.browser.run(
            """const pictures = [...document.querySelectorAll(".picture")];
               const corners = pictures.flatMap((box) => [...box.children]).map((image) => {
                 const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
                 const drawing = canvas.getContext("2d");
                 drawing.drawImage(image, 0, 0);
                 return drawing.getImageData(2, 2, 1, 1).data[3]; });
               return [corners, pictures.map((box) =>
                 getComputedStyle(box.querySelector(".lettering")).filter)]"""
        )
        self.assertEqual(set(corners), {0})
        self.assertEqual(set(filters), {"invert(0.9)"})
        self.assertEqual(
            self.browser.run(
                """return [...document.querySelectorAll(".picture, .picture img")].filter((element) =>
                     getComputedStyle(element).backgroundColor !== "rgba(0, 0, 0, 0)").length"""
            ),
            0,
        )

    def test_given_a_dark_screen_then_the_page_is_dark_until_told_otherwise(self):
        self.browser.open(self.path / "threads" / "report.html", scheme="dark")
        self.assertLess(self.colour(), 60)
        if HAS_VTK:
            self.assert_pictures_do_not_glare()
        self.addCleanup(self.browser.forget)
        self.browser.screenshot("dark")
        button = self.browser.driver.find_element(By.ID, "theme")
        button.click()
        self.assertGreater(self.colour(), 200)
        self.assertEqual(button.text.split()[-1], "Dark")
        self.assertGreater(
            self.browser.run("return document.querySelectorAll('.chart svg').length"), 5
        )
        button.click()
        self.assertLess(self.colour(), 60)
        self.browser.run("localStorage.clear()")
        self.assert_quiet()

    def test_given_a_phone_then_nothing_is_wider_than_the_screen(self):
        for page in (self.path / "all.html", self.path / "threads" / "report.html"):
            self.browser.open(page, size=PHONE)
            width = self.browser.run("return document.documentElement.scrollWidth")
            self.assertLessEqual(width, PHONE[0])
            wide = self.browser.run(
                """return [...document.querySelectorAll("main *")].filter((element) =>
                     element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("pre")
                     && !element.closest("thead")).length"""
            )
            self.assertEqual(wide, 0)
            self.assert_quiet()
        self.browser.screenshot("phone")


class Refused(ReportTest):
    def refused(self, *arguments, code=2):
        result = kumiko("report", *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        return result.stderr

    def test_given_no_run_or_half_a_run_then_the_remedy_is_told(self):
        (self.path / "empty").mkdir()
        self.assertIn("not a run's folder", self.refused(self.path / "empty"))
        self.assertIn("named twice", self.refused(self.path / "plain", self.path / "plain" / "."))
        half = self.path / "half"
        shutil.copytree(self.path / "plain", half)
        (half / "summary.json").unlink()
        self.assertIn("--restart", self.refused(half))

    def test_given_a_page_or_tables_that_cannot_be_written_then_no_run_is_read(self):
        unread = self.path / "unread"
        unread.mkdir()
        (unread / "summary.json").write_text("{")
        self.assertIn("is not a folder", self.refused(unread / "summary.json"))
        self.assertIn("no folder", self.refused(self.path / "nowhere"))
        message = self.refused(unread, "--output", self.path / "nowhere" / "page.html")
        self.assertIn("page.html", message)
        message = self.refused(unread, "--output", unread / "summary.json")
        self.assertIn("is not a report", message)
        self.assertEqual((unread / "summary.json").read_text(), "{")
        message = self.refused(unread, "--csv", unread / "summary.json")
        self.assertIn("--csv", message)

    @unittest.skipUnless(HAS_VTK, "this build draws no pictures")
    def test_given_times_and_steps_of_other_lengths_then_the_nearest_state_is_shown(self):
        folder = self.path / "own_steps"
        keys = ["time.steps=0", "time.cfl=0.9", "grid.base=32", "amr.levels=1", "output.every=8"]
        words = [word for key in keys for word in ("--set", key)]
        done = kumiko("run", CASES / "vortex" / "vortex.toml", *words, "--quiet", "--output", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        times = [file["time"] for file in json.loads((folder / "states.hdf.series").read_text())["files"]]
        (folder / "state_000001.hdf").write_text("somebody else's")
        done = kumiko("report", folder, "--times", "0,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("state_000001.hdf' is not a checkpoint", done.stderr)
        shown = set(re.findall(r"t = ([0-9.]+[0-9])", (folder / "report.html").read_text()))
        nearest = min(times, key=lambda time: abs(time - 2))
        self.assertTrue(any(abs(float(time) - nearest) < 1e-3 for time in shown), (nearest, shown))

    def test_given_a_table_of_somebody_elses_then_it_stays_and_no_page_is_written(self):
        folder, page = self.path / "tables", self.path / "page.html"
        folder.mkdir()
        (folder / "other.csv").write_text("other\n")
        for _ in range(2):  # tables of an earlier report are replaced
            self.assertEqual(kumiko("report", self.path / "each", "--csv", folder, "--output", page).returncode, 0)
        page.unlink()
        (folder / "balance_step.csv").write_text("mine\n")
        self.assertIn("is not a table of a report",
                      self.refused(self.path / "each", "--csv", folder, "--output", page))  # fmt: skip
        self.assertEqual((folder / "balance_step.csv").read_text(), "mine\n")
        self.assertFalse(page.exists())

    def test_given_a_summary_of_other_workers_than_the_traces_then_the_page_says_so(self):
        other = self.path / "other"
        shutil.copytree(self.path / "threads", other)
        summary = json.loads((other / "summary.json").read_text())
        summary["workers"] = 3
        (other / "summary.json").write_text(json.dumps(summary))
        for folder, says_so in ((other, True), (self.path / "threads", False)):
            result = kumiko("report", folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.browser.open(folder / "report.html")
            text = self.browser.run("return document.body.innerText")
            self.assertEqual("earlier part of the run" in text, says_so)
            altered = "The files of other have changed since the run wrote them"
            self.assertEqual(altered in text, says_so)
            self.assertEqual("have changed since the run wrote them: summary.json has" in result.stderr, says_so)

    def printed(self):
        """Rows and notes of the printed values."""
        return self.browser.run(
            """const section = document.querySelector("#published");
               return [[...section.querySelectorAll("tbody tr")].map((row) =>
                 [...row.children].slice(0, 3).map((cell) => cell.innerText).join("|")),
                 [...section.querySelectorAll(".note")].map((note) => note.innerText).join(" ")]"""
        )

    def test_given_part_of_a_run_then_a_sentence_stands_for_the_printed_values(self):
        self.browser.open(self.path / "threads" / "report.html")
        rows, notes = self.printed()
        self.assertEqual(rows, [])
        self.assertIn("7 published values are left out", notes)
        self.assertIn(f"ended after {STEPS} of 640 base steps", notes)

    def test_given_both_runs_of_a_ratio_then_its_rows_alone_are_there_each_with_a_name_of_its_own(self):
        self.browser.open(self.path / "all.html")
        rows, notes = self.printed()
        self.assertEqual(len(rows), 2)
        self.assertEqual(len(set(rows)), len(rows), rows)
        for row in rows:
            self.assertIn("threads ÷ pthread", row)
        self.assertIn("5 published values are left out", notes)

    def test_given_a_trace_that_was_cut_off_then_it_is_named(self):
        cut = self.path / "cut"
        shutil.copytree(self.path / "threads", cut)
        os.truncate(cut / "trace.hdf", (cut / "trace.hdf").stat().st_size // 2)
        self.assertIn("trace.hdf", self.refused(cut, code=1))

    def test_given_a_search_that_is_damaged_or_beside_runs_then_it_is_refused(self):
        damaged = self.path / "damaged"
        shutil.copytree(self.path / "search", damaged)
        record = {**SEARCH_RECORD, "pairs": [pair(0, 3)]}
        (damaged / "search.json").write_text(json.dumps(record))
        self.assertIn("'other' in 'pairs' is wrong", self.refused(damaged, code=1))
        self.assertIn("name this folder alone", self.refused(self.path / "threads", self.path / "search"))
        self.assertIn("--times", self.refused(self.path / "search", "--times", "1"))


def load_tests(loader, tests, pattern):
    """The base class has no tests of its own."""
    cases = (Page, Timeline, Search, Screens, Refused)
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


if __name__ == "__main__":
    unittest.main()
