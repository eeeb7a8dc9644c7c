"""Contract: the page of several runs shows them side by side, with tables of the same numbers, on screens of every
kind."""

import csv
import re
import unittest

from selenium.webdriver.common.by import By

from report_case import BACKENDS, HAS_VTK, PHONE, ReportTest, STEPS, kumiko, set_up


def setUpModule():
    set_up("all", "threads", runs=["each", "plain"])


class SideBySide(ReportTest):
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


class Published(ReportTest):
    def printed(self):
        """Rows and notes of the published values."""
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


if __name__ == "__main__":
    unittest.main()
