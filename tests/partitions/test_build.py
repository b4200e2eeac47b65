import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import LeakFound, SplitError
from harness.types import SEVERITIES, TRACES, Consultation, Defect, Note, Pair, PairSet
from partitions.build import build_split
from partitions.config import SplitConfig
from partitions.manifest import SPLITS

WORDS = [f"w{number}" for number in range(4000)]


def text(seed: object, n: int = 60) -> str:
    return " ".join(random.Random(f"{seed}").choices(WORDS, k=n))


def pair_set(groups: list[str], per_consultation: int = 2) -> PairSet:
    """One consultation per entry; the entry is its group, "" for none."""
    consultations, pairs = [], []
    for index, group in enumerate(groups):
        name = f"c{index:03d}"
        consultations.append(Consultation(name, "made", f"doctor: {text(name)}", group=group))
        clean = Note(f"{name}-clean", name, text(f"{name} note"))
        for k in range(per_consultation):
            trace, severity = TRACES[(index + k) % 3], SEVERITIES[(index // 3 + k) % 3]
            defect = Defect("omission", "a fact", trace=trace, severity=severity)
            flawed = Note(f"{name}-f{k}", name, clean.text.rsplit(" ", k + 1)[0], defect)
            pairs.append(Pair(f"{name}-p{k}", name, clean, flawed))
    return PairSet("made", tuple(consultations), tuple(pairs), simulated=True)


# Six consultations without a group are six clusters: the fewest that can be divided.
GROUPS = st.lists(st.sampled_from(["", "", "", "g1", "g2", "g3"]), min_size=6, max_size=30).map(lambda g: [""] * 6 + g)
CONFIGS = st.builds(SplitConfig, seed=st.integers(0, 999))


@given(GROUPS, CONFIGS)
@settings(max_examples=40, deadline=None)
def test_splits_are_disjoint_and_cover_the_set(groups, config):
    whole = pair_set(groups)
    manifest = build_split(whole, config)
    ids = [name for split in SPLITS for name in manifest.splits[split].consultations]
    assert sorted(ids) == sorted(whole.by_id)
    assert sum(record.pairs for record in manifest.splits.values()) == len(whole.pairs)


@given(GROUPS, CONFIGS)
@settings(max_examples=40, deadline=None)
def test_a_group_is_never_divided(groups, config):
    whole = pair_set(groups)
    manifest = build_split(whole, config)
    folds = [set(manifest.splits[name].consultations) for name in ("acceptance", "holdout")]
    folds += [set(manifest.frontier), set(manifest.splits["training"].consultations) - set(manifest.frontier)]
    for group in {"g1", "g2", "g3"}:
        members = {c.id for c in whole.consultations if c.group == group}
        assert sum(bool(members & fold) for fold in folds) <= 1


@given(GROUPS, CONFIGS, st.randoms())
@settings(max_examples=25, deadline=None)
def test_input_order_changes_nothing(groups, config, rnd):
    whole = pair_set(groups)
    shuffled = dataclasses.replace(
        whole,
        consultations=tuple(rnd.sample(whole.consultations, len(whole.consultations))),
        pairs=tuple(rnd.sample(whole.pairs, len(whole.pairs))),
    )
    assert build_split(shuffled, config) == build_split(whole, config)


@given(st.integers(30, 60), CONFIGS)
@settings(max_examples=25, deadline=None)
def test_shares_hold_to_one_consultation_and_every_split_holds_every_label(n, config):
    manifest = build_split(pair_set([""] * n), config)
    for name in SPLITS:
        assert abs(len(manifest.splits[name].consultations) - n * getattr(config, name)) < 1
    assert manifest.absent == dict.fromkeys(SPLITS, ())


@given(st.integers(30, 60), CONFIGS)
@settings(max_examples=15, deadline=None)
def test_every_label_is_dealt_in_proportion_to_the_shares_within_three(n, config):
    manifest = build_split(pair_set([""] * n), config)
    for label in {label for record in manifest.splits.values() for label in record.labels}:
        whole = sum(record.labels.get(label, 0) for record in manifest.splits.values())
        for name in SPLITS:
            assert abs(manifest.splits[name].labels.get(label, 0) - whole * getattr(config, name)) <= 3


def test_another_seed_draws_another_division():
    whole = pair_set([""] * 40)
    drawn = {build_split(whole, SplitConfig(seed=seed)).splits["holdout"].consultations for seed in range(5)}
    assert len(drawn) > 1


def test_the_frontier_fold_is_its_share_of_training():
    manifest = build_split(pair_set([""] * 60), SplitConfig())
    training = manifest.splits["training"].consultations
    assert set(manifest.frontier) < set(training)
    assert len(manifest.frontier) == round(len(training) / 3)


def test_a_label_too_rare_for_every_split_is_reported_absent():
    whole = pair_set([""] * 30)
    defect = Defect("alteration", "a dose", aspect="dose")
    first = whole.pairs[0]
    rare = Pair("rare", "c000", first.clean, Note("rare-f", "c000", "changed " + first.clean.text, defect))
    manifest = build_split(dataclasses.replace(whole, pairs=(*whole.pairs, rare)), SplitConfig())
    assert sum("class:alteration" in labels for labels in manifest.absent.values()) == 2


@given(st.sets(st.integers(0, 39), min_size=1, max_size=12), CONFIGS)
@settings(max_examples=25, deadline=None)
def test_exclusions_and_their_groups_are_in_no_split(indices, config):
    groups = ["pair" if index in (0, 1) else "" for index in range(40)]
    excluded = tuple(f"c{index:03d}" for index in sorted(indices))
    manifest = build_split(pair_set(groups), config.model_copy(update={"exclude": excluded}))
    left_out = set(excluded) | ({"c000", "c001"} if indices & {0, 1} else set())
    assert set(manifest.excluded) == left_out
    assert not left_out & {name for record in manifest.splits.values() for name in record.consultations}


def test_an_unknown_exclusion_is_an_error_that_names_it():
    with pytest.raises(SplitError, match="c999"):
        build_split(pair_set([""] * 20), SplitConfig(exclude=("c999",)))


@pytest.mark.parametrize("n", [1, 5])
def test_too_few_consultations_are_refused_with_the_numbers(n):
    with pytest.raises(SplitError, match=rf"{n} in all; 2 needed"):
        build_split(pair_set([""] * n), SplitConfig())


def test_six_consultations_are_just_enough():
    manifest = build_split(pair_set([""] * 6), SplitConfig())
    assert [len(manifest.splits[name].consultations) for name in SPLITS] == [2, 2, 2]


def test_one_group_of_everything_is_refused():
    with pytest.raises(SplitError, match="independent consultations"):
        build_split(pair_set(["same"] * 20), SplitConfig())


def copied(whole: PairSet, source: str, target: str) -> PairSet:
    """The set with one consultation's transcript replaced by another's, two words changed."""
    words = whole.by_id[source].transcript.split()
    words[5], words[30] = "other", "other"
    return dataclasses.replace(
        whole,
        consultations=tuple(
            dataclasses.replace(c, transcript=" ".join(words)) if c.id == target else c for c in whole.consultations
        ),
    )


def test_a_near_duplicate_across_splits_is_an_error_that_names_both():
    whole = pair_set([""] * 30)
    manifest = build_split(whole, SplitConfig())
    source, target = manifest.splits["training"].consultations[0], manifest.splits["holdout"].consultations[0]
    with pytest.raises(LeakFound, match=f"transcripts of .*({source}|{target}).*({source}|{target})"):
        build_split(copied(whole, source, target), SplitConfig())


def test_a_near_duplicate_is_recorded_where_the_configuration_says_warn():
    whole = pair_set([""] * 30)
    manifest = build_split(whole, SplitConfig())
    source, target = manifest.splits["training"].consultations[0], manifest.splits["holdout"].consultations[0]
    warned = build_split(copied(whole, source, target), SplitConfig(near_duplicates="warn"))
    (found,) = warned.overlap.near_duplicates
    assert {found.first, found.second} == {source, target}
    assert found.jaccard > 0.6


def test_a_near_duplicate_of_an_excluded_consultation_counts_as_seen_in_training():
    whole = pair_set([""] * 30)
    config = SplitConfig(exclude=("c000",))
    target = build_split(whole, config).splits["holdout"].consultations[0]
    with pytest.raises(LeakFound):
        build_split(copied(whole, "c000", target), config)
