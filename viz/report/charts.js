// Charts of lines and bars, from the numbers in the page's data.

/** Keeps a chart drawn in `box` as its size and the theme change. draw(chart) sets its options. */
function mountChart(box, renderer, draw) {
  let chart = echarts.init(box, null, { renderer });
  draw(chart);
  const redraw = () => {
    chart.dispose();
    chart = echarts.init(box, null, { renderer });
    draw(chart);
  };
  onThemeChange(redraw);
  new ResizeObserver(() => { if (box.clientWidth > 0) chart.resize(); }).observe(box);
}

const axisTitle = (axis) => axis.unit ? `${axis.name} [${axis.unit}]` : axis.name;

function axisStyle(palette) {
  return {
    axisLine: { show: true, lineStyle: { color: palette.quiet } },
    axisTick: { lineStyle: { color: palette.quiet } },
    axisLabel: { color: palette.quiet, hideOverlap: true },
    splitLine: { lineStyle: { color: palette.grid } },
    nameTextStyle: { color: palette.text },
  };
}

/** Texts of an axis's numbers, all in the unit that suits the largest. */
function shortNumbers(largest) {
  const [unit, name] = [[1e9, " G"], [1e6, " M"], [1e4, " k"], [0, ""]].find(([least]) => largest >= least);
  const power = unit === 1e4 ? 1e3 : unit || 1;
  return (value) => {
    if (value === 0) return "0";
    return Math.abs(value) < 1e-3 ? value.toExponential(1) : `${Number((value / power).toPrecision(6))}${name}`;
  };
}

/** Multiples of a round number from `low` to `high`, so far apart that `width` pixels have room for their labels. */
function roundTicks(low, high, width) {
  const least = Math.max(1, ((high - low) * 80) / Math.max(80, width));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least * (1 - 1e-9));
  const ticks = [];
  for (let at = Math.ceil(low / step); at * step <= high; ++at) ticks.push(at * step);
  return ticks;
}

/** An axis of steps. It begins at 0 where the first value is next to it, and ends at the last one. */
function stepAxis(xs, width, style) {
  const [least, most] = bounds(xs);
  const from = least <= 0.25 * most ? 0 : least;
  const ticks = roundTicks(from, most, width);
  return { ...style, type: "value", min: from, max: most, axisTick: { ...style.axisTick, customValues: ticks },
    axisLabel: { ...style.axisLabel, customValues: ticks } };
}

/** Two axes of bars that reach from a round number to the next: the bars', whose categories are not shown, and one with
 * ticks where bars begin, at 1, 2, 5, 10, ... */
function binAxes(panel, style) {
  const edges = [...panel.categories, panel.upper];
  const ticks = edges.flatMap((edge, at) => /^0?\.?0*[125]0*$/.test(edge) ? [at] : []);
  const hidden = { type: "category", data: panel.categories, show: false };
  const shown = { ...style, type: "value", position: "bottom", min: 0, max: panel.categories.length,
    axisPointer: { show: false }, axisTick: { ...style.axisTick, customValues: ticks },
    axisLabel: { ...style.axisLabel, customValues: ticks, formatter: (at) => edges[at] } };
  return [hidden, shown];
}

function binTooltip(chart, panel) {
  const edges = [...panel.categories, panel.upper];
  return (bars) => {
    const at = bars[0].dataIndex;
    const rows = bars.map((bar) => `${bar.marker}${bar.seriesName}: <b>${grouped.format(bar.value ?? 0)}</b>`);
    return [`${edges[at]} to ${edges[at + 1]} ${chart.x.unit}`, ...rows].join("<br>");
  };
}

/** The largest value of all panels, so that runs beside each other have one scale. */
function largestOf(chart) {
  let largest = -Infinity;
  for (const panel of chart.panels) {
    const sums = new Map();
    for (const series of panel.series) {
      series.y.forEach((value, at) => {
        const below = chart.kind === "bars" ? sums.get(series.x[at]) ?? 0 : 0;
        sums.set(series.x[at], below + (value ?? 0));
        largest = Math.max(largest, below + (value ?? 0));
      });
    }
  }
  return largest;
}

function seriesOptions(chart, panel, series, at, palette) {
  const colour = category(palette, at);
  if (chart.kind === "bars") {
    const bar = { type: "bar", name: series.name, stack: "all", barCategoryGap: "12%",
      itemStyle: { color: series.faint ? palette.line : colour } };
    // A bin with a few steps beside one with thousands is seen too.
    return panel.upper ? { ...bar, barMinHeight: 2, data: series.y.map((y) => y || null) }
      : { ...bar, data: series.y };
  }
  const few = series.x.length < 2;
  return {
    type: "line", name: series.name, symbol: "circle", sampling: series.faint ? "minmax" : "lttb",
    step: chart.kind === "steps" ? "end" : false,
    showSymbol: few, symbolSize: 7,
    lineStyle: { width: series.faint ? 1.2 : 2.2, color: colour, opacity: series.faint ? 0.75 : 1,
      type: series.faint ? "solid" : ["solid", "dashed", "dotted"][Math.floor(at / 4) % 3] },
    itemStyle: { color: colour }, z: series.faint ? 2 : 3,
    data: series.x.map((x, place) => [x, series.y[place]]),
  };
}

/** `width` is that of the box, in pixels. */
function panelOptions(chart, panel, palette, largest, width) {
  const bars = chart.kind === "bars";
  const style = axisStyle(palette);
  const title = { name: axisTitle(chart.x), nameLocation: "middle", nameGap: 28, splitLine: { show: false } };
  const axes = panel.upper ? binAxes(panel, style) : [bars ? { ...style, type: "category", data: panel.categories }
    : stepAxis(panel.series.flatMap((series) => series.x), width, style)];
  return {
    animation: false,
    textStyle: { color: palette.text, fontFamily: palette.font },
    aria: { enabled: true, decal: { show: bars && panel.series.length > 1 },
      label: { description: `${chart.title}${panel.run ? ` of ${panel.run}` : ""}. ${chart.reading}` } },
    grid: { left: 8, right: 18, top: panel.series.length > 1 ? 62 : 34, bottom: 34, containLabel: true },
    legend: { show: panel.series.length > 1, type: "scroll", top: 0, left: 0, textStyle: { color: palette.text },
      pageIconColor: palette.text, pageIconInactiveColor: palette.line, pageTextStyle: { color: palette.text },
      data: panel.series.map((series) => series.name) },
    tooltip: { trigger: "axis", confine: true, backgroundColor: palette.panel, borderColor: palette.line,
      textStyle: { color: palette.text },
      formatter: panel.upper ? binTooltip(chart, panel) : undefined,
      valueFormatter: (value) => isNumber(value) ? `${numberText(value)}${chart.y.unit ? ` ${chart.y.unit}` : ""}` : "–" },
    xAxis: axes.map((axis) => ({ ...axis, ...title })),
    yAxis: { ...style, type: "value", name: axisTitle(chart.y), nameLocation: "end",
      nameTextStyle: { color: palette.text, align: "left", padding: [0, 0, 0, -20] },
      axisLabel: { ...style.axisLabel, formatter: shortNumbers(Math.max(largest, chart.y_to ?? 0)) },
      min: chart.y_from, max: chart.y_to ?? (largest > chart.y_from ? undefined : chart.y_from + 1) },
    series: panel.series.map((series, at) => seriesOptions(chart, panel, series, at, palette)),
  };
}

/** Least and largest, without spreading long arrays into arguments. */
function bounds(values) {
  let least = Infinity;
  let largest = -Infinity;
  for (const value of values) {
    least = Math.min(least, value);
    largest = Math.max(largest, value);
  }
  return least <= largest ? [least, largest] : [0, 1];
}

function chartRows(chart) {
  const rows = [["run", "series", axisTitle(chart.x), axisTitle(chart.y)]];
  for (const panel of chart.panels) {
    for (const series of panel.series) {
      const [run, name] = panel.run ? [panel.run, series.name] : [series.name, ""];
      series.x.forEach((x, at) => {
        rows.push([run, name, panel.categories.length > 0 ? panel.categories[x] : x, series.y[at]]);
      });
    }
  }
  return rows;
}

/** A chart with title, panels, how to read it, and its numbers. */
function chartFigure(chart, manyRuns) {
  const figure = el("figure", { id: chart.id }, el("h3", {}, chart.title));
  const panels = el("div", { class: "panels" });
  const largest = largestOf(chart);
  const shared = chart.panels.length > 1 && chart.y_to === null
    ? { ...chart, y_to: largest > chart.y_from ? roundedUp(largest) : chart.y_from + 1 } : chart;
  for (const panel of chart.panels) {
    const box = el("div", { class: "chart" });
    panels.append(el("div", {}, manyRuns && panel.run ? el("h4", {}, panel.run) : null, box));
    later(() => mountChart(box, "svg",
      (drawn) => drawn.setOption(panelOptions(shared, panel, colours(), largest, drawn.getWidth()))));
  }
  if (chart.panels.length > 0) {
    figure.append(panels, el("figcaption", {}, chart.reading, " ", csvLink(chart.id, () => chartRows(chart))));
  }
  figure.append(...[...new Set(chart.missing)].map(note));
  return figure;
}

/** A round number at or above the value, for the end of an axis. */
function roundedUp(value) {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    if (step * unit >= value) return Number((step * unit).toPrecision(3));
  }
  return 10 * unit;
}

const delayed = [];
/** Work that needs the elements in the page. */
function later(work) { delayed.push(work); }
