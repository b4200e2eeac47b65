from __future__ import annotations

from html.parser import HTMLParser

from harness.report.document import Code, Document, Figure, Label, Paragraph, Section, render_markdown
from harness.report.html import render_html
from harness.report.tables import Table

HOSTILE = "</pre><script>alert('x')</script> {{ 7 * 7 }} & \"quotes\""
PNG = b"\x89PNG\r\n\x1a\n not a real picture"


def document(labels: tuple[Label, ...] = ()) -> Document:
    parts = (
        Paragraph(HOSTILE),
        Table(HOSTILE, ("name", "n"), ((HOSTILE, "12"),), HOSTILE),
        Figure("A figure", PNG, HOSTILE),
        Code("A diff", f"--- a\n+++ b\n-old\n+{HOSTILE}", "diff"),
        Code("A reply", "before\n```\ninside\n````\nafter"),
    )
    return Document(HOSTILE, labels, (("Ending", HOSTILE),), (Section(HOSTILE, parts),))


class Reader(HTMLParser):
    """Collects the tags, the addresses and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_no_text_becomes_markup_and_every_text_is_shown_as_it_is() -> None:
    page = read(render_html(document()))
    assert "script" not in page.tags
    # Title, heading, fact, section heading, paragraph, caption, cell, note, figure description, diff line.
    assert page.text.count(HOSTILE) == 10


def test_the_page_needs_nothing_beside_it() -> None:
    page = read(render_html(document()))
    assert page.addresses
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)
    assert "link" not in page.tags


def test_a_label_stands_before_any_number_in_both_forms() -> None:
    labelled = document((Label("SIMULATED", "No real model.", "danger"),))
    for text in (render_html(labelled).split("<body>")[1], render_markdown(labelled).split("\n", 1)[1]):
        assert text.index("SIMULATED") < text.index("Ending")
    assert "SIMULATED" not in render_html(document())


def test_a_reply_with_fences_stays_inside_its_fence() -> None:
    lines = render_markdown(document()).split("\n")
    first = lines.index("`````text")
    assert lines[first + 1 : lines.index("`````", first)] == ["before", "```", "inside", "````", "after"]
