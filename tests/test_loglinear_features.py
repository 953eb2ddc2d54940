"""Feature functions say what they should, no more, and nothing of the future."""

from __future__ import annotations

import numpy as np
import pytest

from chapters.loglinear_lm.loading import load_features
from common.errors import UserError
from common.text.batching import make_batch
from tests.loglinear_reference import CLASSES, SENTENCES, active_by_hand, feature_set, features_module, vocabulary

FeatureSet = features_module.FeatureSet


def names_of(features, row_ids, row_values) -> dict[int, float]:
    """The active ids of one position, with the sum of their values."""
    result: dict[int, float] = {}
    for number, value in zip(row_ids.tolist(), row_values.tolist(), strict=True):
        if value:
            result[number] = result.get(number, 0) + value
    return result


@pytest.mark.equation("neubig2017", 25)
def test_active_features_are_those_of_the_definitions() -> None:
    """Every feature that the definitions name has one id, the same wherever it is active, and no other is active."""
    features = feature_set()
    batch = make_batch(SENTENCES, range(len(SENTENCES)))
    active = features.active(batch.inputs)
    id_of: dict[object, int] = {}
    for column, sentence in enumerate(SENTENCES):
        for t in range(len(sentence) + 1):
            expected = dict(active_by_hand(sentence, t))
            actual = names_of(features, active.ids[t, column], active.values[t, column])
            assert sorted(actual.values()) == sorted(expected.values())
            for name, count in expected.items():
                candidates = {
                    number for number, value in actual.items() if value == count and in_range(features, name, number)
                }
                known_words = id_of.get(name)
                assert known_words in candidates if known_words is not None else candidates
                if len(candidates) == 1:
                    id_of.setdefault(name, candidates.pop())
    assert len(set(id_of.values())) == len(id_of) > 25


def in_range(features, name: tuple, number: int) -> bool:
    """Whether the id lies in the range of its feature function."""
    place = features.names.index(name[0])
    return features.offsets[place] <= number < features.offsets[place + 1]


def test_a_pair_has_a_feature_only_where_it_was_seen_often_enough() -> None:
    once, twice = feature_set("pair21"), feature_set("pair21", pair_count=2)
    inputs = np.array([[0, 0], [3, 3], [3, 7]])
    assert once.active(inputs).values[:, :, 0].tolist() == [[1, 1], [1, 1], [1, 0]]
    assert twice.size == 1 and once.size == 13, "only <s> <s> comes twice"
    assert twice.active(inputs).values[:, :, 0].tolist() == [[1, 1], [0, 0], [0, 0]]
    assert not FeatureSet("pair21", vocabulary(), CLASSES, {}).active(inputs).values.any(), "no pair is known"


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("word1,stem1", "no features 'stem1'"),
        ("word0", "no features 'word0'"),
        ("pair11", "no features 'pair11'"),
        ("", "no features ''"),
        ("bag,word1,bag", "bag is named twice"),
    ],
)
def test_what_is_no_feature_is_refused(spec: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        features_module.parse_names(spec)


def test_saved_features_are_the_same(tmp_path) -> None:
    features = feature_set()
    features.save(tmp_path / "features.npz")
    loaded = load_features(tmp_path / "features.npz", vocabulary())
    batch = make_batch(SENTENCES, range(len(SENTENCES)))
    for old, new in zip(features.active(batch.inputs), loaded.active(batch.inputs), strict=True):
        assert np.array_equal(old, new)
