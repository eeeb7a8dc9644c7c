// Searches that processes shared: who worked for whom when.

const mostBars = 12000;
const mostRows = 6;  // of bars above each other for one process

const processName = (record, at) => record.processes[at].name;

/** The parts and searches that a process did, as bars; those that overlap above each other. */
function searchBars(record) {
  const bars = [];
  record.searches.forEach((search) => bars.push({ process: search.process, giver: search.process,
    begin: search.begin_s, end: search.end_s, part: -1, seen: true }));
  record.parts.forEach((part, at) => {
    const seen = part.begin_s !== undefined;
    const [begin, end] = seen ? [part.begin_s, part.end_s] : [part.given_s, part.back_s];
    // What a process that has told of itself does not know it never got.
    if (!seen && record.processes[part.taker].told && record.processes[part.taker].left_out === 0) return;
    bars.push({ process: part.taker, giver: part.giver, begin, end, part: at, seen });
  });
  bars.sort((one, other) => one.begin - other.begin || other.end - one.end);
  const ends = record.processes.map(() => []);
  for (const bar of bars) {
    const rows = ends[bar.process];
    const free = rows.findIndex((end) => end <= bar.begin);
    bar.row = free >= 0 ? free : Math.min(rows.length, mostRows - 1);
    rows[bar.row] = bar.end;
  }
  for (const bar of bars) bar.rows = ends[bar.process].length;
  return bars;
}

/** Items to draw between two times: bars of one giver in one row that are narrower than `least` share one. */
function searchItems(bars, from, to, least) {
  const items = [];
  const open = new Map();
  for (const bar of bars) {
    if (bar.end < from || bar.begin > to) continue;
    const key = `${bar.process} ${bar.row} ${bar.giver} ${bar.seen}`;
    const last = open.get(key);
    if (last && bar.end - last.begin < least) {
      last.end = Math.max(last.end, bar.end);
      last.count += 1;
      continue;
    }
    const item = { ...bar, count: 1 };
    open.set(key, item);
    items.push(item);
  }
  return items;
}

function searchTooltip(record, item) {
  const name = (at) => echarts.format.encodeHTML(processName(record, at));
  if (item.count > 1) {
    return `${item.count} parts for <b>${name(item.giver)}</b> in ${secondsText(item.end - item.begin)}`
      + "<br>zoom in to tell them apart";
  }
  if (item.part < 0) return `<b>${name(item.process)}</b> searches itself, ${secondsText(item.end - item.begin)}`;
  const part = record.parts[item.part];
  const lines = [`<b>${name(part.taker)}</b> for <b>${name(part.giver)}</b>, ${secondsText(item.end - item.begin)}`];
  if (part.giver === part.taker) lines[0] = `<b>${name(part.taker)}</b> does a part again, ${secondsText(item.end - item.begin)}`;
  lines.push(`after ${part.divisions} divisions; ${bytesText(part.bytes)} there, ${bytesText(part.result_bytes)} back`);
  if (part.given_s !== undefined) {
    const became = { used: "its result was used", again: "it was given again", withdrawn: "nobody wanted the result",
      open: "it had not come back" }[part.became];
    lines.push(`given at ${secondsText(part.given_s)}; at ${secondsText(part.back_s)} ${became}`);
  }
  if (!item.seen) lines.push("as its giver has seen it");
  return lines.join("<br>");
}

/** Who works for whom when: a row of bars for each process, coloured by for whom. */
class SearchTimeline {
  constructor(record) {
    this.record = record;
    this.bars = searchBars(record);
    this.givers = [...new Set(this.bars.map((bar) => bar.giver))].sort((one, other) => one - other);
    this.end = Math.max(record.seconds, 1e-6);
    this.window = [0, this.end];
    this.pending = false;
    this.box = el("div", { class: "chart timeline" });
    this.box.style.height = `${Math.min(1100, 160 + 34 * Math.min(record.processes.length, 28))}px`;
  }

  draw(chart) {
    this.chart = chart;
    chart.setOption(this.options(colours()));
    chart.on("datazoom", () => {
      const zoom = chart.getOption().dataZoom[0];
      this.window = [zoom.startValue, zoom.endValue];
      if (this.pending) return;
      this.pending = true;  // at most once a frame
      requestAnimationFrame(() => { this.pending = false; this.update(); });
    });
    this.update();
  }

  update() {
    const palette = colours();
    const [from, to] = this.window;
    const width = Math.max(100, this.box.clientWidth - 90);
    const pixels = Math.max(1, (width * this.record.processes.length) / mostBars);
    this.items = searchItems(this.bars, from, to, ((to - from) / width) * pixels);
    const series = this.givers.map((giver, at) => this.series(giver, category(palette, at)));
    this.chart.setOption({ series }, { replaceMerge: ["series"] });
  }

  series(giver, colour) {
    const data = this.items.flatMap((item, at) => item.giver === giver
      ? [[item.begin, item.end, item.process, at]] : []);
    const name = `for ${processName(this.record, giver)}`;
    return {
      type: "custom", id: name, name, itemStyle: { color: colour }, progressive: 0, clip: true, data,
      dimensions: ["begin", "end", "process", "item"], encode: { x: [0, 1], y: 2 },
      renderItem: (place, api) => {
        const item = this.items[api.value(3)];
        const [left, middle] = api.coord([item.begin, item.process]);
        const right = api.coord([item.end, item.process])[0];
        const all = api.size([0, 1])[1] * 0.8;
        const height = all / item.rows;
        const shape = echarts.graphic.clipRectByRect({ x: left, y: middle - all / 2 + item.row * height,
          width: Math.max(1, right - left), height: Math.max(1, height - 1) }, place.coordSys);
        return shape && { type: "rect", shape, transition: [],
          style: { fill: colour, opacity: item.seen ? 1 : 0.45,
            stroke: right - left > 4 ? colours().page : undefined, lineWidth: right - left > 4 ? 0.7 : 0 } };
      },
    };
  }

  options(palette) {
    const style = axisStyle(palette);
    const seconds = (value) => String(Number(value.toPrecision(6)));
    const names = this.record.processes.map((process) => process.name);
    return {
      animation: false,
      textStyle: { color: palette.text, fontFamily: palette.font },
      aria: { enabled: true, label: { description: `Timeline of ${names.length} processes: `
        + `${this.record.parts.length} parts in ${secondsText(this.end)}.` } },
      grid: { left: 8, right: 18, top: 34, bottom: 84, containLabel: true },
      legend: { type: "scroll", top: 0, left: 0, textStyle: { color: palette.text },
        pageIconColor: palette.text, pageIconInactiveColor: palette.line, pageTextStyle: { color: palette.text } },
      tooltip: { trigger: "item", confine: true, backgroundColor: palette.panel, borderColor: palette.line,
        textStyle: { color: palette.text, fontSize: 12 },
        formatter: (params) => searchTooltip(this.record, this.items[params.value[3]]) },
      xAxis: { ...style, type: "value", min: 0, max: this.end, name: "time since the search began [s]",
        nameLocation: "middle", nameGap: 26, axisLabel: { ...style.axisLabel, formatter: seconds, showMaxLabel: false } },
      yAxis: { ...style, type: "category", inverse: true, data: names, splitLine: { show: false } },
      dataZoom: [
        { type: "inside", xAxisIndex: 0, filterMode: "none", startValue: this.window[0], endValue: this.window[1] },
        { type: "slider", xAxisIndex: 0, filterMode: "none", bottom: 8, height: 24, brushSelect: false,
          showDataShadow: false, labelFormatter: (value) => `${seconds(value)} s`,
          borderColor: palette.line, fillerColor: palette.filler, dataBackground: { areaStyle: { opacity: 0 } },
          textStyle: { color: palette.quiet }, startValue: this.window[0], endValue: this.window[1] },
      ],
      series: [],
    };
  }

  rows() {
    const columns = ["divisions", "bytes", "result_bytes", "given_s", "begin_s", "end_s", "back_s", "became", "told"];
    return [["giver", "taker", ...columns], ...this.record.parts.map((part) => [processName(this.record, part.giver),
      processName(this.record, part.taker), ...columns.map((column) => part[column])])];
  }
}

/** How far the clocks of those whose bars are shown may be off. */
function clocksText(record) {
  const told = record.processes.slice(1).filter((process) => process.told);
  const known = told.filter((process) => process.clock_within_s !== null).map((process) => process.clock_within_s);
  if (told.length === 0) return "";
  const unknown = told.length - known.length;
  return (known.length === 0 ? "" : "Each process has a clock of its own, compared by asks and their answers: times are "
    + `within ±${secondsText(Number(Math.max(...known).toPrecision(2)))} of those of who searches. `)
    + (unknown === 0 ? "" : `The clocks of ${unknown} could not be compared; their bars stand where their records say, `
      + "less the time that these took to come. ");
}

function searchTimelineFigure(record) {
  const timeline = new SearchTimeline(record);
  later(() => mountChart(timeline.box, "canvas", (chart) => timeline.draw(chart)));
  const leftOut = record.processes.reduce((sum, process) => sum + (process.left_out ?? 0), 0);
  return [el("figure", { id: "search_timeline" }, timeline.box,
    el("figcaption", {}, "A bar is a part of the search, in the row of the process that did it and in the colour of "
      + "the process that it was done for; a search of its own in its own colour. Gaps are times without work. Pale bars "
      + "are of processes that did not tell of themselves, from when their giver gave a part until it had the result or "
      + "gave it to another one. Turn the wheel or pinch to zoom, drag to move, point at a bar for its part. ",
    clocksText(record), csvLink("search_parts", () => timeline.rows()))),
  ...(leftOut === 0 ? [] : [note(`${grouped.format(leftOut)} parts more are in the tables only.`)])];
}

const perSecond = (value, seconds) => seconds > 0 ? value / seconds : null;

/** How long a process took part in the search. */
const secondsThere = (record, process) =>
  Math.max(0, Math.min(record.seconds, process.end_s) - Math.max(0, process.begin_s));

const searchColumns = [
  ["where", "Host and process", (process) => `${process.host}, ${process.pid}`],
  ["workers", "Workers", (process) => process.workers, "count"],
  ["there_s", "Took part", (process, record) => secondsThere(record, process), "seconds"],
  ["active_s", "With a part", (process) => process.active_s, "seconds"],
  ["working", "Working", (process, record) =>
    Math.min(1, process.worked_s / Math.max(1e-12, process.workers * secondsThere(record, process))), "percent"],
  ["taken", "Parts taken", (process) => process.taken, "count"],
  ["given", "Given", (process) => process.given, "count"],
  ["again", "Again", (process) => process.again, "count"],
  ["asks", "Asks", (process) => process.asks, "count"],
  ["refusals", "In vain", (process) => process.refusals, "count"],
  ["parts_per_s", "Parts per s", (process, record) =>
    perSecond(process.taken + process.given, secondsThere(record, process)), "number"],
  ["bytes", "Sent", (process) => process.bytes, "bytes"],
  ["bytes_per_s", "Sent per s", (process, record) => perSecond(process.bytes, secondsThere(record, process)), "bytes"],
  ["clock_within_s", "Clock ±", (process) => process.clock_within_s, "seconds"],
];

function searchProcessesTable(record) {
  const head = ["Name", ...searchColumns.map(([, title]) => title)].map((title, at) =>
    el("th", { scope: "col", class: at > 1 ? "number" : "" }, title));
  const valueOf = (process, [, , value]) => process.told ? value(process, record) : null;
  const body = record.processes.map((process) => el("tr", { "data-process": process.name },
    el("th", { scope: "row" }, process.told ? process.name : `${process.name} (did not tell)`),
    searchColumns.map((column) => {
      const value = valueOf(process, column);
      return el("td", { class: column[0] === "where" ? "" : "number", "data-key": column[0],
        "data-value": JSON.stringify(value) }, valueText(value, column[3]));
    })));
  const rows = () => [["process", ...searchColumns.map(([key]) => key)],
    ...record.processes.map((process) => [process.name, ...searchColumns.map((column) => valueOf(process, column))])];
  return [el("p", {}, `${record.title}: ${record.processes.length === 1 ? "one process"
    : `${record.processes.length} processes`}, ${secondsText(record.seconds)}.`),
  tableOf(head, body, "Processes of the search"), el("p", {}, csvLink("search_processes", rows))];
}

/** What went from each giver to each taker, as either of the two has counted it. */
function searchLinks(record) {
  const links = new Map();
  const linkOf = (giver, taker) => {
    const key = `${giver} ${taker}`;
    if (!links.has(key)) links.set(key, { giver, taker, parts: 0, used: null, again: null, seconds: null, bytes: 0, back: 0 });
    return links.get(key);
  };
  for (const pair of record.pairs) {
    if (pair.given > 0) {
      const link = linkOf(pair.process, pair.other);
      Object.assign(link, { parts: Math.max(link.parts, pair.given), used: pair.used, again: pair.again,
        bytes: Math.max(link.bytes, pair.given_bytes), back: Math.max(link.back, pair.result_bytes) });
    }
    if (pair.taken > 0) {
      const link = linkOf(pair.other, pair.process);
      Object.assign(link, { parts: Math.max(link.parts, pair.taken), seconds: pair.taken_s,
        bytes: Math.max(link.bytes, pair.taken_bytes), back: Math.max(link.back, pair.told_bytes) });
    }
  }
  return [...links.values()].sort((one, other) => one.giver - other.giver || one.taker - other.taker);
}

/** Parts that each process did for each other one; a process that gave nothing has no column. */
function searchMatrix(record, links) {
  const givers = [...new Set(links.map((link) => link.giver))].sort((one, other) => one - other);
  const takers = [...new Set(links.map((link) => link.taker))].sort((one, other) => one - other);
  const most = Math.max(1, ...links.map((link) => link.parts));
  const head = [el("th", { scope: "col" }, "Did parts"),
    ...givers.map((giver) => el("th", { scope: "col", class: "number" }, `for ${processName(record, giver)}`))];
  const body = takers.map((taker) => el("tr", { "data-taker": processName(record, taker) },
    el("th", { scope: "row" }, processName(record, taker)),
    givers.map((giver) => {
      const link = links.find((each) => each.giver === giver && each.taker === taker);
      if (!link) return el("td", { class: "number" }, "–");
      const share = Math.round((60 * link.parts) / most);
      return el("td", { class: "number", "data-giver": processName(record, giver), "data-parts": String(link.parts),
        style: `background: color-mix(in srgb, var(--link) ${share}%, transparent)` },
      link.seconds === null ? grouped.format(link.parts) : `${grouped.format(link.parts)} in ${secondsText(link.seconds)}`);
    })));
  return tableOf(head, body, "Who worked for whom");
}

function searchWhomSection(record) {
  const links = searchLinks(record);
  const sent = links.filter((link) => link.giver !== link.taker);
  if (sent.length === 0) return [note("No part went from one process to another.")];
  const columns = [
    ["parts", "Parts", (link) => link.parts, "count"],
    ["used", "Used", (link) => link.used, "count"],
    ["again", "Given again", (link) => link.again, "count"],
    ["parts_per_s", "Parts per s", (link) => perSecond(link.parts, record.seconds), "number"],
    ["bytes", "Parts’ bytes", (link) => link.bytes, "bytes"],
    ["result_bytes", "Results’ bytes", (link) => link.back, "bytes"],
    ["bytes_per_s", "Both per s", (link) => perSecond(link.bytes + link.back, record.seconds), "bytes"],
  ];
  const head = ["From", "To", ...columns.map(([, title]) => title)].map((title, at) =>
    el("th", { scope: "col", class: at > 1 ? "number" : "" }, title));
  const ends = (link) => [processName(record, link.giver), processName(record, link.taker)];
  const body = sent.map((link) => el("tr", {}, el("th", { scope: "row" }, ends(link)[0]), el("td", {}, ends(link)[1]),
    columns.map(([, , value, format]) => el("td", { class: "number" }, valueText(value(link), format)))));
  const rows = () => [["giver", "taker", ...columns.map(([key]) => key)],
    ...sent.map((link) => [...ends(link), ...columns.map(([, , value]) => value(link))])];
  return [searchMatrix(record, links),
    note("Parts, and for how long they were under way there; one may wait for parts of its own meanwhile. What a "
      + "process did for itself are parts that came back from those who were lost."),
    el("h3", {}, "What went from whom to whom"), tableOf(head, body, "Parts and bytes from process to process"),
    el("p", {}, csvLink("search_links", rows))];
}

const searchSections = (record) => [
  { id: "figures", title: "Processes", parts: () => searchProcessesTable(record) },
  { id: "timeline", title: "Timeline", parts: () => searchTimelineFigure(record) },
  { id: "balance", title: "Balance", charts: ["search_working", "search_taken", "search_given", "search_bytes"] },
  { id: "whom", title: "Who worked for whom", parts: () => searchWhomSection(record) },
];
