"""What others sent through the card of a transfer's end, in the direction of the data."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.analysis.contention import DISTURBS, LEAST_BYTES
from assay.analysis.flags import Flag
from assay.base import words
from assay.kinds.run_record import AttemptRecord
from assay.kinds.transfer.streams import EndFigures, bytes_sent, detail_of, end_figures, total

HEADERS_BYTES = 94
"""Ethernet, IP and TCP headers of a packet, with all options."""


@dataclass(frozen=True)
class HostEnd:
    """An end of a transfer on the host of a card: its attempt, and that of its sender."""

    own: AttemptRecord | None
    sender: AttemptRecord | None


@dataclass(frozen=True)
class HostTransfers:
    """The transfers of a run with an end on one host, whose data may pass the same card.

    `along` move their data in the direction of the end in question, which is one of them, `against`
    in the opposite one: acknowledgements of these pass the card in its direction.
    """

    along: Sequence[HostEnd]
    against: Sequence[HostEnd] = field(default_factory=list[HostEnd])


def figures_of(own: AttemptRecord | None, transfers: HostTransfers | None) -> EndFigures | None:
    """Return what an end did, with what others moved through its card if it used the network."""
    found = end_figures([own])
    if found is None or transfers is None:
        return found
    return replace(found, others_bytes=_others_bytes(own, transfers))


def _others_bytes(own: AttemptRecord | None, transfers: HostTransfers) -> int | None:
    """Return the bytes on an end's card, in the direction of its data, that are not the run's.

    None if a counter is unknown. Packets of the run are estimated as those with most headers.
    """
    detail = detail_of(own)
    if detail is None or detail["card"] is None:
        return None
    passed: int | None = detail["card"].get(
        "tx_bytes" if detail["role"] == "sender" else "rx_bytes"
    )
    own_card: str = detail["card"]["name"]
    data = [_data_bytes(one) for one in _through(own_card, transfers.along)]
    acknowledged = [_acknowledging_bytes(one) for one in _through(own_card, transfers.against)]
    expected = [*data, *acknowledged]
    known = total(expected)
    return None if passed is None or known is None else max(0, passed - known)


def shared_card(end: EndFigures | None, moved: int) -> Flag | None:
    """Return the flag of a transfer that shared a card with other traffic in its direction.

    `moved` are the bytes of all the run's transfers in that direction.
    """
    if end is None or end.card is None or end.others_bytes is None:
        return None
    if end.others_bytes < max(LEAST_BYTES, DISTURBS * moved):
        return None
    said = f"Other traffic of {words.size(end.others_bytes)} used the card {end.card.name}."
    return Flag("contended", said, {"others_bytes": float(end.others_bytes)})


def _through(name: str, ends: Sequence[HostEnd]) -> list[AttemptRecord | None]:
    """Return the senders of the ends that use a card; those whose card is unknown may use it."""
    return [one.sender for one in ends if _card_name(one.own) in (name, None)]


def _card_name(end: AttemptRecord | None) -> str | None:
    detail = detail_of(end)
    return detail["card"]["name"] if detail and detail["card"] else None


def _data_bytes(sender: AttemptRecord | None) -> int | None:
    """Return the bytes of a sender's data with their headers; None if unknown."""
    found = _sent(sender)
    return None if found is None else round(found[0] * (1 + HEADERS_BYTES / found[1]))


def _acknowledging_bytes(sender: AttemptRecord | None) -> int | None:
    """Return the bytes of one acknowledgement for each segment of a sender; None if unknown."""
    found = _sent(sender)
    return None if found is None else round(found[0] * HEADERS_BYTES / found[1])


def _sent(sender: AttemptRecord | None) -> tuple[int, int] | None:
    """Return the bytes that a sender's streams sent, also again, and the size of their segments."""
    detail = detail_of(sender)
    if detail is None or not detail["streams"] or not detail["mss_bytes"]:
        return None
    sent = bytes_sent(detail)
    return None if sent is None else (sent, detail["mss_bytes"])
