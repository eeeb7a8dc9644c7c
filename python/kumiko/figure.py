"""Line charts in the style of all studies, by matplotlib: SVG, PDF or PNG. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .measurement import Spread

# The palette of Okabe and Ito; markers tell lines apart without colour.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "X")
STYLE = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "kumiko",  # the same figure, the same bytes
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "lines.linewidth": 1.2,
    "lines.markersize": 5.0,
}
PANEL = (4.6, 3.6)  # inches


@dataclass(frozen=True)
class Axes:
    """One axis of a chart."""

    title: str
    is_log: bool = False
    low: float | None = None
    high: float | None = None
    counts: bool = False  # whole numbers: ticks at the values themselves


@dataclass
class Line:
    """A line through points; a spread gives its point a bar."""

    name: str
    has_markers: bool = True
    x: list[float | Spread] = field(default_factory=list)
    y: list[float | Spread] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # next to the points

    def add(self, x: float | Spread, y: float | Spread, label: str = "") -> None:
        self.x.append(x)
        self.y.append(y)
        self.labels.append(label)


@dataclass(frozen=True)
class Reference:
    """A dashed line at a value of y."""

    y: float
    label: str = ""


@dataclass(frozen=True)
class Chart:
    x: Axes
    y: Axes
    lines: Sequence[Line]
    references: Sequence[Reference] = ()


def middles(values: Sequence[float | Spread]) -> list[float]:
    return [value.median if isinstance(value, Spread) else value for value in values]


def bars(values: Sequence[float | Spread]) -> list[list[float]] | None:
    """What matplotlib takes as error bars: distances down and up; None without spreads."""
    down = [value.median - value.least if isinstance(value, Spread) else 0.0 for value in values]
    up = [value.most - value.median if isinstance(value, Spread) else 0.0 for value in values]
    return [down, up] if any(down) or any(up) else None


def _set_up(plot: Any, name: str, axes: Axes, values: Sequence[float]) -> None:
    """Gives the axis "x" or "y" of a plot its title, scale, ends and ticks."""
    from matplotlib.ticker import NullLocator, ScalarFormatter

    getattr(plot, f"set_{name}label")(axes.title)
    if axes.is_log and any(value > 0.0 for value in values):
        getattr(plot, f"set_{name}scale")("log")
    if axes.low is not None or axes.high is not None:
        getattr(plot, f"set_{name}lim")(axes.low, axes.high)
    if axes.counts and values:
        ticks = sorted(set(values))
        axis = getattr(plot, f"{name}axis")
        axis.set_ticks(ticks[:: len(ticks) // 12 + 1])
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(ScalarFormatter())


def _draw_chart(plot: Any, chart: Chart) -> None:
    if not any(line.x for line in chart.lines):
        plot.text(0.5, 0.5, "no data", ha="center", va="center", transform=plot.transAxes)
    for at, line in enumerate(chart.lines):
        colour = COLOURS[at % len(COLOURS)]
        x, y = middles(line.x), middles(line.y)
        marker = MARKERS[at % len(MARKERS)] if line.has_markers else ""
        plot.errorbar(
            x, y, xerr=bars(line.x), yerr=bars(line.y), label=line.name, color=colour, marker=marker, capsize=2.0,
            linestyle="-" if line.has_markers else ":",
        )  # fmt: skip
        for place_x, place_y, label in zip(x, y, line.labels, strict=True):
            if label:
                plot.annotate(label, (place_x, place_y), (4, 4), textcoords="offset points", fontsize=7.5, color=colour)
    plot.margins(0.08)
    for reference in chart.references:
        plot.axhline(reference.y, color="#666666", linewidth=0.9, linestyle="--", gid="reference")
        if reference.label:
            plot.annotate(
                reference.label, (1.0, reference.y), (-2, 2), xycoords=("axes fraction", "data"), ha="right",
                textcoords="offset points", fontsize=7.5, color="#444444",
            )  # fmt: skip
    _set_up(plot, "x", chart.x, [value for line in chart.lines for value in middles(line.x)])
    _set_up(plot, "y", chart.y, [value for line in chart.lines for value in middles(line.y)])


def draw(charts: Sequence[Chart], file: Path, title: str, caption: str = "") -> None:
    """Draws charts side by side into a file whose name ends with .svg, .pdf or .png. Lines of the same place in their
    charts look the same, and are named once below all."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    with matplotlib.rc_context(STYLE):
        names = list(dict.fromkeys(line.name for chart in charts for line in chart.lines))
        columns = min(len(names), 2 * len(charts)) or 1
        below = 0.2 * -(-len(names) // columns) + (0.3 if caption else 0.1)  # inches for legend and caption
        width, height = PANEL[0] * len(charts), PANEL[1] + below
        figure, plots = pyplot.subplots(1, len(charts), squeeze=False, figsize=(width, height), layout="constrained")
        figure.set_layout_engine("constrained", rect=(0.0, below / height, 1.0, 1.0 - below / height))
        for plot, chart in zip(plots[0], charts, strict=True):
            _draw_chart(plot, chart)
        figure.suptitle(title, fontsize=11.0, fontweight="bold")
        handles, labels = plots[0][0].get_legend_handles_labels()
        if labels:
            figure.legend(
                handles, labels, loc="lower center", ncols=columns, fontsize=8.0, frameon=False,
                bbox_to_anchor=(0.5, (0.2 if caption else 0.0) / height), borderaxespad=0.2,
            )  # fmt: skip
        if caption:
            figure.text(0.5, 0.06 / height, caption, ha="center", va="bottom", fontsize=8.0, color="#444444")
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(file.suffix)
        part = file.with_name(f".{file.stem}.part{file.suffix}")
        figure.savefig(part, metadata=metadata, dpi=150)
        pyplot.close(figure)
        part.replace(file)
