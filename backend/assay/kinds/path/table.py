"""A path test as CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assay.kinds.path.legs import PathLeg
from assay.kinds.path.result import PathResult
from assay.kinds.path.streams import EndFigures, LinkFigures
from assay.kinds.path.trials import PathPair, PathTrial

_TRIAL = (
    *("repeat", "status", "bytes", "application_bytes_per_s", "durable_bytes_per_s", "bounded"),
    "wrong_blocks",
)
_LINK = (
    *("rtt_idle_ns", "rtt_load_ns", "retransmits", "retransmitted"),
    *("receive_window_limited", "send_buffer_limited", "congestion_control", "mss_bytes"),
    *("send_buffer_bytes", "receive_buffer_bytes", "rejected"),
)
_LOAD = ("busiest_core", "user", "system", "softirq", "iowait", "dirty_growth_bytes")
_STAGE = ("threads", "busy", "full", "empty")
_PLACEMENT = (
    *("cpus_asked", "cpus_allowed", "cpus_used", "numa_nodes_used", "disk_numa_nodes"),
    *("interrupts", "interrupt_cpus", "busiest_interrupt_cpu", "busiest_interrupt_share"),
)
_CARD = ("driver", "local_cpus", "rx_queues", "tx_queues", "rps_cpus", "xps_cpus", "irq_cpus")
_CALLS = ("mean_ns", "median_ns", "p99_ns", "max_ns")
_PAIR = ("source", "sink", "share", "start_delay_ns", "window_ns", "fairness")
_OWN = ("own_bytes_per_s", "own_ns")
_ENDS = ("sender", "receiver")


def path_csv(result: PathResult) -> str:
    """Return a row per trial: rates in bytes per second, times in ns, shares as parts of one.

    After that of a trial of several pairs, each pair has a row with its `source` and `sink`; with
    full duplex, also its `direction`: `forward` is from the source to the sink that were selected.
    Its application rate is that of the time in which all pairs moved data, `own_bytes_per_s` that
    over `own_ns`, its own time.
    """
    columns = [
        *("leg", "block", "streams", "leading_rate"),
        *_TRIAL,
        *("flags", "inflated", "served_by"),
        *_LINK,
        *(f"{end}_{name}" for end in _ENDS for name in (*_LOAD, "cpu_ns", "own_cores", "card")),
        *(f"{stage}_{name}" for stage in ("source", "send", "receive", "sink") for name in _STAGE),
        *_PAIR,
        "direction",
        *(f"{end}_{name}" for end in _ENDS for name in _PLACEMENT),
        *(f"{end}_card_{name}" for end in _ENDS for name in ("numa_node", *_CARD)),
        *("files", "files_per_s"),
        *(
            f"{side}_{call}_{name}"
            for side, call in (
                ("source", "open"),
                ("source", "close"),
                ("sink", "create"),
                ("sink", "close"),
            )
            for name in _CALLS
        ),
        *_OWN,
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for leg in result.legs:
        for trial in leg.trials:
            own = [getattr(trial, name) for name in _TRIAL]
            own += [
                " ".join(flag.code for flag in trial.flags),
                trial.inflated.code if trial.inflated else None,
                trial.served_by.source if trial.served_by else None,
            ]
            joint = [None, None, None, None, trial.window_ns, trial.fairness]
            places = _placements(trial)
            writer.writerow(
                map(
                    _plain,
                    [
                        *_setting(leg),
                        *own,
                        *_ends(trial),
                        *joint,
                        None,
                        *places,
                        *_files(trial),
                        *(None for _ in _OWN),
                    ],
                )
            )
            for number, pair in enumerate(trial.pairs):
                own = [trial.repeat, *(getattr(pair, name, None) for name in _TRIAL[1:])]
                own += [None, None, pair.served_by.source if pair.served_by else None]
                joint = [getattr(pair, name) for name in _PAIR[:4]] + [None, None]
                way = ("forward", "reverse")[number % 2] if result.full_duplex else None
                places = _placements(pair)
                writer.writerow(
                    map(
                        _plain,
                        [
                            *_setting(leg),
                            *own,
                            *_ends(pair),
                            *joint,
                            way,
                            *places,
                            *_files(pair),
                            *(getattr(pair, name) for name in _OWN),
                        ],
                    )
                )
    return out.getvalue()


def _setting(leg: PathLeg) -> list[object]:
    return [leg.leg, leg.block, leg.streams, leg.rate]


def _ends(one: PathTrial | PathPair) -> list[object]:
    return [
        *_link(one.link),
        *_end(one.sender),
        *_end(one.receiver),
        *_stages(one.sender, "read", "fill"),
        *_stages(one.sender, "send"),
        *_stages(one.receiver, "receive"),
        *_stages(one.receiver, "write"),
    ]


def _files(one: PathTrial | PathPair) -> list[object]:
    ends = [end and end.files for end in (one.sender, one.receiver)]
    calls = [call for end in ends for call in ((end.open, end.close) if end else (None, None))]
    figures = [getattr(call, name) if call else None for call in calls for name in _CALLS]
    return [one.files, one.files_per_s, *figures]


def _link(link: LinkFigures | None) -> list[Any]:
    return [getattr(link, name) if link else None for name in _LINK]


def _end(end: EndFigures | None) -> list[Any]:
    load = end.load if end else None
    found = [getattr(load, name) if load else None for name in _LOAD]
    own = [end.cpu_ns, end.own_cores] if end else [None, None]
    return [*found, *own, end.card.name if end and end.card else None]


def _placements(one: PathTrial | PathPair) -> list[Any]:
    """Return where both ends ran: CPUs and interrupts of each, then the card of each."""
    ends = [one.sender, one.receiver]
    found = [end.placement if end else None for end in ends]
    cards: list[Any] = []
    for end, place in zip(ends, found, strict=True):
        setup = place.card if place else None
        cards.append(end.card.numa_node if end and end.card else None)
        cards += [getattr(setup, name) if setup else None for name in _CARD]
    own: list[Any] = []
    for place in found:
        known = asdict(place) if place else {}
        for nodes in ("numa_nodes_used", "disk_numa_nodes"):
            known[nodes] = _listed(known.get(nodes))
        own += [known.get(name) for name in _PLACEMENT]
    return own + cards


def _listed(numbers: Sequence[int] | None) -> str | None:
    """Format numbers as the kernel does."""
    return None if numbers is None else ",".join(map(str, numbers))


def _stages(end: EndFigures | None, *names: str) -> list[Any]:
    stage = end.stage(*names) if end else None
    return [getattr(stage, name) if stage else None for name in _STAGE]


def _plain(value: object) -> object:
    """Format booleans as JSON and databases do."""
    return str(value).lower() if isinstance(value, bool) else value
