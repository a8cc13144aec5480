"""Transfers of a path as deliveries, for comparison with other programs."""

from collections.abc import Sequence
from statistics import fmean

from assay.analysis.statuses import COUNTED
from assay.kinds.kind import Delivery
from assay.kinds.path.fields import READING, TRANSFERS, WRITING
from assay.kinds.path.legs import PathLeg, rates_of
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.path.trials import PathTrial

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
    """Return the CPU seconds of both hosts per 10^9 bytes; of one host, if both ends are there."""
    loads = [end.load for end in (trial.sender, trial.receiver) if end is not None]
    used = [one.busy_ns / 1e9 for one in loads if one is not None and one.busy_ns]
    if len(used) < 2 or not trial.bytes:
        return None
    return (max(used) if same_host else sum(used)) * GB / trial.bytes
