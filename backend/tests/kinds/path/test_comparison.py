"""The comparison of paths in words."""

import pytest
from assay.base.worded import plain
from assay.kinds.path.comparison import limit_sentences
from assay.kinds.path.result import PathResult
from assay.kinds.transfer.evidence import Limit

from .simulated import KIND, MB, both, judged
from .test_duplex import measured, one_way
from .test_result import path, small_files_to

AGAINST = "(540 MB/s disk to disk against 325 MB/s disk to disk)"
SINKS = "Both: limited by the sink's disk."


def said(*results: PathResult) -> list[str]:
    """Return the sentences of a comparison of these runs, which are numbered from 1."""
    runs = [one.model_copy(update={"run_id": number}) for number, one in enumerate(results, 1)]
    return [plain(sentence) for sentence in KIND.compare(runs).sentences]


def once(rate: float) -> PathResult:
    """Return a path from memory to memory with one repeat at this rate in MB/s."""
    return judged({"memory": [both("memory", rate * MB)]})


NOTHING = judged({"memory": [both("memory", 900 * MB, status="failed")]})


def test_it_says_how_much_faster_a_path_is_and_what_limits_both() -> None:
    fast, slow = path(800, 1200, 550, 540), path(800, 1200, 330, 325)
    assert said(fast, slow) == [f"run 1 is 66 % faster than run 2 {AGAINST}.", SINKS]
    assert said(slow, fast)[0].startswith("run 1 is 40 % slower than run 2 (325 MB/s disk")


def test_it_claims_no_difference_within_noise() -> None:
    fast, near = path(800, 1200, 550, 540), path(800, 1200, 550, 541)
    assert said(fast, near)[0] == (
        "run 1 is as fast as run 2 within noise "
        "(540 MB/s disk to disk against 541 MB/s disk to disk)."
    )


def test_paths_without_a_common_reliable_rate_do_not_compare() -> None:
    disk, memory = path(800, 1200, 550, 540), once(900)
    assert said(memory, NOTHING)[0] == (
        "run 1 and run 2 cannot be compared: run 1 has 900 MB/s memory to memory; "
        "run 2 has no reliable rate."
    )
    assert said(NOTHING, NOTHING)[0] == (
        "run 1 and run 2 cannot be compared: neither has a reliable rate."
    )
    assert said(disk, memory)[0] == (
        "run 1 and run 2 cannot be compared: run 1 has 540 MB/s disk to disk; "
        "run 2 has 900 MB/s memory to memory."
    )


@pytest.mark.parametrize(
    ("a", "b", "sentences"),
    [
        ("sink_disk", "sink_disk", [SINKS]),
        (
            "sink_disk",
            "link",
            ["run 1: limited by the sink's disk; run 2: limited by the link."],
        ),
        ("undetermined", "undetermined", ["Both: limit undetermined."]),
        ("sink_disk", None, []),
        (None, "sink_disk", []),
    ],
)
def test_limits_are_named_where_both_are_known(
    a: Limit | None, b: Limit | None, sentences: list[str]
) -> None:
    assert [plain(one) for one in limit_sentences((1, a), (2, b))] == sentences


def of_legs(a: PathResult, b: PathResult) -> list[str]:
    return [plain(sentence) for sentence in KIND.compare([a, b]).leg_sentences]


def test_it_says_what_both_directions_cost_each_one() -> None:
    duplex = measured("memory", rates=(600, 400))
    assert of_legs(duplex, one_way(1000)) == [
        "Memory to memory, host-a /mnt/a → host-z /mnt/z: with traffic in both directions 0.600 "
        "times its rate one way (600 MB/s against 1.00 GB/s)."
    ]
    assert of_legs(duplex, one_way(600))[0].endswith(
        " 1.00 times its rate one way (600 MB/s against 600 MB/s), a difference within noise."
    )
    assert of_legs(one_way(500), one_way(500)) == []


def test_it_gives_the_small_files_per_second_of_both_runs() -> None:
    quick, slow = (
        judged({"disk": [small_files_to(6 * 10**9, sync_s=sync_s)]}) for sync_s in (2.5, 10)
    )
    (sentence,) = of_legs(quick, slow)
    assert sentence == "Disk to disk, 1 MiB, four streams: 80 against 50 small files per second."
