"""Transfers of a path as deliveries, for comparison with other programs."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.analysis.statuses import COUNTED
from assay.kinds.path.fields import READING, TRANSFERS, WRITING
from assay.kinds.path.legs import PathLeg, rates_of
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.path.streams import EndFigures
from assay.kinds.path.trials import PathTrial
from assay.kinds.result import Delivery

GB = 10**9


def deliveries(result: PathResult) -> Sequence[Delivery]:
    """Return what each leg that uses the network reached, with each setting."""
    return [
        _delivery(leg, same_host=result.same_host) for leg in result.legs if leg.leg in TRANSFERS
    ]


def _delivery(leg: PathLeg, *, same_host: bool) -> Delivery:
    counted = [one for one in leg.trials if one.status in COUNTED]
    costs = [cost for one in counted if (cost := _cpu(one, same_host=same_host)) is not None]
    fixed = leg.leg in READING | WRITING
    return Delivery(
        name=trial_words({"leg": leg.leg, "block": leg.block, "streams": leg.streams or 0}),
        length_bytes=max((one.bytes for one in counted), default=None) if fixed else None,
        rates=rates_of(leg),
        bytes_per_s=leg.bytes_per_s.mean if leg.bytes_per_s else None,
        cpu_s_per_gb=fmean(costs) if costs else None,
        lost=sum(one.wrong_blocks for one in counted) if counted else None,
    )


def _cpu(trial: PathTrial, *, same_host: bool) -> float | None:
    """Return the CPU seconds of all hosts per 10^9 bytes, each host counted once."""
    of_host: dict[str, list[float]] = {}
    for host, end in _ends(trial):
        if end is None or end.load is None or not end.load.busy_ns:
            return None
        of_host.setdefault("" if same_host else host, []).append(end.load.busy_ns / 1e9)
    used = [max(one) for one in of_host.values()]
    return sum(used) * GB / trial.bytes if trial.bytes else None


def _ends(trial: PathTrial) -> Iterator[tuple[str, EndFigures | None]]:
    """Yield both ends of each pair of a trial, with a name that ends on one host share."""
    if not trial.pairs:
        yield from (("source", trial.sender), ("sink", trial.receiver))
    for pair in trial.pairs:
        yield from ((pair.source_host, pair.sender), (pair.sink_host, pair.receiver))
