"""Contract: the page of a search shows what each process did for which other one."""

import csv
import unittest

from report_case import PHONE, ReportTest, set_up


def setUpModule():
    set_up("search")


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


if __name__ == "__main__":
    unittest.main()
