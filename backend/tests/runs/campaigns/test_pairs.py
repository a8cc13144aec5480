"""Which source is paired with which sink, and in which order the pairs of a mesh run."""

from itertools import permutations

import pytest
from assay.runs.campaigns.pairs import MOST_MESHED, meshed, mispaired, paired


def test_many_sources_share_one_sink_and_one_source_many_sinks() -> None:
    assert paired(3, 1) == [(0, 0), (1, 0), (2, 0)]
    assert paired(1, 3) == [(0, 0), (0, 1), (0, 2)]
    assert paired(2, 2) == [(0, 0), (1, 1)]
    assert paired(2, 3) == []


@pytest.mark.parametrize("number", range(2, MOST_MESHED + 1))
def test_a_mesh_has_each_ordered_pair_once(number: int) -> None:
    pairs = meshed(number)
    assert sorted(pairs) == sorted(permutations(range(number), 2))


@pytest.mark.parametrize("number", range(4, MOST_MESHED + 1))
def test_pairs_of_a_mesh_that_follow_each_other_have_no_place_in_common(number: int) -> None:
    pairs, at_once = meshed(number), number // 2
    for begin in range(0, len(pairs), at_once):
        busy = [place for pair in pairs[begin : begin + at_once] for place in pair]
        assert len(set(busy)) == len(busy) == 2 * at_once


@pytest.mark.parametrize(
    ("sources", "sinks", "arrangement", "fields"),
    [
        ("ab", "c", "together", []),
        ("ab", "ba", "together", []),
        ("ab", "cde", "together", ["sinks"]),
        ("aa", "c", "together", ["sources.1"]),
        ("a", "cdc", "together", ["sinks.2"]),
        ("aa", "cc", "together", ["sources.1"]),
        ("abc", "", "mesh", []),
        ("abc", "cab", "mesh", []),
        ("abc", "abd", "mesh", ["sinks"]),
        ("a", "", "mesh", ["sources"]),
        ("a" * (MOST_MESHED + 1), "", "mesh", ["sources"]),
    ],
)
def test_ends_that_cannot_be_paired_are_refused_by_name(
    sources: str, sinks: str, arrangement: str, fields: list[str]
) -> None:
    found = list(mispaired(sources, sinks, arrangement))  # pyright: ignore[reportArgumentType]
    assert [one.field for one in found] == fields
    assert all(one.remedy for one in found)
