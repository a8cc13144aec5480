"""The comparison of tools with each other, and with Assay's own engine, in words."""

from assay.base.worded import plain
from assay.kinds.tool.comparison import compare
from assay.kinds.transfer.comparison import Delivery

GB = 10**9


def delivery(name: str, rate: float, lost: int = 0, length_bytes: int = 20 * GB) -> Delivery:
    """Return a way of moving data that reached about this rate in MB/s in three repeats."""
    rates = [rate * 1e6 * factor for factor in (0.995, 1, 1.005)]
    return Delivery(name, length_bytes, rates, rate * 1e6, 1.1, lost)


def said(ours: list[Delivery], theirs: list[Delivery]) -> list[str]:
    found = compare([(42, "path", ours), (43, "tool", theirs)])
    return [plain(sentence) for sentence in found.sentences]


OURS, SCP, RSYNC = delivery("Disk to disk", 545), delivery("scp", 300), delivery("rsync", 412)
FASTER = "run 42 is 32 % faster than run 43 (Disk to disk against rsync)."


def test_it_names_the_fastest_way_of_each_run() -> None:
    assert said([OURS], [SCP, RSYNC]) == [FASTER]


def test_it_names_no_way_that_lost_data_as_the_fastest() -> None:
    assert said([OURS], [SCP, RSYNC, delivery("lossy", 900, lost=3)]) == [FASTER]


def test_it_warns_of_different_inputs() -> None:
    theirs = delivery("rsync", 412, length_bytes=GB)
    assert said([OURS], [theirs]) == [
        FASTER,
        "They moved different amounts of data, so the ratio says little.",
    ]


def test_without_a_reliable_rate_nothing_compares() -> None:
    none = Delivery("rsync", 20 * GB, [], None, None, None)
    sentence = "run 42 and run 43 cannot be compared: one of them has no reliable rate."
    assert said([OURS], [none]) == [sentence]
    assert said([OURS], []) == [sentence]
