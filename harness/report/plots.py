"""Figures as PNG bytes. The only file that imports matplotlib, always drawn off screen.

Every function takes plain values, draws one figure and returns its bytes: equal values, equal bytes.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

INK, MUTED, RULE, ACCENT = "#1f2933", "#7b8794", "#d9dee3", "#1d4e89"
COLOURS = {
    "seed": INK,
    "accepted": "#2f855a",
    "rejected": "#b7791f",
    "invalid": "#b23a48",
    "winner": ACCENT,
}
MARKERS = {"seed": "s", "accepted": "o", "rejected": "o", "invalid": "x", "winner": "D"}
SERIES = (MUTED, ACCENT, "#2f855a", "#b7791f")
WHEEL = (ACCENT, "#2f855a", "#b7791f", "#b23a48", "#6b46c1", INK, MUTED, "#2c7a7b", "#97266d", "#744210")


@dataclass(frozen=True, slots=True)
class Node:
    """One candidate or proposal of a lineage; ``parents`` are labels. ``status`` is a key of ``COLOURS``."""

    label: str
    status: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """One labelled point. ``status`` is a key of ``COLOURS``."""

    label: str
    x: float
    y: float
    status: str


@dataclass(frozen=True, slots=True)
class Span:
    """A value with bounds; None = unbounded on that side. ``strong`` draws it in the accent colour."""

    label: str
    value: float
    low: float | None
    high: float | None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """A labelled point with (value, low, high) in each direction; bounds may be None."""

    label: str
    x: tuple[float, float | None, float | None]
    y: tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Bar:
    """A labelled rate, and beside it (detection, false alarms) by another rule, None where there is none."""

    label: str
    value: float
    beside: tuple[float, float] | None


def lineage(nodes: Sequence[Node]) -> bytes:
    """Parents above their children, one column per candidate or proposal in the order they were made."""
    depth: dict[str, int] = {}
    for node in nodes:
        depth[node.label] = 1 + max((depth.get(parent, 0) for parent in node.parents), default=-1)
    place = {node.label: (column, depth[node.label]) for column, node in enumerate(nodes)}
    figure, axes = _canvas(height=1.6 + 0.7 * (1 + max(depth.values(), default=0)))
    for node in nodes:
        for parent in node.parents:
            if parent in place:
                (x0, y0), (x1, y1) = place[parent], place[node.label]
                dim = node.status in ("rejected", "invalid")
                axes.plot([x0, x1], [y0, y1], color=RULE if dim else MUTED, linewidth=1 if dim else 1.6, zorder=1)
        if node.status not in ("rejected", "invalid"):
            axes.annotate(node.label, place[node.label], (0, 9), textcoords="offset points", ha="center", fontsize=8)
    _scatter(axes, [Spot(n.label, *place[n.label], n.status) for n in nodes])
    axes.invert_yaxis()
    axes.margins(x=0.06, y=0.25)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xticks([])
    axes.set(xlabel="in the order they were made", ylabel="generation")
    axes.grid(visible=False)
    return _png(figure)


def progress(spots: Sequence[Spot], best: Sequence[tuple[float, float]], measure: str) -> bytes:
    """Each proposal's score (higher is better) with the best kept so far as a step line."""
    figure, axes = _canvas()
    if best:
        axes.step([x for x, _ in best], [y for _, y in best], where="post", color=ACCENT, label="best kept so far")
    _scatter(axes, spots)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="proposal", ylabel=measure)
    return _png(figure)


def intervals(spans: Sequence[Span], measure: str, margin: float | None = None) -> bytes:
    """Differences with their bounds, one row each; zero marked, and the non-inferiority margin where given."""
    figure, axes = _canvas(height=1.5 + 0.42 * len(spans))
    left = min([s.value if s.low is None else s.low for s in spans] + [0.0 if margin is None else -margin])
    right = max([s.value if s.high is None else s.high for s in spans] + [0.0])
    room = 0.12 * max(right - left, 0.02)
    axes.set_xlim(left - room, right + room)
    for row, span in enumerate(spans):
        colour = ACCENT if span.strong else INK
        ends = [left - room if span.low is None else span.low, right + room if span.high is None else span.high]
        axes.plot(ends, [row, row], color=colour, linewidth=2.4 if span.strong else 1.6)
        for end in (span.low, span.high):
            if end is not None:
                axes.plot([end], [row], marker="|", color=colour, markersize=9)
        axes.plot([span.value], [row], marker="o", color=colour, markersize=7)
    axes.axvline(0, color=MUTED, linewidth=1)
    if margin is not None:
        axes.axvline(-margin, color=COLOURS["invalid"], linewidth=1, linestyle="--", label=f"margin {-margin:+.3f}")
        _legend(axes)
    axes.set_yticks(range(len(spans)), [span.label for span in spans])
    axes.set_ylim(len(spans) - 0.4, -0.6)
    axes.set(xlabel=measure)
    axes.grid(visible=False, axis="y")
    return _png(figure)


def rates(spots: Sequence[Spot], cap: float) -> bytes:
    """Detection rate (y, higher is better) against false-alarm rate (x, lower is better) with the cap."""
    figure, axes = _canvas()
    axes.axvspan(cap, 1.05, color=COLOURS["invalid"], alpha=0.07, linewidth=0)
    axes.axvline(cap, color=COLOURS["invalid"], linewidth=1, linestyle="--", label=f"cap {cap:.2f}")
    _scatter(axes, spots)
    free = 1.1  # labels go down from here, none above the last or on it
    for spot in sorted(spots, key=lambda s: (-s.y, s.x)):
        free = min(spot.y, free - 0.06)
        axes.annotate(spot.label, (spot.x, free), (8, -3), textcoords="offset points", fontsize=8)
    right = max([cap, *(spot.x for spot in spots)])
    axes.set_xlim(-0.02, min(1.05, 1.6 * right + 0.05))
    axes.set_ylim(-0.03, 1.05)
    axes.set(xlabel="false-alarm rate on clean notes", ylabel="detection rate on omission notes")
    return _png(figure)


def curves(
    series: Mapping[str, Sequence[tuple[float, Span]]], names: tuple[str, str], band: tuple[float, float] | None = None
) -> bytes:
    """Values with bounds (y) against a quantity (x), a line per series; ``names`` of x and y, ``band`` shaded in y."""
    figure, axes = _canvas()
    if band is not None:
        axes.axhspan(*band, color=COLOURS["accepted"], alpha=0.12, linewidth=0)
    places = sorted({x for points in series.values() for x, _ in points})
    for index, (label, points) in enumerate(series.items()):
        aside = 0.03 * (index - (len(series) - 1) / 2)  # so that bounds do not hide each other
        xs = [places.index(x) + aside for x, _ in points]
        ys = [span.value for _, span in points]
        below = [span.value - (span.value if span.low is None else span.low) for _, span in points]
        above = [(span.value if span.high is None else span.high) - span.value for _, span in points]
        style = {"color": WHEEL[index % len(WHEEL)], "marker": "os^Dv"[index % 5], "markersize": 5, "linewidth": 1.2}
        axes.errorbar(xs, ys, yerr=[below, above], label=label, capsize=3, **style)
    axes.set_xticks(range(len(places)), [f"{place:g}" for place in places])
    axes.set(xlabel=names[0], ylabel=names[1])
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles, labels, fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _png(figure)


def by_class(series: Mapping[str, Mapping[str, float]]) -> bytes:
    """Paired discrimination by class, one bar per series; the coin flip at 0.5 marked."""
    figure, axes = _canvas()
    classes = sorted({name for values in series.values() for name in values})
    width = 0.8 / max(len(series), 1)
    for index, (label, values) in enumerate(series.items()):
        at = [place + (index - (len(series) - 1) / 2) * width for place, name in enumerate(classes) if name in values]
        heights = [values[name] for name in classes if name in values]
        axes.bar(at, heights, width * 0.92, color=SERIES[index % len(SERIES)], label=label)
    axes.axhline(0.5, color=INK, linewidth=1, linestyle=":")
    axes.set_xticks(range(len(classes)), classes)
    axes.set_ylim(0, 1.02)
    axes.set(ylabel="paired discrimination")
    axes.grid(visible=False, axis="x")
    _legend(axes)
    return _png(figure)


def landscape(patches: Sequence[Patch], across: str, up: str) -> bytes:
    """Two measures in [0, 1] against each other with their bounds, numbered points, names at the side; 0.5 marked."""
    figure, axes = _canvas(height=max(4.2, 0.9 + 0.17 * len(patches)))
    for number, patch in enumerate(patches, start=1):
        colour = WHEEL[(number - 1) % len(WHEEL)]
        x, y = patch.x[0], patch.y[0]
        errors = [[[abs(v - b)] if b is not None else [0.0] for b in (lo, hi)] for v, lo, hi in (patch.x, patch.y)]
        marker = "osD^v"[(number - 1) // len(WHEEL) % 5]
        label = f"{number}  {patch.label}"
        axes.errorbar([x], [y], xerr=errors[0], yerr=errors[1], color=colour, alpha=0.25, linewidth=1, zorder=2)
        axes.plot([x], [y], color=colour, marker=marker, markersize=6, linestyle="", label=label, zorder=3)
        axes.annotate(str(number), (x, y), (4, 4), textcoords="offset points", fontsize=7, color=INK, zorder=4)
    axes.axvline(0.5, color=INK, linewidth=1, linestyle=":")
    axes.axhline(0.5, color=INK, linewidth=1, linestyle=":")
    axes.set(xlabel=across, ylabel=up)
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1)
    return _png(figure)


def bars(rows: Sequence[Bar], cap: float) -> bytes:
    """Detection at the false-alarm cap as bars, one row each; by another rule as marks, false alarms apart."""
    figure, axes = _canvas(height=1.5 + 0.24 * len(rows))
    axes.barh(range(len(rows)), [row.value for row in rows], 0.66, color=ACCENT, alpha=0.55, label="detection at cap")
    beside = [(place, row.beside) for place, row in enumerate(rows) if row.beside is not None]
    places = [place for place, _ in beside]
    for index, (label, marker, colour) in enumerate(
        (("own rule: detection", "o", INK), ("own rule: false alarms", "x", COLOURS["invalid"]))
    ):
        axes.plot([pair[index] for _, pair in beside], places, marker, color=colour, markersize=5, label=label)
    axes.axvline(cap, color=COLOURS["invalid"], linewidth=1, linestyle="--", label=f"cap {cap:.2f}")
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.set(xlabel="share of notes flagged")
    axes.grid(visible=False, axis="y")
    axes.legend(fontsize=8, frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
    return _png(figure)


def length_against_score(spots: Sequence[Spot], measure: str) -> bytes:
    """Characters of a candidate (x) against its score (y, higher is better)."""
    figure, axes = _canvas()
    _scatter(axes, spots)
    axes.set(xlabel="characters of the candidate", ylabel=measure)
    return _png(figure)


def _canvas(height: float = 3.4) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7.6, height), dpi=160, layout="constrained")
    axes = figure.subplots()
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
    axes.tick_params(colors=INK, labelsize=9)
    return figure, axes


def _scatter(axes: Any, spots: Sequence[Spot]) -> None:
    for status, colour in COLOURS.items():
        chosen = [spot for spot in spots if spot.status == status]
        if chosen:
            xs, ys = [spot.x for spot in chosen], [spot.y for spot in chosen]
            axes.scatter(xs, ys, s=46, color=colour, marker=MARKERS[status], label=status, zorder=3)
    _legend(axes)


def _legend(axes: Any) -> None:
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            fontsize=8, frameon=False, ncols=len(handles), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2
        )


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()
