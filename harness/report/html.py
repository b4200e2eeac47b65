"""A report as one HTML file that needs nothing beside it: styles inside, pictures as data."""

from __future__ import annotations

import base64

from jinja2 import Environment, PackageLoader, StrictUndefined

from harness.report.document import Code, Document, Figure, Paragraph
from harness.report.tables import Table


def render_html(document: Document) -> str:
    """The page; every text is escaped, so a prompt or a reply cannot become markup."""
    environment = Environment(
        loader=PackageLoader("harness.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["base64"] = lambda data: base64.b64encode(data).decode("ascii")
    environment.filters["diff_class"] = diff_class
    kinds = {"paragraph": Paragraph, "table": Table, "figure": Figure, "code": Code}
    environment.globals["kind"] = lambda part: next(name for name, kind in kinds.items() if isinstance(part, kind))
    return environment.get_template("report.html.j2").render(document=document)


def diff_class(line: str) -> str:
    """The style of one line of a unified diff: ``add``, ``drop``, ``at`` or nothing.

    >>> [diff_class(line) for line in ("+new", "-old", "@@ -1 +1 @@", " same", "+++ b")]
    ['add', 'drop', 'at', '', 'at']
    """
    if line.startswith(("+++", "---", "@@")):
        return "at"
    return {"+": "add", "-": "drop"}.get(line[:1], "")
