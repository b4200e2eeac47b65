"""One listed item's entry in a keyed answer: a word, a truth value, or an object with keys of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.llm.simulated.lookup import FULL, Reader, Sight
from harness.llm.simulated.sections import SECTIONS
from harness.llm.simulated.writing import Choice, between

GONE = ("absent", "missing", "no", "unsupported", "false")
DISPLACED = "displaced"
WIDTH = 0.1  # evidence over which a verdict turns
NO_WORDS = "The listed item was read against the text."


def write_entry(item: str, form: Mapping[str, Any], reader: Reader) -> Any:
    """The entry for one item."""
    members: Mapping[str, Any] = form.get("properties", {})
    sight = _sight(item, form, reader)
    if form.get("type") != "object":
        return _value("", form, sight, reader.cut)
    gone = sight.absence >= reader.cut
    shown = Sight(sight.absence, "", sight.section, sight.displaced) if gone else sight
    return {name: _value(name, member, shown, reader.cut) for name, member in members.items()}


def _sight(item: str, form: Mapping[str, Any], reader: Reader) -> Sight:
    members: Mapping[str, Any] = form.get("properties", {})
    if any(_is_place(member) or DISPLACED in member.get("enum", ()) for member in members.values()):
        return reader.look_in_place(item)
    quoted = any(name in ("quote", "evidence", "words") for name in members)
    return reader.look_again(item) if quoted else reader.look(item)


def _value(name: str, form: Mapping[str, Any], sight: Sight, cut: float) -> Any:
    if form.get("type") == "boolean":
        return between("false", "true", 1 - sight.absence, 1 - cut, WIDTH)
    if _is_place(form):
        return sight.section if sight.section in form["enum"] else form["enum"][0]
    options = [str(option) for option in form.get("enum", ())]
    if options:
        return _verdict(options, sight, cut)
    return sight.quote if name in ("quote", "evidence", "words") else NO_WORDS


def _verdict(options: list[str], sight: Sight, cut: float) -> Choice:
    """Held, displaced, in part or gone, in the form's own words."""
    gone = next((o for o in options if o.lower() in GONE), options[-1])
    part = next((o for o in options if o.lower().startswith("part")), "")
    held = next((o for o in options if o not in (gone, part, DISPLACED)), options[0])
    two = between(held, gone, sight.absence, cut, WIDTH)
    if DISPLACED in options and sight.displaced:
        return Choice(DISPLACED, {DISPLACED: 0.6, held: 0.4 * two.options[held], gone: 0.4 * two.options[gone]})
    if part and FULL < sight.absence < cut:
        return Choice(part, {part: 0.6, held: 0.4 * two.options[held], gone: 0.4 * two.options[gone]})
    return two


def _is_place(form: Mapping[str, Any]) -> bool:
    return bool(form.get("enum")) and set(form["enum"]) <= set(SECTIONS)
