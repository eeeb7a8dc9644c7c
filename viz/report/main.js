// Puts the page together from its data: of runs, or of a search.

const report = JSON.parse(document.getElementById("report-data").textContent);

const sections = report.search ? searchSections(report.search) : [
  { id: "figures", title: "Headline figures", parts: () => headlineTable(report) },
  { id: "published", title: "Published values", parts: () => publishedTable(report) },
  { id: "pictures", title: "The field and its patches", parts: () => report.runs.flatMap(pictureSection) },
  { id: "mesh", title: "The mesh over the run", charts: ["patches_level", "updates_level"] },
  { id: "balance", title: "Load balance", charts: ["balance_runs", "balance_step"] },
  { id: "workers", title: "Workers", charts: ["busy_worker", "busy_step", "steals_worker", "steals_step"] },
  { id: "ranks", title: "Ranks", charts: ["busy_rank"],
    parts: () => report.runs.filter((run) => run.ranks).flatMap(ranksTable) },
  { id: "timeline", title: "Timeline", parts: () => report.runs.map(timelineFigure) },
  { id: "times", title: "Times of patches’ steps", charts: ["patch_times"] },
  { id: "waits", title: "The longest waits", parts: () => report.runs.flatMap(waitsTable) },
  { id: "configuration", title: "Configuration", parts: () => report.runs.map(configuration) },
];

function partsOf(section) {
  const charts = report.charts.filter((chart) => section.charts?.includes(chart.id))
    .map((chart) => chartFigure(chart, report.runs.length > 1));
  return [...(section.parts?.() ?? []), ...charts];
}

function build() {
  const main = document.querySelector("main");
  const nav = document.querySelector("nav");
  for (const run of report.runs) {
    if (run.about_files) main.append(el("p", { class: "note", role: "alert" }, run.about_files));
  }
  for (const section of sections) {
    const parts = partsOf(section);
    if (parts.length === 0) continue;
    nav.append(el("a", { href: `#${section.id}` }, section.title));
    main.append(el("section", { id: section.id }, el("h2", {}, section.title), parts));
  }
  document.getElementById("made-by").textContent = `Made by kumiko report ${report.version}.`;
  setUpTheme(document.getElementById("theme"));
  for (const work of delayed) work();
}

build();
