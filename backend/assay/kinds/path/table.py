"""A path test as CSV."""

import csv
import io
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
_STAGE = ("busy", "full", "empty")
_CALLS = ("mean_ns", "median_ns", "p99_ns", "max_ns")
_PAIR = ("source", "sink", "share", "start_delay_ns", "window_ns", "fairness")
_ENDS = ("sender", "receiver")


def path_csv(result: PathResult) -> str:
    """Return a row per trial: rates in bytes per second, times in ns, shares as parts of one.

    After that of a trial of several pairs, each pair has a row with its `source` and `sink`.
    """
    columns = [
        *("leg", "block", "streams", "leading_rate"),
        *_TRIAL,
        *("flags", "inflated", "served_by"),
        *_LINK,
        *(f"{end}_{name}" for end in _ENDS for name in (*_LOAD, "cpu_ns", "own_cores", "card")),
        *(f"{stage}_{name}" for stage in ("source", "send", "receive", "sink") for name in _STAGE),
        *_PAIR,
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
            writer.writerow(
                map(_plain, [*_setting(leg), *own, *_ends(trial), *joint, *_files(trial)])
            )
            for pair in trial.pairs:
                own = [trial.repeat, *(getattr(pair, name, None) for name in _TRIAL[1:])]
                own += [None, None, pair.served_by.source if pair.served_by else None]
                joint = [getattr(pair, name) for name in _PAIR[:4]] + [None, None]
                writer.writerow(
                    map(_plain, [*_setting(leg), *own, *_ends(pair), *joint, *_files(pair)])
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


def _stages(end: EndFigures | None, *names: str) -> list[Any]:
    stage = end.stage(*names) if end else None
    return [getattr(stage, name) if stage else None for name in _STAGE]


def _plain(value: object) -> object:
    """Format booleans as JSON and databases do."""
    return str(value).lower() if isinstance(value, bool) else value
