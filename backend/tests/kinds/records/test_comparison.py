"""The comparison of records tests in words."""

from typing import Any

from assay.base.worded import plain
from assay.kinds.records.result import RecordsResult
from kinds.staircases import of_records, of_seconds

from .simulated import KIND, MB, judged, trial

MILLION = 10**6


def repeated(records: int, **given: Any) -> RecordsResult:
    """Return three repeats with about this number of records of each of three senders."""
    each = [(records + repeat,) * 3 for repeat in (1, 2, 3)]
    whole = given.get("medium") != "memory"
    trials = (trial(repeat=n, each=one, read_back=whole) for n, one in enumerate(each, 1))
    return judged(*trials, **given)


def said(*results: RecordsResult) -> list[str]:
    """Return the sentences of a comparison of these runs, which are numbered from 1."""
    runs = [one.model_copy(update={"run_id": number}) for number, one in enumerate(results, 1)]
    return [plain(sentence) for sentence in KIND.compare(runs).sentences]


def test_it_names_the_records_of_both_their_limits_and_what_differs() -> None:
    disk, memory = repeated(4 * MILLION), repeated(12 * MILLION, medium="memory")
    faster, *_, differs = said(memory, disk)
    assert faster == (
        "run 1 is 3.00 times as fast as run 2 with 1 KiB records "
        "(3.00 million records/s against 1.00 million records/s)."
    )
    assert differs == "The runs differ in the sink (file or memory)."
    assert said(disk, disk) == [
        "run 1 is as fast as run 2 within noise with 1 KiB records "
        "(1.00 million records/s against 1.00 million records/s).",
        "Both: limit undetermined.",
    ]


def test_every_condition_that_differs_is_listed() -> None:
    one, other = repeated(4 * MILLION), repeated(4 * MILLION, format="json", rate_records_per_s=9)
    assert said(one, other)[-1] == "The runs differ in the format and the paced rate."


def test_without_a_common_reliable_rate_nothing_compares() -> None:
    none = judged(trial(4096))
    assert said(repeated(4 * MILLION), none)[0] == (
        "run 1 and run 2 cannot be compared: "
        "they have no reliable rate with the same record length."
    )


def test_the_levels_of_a_rate_that_fell_are_named() -> None:
    fell = of_records(of_seconds((123 * MB, 4), (30 * MB, 6)))
    assert said(fell, repeated(4 * MILLION))[0] == (
        "The rate changed for good: with 1 KiB records, run 1 reached 120 000 records/s → "
        "29 300 records/s; run 2 1.00 million records/s."
    )
