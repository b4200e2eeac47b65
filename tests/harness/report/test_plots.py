from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from harness.report import plots

NODES = (
    plots.Node("seed-1", "seed"),
    plots.Node("i0001", "accepted", ("seed-1",)),
    plots.Node("i0002", "invalid", ("i0001", "a parent that is not drawn")),
)
SPOTS = (plots.Spot("seed-1", 0.05, 0.5, "seed"), plots.Spot("i0001", 0.1, 0.6, "winner"))
SPANS = (plots.Span("low", 0.1, 0.02, None, strong=True), plots.Span("high", -0.1, -0.3, 0.1))
PATCHES = (
    plots.Patch("plain", (0.52, 0.45, 0.6), (0.8, 0.7, 0.9)),
    plots.Patch("no interval", (0.7, None, None), (0.6, None, None)),
)
BARS = (plots.Bar("plain", 0.2, (0.3, 0.25)), plots.Bar("no rule", 0.4, None))

FIGURES: dict[str, Callable[[], bytes]] = {
    "lineage": lambda: plots.lineage(NODES),
    "progress": lambda: plots.progress(SPOTS, ((0, 0.5), (1, 0.6)), "score"),
    "intervals": lambda: plots.intervals(SPANS, "difference", margin=0.03),
    "rates": lambda: plots.rates(SPOTS, cap=0.1),
    "by_class": lambda: plots.by_class({"seed": {"addition": 0.5}, "winner": {"addition": 0.7, "alteration": 0.6}}),
    "length": lambda: plots.length_against_score(SPOTS, "score"),
    "landscape": lambda: plots.landscape(PATCHES, "omissions", "commissions"),
    "bars": lambda: plots.bars(BARS, cap=0.1),
    "bars without another rule": lambda: plots.bars(BARS[1:], cap=0.1),
    "empty lineage": lambda: plots.lineage(()),
    "no proposals yet": lambda: plots.progress((), (), "score"),
    "no class in one series": lambda: plots.by_class({"seed": {}, "winner": {"addition": 0.7}}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_a_picture_with_something_on_it(name: str) -> None:
    picture = Image.open(io.BytesIO(FIGURES[name]()))
    assert picture.format == "PNG"
    assert len(picture.convert("L").getcolors(256) or ()) > 2


@pytest.mark.parametrize("name", ["lineage", "intervals", "landscape", "bars"])
def test_equal_values_give_equal_bytes(name: str) -> None:
    assert FIGURES[name]() == FIGURES[name]()


def test_another_value_gives_another_picture() -> None:
    moved = (plots.Span("low", 0.1, 0.05, None, strong=True), SPANS[1])
    assert plots.intervals(moved, "difference", margin=0.03) != FIGURES["intervals"]()
