"""Where an end of a transfer ran: the summary of what its probe reports."""

from typing import Any

from assay.kinds.transfer.placement import Placement, cpus_in, listed, placement_of
from hypothesis import given
from hypothesis import strategies as st

SETUP: dict[str, Any] = {
    "driver": "mlx5_core",
    "local_cpus": "8-15",
    "rx_queues": 2,
    "tx_queues": 2,
    "rps_cpus": "",
    "xps_cpus": "8-9",
    "irqs": [{"irq": 33, "cpus": "8"}, {"irq": 34, "cpus": "9"}],
}
REPORT: dict[str, Any] = {
    "cpus": "node:1",
    "cpus_allowed": "8-15",
    "cpus_used": "8,10",
    "numa_nodes_used": [1],
    "disk_numa_nodes": [0],
    "start": SETUP,
    "end": SETUP,
    "interrupts": [[33, 8, 300], [34, 9, 600], [34, 8, 100]],
}


def found(**changed: Any) -> Placement:
    place = placement_of({"placement": REPORT | changed})
    assert place is not None
    return place


def test_interrupts_are_summed_by_the_cpus_that_handled_them() -> None:
    place = found()
    assert (place.interrupts, place.interrupt_cpus) == (1000, "8-9")
    assert (place.busiest_interrupt_cpu, place.busiest_interrupt_share) == (9, 0.6)
    assert place.card is not None
    assert (place.card.irqs, place.card.irq_cpus, place.card.changed) == (2, "8-9", False)
    assert (place.cpus_asked, place.far) == ("node:1", False)


def test_no_interrupt_is_known_and_an_unknown_number_is_not_none() -> None:
    quiet = found(interrupts=[])
    assert (quiet.interrupts, quiet.interrupt_cpus) == (0, "")
    assert quiet.busiest_interrupt_cpu is quiet.busiest_interrupt_share is None
    unknown = found(interrupts=None)
    assert unknown.interrupts is unknown.interrupt_cpus is None


def test_a_card_that_the_kernel_does_not_describe_is_unknown() -> None:
    place = found(start=None, end=None, interrupts=None)
    assert place.card is None and place.far is None
    virtual = dict.fromkeys(SETUP) | {"rx_queues": 1, "tx_queues": 1, "rps_cpus": ""}
    place = found(start=virtual, end=virtual, interrupts=None)
    assert place.card is not None
    assert (place.card.driver, place.card.irqs, place.card.irq_cpus) == (None, None, None)
    assert place.far is None


def test_one_unknown_affinity_leaves_that_of_all_unknown() -> None:
    place = found(end=SETUP | {"irqs": [{"irq": 33, "cpus": None}, {"irq": 34, "cpus": "9"}]})
    assert place.card is not None
    assert (place.card.irqs, place.card.irq_cpus, place.card.changed) == (2, None, True)


def test_threads_are_far_from_the_card_if_none_ran_near_it() -> None:
    assert found(cpus_used="0-7").far is True
    assert found(cpus_used="7-8").far is False
    assert found(cpus_used=None).far is None


def test_an_older_probe_reports_no_placement() -> None:
    assert placement_of({}) is None


@given(st.sets(st.integers(min_value=0, max_value=1023)))
def test_a_list_of_cpus_is_read_as_it_was_written(cpus: set[int]) -> None:
    assert cpus_in(listed(cpus)) == cpus
