import dataclasses
import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.pairs import read_pairs
from harness.errors import DataError, LeakFound, SealBroken, SplitError
from harness.types import Consultation, Defect, Note, Pair, PairSet
from partitions.config import SplitConfig
from partitions.manifest import SPLITS, pair_set_digest, read_manifest, split_path
from partitions.seal import seal
from partitions.splits import open_splits


def pair_set(n: int = 12, salt: str = "") -> PairSet:
    consultations, pairs = [], []
    for index in range(n):
        name = f"c{index:02d}"
        words = random.Random(f"{name}{salt}").choices([f"w{k}" for k in range(2000)], k=30)
        consultations.append(Consultation(name, "made", "doctor: " + " ".join(words)))
        clean = Note(f"{name}-clean", name, " ".join(reversed(words)))
        flawed = Note(f"{name}-flawed", name, " ".join(words[:9]), Defect("omission", "a fact", trace="complete"))
        pairs.append(Pair(f"{name}-pair", name, clean, flawed))
    return PairSet("made", tuple(consultations), tuple(pairs))


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    directory = tmp_path_factory.mktemp("seal") / "splits"
    return directory, seal(pair_set(), SplitConfig(), directory)


def test_what_is_opened_is_what_was_sealed(sealed):
    directory, manifest = sealed
    splits = open_splits(directory)
    assert splits.manifest == manifest
    for part, name in ((splits.training, "training"), (splits.acceptance, "acceptance")):
        ids = manifest.splits[name].consultations
        assert part.split == name
        assert tuple(c.id for c in part.consultations) == ids
        assert part.pairs == pair_set().of(ids).pairs


def test_the_two_folds_make_up_the_training_split(sealed):
    splits = open_splits(sealed[0])
    folds = [{c.id for c in fold.consultations} for fold in (splits.reflection, splits.frontier)]
    assert not folds[0] & folds[1]
    assert folds[0] | folds[1] == set(splits.manifest.splits["training"].consultations)
    assert folds[1] == set(splits.manifest.frontier)
    assert all(folds)


def test_search_opens_without_a_holdout_file(tmp_path):
    seal(pair_set(), SplitConfig(), tmp_path / "splits")
    split_path(tmp_path / "splits", "holdout").unlink()
    assert open_splits(tmp_path / "splits").training.pairs


def test_the_splits_together_are_the_pair_set(sealed):
    directory, manifest = sealed
    parts = [read_pairs(split_path(directory, name)) for name in SPLITS]
    whole = PairSet(
        "made",
        tuple(c for part in parts for c in part.consultations),
        tuple(p for part in parts for p in part.pairs),
    )
    assert pair_set_digest(whole) == manifest.pair_set == pair_set_digest(pair_set())
    manifest.verify(whole)


def test_the_manifest_refuses_another_pair_set(sealed):
    with pytest.raises(SealBroken, match="sealed"):
        sealed[1].verify(pair_set(salt="other"))


@given(
    st.sampled_from(["training.jsonl", "acceptance.jsonl", "manifest.json"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 255),
)
@settings(max_examples=120, deadline=None)
def test_any_changed_byte_is_found_when_the_splits_are_opened(tmp_path_factory, file, where, flip):
    directory = tmp_path_factory.mktemp("flip") / "splits"
    seal(pair_set(6), SplitConfig(), directory)
    data = bytearray((directory / file).read_bytes())
    data[int(where * len(data))] ^= flip
    (directory / file).write_bytes(data)
    with pytest.raises(SealBroken, match=file):
        open_splits(directory)


@pytest.mark.parametrize("change", [lambda data: data + b"\n", lambda data: data[:-1], lambda data: b""])
@pytest.mark.parametrize("file", ["training.jsonl", "acceptance.jsonl", "manifest.json"])
def test_added_and_lost_bytes_are_found(tmp_path, file, change):
    directory = tmp_path / "splits"
    seal(pair_set(), SplitConfig(), directory)
    (directory / file).write_bytes(change((directory / file).read_bytes()))
    with pytest.raises(SealBroken, match=file):
        open_splits(directory)


def test_a_changed_split_is_reported_with_the_sealed_and_the_found_digest(tmp_path):
    manifest = seal(pair_set(), SplitConfig(), tmp_path / "splits")
    path = split_path(tmp_path / "splits", "acceptance")
    path.write_bytes(path.read_bytes() + b"\n")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(SealBroken, match=f"{found[:16]}, sealed {manifest.splits['acceptance'].sha256[:16]}"):
        open_splits(tmp_path / "splits")


def test_sealing_the_same_content_again_changes_no_byte(sealed):
    directory, manifest = sealed
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    shuffled = dataclasses.replace(pair_set(), pairs=tuple(reversed(pair_set().pairs)))
    assert seal(shuffled, SplitConfig(), directory) == manifest
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


@pytest.mark.parametrize("other", [(pair_set(salt="other"), SplitConfig()), (pair_set(), SplitConfig(seed=8))])
def test_another_seal_is_never_overwritten(sealed, other):
    directory, _ = sealed
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    with pytest.raises(SplitError, match="another seal"):
        seal(*other, directory)
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(SplitError, match="other files"):
        seal(pair_set(), SplitConfig(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "splits").mkdir()
    seal(pair_set(), SplitConfig(), tmp_path / "splits")
    assert open_splits(tmp_path / "splits").acceptance.pairs


def test_a_refused_seal_leaves_nothing_behind(tmp_path):
    whole = pair_set()
    same = dataclasses.replace(
        whole,
        consultations=tuple(dataclasses.replace(c, transcript="doctor: hello") for c in whole.consultations),
    )
    with pytest.raises(LeakFound):
        seal(same, SplitConfig(), tmp_path / "splits")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_seal_is_an_error_that_says_so(tmp_path):
    with pytest.raises(DataError, match=r"no manifest\.json"):
        open_splits(tmp_path)


def test_a_manifest_whose_splits_overlap_is_refused_even_with_a_fitting_digest(sealed, tmp_path):
    _, manifest = sealed
    training = manifest.splits["training"]
    stolen = training.model_copy(
        update={"consultations": (*training.consultations, manifest.splits["holdout"].consultations[0])}
    )
    forged = manifest.model_copy(update={"splits": manifest.splits | {"training": stolen}})
    forged = forged.model_copy(update={"digest": forged.own_digest()})
    (tmp_path / "manifest.json").write_text(forged.model_dump_json())
    with pytest.raises(SealBroken, match="training and holdout share"):
        read_manifest(tmp_path)
