"""Contract: the report of a run is one page that needs nothing else and shows the values of the summary."""

import unittest

from selenium.webdriver.common.by import By

from report_case import BACKENDS, EVERY, HAS_VTK, MPIRUN, ReportTest, SCREEN, STEPS, set_up


def setUpModule():
    set_up(*BACKENDS, "plain", *(["ranks"] if MPIRUN else []))


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
        keys = ("workers", "patches", "updates", "busy_s", "wait_s", "messages", "bundles", "bytes", "peak_rss_bytes",
                "preempted")
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


if __name__ == "__main__":
    unittest.main()
