"""The result of a run, computed by its kind from plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from assay.analysis.excess import DeviceReadings
from assay.analysis.statuses import DISTURBED, of_trial
from assay.analysis.throughput import Marks
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.kinds.run_record import (
    AttemptRecord,
    CutShort,
    EarlierSegment,
    Gap,
    LeftFile,
    RunRecord,
    Site,
    TrialRecord,
)
from assay.runs.attempts import DISTURBED_MOST, continued, deciding, disturbance, latency
from assay.runs.causes import Causes
from assay.runs.gaps import GAP, RECORDS_LEFT, WRONG_DATA, without_superseded
from assay.runs.lifecycle import CANCELLED, FAILED, FINAL, lost_among
from assay.runs.participants import clock_uncertainty_ns
from assay.runs.samples import marks, stored
from assay.tables.runs import Attempt, Notice, Participant, Run, Trial

_CUT_SHORT: dict[str, CutShort] = {CANCELLED: "cancelled", FAILED: "failed"}
"""Why a run in this state did not measure all planned trials."""


def judge(session: Session, run: Run) -> BaseResult:
    """Return a run's result in its current state, by the current rules."""
    sites = sites_of(session, run.id)
    trials = session.scalars(
        select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
    ).all()
    attempts: dict[int, list[Attempt]] = {}
    for attempt in session.scalars(
        select(Attempt)
        .join(Trial)
        .where(Trial.run_id == run.id)
        .order_by(Attempt.number, Attempt.participant_id)
    ):
        attempts.setdefault(attempt.trial_id, []).append(attempt)
    several = len(sites) > 1
    courses = stored.intervals_of_run(session, run.id, every=several)
    devices = stored.device_readings_of_run(session, run.id)
    marked = marks.of_run(session, run.id)
    gaps, wrong = _gaps(session, run.id), _wrong(session, run.id)
    hosts = stored.hosts_of_run(session, run.id) if KINDS[run.kind].transfers else {}
    causes = Causes(session, run.id)
    left = _left(session, run.id) if KINDS[run.kind].counts_left else {}
    lost = bool(lost_among(session, [run]))
    return KINDS[run.kind].judge(
        RunRecord(
            id=run.id,
            parameters=run.parameters,
            trials=[
                _trial(
                    trial,
                    attempts.get(trial.id, []),
                    sites,
                    Recorded(courses, devices, marked, gaps, wrong, hosts, left, causes),
                )
                for trial in trials
            ],
            sites=sites,
            cut_short="lost" if lost else _CUT_SHORT.get(run.state),
            active=run.state not in FINAL,
        )
    )


@dataclass(frozen=True)
class Recorded:
    """What a run's attempts recorded, by attempt; notices by trial, number and participant.

    `left` has what probes that died left in their files, by trial and number.
    """

    courses: dict[int, stored.Intervals]
    devices: dict[int, DeviceReadings]
    marks: dict[int, Marks]
    gaps: dict[tuple[int, int, int | None], list[Gap]]
    wrong: dict[tuple[int, int, int | None], int]
    hosts: dict[int, stored.ObservedHost]
    left: dict[int, dict[int, dict[str, Any]]]
    causes: Causes

    def gaps_of(self, attempt: Attempt) -> list[Gap]:
        """Return the gaps of an attempt."""
        return self.gaps.get(_key(attempt), [])

    def wrong_of(self, attempt: Attempt) -> int:
        """Return the sectors of wrong data that an attempt reported while it ran."""
        return self.wrong.get(_key(attempt), 0)


def _key(attempt: Attempt) -> tuple[int, int, int | None]:
    return attempt.trial_id, attempt.number, attempt.participant_id


def _trial(
    trial: Trial,
    attempts: list[Attempt],
    sites: Sequence[Site],
    recorded: Recorded,
) -> TrialRecord:
    """Return a trial with its deciding attempts."""
    ids = [site.participant_id for site in sites]
    decide = deciding(attempts, ids)
    last = of_trial([one.status if one else "waiting" for one in decide])
    disturbed = {one.number for one in attempts if one.status in DISTURBED}
    return TrialRecord(
        id=trial.id,
        repeat=trial.repeat,
        cell=trial.cell,
        parameters=trial.parameters,
        attempts=len({one.number for one in attempts}),
        again=last in DISTURBED and len(disturbed) < DISTURBED_MOST,
        deciding=[
            attempt and _attempt(attempt, continued(attempts, attempt), recorded)
            for attempt in decide
        ],
        first_cause=_first_cause(trial, decide, recorded.causes),
        left=[
            LeftFile(number, counted, _attempts(attempts, number, ids, recorded))
            for number, counted in sorted(recorded.left.get(trial.id, {}).items())
        ],
    )


def _first_cause(trial: Trial, attempts: Sequence[Attempt | None], causes: Causes) -> str | None:
    if not any(one and one.reason for one in attempts):
        return None
    return causes.of_trial(trial.id, attempts)[0].code


def _attempts(
    attempts: Sequence[Attempt], number: int, participants: Sequence[int], recorded: Recorded
) -> list[AttemptRecord | None]:
    """Return the attempt with a number of each participant."""
    found = {one.participant_id: one for one in attempts if one.number == number}
    own = [found.get(each) for each in participants]
    return [attempt and _attempt(attempt, [], recorded) for attempt in own]


def _attempt(attempt: Attempt, chain: Sequence[Attempt], recorded: Recorded) -> AttemptRecord:
    host = recorded.hosts.get(attempt.id)
    return AttemptRecord(
        status=attempt.status,
        reason=attempt.reason,
        bytes=attempt.bytes,
        ops=attempt.ops,
        app_ns=attempt.app_ns,
        durable_ns=attempt.durable_ns,
        result=attempt.result,
        disturbance=disturbance(attempt),
        latency=latency(attempt),
        course=recorded.courses.get(attempt.id),
        marks=recorded.marks.get(attempt.id),
        gaps=recorded.gaps_of(attempt),
        reported_errors=recorded.wrong_of(attempt),
        earlier=[_segment(one, later, recorded) for one, later in pairwise([*chain, attempt])],
        started_at=attempt.started_at,
        load=host.load if host else None,
        memory=host.memory if host else None,
        device=recorded.devices.get(attempt.id),
    )


def _segment(one: Attempt, later: Attempt, recorded: Recorded) -> EarlierSegment:
    until_ns = later.done_ns - one.done_ns
    away_ns = None
    if one.started_at and later.started_at:
        passed = later.started_at - one.started_at
        away_ns = max(0, passed // timedelta(microseconds=1) * 1000 - until_ns)
    return EarlierSegment(
        marks=recorded.marks[one.id],
        gaps=recorded.gaps_of(one),
        reported_errors=recorded.wrong_of(one),
        until_ns=until_ns,
        away_ns=away_ns,
        paused_ns=one.host_paused_ns,
        read_share=one.read_ops / one.ops if one.read_ops is not None and one.ops else None,
    )


def _gaps(session: Session, run_id: int) -> dict[tuple[int, int, int | None], list[Gap]]:
    """Return the reported gaps by trial, attempt number and participant."""
    found: dict[tuple[int, int, int | None], list[Gap]] = {}
    notices = session.scalars(
        select(Notice).where(Notice.run_id == run_id, Notice.code == GAP).order_by(Notice.id)
    )
    for notice in without_superseded(notices):
        seen = notice.detail
        key = seen["trial"], seen["attempt"], notice.participant_id
        delayed = not seen["excluded"]
        gap = Gap(seen["from_ns"], seen["until_ns"], seen["what"], delayed=delayed)
        found.setdefault(key, []).append(gap)
    return found


def _wrong(session: Session, run_id: int) -> dict[tuple[int, int, int | None], int]:
    """Return the reported sectors of wrong data by trial, attempt number and participant."""
    notices = session.scalars(
        select(Notice).where(Notice.run_id == run_id, Notice.code == WRONG_DATA).order_by(Notice.id)
    )
    # what a read-back found is in its event
    own = [notice for notice in notices if not notice.detail.get("read_back")]
    return {
        (seen["trial"], seen["attempt"], notice.participant_id): seen["corrupt"]
        + seen["stale"]
        + seen["misplaced"]
        for notice in without_superseded(own)
        if "attempt" in (seen := notice.detail)  # else its result has them
    }


def _left(session: Session, run_id: int) -> dict[int, dict[int, dict[str, Any]]]:
    """Return what probes that died left in their files, by trial and attempt number.

    A file that was counted by a probe that died meanwhile was counted again.
    """
    found: dict[int, dict[int, dict[str, Any]]] = {}
    notices = select(Notice).where(Notice.run_id == run_id, Notice.code == RECORDS_LEFT)
    for notice in session.scalars(notices.order_by(Notice.id)):
        found.setdefault(notice.detail["trial"], {})[notice.detail["attempt"]] = notice.detail
    return found


def sites_of(session: Session, run_id: int) -> list[Site]:
    """Return the places of a run's participants in their order."""
    participants = session.scalars(
        select(Participant)
        .where(Participant.run_id == run_id)
        .order_by(Participant.position)
        .options(joinedload(Participant.host), joinedload(Participant.target))
    )
    first: dict[tuple[str, str], str] = {}
    return [_site(participant, first) for participant in participants]


def _site(participant: Participant, first: dict[tuple[str, str], str]) -> Site:
    """Return the place of a participant; `first` has the first host entry of each machine."""
    hello: dict[str, Any] = participant.hello or {}
    target, host, boot_id = participant.target, participant.host, hello.get("boot_id")
    known = (host.machine_id, boot_id) if host.machine_id and boot_id else None
    return Site(
        participant_id=participant.id,
        host=host.name,
        path=target.path if target else None,
        boot_id=boot_id,
        fs_type=hello.get("fs_type"),
        array_name=participant.array_name,
        array_cache_bytes=participant.array_cache_bytes,
        clock_uncertainty_ns=clock_uncertainty_ns(participant),
        role=participant.role,
        devices=target.devices if target else (),
        same_as=first.setdefault(known, host.name) if known else None,
    )
