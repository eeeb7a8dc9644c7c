// Tables and pictures: what needs no chart.

/** On a phone each cell stands behind the name of its column. */
function tableOf(head, body, label) {
  const names = head.map((cell) => cell.textContent);
  for (const row of body) {
    [...row.children].forEach((cell, at) => { if (cell.tagName === "TD") cell.dataset.label = names[at]; });
  }
  return el("div", { class: "table", role: "region", "aria-label": label, tabindex: "0" },
    el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

function headlineTable(report) {
  const head = [el("th", { scope: "col" }, "Figure"),
    ...report.runs.map((run) => el("th", { scope: "col", class: "number" }, run.name))];
  const single = report.runs.length === 1 ? "single" : "";
  const body = report.headline.map((row) => el("tr", { "data-key": row.key, class: single },
    el("th", { scope: "row" }, row.label),
    row.values.map((value) => el("td", {
      class: "number", "data-value": JSON.stringify(value), title: value === null ? "" : String(value),
    }, valueText(value, row.format)))));
  const rows = () => [["figure", ...report.runs.map((run) => run.name)],
    ...report.headline.map((row) => [row.key, ...row.values.map(
      (value) => Array.isArray(value) ? value.join(" ") : value)])];
  return [tableOf(head, body, "Headline figures"),
    el("p", {}, csvLink("headline", rows))];
}

function publishedTable(report) {
  if (report.published.length === 0) return [note(report.about_published)];
  const names = report.runs.map((run) => run.name);
  const head = ["Published figure", "Norm", "Points per unit", "Published value"].map(
    (text, at) => el("th", { scope: "col", class: at > 1 ? "number" : "" }, text));
  head.push(...names.map((name) => el("th", { scope: "col", class: "number" }, name)),
    el("th", { scope: "col" }, "Source"));
  const body = report.published.map((row) => el("tr", {},
    el("th", { scope: "row" }, row.name), el("td", {}, row.norm),
    el("td", { class: "number" }, row.points > 0 ? String(row.points) : "–"),
    el("td", { class: "number" }, numberText(row.value)),
    row.ours.map((value) => el("td", { class: "number" }, valueText(value, "number"))),
    el("td", {}, row.source)));
  const rows = () => [["name", "norm", "points", "published", ...names, "source"],
    ...report.published.map((row) => [row.name, row.norm, row.points, row.value, ...row.ours, row.source])];
  return [tableOf(head, body, "Published values"),
    note("A run has an error here if it took all its time steps on a grid of the same spacing. A ratio of wall times is "
      + "shown at the run whose time is divided, if the report has both runs."),
    ...(report.about_published ? [note(report.about_published)] : []),
    el("p", {}, csvLink("published", rows))];
}

const causeTexts = {
  sibling: "its neighbour was not as far yet",
  coarser: "its ghosts come from the level below, which was not as far",
  parent: "its parent had not taken over the step before",
  child: "its child had not caught up",
  level: "the level’s slowest patch was not done",
};

function waitsTable(run) {
  if (run.waits.length === 0) {
    return [note(`${run.name} counted no waits of patches: a single worker never waits for another.`)];
  }
  const titles = ["Wait", "Base step", "Worker", "Patch", "Waited for", "Because"];
  const head = titles.map((text, at) => el("th", { scope: "col", class: at < 3 ? "number" : "" }, text));
  const body = run.waits.map((wait) => el("tr", {},
    el("td", { class: "number", "data-value": String(wait.seconds) }, secondsText(wait.seconds)),
    el("td", { class: "number" }, String(wait.step)),
    el("td", { class: "number" }, String(wait.worker)),
    el("td", {}, wait.patch), el("td", {}, wait.awaited),
    el("td", {}, causeTexts[wait.cause] ?? wait.cause)));
  const rows = () => [["seconds", "step", "worker", "patch", "awaited", "cause"],
    ...run.waits.map((wait) => [wait.seconds, wait.step, wait.worker, wait.patch, wait.awaited, wait.cause])];
  return [el("h3", {}, run.name), tableOf(head, body, `Longest waits of ${run.name}`),
    el("p", {}, csvLink(fileName("waits", run), rows))];
}

const rankColumns = [
  ["workers", "Workers", "count"],
  ["patches", "Patches at the end", "count"],
  ["updates", "Point updates", "count"],
  ["busy_s", "Busy, all workers", "seconds"],
  ["wait_s", "Waiting, all workers", "seconds"],
  ["messages", "Messages sent", "count"],
  ["bundles", "Bundles of them", "count"],
  ["bytes", "Bytes sent", "bytes"],
  ["peak_rss_bytes", "Largest memory", "bytes"],
  ["preempted", "Preempted", "count"],
];

function ranksTable(run) {
  const { ranks, balance, moved_patches: moved } = run.ranks;
  const head = ["Rank", "Host", ...rankColumns.map((column) => column[1])].map(
    (text, at) => el("th", { scope: "col", class: at > 1 ? "number" : "" }, text));
  const cells = (values, formatOf) => rankColumns.map(([key, , format]) => el("td",
    { class: "number", "data-value": JSON.stringify(values[key] ?? null) }, valueText(values[key], formatOf(format))));
  const body = ranks.map((rank, at) => el("tr", {},
    el("th", { scope: "row" }, String(at)), el("td", {}, rank.host), cells(rank, (format) => format)));
  body.push(el("tr", { "data-key": "balance" },
    el("th", { scope: "row" }, "largest ÷ mean"), el("td", {}, "–"), cells(balance, () => "number")));
  const keys = rankColumns.map((column) => column[0]);
  const rows = () => [["rank", "host", ...keys],
    ...ranks.map((rank, at) => [at, rank.host, ...keys.map((key) => rank[key])])];
  return [el("h3", {}, run.name), tableOf(head, body, `Ranks of ${run.name}`),
    note(`${grouped.format(moved)} patches moved between ranks. All is of the part of the run since it began or last `
      + "went on from a checkpoint."),
    el("p", {}, csvLink(fileName("ranks", run), rows))];
}

const pictureReadings = {
  field: "The field, with the outlines of its patches by level: refinement should sit where the field is steep. Gaps "
    + "in the rim of finer patches are tagged patches that did not nest: each wants the level below under all eight "
    + "places around it. A larger amr.buffer lets them in.",
  worker: "Each patch in the colour of the worker who did it last: work that stays together shows as areas, "
    + "stealing as speckles.",
  cost: "The time of work of each patch in its latest base step: the darkest patches are what others may wait for.",
  indicator: "The indicator by which the mesh is refined: where it exceeds amr.threshold, finer patches come.",
};

function pictureCaption(picture) {
  const when = `base step ${grouped.format(picture.step)}, t = ${numberText(picture.time)}`;
  if (picture.unnested === 0) return when;
  const patches = picture.unnested === 1 ? "1 tagged patch" : `${grouped.format(picture.unnested)} tagged patches`;
  return `${when}; ${patches} left out, not nested`;
}

function pictureSection(run) {
  const parts = [];
  const quantities = [...new Set(run.pictures.map((picture) => picture.quantity))];
  for (const quantity of quantities) {
    const shown = run.pictures.filter((picture) => picture.quantity === quantity);
    parts.push(el("h4", {}, `${run.name}: ${quantity}`),
      el("div", { class: "pictures" }, shown.map((picture) => el("figure", {},
        el("div", { class: "picture" },
          el("img", { src: `data:image/png;base64,${picture.png}`, alt: picture.description,
            width: picture.width, height: picture.height }),
          el("img", { src: `data:image/png;base64,${picture.lettering}`, alt: "", class: "lettering",
            width: picture.width, height: picture.height })),
        el("figcaption", {}, pictureCaption(picture))))),
      el("p", { class: "note" }, pictureReadings[quantity] ?? ""));
  }
  if (run.about_pictures) parts.push(note(run.about_pictures));
  return parts;
}

function configuration(run) {
  return el("details", {}, el("summary", {}, `${run.name}: ${run.folder}/effective.toml`),
    el("pre", {}, run.configuration));
}
