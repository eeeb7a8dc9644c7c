// The workers' timeline: who did what when. Only what is in view is handed to the chart.

const mostItems = 12000;

const groupings = {
  level: { of: (data) => (piece) => data.levelOf(piece),
    names: (data) => Array.from({ length: data.levels }, (_, level) => `level ${level}`) },
  kind: { of: (data) => (piece) => data.kindOf(piece), names: () => pieceKinds },
};

function pieceTooltip(data, piece) {
  const lines = [
    `<b>${data.patchText(piece)}</b>, ${pieceKinds[data.kindOf(piece)]}`,
    `base step ${data.stepOf(piece)}, step ${data.numberOf(piece)} of the level`,
    `worker ${data.workerOf(piece)}, ${microsecondsText(data.length[piece])}, `
      + `from ${microsecondsText(data.begin[piece])}`,
  ];
  const block = data.blockOf(piece);
  if (block !== undefined) lines.push(`in block ${block} of its level`);
  const gap = data.gapBefore(piece);
  if (gap !== null) lines.push(`${microsecondsText(gap)} after the worker’s piece before`);
  if (data.steals[piece] > 0) lines.push(`${data.steals[piece]} stolen meanwhile`);
  const awaited = data.awaited[piece];
  if (awaited !== noPiece) {
    lines.push(`waited last for ${data.patchText(awaited)} (${pieceKinds[data.kindOf(awaited)]}):`,
      causeTexts[waitCauses[data.cause[piece]]]);
  }
  return lines.join("<br>");
}

/** One run's timeline within its figure. */
class Timeline {
  constructor(data, name) {
    this.data = data;
    this.name = name;
    this.grouping = "level";
    this.window = [0, data.end];
    this.chart = null;
    this.pending = false;
    this.box = el("div", { class: "chart timeline" });
    this.box.style.height = `${Math.min(900, 150 + 34 * Math.min(data.workers + 1, 24))}px`;
  }

  draw(chart) {
    this.chart = chart;
    chart.setOption(this.options(colours()));
    chart.on("datazoom", () => this.onZoom());
    this.update();
  }

  onZoom() {
    const zoom = this.chart.getOption().dataZoom[0];
    this.window = [zoom.startValue, zoom.endValue];
    if (this.pending) return;
    this.pending = true;  // at most once a frame
    requestAnimationFrame(() => { this.pending = false; this.update(); });
  }

  /** Zooms by a factor about the middle. */
  zoom(factor) {
    const [from, to] = this.window;
    const half = Math.min(this.data.end, Math.max(2, (to - from) * factor)) / 2;
    const middle = Math.min(this.data.end - half, Math.max(half, (from + to) / 2));
    this.show(middle - half, middle + half);
  }

  show(from, to) {
    this.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, startValue: from, endValue: to });
  }

  items() {
    const [from, to] = this.window;
    const width = Math.max(100, this.box.clientWidth - 90);
    const pixels = Math.max(1, (width * this.data.workers) / mostItems);
    const least = ((to - from) / width) * pixels;
    return this.data.visible(from, to, least, groupings[this.grouping].of(this.data));
  }

  update() {
    const palette = colours();
    const names = groupings[this.grouping].names(this.data);
    const byGroup = names.map(() => []);
    for (const item of this.items()) {
      byGroup[item.group]?.push([item.begin, item.end, item.lane, item.piece, item.count, item.busy]);
    }
    const spans = this.data.spans.map((span) => [span.begin, span.begin + span.length, this.data.workers,
      -2, span.what, span.step]);
    const series = names.map((name, at) => this.series(name, category(palette, at), byGroup[at]));
    series.push(this.series("between steps", palette.quiet, spans));
    this.chart.setOption({ series }, { replaceMerge: ["series"] });
  }

  series(name, colour, data) {
    return {
      type: "custom", id: name, name, itemStyle: { color: colour }, progressive: 0, clip: true, data,
      dimensions: ["begin", "end", "lane", "piece", "count", "busy"], encode: { x: [0, 1], y: 2 },
      renderItem: (place, api) => {
        const [left, middle] = api.coord([api.value(0), api.value(2)]);
        const right = api.coord([api.value(1), api.value(2)])[0];
        const height = api.size([0, 1])[1] * 0.76;
        const shape = echarts.graphic.clipRectByRect(
          { x: left, y: middle - height / 2, width: Math.max(1, right - left), height }, place.coordSys);
        const wide = right - left > 4;
        const full = api.value(4) > 1 ? api.value(5) / Math.max(1e-9, api.value(1) - api.value(0)) : 1;
        return shape && { type: "rect", shape, transition: [],
          style: { fill: colour, opacity: Math.max(0.35, Math.min(1, full)),
            stroke: wide ? colours().page : undefined, lineWidth: wide ? 0.7 : 0 } };
      },
    };
  }

  tooltip(value) {
    const [begin, end, , piece, count, busy] = value;
    if (piece === -2) {
      return `<b>${echarts.format.encodeHTML(count)}</b> before base step ${busy}, ${microsecondsText(end - begin)}`;
    }
    if (piece >= 0) return pieceTooltip(this.data, piece);
    return `${count} pieces of work in ${microsecondsText(end - begin)}, `
      + `${microsecondsText(busy)} of it at work<br>zoom in to tell them apart`;
  }

  options(palette) {
    const lanes = Array.from({ length: this.data.workers }, (_, worker) => `worker ${worker}`);
    const style = axisStyle(palette);
    const milliseconds = (value) => String(Number((value * 1e-3).toPrecision(7)));
    return {
      animation: false,
      textStyle: { color: palette.text, fontFamily: palette.font },
      aria: { enabled: true, label: { description: `Timeline of the workers of ${this.name}: `
        + `${this.data.count} pieces of work in ${microsecondsText(this.data.end)}.` } },
      grid: { left: 8, right: 18, top: 34, bottom: 84, containLabel: true },
      legend: { type: "scroll", top: 0, left: 0, selectedMode: true, textStyle: { color: palette.text } },
      tooltip: { trigger: "item", confine: true, backgroundColor: palette.panel, borderColor: palette.line,
        textStyle: { color: palette.text, fontSize: 12 }, formatter: (params) => this.tooltip(params.value) },
      xAxis: { ...style, type: "value", min: 0, max: this.data.end, name: "time since the trace began [ms]",
        nameLocation: "middle", nameGap: 26, axisLabel: { ...style.axisLabel, formatter: milliseconds, showMaxLabel: false } },
      yAxis: { ...style, type: "category", inverse: true, data: [...lanes, "run"], splitLine: { show: false } },
      dataZoom: [
        { type: "inside", xAxisIndex: 0, filterMode: "none", minValueSpan: 1,
          startValue: this.window[0], endValue: this.window[1] },
        { type: "slider", xAxisIndex: 0, filterMode: "none", bottom: 8, height: 24, brushSelect: false,
          showDataShadow: false, labelFormatter: (value) => `${milliseconds(Number(value.toPrecision(4)))} ms`,
          borderColor: palette.line, fillerColor: palette.filler, dataBackground: { areaStyle: { opacity: 0 } },
          textStyle: { color: palette.quiet }, startValue: this.window[0], endValue: this.window[1] },
      ],
      series: [],
    };
  }
}

function timelineFigure(run) {
  const json = run.timeline;
  if (json === null || json.pieces === 0) return note(run.about_trace);
  const data = new TimelineData(json);
  const timeline = new Timeline(data, run.name);
  const choice = el("select", { "aria-label": "What the colours mean" },
    Object.keys(groupings).map((name) => el("option", { value: name }, `colours: ${name}`)));
  choice.addEventListener("change", () => { timeline.grouping = choice.value; timeline.update(); });
  const tools = el("div", { class: "tools" },
    el("button", { type: "button", click: () => timeline.zoom(0.5) }, "Zoom in"),
    el("button", { type: "button", click: () => timeline.zoom(2) }, "Zoom out"),
    el("button", { type: "button", click: () => timeline.show(0, data.end) }, "All"), choice);
  later(() => mountChart(timeline.box, "canvas", (chart) => timeline.draw(chart)));
  const cut = json.pieces < json.all_pieces
    ? note(`The first ${grouped.format(json.pieces)} of ${grouped.format(json.all_pieces)} pieces of work are `
      + "shown; kumiko export hands out all of a trace.") : null;
  return el("figure", {}, el("h3", {}, run.name), tools, timeline.box,
    el("figcaption", {}, "A bar is a piece of work on one patch, in the row of the worker who did it; gaps are "
      + "waiting. Turn the wheel or pinch to zoom, drag to move, point at a bar for its patch and what it "
      + "waited for. Where bars are narrower than a pixel, one stands for several and is paler the more gaps it has. ",
    csvLink(fileName("timeline", run), () => data.rows())), cut, run.about_trace ? note(run.about_trace) : null);
}
