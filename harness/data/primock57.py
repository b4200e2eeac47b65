"""Import PriMock57: UK primary-care mock consultations (CC BY 4.0).

``transcripts/<id>_{doctor,patient}.TextGrid`` and ``notes/<id>.json``. The speaker comes from the file
name (every tier is called ``Speaker``); the two tiers are merged by start time, so turns need not
alternate. Tags are dropped, the words inside ``<UNSURE>`` kept, and utterances that are only a tag or
silence left out. Notes keep their words; white space is tidied.

Refused by name: ``missing_doctor_transcript``, ``missing_patient_transcript``, ``missing_note``,
``empty_transcript``, ``empty_note``, ``note_doubled`` and ``note_of_other_consultation`` where trimming
is not possible. Repaired and told in ``details``: ``note_doubled_trimmed``, ``note_of_other_trimmed``.
Facts stay empty: the published checklists state facts without their place in the transcript.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from harness.data.imported import Imported, Refusal, imported, read_text, require_folder
from harness.data.sentences import tidy
from harness.errors import DataError
from harness.types import Consultation, Note

SOURCE = "primock57"
SPEAKERS = ("doctor", "patient")
_INTERVAL = re.compile(
    r"^\s*intervals \[\d+\]:\s*\n\s*xmin = (?P<start>\S+)\s*\n\s*xmax = \S+\s*\n"
    r"\s*text = \"(?P<text>(?:[^\"]|\"\")*)\"",
    re.MULTILINE,
)
_SIZE = re.compile(r"^\s*intervals: size = (\d+)\s*$", re.MULTILINE)
_UNSURE = re.compile(r"(?<!\w)<UNSURE>|</UNSURE>(?!\w)")
_TAG = re.compile(r"</?[A-Z_]+\s*/?>")
_SHARED_WORDS = 5
_TAIL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Utterance:
    """One stretch of speech: start in seconds, speaker, words without tags (may be empty)."""

    start: float
    speaker: str
    text: str


def import_primock57(directory: Path) -> Imported:
    """Read a PriMock57 folder; DataError for a file that is not what it should be."""
    todo = "Point at the folder that holds transcripts/ and notes/."
    for name in ("transcripts", "notes"):
        require_folder(directory / name, SOURCE, todo)
    stems = {path.stem for path in (directory / "notes").glob("*.json")}
    stems |= {re.sub(r"_(doctor|patient)$", "", path.stem) for path in (directory / "transcripts").glob("*.TextGrid")}
    if not stems:
        raise DataError(f"importing {SOURCE}", f"no consultations in {directory}", todo)
    refusals: list[Refusal] = []
    warnings: list[Refusal] = []
    consultations: list[Consultation] = []
    raw: dict[str, str] = {}
    for stem in sorted(stems):
        found = _read(directory, stem)
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            consultations.append(found[0])
            raw[stem] = found[1]
    notes = []
    for stem, text in raw.items():
        mended = mend(stem, text, raw)
        warnings += [r for r in mended[1] if r.reason.endswith("_trimmed")]
        refusals += [r for r in mended[1] if not r.reason.endswith("_trimmed")]
        if mended[0]:
            notes.append(Note(f"{SOURCE}-{stem}-clean", f"{SOURCE}-{stem}", mended[0]))
    kept = {note.consultation_id for note in notes}
    return imported([c for c in consultations if c.id in kept], notes, refusals, warnings)


def read_textgrid(path: Path, speaker: str) -> list[Utterance]:
    """Every interval of a long-form TextGrid with one tier, tags removed; DataError where it is not one."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    if "ooTextFile" not in text.split("\n", 1)[0]:
        raise DataError(f"reading {path}:1", "no ooTextFile header", "Use TextGrid files in the long text form.")
    size = _SIZE.search(text)
    matches = list(_INTERVAL.finditer(text))
    if size is None or int(size[1]) != len(matches):
        line = text[: matches[-1].end()].count("\n") + 1 if matches else 1
        found = f"{len(matches)} readable intervals where the header says {size[1] if size else 'nothing'}"
        raise DataError(f"reading {path}:{line}", found, "Take the file from the source again.")
    try:
        return [Utterance(float(m["start"]), speaker, _speech(m["text"])) for m in matches]
    except ValueError as error:
        raise DataError(f"reading {path}", f"a time that is no number: {error}", "Mend the interval.") from None


def mend(stem: str, text: str, every: dict[str, str]) -> tuple[str, list[Refusal]]:
    """The note with a second copy or another consultation's note cut off; "" where that is not possible."""
    marks: list[Refusal] = []
    doubled = _halved(text)
    if doubled is not None:
        if not doubled:
            explanation = "the note starts again in the middle, with another text"
            return "", [Refusal("note_doubled", stem, explanation)]
        marks.append(Refusal("note_doubled_trimmed", stem, "the note stood twice; one copy kept"))
        text = doubled
    for other, foreign in every.items():
        if other == stem:
            continue
        tail = _foreign(text, foreign)
        if tail is None:
            continue
        if not tail:
            explanation = f"holds text of the note of {other}, and not as its whole tail"
            return "", [*marks, Refusal("note_of_other_consultation", stem, explanation)]
        marks.append(Refusal("note_of_other_trimmed", stem, f"ended with the note of {other}; cut off where it begins"))
        text = tail
    return tidy(text), marks


def _read(directory: Path, stem: str) -> tuple[Consultation, str] | Refusal:
    utterances: list[Utterance] = []
    for speaker in SPEAKERS:
        path = directory / "transcripts" / f"{stem}_{speaker}.TextGrid"
        if not path.is_file():
            return Refusal(f"missing_{speaker}_transcript", stem, f"no file {path.name}")
        utterances += read_textgrid(path, speaker)
    path = directory / "notes" / f"{stem}.json"
    if not path.is_file():
        return Refusal("missing_note", stem, f"no file {path.name}")
    spoken = [f"{u.speaker}: {u.text}" for u in sorted(utterances, key=lambda u: u.start) if u.text]
    if not spoken:
        return Refusal("empty_transcript", stem, "no words in either file")
    note = _note(path)
    if not note.strip():
        return Refusal("empty_note", stem, "the note has no words")
    stratum = stem.split("_")[0]
    consultation = Consultation(f"{SOURCE}-{stem}", SOURCE, "\n".join(spoken), stratum=stratum)
    return consultation, note


def _note(path: Path) -> str:
    try:
        record = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"reading {path}:{error.lineno}", f"not JSON: {error.msg}", "Mend the file.") from None
    if not isinstance(record, dict) or not isinstance(record.get("note"), str):
        raise DataError(f"reading {path}", "no text under the key 'note'", "Take the file from the source again.")
    return str(record["note"])


def _speech(text: str) -> str:
    return " ".join(_TAG.sub(" ", _UNSURE.sub("", text.replace('""', '"'))).split())


def _halved(text: str) -> str | None:
    """The first copy of a note that stands twice; "" where it starts again but differs; None where it does not."""
    lines = text.split("\n")
    filled = [" ".join(line.split()) for line in lines]
    opening = [line for line in filled if line][:2]
    for cut in range(1, len(lines)):
        again = [line for line in filled[cut:] if line][:2]
        if filled[cut] and again == opening and len(opening) == 2:
            first, second = " ".join(filled[:cut]).split(), " ".join(filled[cut:]).split()
            return "\n".join(lines[:cut]) if first == second else ""
    return None


def _foreign(text: str, foreign: str) -> str | None:
    """The own part of a note that ends with another's; "" where it cannot be told; None where nothing is shared.

    Shared: at least half of the other note's runs of five words stand in this one, and this note is
    longer, so that the owner of the shared text keeps it.
    """
    own, other = text.split(), foreign.split()
    if len(own) <= len(other) or len(other) < _SHARED_WORDS:
        return None
    runs = _runs(other)
    if len(runs & _runs(own)) < _TAIL_SHARE * len(runs):
        return None
    if own[-len(other) :] != other:
        return ""
    words = list(re.finditer(r"\S+", text))
    head = text[: words[len(own) - len(other)].start()]
    return _without_header(head)


def _without_header(head: str) -> str:
    """Cut the other consultation's header (a numbered time slot and what follows) from the end of a note."""
    slots = list(re.finditer(r"^\s*\d+\.\s+\d{1,2}:\d{2}\s*-\s*\d{1,2}:\d{2}.*$", head, re.MULTILINE))
    return head[: slots[-1].start()] if slots else head


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _SHARED_WORDS]) for i in range(len(words) - _SHARED_WORDS + 1)}
