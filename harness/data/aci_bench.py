"""Import ACI-Bench: US visit dialogues with full notes (CC BY 4.0).

``challenge_data/*.csv`` gives one transcript and one note for each of the encounters; each encounter is
one consultation, and its group, however many transcripts of it exist. ``src_experiment_data`` holds
other transcripts of the same encounters (variants): they are refused as ``variant_of_encounter``, unless
one family of them is chosen, whose transcripts then take the place of the challenge ones.

Transcripts become ``doctor:``, ``patient:`` and ``guest:`` lines; a line without a tag continues the turn
before; turns without words are dropped; the blanks that tokenising put before punctuation and into
words (``wan na``, ``do n't``) are closed. Spoken commands to a recording device ("hey, dragon, ...")
are speech and stay. Notes keep their words; special blanks and outer blanks become plain ones.

Refused by name: ``variant_of_encounter``, ``empty_transcript``, ``empty_note``, ``repeated_encounter``.
Kept and told in ``details``: ``speakers_maybe_swapped`` (the patient's turns sound like a clinician's and
the doctor's do not, see ``maybe_swapped``) and ``no_patient_turn`` (only a guest speaks for the patient).
"""

from __future__ import annotations

import re
from pathlib import Path

from harness.data.imported import Imported, Refusal, imported, require_folder
from harness.data.sentences import tidy
from harness.data.table import read_table
from harness.errors import DataError
from harness.types import Consultation, Note

SOURCE = "aci-bench"
CHALLENGE = "challenge"
VARIANTS = ("aci_asr", "aci_asrcorr", "virtscribe_asr", "virtscribe_humantrans")
_COLUMNS = {"dataset", "dialogue", "note"}
_TURN = re.compile(r"^\s*\[\s*(doctor|patient_guest|patient)\s*\]\s*(.*)$", re.IGNORECASE)
_SPEAKER = {"doctor": "doctor", "patient": "patient", "patient_guest": "guest"}
_CLOSED = (
    (re.compile(r"\s+([,.?!;:%])(?=\s|$)"), r"\1"),
    (re.compile(r"(?<=\w) (n't|'(?:s|m|re|ve|ll|d))\b"), r"\1"),
    (re.compile(r"\b(gon|wan|got) (na|ta)\b"), r"\1\2"),
    (re.compile(r"(\d) -(?=[a-z])"), r"\1-"),
)
_CLINICIAN = re.compile(
    r"\b(any (?:chest pain|shortness of breath|fevers?|nausea|numbness|other symptoms|allerg\w*)|"
    r"have you (?:had|noticed|been)|"
    r"are you (?:taking|having)|i(?:'m| am) going to (?:order|prescribe|refer|start|examine|listen)|"
    r"let(?:'s| me| us) (?:examine|listen|take a look|look at)|on (?:your )?(?:physical )?exam|"
    r"i(?:'d| would) like to (?:order|prescribe|refer|start)|your (?:x-ray|lab|vitals|blood pressure|lungs|results)|"
    r"milligrams? (?:once|twice|daily|a day)|follow up (?:with me|in))\b",
    re.IGNORECASE,
)
MIN_CUES = 3


def import_aci_bench(directory: Path, variant: str = CHALLENGE) -> Imported:
    """Read an ACI-Bench folder; DataError for a file or a ``variant`` that cannot be used."""
    todo = "Point at the folder that holds challenge_data/."
    require_folder(directory / "challenge_data", SOURCE, todo)
    if variant not in (CHALLENGE, *VARIANTS):
        raise DataError(
            f"importing {SOURCE}", f"variant {variant!r}", f"Use one of {', '.join((CHALLENGE, *VARIANTS))}."
        )
    refusals: list[Refusal] = []
    warnings: list[Refusal] = []
    rows = _challenge_rows(directory / "challenge_data", refusals)
    if not rows:
        raise DataError(f"importing {SOURCE}", f"no encounters in {directory / 'challenge_data'}", todo)
    chosen = _variants(directory, variant, refusals)
    consultations: list[Consultation] = []
    notes: list[Note] = []
    for encounter, row in sorted(rows.items()):
        transcript = transcript_of(chosen.get(row["id"], row["dialogue"]))
        note = clean_note(row["note"])
        if not transcript or not note.strip():
            what = "note" if transcript else "transcript"
            refusals.append(Refusal(f"empty_{what}", encounter, f"the {what} has no words"))
            continue
        warnings += _warnings(encounter, transcript)
        key = f"{SOURCE}-{encounter}"
        consultations.append(Consultation(key, SOURCE, transcript, stratum=row["dataset"], group=key))
        notes.append(Note(f"{key}-clean", key, note))
    return imported(consultations, notes, refusals, warnings)


def transcript_of(dialogue: str) -> str:
    """One turn a line with its speaker; "" where nobody says a word.

    >>> transcript_of("[doctor] hi , martha .\\n[patient]\\n[patient] i 'm fine\\nthanks")
    "doctor: hi, martha.\\npatient: i'm fine thanks"
    """
    turns: list[list[str]] = []
    for line in plain(dialogue).split("\n"):
        match = _TURN.match(line)
        if match:
            turns.append([_SPEAKER[match[1].lower()], match[2]])
        elif turns:
            turns[-1][1] += " " + line
        elif line.strip():
            turns.append(["doctor", line])
    spoken = [(speaker, closed(words)) for speaker, words in turns]
    return "\n".join(f"{speaker}: {words}" for speaker, words in spoken if re.search(r"\w", words))


def closed(text: str) -> str:
    """Text without the blanks that tokenising added."""
    text = " ".join(text.split())
    for pattern, new in _CLOSED:
        text = pattern.sub(new, text)
    return text.strip()


def plain(text: str) -> str:
    """Text with LF line ends, plain blanks and no zero-width characters; letters and quotes stay as they are."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]", " ", re.sub(r"[\u200b-\u200d\u2060\ufeff]", "", text))


def clean_note(note: str) -> str:
    """A note with plain blanks, none of them outer or trailing, and at most one blank line in a row."""
    return tidy(plain(note)).strip()


def maybe_swapped(transcript: str) -> bool:
    """True where the speakers may be the wrong way round.

    Phrases that clinicians use (review of symptoms, orders, examination) are counted for both sides;
    swapped is suspected where the patient has at least three, and more than the doctor.
    """
    said = {"doctor": 0, "patient": 0}
    for line in transcript.split("\n"):
        speaker, _, words = line.partition(": ")
        if speaker in said:
            said[speaker] += len(_CLINICIAN.findall(words))
    return said["patient"] >= MIN_CUES and said["patient"] > said["doctor"]


def _warnings(encounter: str, transcript: str) -> list[Refusal]:
    found = []
    if maybe_swapped(transcript):
        explanation = "the patient's turns sound like a clinician's; kept as it is"
        found.append(Refusal("speakers_maybe_swapped", encounter, explanation))
    if not re.search(r"^patient: ", transcript, re.MULTILINE):
        found.append(Refusal("no_patient_turn", encounter, "only a guest answers; kept as it is"))
    return found


def _challenge_rows(folder: Path, refusals: list[Refusal]) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.csv")):
        if path.stem.endswith("_metadata"):
            continue
        meta = path.with_name(f"{path.stem}_metadata.csv")
        ids = {r["encounter_id"]: r["id"] for r in _table(meta, {"encounter_id", "id"})} if meta.is_file() else {}
        for row in _table(path, _COLUMNS | {"encounter_id"}):
            encounter = row["encounter_id"]
            if encounter in rows:
                refusals.append(Refusal("repeated_encounter", encounter, f"again in {path.name}; the first is kept"))
            else:
                rows[encounter] = row | {"id": ids.get(encounter, "")}
    return rows


def _variants(directory: Path, variant: str, refusals: list[Refusal]) -> dict[str, str]:
    """Source id -> transcript of the chosen variant; every other variant is refused by name."""
    chosen: dict[str, str] = {}
    for path in sorted((directory / "src_experiment_data").glob("*.csv")):
        if path.stem.endswith("_metadata"):
            continue
        family = path.stem.partition("_")[2]
        for row in _table(path, _COLUMNS | {"id"}):
            if family == variant:
                chosen[row["id"]] = row["dialogue"]
            else:
                explanation = f"another transcript ({family}) of an encounter that has one"
                refusals.append(Refusal("variant_of_encounter", f"{row['id']}:{family}", explanation))
    if variant != CHALLENGE and not chosen:
        raise DataError(
            f"importing {SOURCE}", f"no transcripts of variant {variant!r}", "Get src_experiment_data/ too."
        )
    return chosen


def _table(path: Path, columns: set[str]) -> list[dict[str, str]]:
    return [row.cells for row in read_table(path, columns)]
