"""The CPUs of an end's threads: what a test may name, and where the result shows them."""

import pytest
from kinds.tables import rows_of
from kinds.transfer.test_placement import REPORT, found
from pydantic import ValidationError

from .simulated import KIND, MB, both, judged
from .test_parameters import path


@pytest.mark.parametrize("cpus", ["0", "0-3,8", "node:0", "card", "1023"])
def test_cpus_are_named_as_the_kernel_does(cpus: str) -> None:
    test = path(source_cpus=cpus, source_address="192.0.2.1")
    assert test.source_cpus == cpus
    fields = KIND.own_fields(test.model_dump(), "sender", 0)
    assert fields["cpus"] == cpus
    assert KIND.own_fields(test.model_dump(), "receiver", 0)["cpus"] is None


@pytest.mark.parametrize(
    "cpus", ["", "3-1", "0-", "1024", "0,,1", "node:", "node:a", "cards", " 1"]
)
def test_other_words_are_refused(cpus: str) -> None:
    with pytest.raises(ValidationError):
        path(sink_cpus=cpus)


@pytest.mark.parametrize(
    ("side", "leg", "both_ways", "refused"),
    [
        ("source", "read", False, True),
        ("source", "write", False, False),
        ("source", "write", True, True),
        ("source", "disk", True, False),
        ("sink", "write", False, True),
        ("sink", "read", False, False),
    ],
)
def test_the_card_of_a_leg_without_network_needs_an_address(
    side: str, leg: str, both_ways: bool, refused: bool
) -> None:
    test = {"legs": [leg, "memory"], f"{side}_cpus": "card", "full_duplex": both_ways}
    if refused:
        with pytest.raises(ValidationError, match=f"{side}_address"):
            path(**test)
        test[f"{side}_address"] = "192.0.2.1"
    assert getattr(path(**test), f"{side}_cpus") == "card"


def test_the_result_and_its_table_have_the_placement_of_each_end() -> None:
    result = judged({"memory": [both("memory", 100 * MB, placement=REPORT)]})
    (trial,) = result.legs[0].trials
    assert trial.sender and trial.receiver and trial.sender.placement == found()
    (row,) = rows_of(result)
    assert row["sender_cpus_used"] == row["receiver_cpus_used"] == "8,10"
    assert (row["sender_numa_nodes_used"], row["receiver_disk_numa_nodes"]) == ("1", "0")
    assert (row["sender_card_driver"], row["sender_card_irq_cpus"]) == ("mlx5_core", "8-9")
    assert row["receiver_busiest_interrupt_share"] == "0.6"
