import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import DataError, SplitError
from harness.types import Consultation, Defect, Note, Pair, PairSet
from partitions.build import build_split
from partitions.config import SplitConfig
from partitions.manifest import SPLITS
from partitions.seal import seal
from partitions.splits import open_splits

NAMES = [f"aci|D{number}" for number in range(12)]
LISTS = {"training": NAMES[:5], "acceptance": NAMES[5:8], "holdout": NAMES[8:]}


def pair_set(group_of: dict[str, str] | None = None) -> PairSet:
    consultations, pairs = [], []
    for name in NAMES:
        words = random.Random(name).choices([f"w{k}" for k in range(2000)], k=30)
        group = (group_of or {}).get(name, "")
        consultations.append(Consultation(name, "made", "doctor: " + " ".join(words), group=group))
        clean = Note(f"{name}-clean", name, " ".join(reversed(words)))
        flawed = Note(f"{name}-flawed", name, " ".join(words[:9]), Defect("omission", "a fact", trace="complete"))
        pairs.append(Pair(f"{name}-pair", name, clean, flawed))
    return PairSet("made", tuple(consultations), tuple(pairs))


def config(folder: Path, lists: object, **other: object) -> SplitConfig:
    path = folder / "lists.json"
    path.write_text(json.dumps(lists))
    return SplitConfig.model_validate({"given": path, **other})


def without(name: str) -> dict[str, list[str]]:
    return {split: [one for one in ids if one != name] for split, ids in LISTS.items()}


@given(st.permutations(NAMES), st.integers(2, 4), st.integers(2, 4), st.integers(0, 99))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_splits_are_the_lists_whatever_the_seed_and_the_shares(
    tmp_path: Path, order: list[str], acceptance: int, holdout: int, seed: int
) -> None:
    cut = 12 - holdout
    lists = {
        "training": order[: cut - acceptance],
        "acceptance": order[cut - acceptance : cut],
        "holdout": order[cut:],
    }
    manifest = build_split(pair_set(), config(tmp_path, lists, seed=seed))
    assert {name: set(manifest.splits[name].consultations) for name in SPLITS} == {k: set(v) for k, v in lists.items()}
    assert set(manifest.frontier) < set(lists["training"])


def test_a_given_division_can_be_opened_and_names_no_folder(tmp_path: Path) -> None:
    manifest = seal(pair_set(), config(tmp_path, LISTS), tmp_path / "split")
    assert open_splits(tmp_path / "split").manifest == manifest
    assert str(tmp_path) not in (tmp_path / "split" / "manifest.json").read_text()
    assert str(manifest.config.given) == "lists.json"


def test_the_partition_file_of_omissionbench_is_read_as_it_is(tmp_path: Path) -> None:
    theirs = dict(zip(("reflect", "valid", "test"), LISTS.values(), strict=True))
    whole = {"what": "partition", "split_seed": 1, "consultations": theirs, "pair_ids": {"valid": []}}
    manifest = seal(pair_set(), config(tmp_path, whole), tmp_path / "split")
    assert {name: list(manifest.splits[name].consultations) for name in SPLITS} == {
        name: sorted(ids) for name, ids in LISTS.items()
    }


def test_an_excluded_consultation_need_not_be_listed_and_must_not_be(tmp_path: Path) -> None:
    manifest = seal(pair_set(), config(tmp_path, without(NAMES[0]), exclude=(NAMES[0],)), tmp_path / "split")
    assert manifest.excluded == (NAMES[0],)
    with pytest.raises(SplitError, match=r"excluded and yet listed: 'aci\|D0'"):
        seal(pair_set(), config(tmp_path, LISTS, exclude=(NAMES[0],)), tmp_path / "other")


MALFORMED: dict[str, tuple[object, str]] = {
    "an overlap": (LISTS | {"acceptance": [*NAMES[5:8], "aci|D0"]}, r"training and acceptance share 'aci\|D0'"),
    "an unknown consultation": (LISTS | {"holdout": [*NAMES[8:], "aci|D99"]}, r"unknown consultations: 'aci\|D99'"),
    "a missing consultation": (without("aci|D11"), r"consultations in no list: 'aci\|D11'"),
    "a repeated consultation": (LISTS | {"holdout": [*NAMES[8:], "aci|D8"]}, r"holdout lists twice: 'aci\|D8'"),
    "a missing list": ({"training": NAMES[:6], "acceptance": NAMES[6:]}, r"no list of consultation ids for holdout"),
    "an empty list": (LISTS | {"acceptance": []}, r"no list of consultation ids for acceptance"),
    "numbers": (LISTS | {"acceptance": [1, 2, 3]}, r"no list of consultation ids for acceptance"),
    "no lists": (NAMES, r"no lists of consultations"),
    "a split too small to test": (
        {"training": NAMES[:8], "acceptance": NAMES[8:9], "holdout": NAMES[9:]},
        r"1 independent consultations with pairs for acceptance",
    ),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_lists_that_do_not_fit_are_refused_by_name_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    lists, message = MALFORMED[name]
    with pytest.raises(SplitError, match=message):
        seal(pair_set(), config(tmp_path, lists), tmp_path / "split")
    assert not (tmp_path / "split").exists()


def test_a_group_in_two_lists_is_refused_by_name(tmp_path: Path) -> None:
    grouped = pair_set({NAMES[4]: "patient-7", NAMES[5]: "patient-7"})
    with pytest.raises(SplitError, match=r"group 'patient-7' stands in acceptance and training: 'aci\|D4', 'aci\|D5'"):
        seal(grouped, config(tmp_path, LISTS), tmp_path / "split")


def test_a_file_that_is_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text('{"training":\n ["a"')
    with pytest.raises(DataError, match=r"lists\.json:2: not JSON"):
        seal(pair_set(), SplitConfig(given=tmp_path / "lists.json"), tmp_path / "split")


def test_a_seal_without_lists_does_not_mention_them(tmp_path: Path) -> None:
    seal(pair_set(), SplitConfig(), tmp_path / "split")
    assert "given" not in json.loads((tmp_path / "split" / "manifest.json").read_text())["config"]
