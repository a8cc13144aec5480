"""Queries for verdicts: stored ones, and those of ended runs whose result is not stored yet."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay.analysis.edition import EDITION
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.runs import stored_results
from assay.runs.lifecycle import FINAL
from assay.runs.results import judge as evaluate
from assay.runs.verdicts.criteria import Criterion, parse
from assay.runs.verdicts.judging import (
    CRITERIA_RULES,
    Outcome,
    Row,
    fitting,
    gravest,
    judge_run,
    no_run_judged,
)
from assay.runs.verdicts.outcomes import effective
from assay.runs.verdicts.schemas import (
    CampaignVerdict,
    RunVerdict,
    VerdictRow,
    VerdictSummary,
    WaiverOut,
)
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import among
from assay.tables.runs import Run
from assay.tables.verdicts import CampaignWaiver, Verdict, Waiver

_row: TypeAdapter[Row] = TypeAdapter(Row)


def rows_of(run: Run, result: BaseResult, criteria: Sequence[dict[str, Any]]) -> list[Row]:
    """Judge the criteria of a campaign on a run's result."""
    return judge_run(KINDS[run.kind], run.parameters, result, _parsed(criteria))


def document(row: Row) -> dict[str, Any]:
    """Return a row for storage."""
    return _row.dump_python(row, mode="json")


def of_runs(session: Session, runs: Sequence[Run]) -> dict[int, RunVerdict]:
    """Return the verdicts of ended runs by id; runs without criteria have none.

    A run whose result is not stored yet is judged by the current rules, as it will be stored.
    """
    criteria = _criteria(session, runs)
    ended = {run.id: run for run in runs if run.state in FINAL and criteria[run.campaign_id]}
    if not ended:
        return {}
    waivers = _waivers(session, ended)
    rows: dict[int, list[Verdict]] = {}
    for row in session.scalars(
        select(Verdict)
        .where(among(session, Verdict.run_id, ended))
        .order_by(Verdict.run_id, Verdict.number)
    ):
        rows.setdefault(row.run_id, []).append(row)
    found = {run_id: _stored(ended[run_id], of, waivers) for run_id, of in rows.items()}
    for run in ended.values():
        if run.rules is None and (fresh := _judged(session, run, criteria[run.campaign_id])):
            found[run.id] = fresh
    return found


def summaries(session: Session, runs: Sequence[Run]) -> dict[int, VerdictSummary]:
    """Return the verdicts of ended runs as lists show them."""
    stored = [run.id for run in runs if run.rules is not None]
    judged = (
        select(
            Verdict.run_id,
            effective().label("outcome"),
            Verdict.rules,
            Verdict.criteria_rules,
        )
        .where(among(session, Verdict.run_id, stored))
        .subquery()
    )
    same = (judged.c.run_id, judged.c.outcome, judged.c.rules, judged.c.criteria_rules)
    rows = session.execute(select(*same, func.count()).group_by(*same)) if stored else ()
    found: dict[int, list[VerdictSummary]] = {}
    for run_id, outcome, *versions, count in map(tuple[Any, ...], rows):
        found.setdefault(run_id, []).append(_summary({outcome: count}, versions))
    fresh = of_runs(session, [run for run in runs if run.rules is None])
    for run_id, verdict in fresh.items():
        outcomes: Counter[Outcome] = Counter(row.outcome for row in verdict.rows)
        found[run_id] = [_summary(outcomes, [verdict.rules, verdict.criteria_rules])]
    return {run_id: combined(parts) for run_id, parts in found.items()}


def combined(parts: Sequence[VerdictSummary], unjudged: Collection[Outcome] = ()) -> VerdictSummary:
    """Return the verdict of several, and of criteria by which none of them was judged.

    `unjudged` has the outcomes of these: inconclusive or waived. It is at best inconclusive if the
    parts follow different rules.
    """
    rules = sorted({one for part in parts for one in part.rules})
    outcomes: list[Outcome] = [*(part.outcome for part in parts), *unjudged]
    if len(rules) > 1:
        outcomes.append("inconclusive")
    numbers = Counter(unjudged)
    return VerdictSummary(
        outcome=gravest(outcomes) or "pass",
        failed=sum(part.failed for part in parts),
        inconclusive=sum(part.inconclusive for part in parts) + numbers["inconclusive"],
        waived=sum(part.waived for part in parts) + numbers["waived"],
        passed=sum(part.passed for part in parts),
        rules=rules,
    )


def _summary(numbers: Mapping[Outcome, int], versions: Sequence[str]) -> VerdictSummary:
    return VerdictSummary(
        outcome=gravest(numbers) or "pass",
        failed=numbers.get("fail", 0),
        inconclusive=numbers.get("inconclusive", 0),
        waived=numbers.get("waived", 0),
        passed=numbers.get("pass", 0),
        rules=[".".join(versions)],
    )


def of_campaign(session: Session, campaign_id: int) -> CampaignVerdict:
    """Return the campaign's own verdict."""
    runs = _runs(session, campaign_id)
    criteria = session.get_one(Campaign, campaign_id).criteria
    numbers = unjudged(session, runs).get(campaign_id, [])
    verdicts = list(of_runs(session, runs).values())
    waivers = _campaign_waivers(session, [campaign_id])
    own = {number: waivers.get((campaign_id, number)) for number in numbers}
    return _campaign(campaign_id, verdicts, _unjudged(runs, criteria, own))


def judged_again(
    session: Session, campaign_id: int, criteria: Sequence[dict[str, Any]]
) -> CampaignVerdict:
    """Judge a campaign's ended runs by other criteria and the current rules; store nothing.

    A stored result of another version of the rules is replaced by one computed from the record.
    """
    every = _runs(session, campaign_id)
    runs = [run for run in every if run.state in FINAL]
    verdicts = [one for run in runs if (one := _judged(session, run, criteria))]
    numbers = list[int]()
    if runs == every:
        judged = {row.number for verdict in verdicts for row in verdict.rows}
        numbers = [number for number in range(len(criteria)) if number not in judged]
    none_waived = dict.fromkeys(numbers)
    return _campaign(campaign_id, verdicts, _unjudged(runs, criteria, none_waived))


def outcomes_of_unjudged(session: Session, runs: Sequence[Run]) -> dict[int, list[Outcome]]:
    """Return the outcome of each criterion by which no run was judged, of each ended campaign.

    `runs` are all runs of some campaigns.
    """
    found = unjudged(session, runs)
    waivers = _campaign_waivers(session, [one for one, numbers in found.items() if numbers])
    outcomes: dict[int, list[Outcome]] = {}
    for campaign_id, numbers in found.items():
        waived = [(campaign_id, number) in waivers for number in numbers]
        outcomes[campaign_id] = ["waived" if one else "inconclusive" for one in waived]
    return outcomes


def unjudged(session: Session, runs: Sequence[Run]) -> dict[int, list[int]]:
    """Return the numbers of the criteria by which no run was judged, of each ended campaign.

    `runs` are all runs of some campaigns.
    """
    criteria = _criteria(session, runs)
    ended = set(criteria) - {run.campaign_id for run in runs if run.state not in FINAL}
    stored = session.execute(
        select(Run.campaign_id, Verdict.number)
        .join(Verdict, Verdict.run_id == Run.id)
        .where(among(session, Run.campaign_id, ended))
        .distinct()
    )
    judged = set(map(tuple[int, int], stored))
    for run in runs:
        if run.rules is None and run.campaign_id in ended:
            for number, criterion in enumerate(_parsed(criteria[run.campaign_id])):
                if not isinstance(fitting(KINDS[run.kind], run.parameters, criterion), str):
                    judged.add((run.campaign_id, number))
    return {
        campaign_id: [number for number, _ in enumerate(of) if (campaign_id, number) not in judged]
        for campaign_id, of in criteria.items()
        if campaign_id in ended
    }


def _unjudged(
    runs: Sequence[Run],
    criteria: Sequence[dict[str, Any]],
    waivers: Mapping[int, CampaignWaiver | None],
) -> list[VerdictRow]:
    """Return the rows of the criteria by which none of these runs was judged, by their numbers."""
    parsed = _parsed(criteria)
    return [
        _shown(
            no_run_judged(
                number,
                parsed[number],
                {
                    run.title: why
                    for run in runs
                    if isinstance(
                        why := fitting(KINDS[run.kind], run.parameters, parsed[number]), str
                    )
                },
            ),
            waiver,
        )
        for number, waiver in waivers.items()
    ]


def _parsed(criteria: Sequence[dict[str, Any]]) -> list[Criterion]:
    return [parse(one["criterion"]) for one in criteria]


def _runs(session: Session, campaign_id: int) -> Sequence[Run]:
    chosen = select(Run).where(Run.campaign_id == campaign_id).order_by(Run.number)
    return session.scalars(chosen).all()


def _criteria(session: Session, runs: Sequence[Run]) -> dict[int, list[dict[str, Any]]]:
    ids = {run.campaign_id for run in runs}
    found = session.execute(
        select(Campaign.id, Campaign.criteria).where(among(session, Campaign.id, ids))
    )
    return dict(map(tuple[int, list[dict[str, Any]]], found))


def _waivers(session: Session, run_ids: Collection[int]) -> dict[tuple[int, int], Waiver]:
    """Return the newest valid waiver of each criterion."""
    valid = select(Waiver).where(
        among(session, Waiver.run_id, run_ids), Waiver.expires_at > moment()
    )
    found = session.scalars(valid.order_by(Waiver.id))
    return {(waiver.run_id, waiver.number): waiver for waiver in found}


def _campaign_waivers(
    session: Session, campaign_ids: Collection[int]
) -> dict[tuple[int, int], CampaignWaiver]:
    """Return the newest valid waiver of each criterion by which no run was judged."""
    if not campaign_ids:
        return {}
    valid = select(CampaignWaiver).where(
        among(session, CampaignWaiver.campaign_id, campaign_ids),
        CampaignWaiver.expires_at > moment(),
    )
    found = session.scalars(valid.order_by(CampaignWaiver.id))
    return {(waiver.campaign_id, waiver.number): waiver for waiver in found}


def _stored(
    run: Run, rows: Sequence[Verdict], waivers: dict[tuple[int, int], Waiver]
) -> RunVerdict:
    first = rows[0]
    shown = [
        _shown(_row.validate_python(row.detail), waivers.get((run.id, row.number))) for row in rows
    ]
    return _verdict(run, shown, first.rules, first.build, first.criteria_rules)


def _judged(session: Session, run: Run, criteria: Sequence[dict[str, Any]]) -> RunVerdict | None:
    """Judge a run's stored result, or one computed now, by the current rules.

    Without its samples, nothing but the stored one has all figures.
    """
    current = run.rules == EDITION or run.samples_removed_at is not None
    result = stored_results.result(session, run) if current else evaluate(session, run)
    rows = rows_of(run, result, criteria)
    if not rows:
        return None
    shown = [_shown(row, None) for row in rows]
    build = run.build if current else None
    return _verdict(run, shown, result.edition, build, CRITERIA_RULES)


def _shown(row: Row, waiver: Waiver | CampaignWaiver | None) -> VerdictRow:
    waived = waiver is not None and row.outcome != "pass"
    return VerdictRow.model_validate(
        asdict(row)
        | {
            "outcome": "waived" if waived else row.outcome,
            "judged": row.outcome,
            "waiver": WaiverOut.model_validate(waiver, from_attributes=True) if waived else None,
        }
    )


def _verdict(
    run: Run, rows: list[VerdictRow], rules: str, build: int | None, criteria_rules: str
) -> RunVerdict:
    return RunVerdict(
        run_id=run.id,
        title=run.title,
        outcome=gravest(row.outcome for row in rows) or "inconclusive",
        rules=rules,
        build=build,
        criteria_rules=criteria_rules,
        rows=rows,
    )


def _campaign(
    campaign_id: int, verdicts: list[RunVerdict], none_judged: list[VerdictRow]
) -> CampaignVerdict:
    versions = {(one.rules, one.criteria_rules) for one in verdicts}
    mixed = len(versions) > 1
    outcomes: list[Outcome] = [one.outcome for one in (*verdicts, *none_judged)]
    if mixed:
        outcomes.append("inconclusive")
    return CampaignVerdict(
        campaign_id=campaign_id,
        outcome=gravest(outcomes),
        mixed_rules=mixed,
        runs=verdicts,
        unjudged=none_judged,
    )
