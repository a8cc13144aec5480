"""Where an end of a transfer ran: the CPUs of its threads, its card's setup, and NUMA nodes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CardSetup:
    """How a card was set up after a trial; null is unknown, as all of a virtual card's device is.

    Lists of CPUs are in the kernel's notation, and empty if there are none. `irqs` is the number of
    the card's message-signaled interrupts, `irq_cpus` are the CPUs that handle them, `rps_cpus` and
    `xps_cpus` those of all its queues. `changed`: it was another one before the trial.
    """

    driver: str | None
    local_cpus: str | None
    rx_queues: int | None
    tx_queues: int | None
    rps_cpus: str | None
    xps_cpus: str | None
    irqs: int | None
    irq_cpus: str | None
    changed: bool


@dataclass(frozen=True)
class Placement:
    """The CPUs on which an end's threads were asked and allowed to run, and on which they ran.

    `interrupts` is how many the card raised during the trial, `interrupt_cpus` are the CPUs that
    handled them, and `busiest_interrupt_share` is the part of the one that handled most. `far`: no
    thread ran on a CPU that is local to the card. Null is unknown.
    """

    cpus_asked: str | None
    cpus_allowed: str | None
    cpus_used: str | None
    numa_nodes_used: Sequence[int] | None
    disk_numa_nodes: Sequence[int] | None
    card: CardSetup | None
    interrupts: int | None
    interrupt_cpus: str | None
    busiest_interrupt_cpu: int | None
    busiest_interrupt_share: float | None
    far: bool | None


def placement_of(detail: Mapping[str, Any]) -> Placement | None:
    """Return where an end ran, from the detail of its result; None if its probe does not say."""
    found = detail.get("placement")
    if found is None:
        return None
    card = _setup(found["start"], found["end"])
    rows = found["interrupts"]
    counts: Counter[int] = Counter()
    for _, cpu, count in rows or ():
        counts[cpu] += count
    total = counts.total()
    busiest = max(counts, key=lambda cpu: (counts[cpu], -cpu), default=None)
    return Placement(
        cpus_asked=found["cpus"],
        cpus_allowed=found["cpus_allowed"],
        cpus_used=found["cpus_used"],
        numa_nodes_used=found["numa_nodes_used"],
        disk_numa_nodes=found["disk_numa_nodes"],
        card=card,
        interrupts=total if rows is not None else None,
        interrupt_cpus=listed(counts) if rows is not None else None,
        busiest_interrupt_cpu=busiest,
        busiest_interrupt_share=counts[busiest] / total if busiest is not None else None,
        far=_is_far(found["cpus_used"], card),
    )


def _setup(start: Mapping[str, Any] | None, end: Mapping[str, Any] | None) -> CardSetup | None:
    if end is None:
        return None
    irqs: Sequence[Mapping[str, Any]] | None = end["irqs"]
    handled = None if irqs is None else [one["cpus"] for one in irqs]
    return CardSetup(
        driver=end["driver"],
        local_cpus=end["local_cpus"],
        rx_queues=end["rx_queues"],
        tx_queues=end["tx_queues"],
        rps_cpus=end["rps_cpus"],
        xps_cpus=end["xps_cpus"],
        irqs=None if irqs is None else len(irqs),
        irq_cpus=None
        if handled is None or None in handled
        else listed({cpu for one in handled for cpu in cpus_in(one)}),
        changed=start != end,
    )


def _is_far(used: str | None, card: CardSetup | None) -> bool | None:
    local = card.local_cpus if card else None
    if not used or not local:
        return None
    return cpus_in(used).isdisjoint(cpus_in(local))


def cpus_in(text: str) -> set[int]:
    """Return the CPUs of a list in the kernel's notation, such as `0-3,8`."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def listed(cpus: set[int] | Counter[int]) -> str:
    """Return CPUs as a list in the kernel's notation."""
    ranges: list[list[int]] = []
    for cpu in sorted(cpus):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
