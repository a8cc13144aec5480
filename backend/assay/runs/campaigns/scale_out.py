"""Scale-outs: the same test on one target, then on two, … together, as a table.

A campaign that scales out has a run for each number of targets of each test, in this order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.served_by import Source
from assay.base.errors import Problem
from assay.base.states import RunState
from assay.kinds.registry import KINDS
from assay.kinds.scaling import JointRate, RateDoubt, ReachedRate, efficiency
from assay.runs import csv_text, lifecycle, participants
from assay.runs.campaigns.queries import by_test, find
from assay.runs.stored_results import result
from assay.tables.runs import Participant, Run


class NotScaleOut(Problem):
    """The campaign does not scale out."""

    status, code, title = 409, "not_scale_out", "The campaign does not scale out"

    def __init__(self, campaign_id: int) -> None:
        """Name the campaign."""
        super().__init__(
            f"Campaign {campaign_id} was not launched over one, two and more targets.",
            "Launch one with `scale_out`.",
        )


class ScaledRate(BaseModel):
    """A rate of all targets together. `efficiency` is that ÷ (targets × the rate of the first one).

    `doubt` says why this rate has no efficiency, and none is compared with it.
    """

    bytes_per_s: float | None
    efficiency: float | None
    served_by: Source | None
    doubt: RateDoubt | None


class ScaledTarget(BaseModel):
    """A target's application rate in a run, and its share of the sum.

    Of a pair it is the source; with one source and many sinks, the sink.
    """

    participant_id: int
    target_id: int | None
    host: str
    path: str | None
    bytes_per_s: float | None
    share: float | None


class ScaledRun(BaseModel):
    """The run over so many targets, or pairs; its figures are null until it has ended.

    `durable` is null for tests that have no durable rate, `fairness` is Jain's index.
    """

    targets: int
    run_id: int
    state: RunState
    application: ScaledRate | None
    durable: ScaledRate | None
    fairness: float | None
    slowest_participant_id: int | None
    parts: list[ScaledTarget]


class ScaleOutCurve(BaseModel):
    """A cell of a test over a growing number of targets; without a result, `cell` is null.

    `counted` is what `targets` is a number of: of a transfer, pairs of source and sink.
    """

    test: Annotated[int, Field(description="Position in the profile, from 1 on")]
    title: str
    kind: str
    cell: str | None
    label: str
    counted: Literal["targets", "pairs"]
    runs: list[ScaledRun]


def _example_run(targets: int, rates: Sequence[float]) -> dict[str, Any]:
    total, first = sum(rates), 210e6
    rate = {
        "bytes_per_s": total,
        "efficiency": round(total / (targets * first), 2),
        "served_by": "device",
        "doubt": None,
    }
    parts = [
        {
            "participant_id": 40 + targets + number,
            "target_id": number,
            "host": f"web-{number}",
            "path": "/mnt/a",
            "bytes_per_s": each,
            "share": each / total,
        }
        for number, each in enumerate(rates, 1)
    ]
    return {
        "targets": targets,
        "run_id": 40 + targets,
        "state": "done",
        "application": rate,
        "durable": rate,
        "fairness": 1.0,
        "slowest_participant_id": parts[-1]["participant_id"],
        "parts": parts,
    }


_CURVE: dict[str, Any] = {
    "test": 1,
    "title": "Sequential write",
    "kind": next(name for name, kind in KINDS.items() if kind.scales_out),
    "cell": "1048576",
    "label": "1 MiB blocks",
    "counted": "targets",
    "runs": [_example_run(1, [210e6]), _example_run(2, [150e6, 150e6])],
}


class ScaleOut(BaseModel):
    """A campaign's cells over one target, two, … all of its targets."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"campaign_id": 7, "curves": [_CURVE]}]}
    )

    campaign_id: int
    curves: list[ScaleOutCurve]


def scale_out(session: Session, campaign_id: int) -> ScaleOut:
    """Return what each number of targets reaches; raises NotFound or NotScaleOut."""
    campaign = find(session, campaign_id)
    if not campaign.parameters.get("scale_out"):
        raise NotScaleOut(campaign_id)
    runs = session.scalars(
        select(Run).where(Run.campaign_id == campaign_id).order_by(Run.number)
    ).all()
    members = participants.of_runs(session, [run.id for run in runs])
    shown = {run.id: _varying(campaign.parameters, members[run.id]) for run in runs}
    curves = [
        curve
        for test, of_test in by_test(campaign.parameters, runs)
        for curve in _curves(session, test, of_test, shown)
    ]
    return ScaleOut(campaign_id=campaign_id, curves=curves)


def _varying(parameters: Mapping[str, Any], members: Sequence[Participant]) -> list[Participant]:
    """Return the participants of which a larger run has more: all, or one end of each pair.

    That is the sender, unless the sinks are many and the source is one.
    """
    sources, sinks = parameters.get("sources") or (), parameters.get("sinks") or ()
    role = "receiver" if len(sinks) > len(sources) else "sender"
    return [one for one in members if one.role == role] or [*members]


def _curves(
    session: Session, test: int, runs: Sequence[Run], members: Mapping[int, Sequence[Participant]]
) -> Iterator[ScaleOutCurve]:
    """Yield the cells of a test; `runs` are those over one target, two, …"""
    results = {run.id: result(session, run) for run in runs if run.state in lifecycle.FINAL}
    first = results.get(runs[0].id)
    found = {
        run_id: {
            one.cell: one if first and measured.edition == first.edition else _other_rules(one)
            for one in KINDS[runs[0].kind].joint_rates(measured)
        }
        for run_id, measured in results.items()
    }
    labels = {cell: one.label for rates in found.values() for cell, one in rates.items()}
    for cell, label in labels.items() or [(None, "")]:
        alone = found.get(runs[0].id, {}).get(cell or "")
        yield ScaleOutCurve(
            test=test,
            title=runs[0].title,
            kind=runs[0].kind,
            cell=cell,
            label=label,
            counted="pairs" if KINDS[runs[0].kind].transfers else "targets",
            runs=[
                _scaled(run, members[run.id], found.get(run.id, {}).get(cell or ""), alone)
                for run in runs
            ],
        )


def _other_rules(found: JointRate) -> JointRate:
    """Return the rates of a result that follows other rules than that of one target."""
    return replace(
        found,
        application=replace(found.application, doubt="other_rules"),
        durable=found.durable and replace(found.durable, doubt="other_rules"),
    )


def _scaled(
    run: Run, members: Sequence[Participant], rates: JointRate | None, alone: JointRate | None
) -> ScaledRun:
    number = len(members)
    return ScaledRun(
        targets=number,
        run_id=run.id,
        state=cast(RunState, run.state),
        application=rates and _rate(rates.application, number, alone and alone.application),
        durable=rates and rates.durable and _rate(rates.durable, number, alone and alone.durable),
        fairness=rates.fairness if rates else None,
        slowest_participant_id=rates.slowest_participant_id if rates else None,
        parts=[_part(one, rates) for one in members],
    )


def _rate(reached: ReachedRate, number: int, alone: ReachedRate | None) -> ScaledRate:
    return ScaledRate(
        bytes_per_s=reached.bytes_per_s,
        efficiency=efficiency(reached, number, alone) if alone else None,
        served_by=reached.served_by,
        doubt=reached.doubt,
    )


def _part(member: Participant, rates: JointRate | None) -> ScaledTarget:
    known = rates.participants if rates else ()
    own = next((one for one in known if one.participant_id == member.id), None)
    target = member.target
    return ScaledTarget(
        participant_id=member.id,
        target_id=member.target_id,
        host=member.host.name,
        path=target.path if target else None,
        bytes_per_s=own.bytes_per_s if own else None,
        share=own.share if own else None,
    )


_COLUMNS = (
    *("test", "title", "cell", "label", "targets", "run_id", "state"),
    *("application_bytes_per_s", "application_efficiency", "application_doubt"),
    *("durable_bytes_per_s", "durable_efficiency", "durable_doubt", "fairness"),
    *("host", "path", "target_bytes_per_s", "target_share", "target_is_slowest"),
)


def scale_out_csv(found: ScaleOut) -> str:
    """Return a row for each target of each run; those of a run repeat its figures."""
    rows: list[tuple[object, ...]] = []
    for curve in found.curves:
        for run in curve.runs:
            rates = [
                value
                for rate in (run.application, run.durable)
                for value in (
                    (rate.bytes_per_s, rate.efficiency, rate.doubt) if rate else (None, None, None)
                )
            ]
            for part in run.parts:
                slowest = run.slowest_participant_id
                rows.append(
                    (
                        *(curve.test, curve.title, curve.cell, curve.label),
                        *(run.targets, run.run_id, run.state, *rates, run.fairness),
                        *(part.host, part.path, part.bytes_per_s, part.share),
                        part.participant_id == slowest if slowest else None,
                    )
                )
    return csv_text.table(_COLUMNS, rows)


EXAMPLE_CSV = scale_out_csv(ScaleOut.model_validate({"campaign_id": 7, "curves": [_CURVE]}))
"""The table of the example."""
