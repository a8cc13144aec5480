"""The runs of an export, a few at a time: what their rows have in common."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Select, func, select, union
from sqlalchemy.orm import Session, load_only

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.history.exports.layout import MOST_LABELS, ExportLayout
from assay.kinds.export import JUDGED, OF_TRIAL, ExportColumn, ExportedTrial, Row
from assay.kinds.registry import KINDS
from assay.runs.attempts import deciding
from assay.runs.participants import of_runs
from assay.runs.verdicts import queries as verdicts
from assay.tables.campaigns import Campaign
from assay.tables.database import among
from assay.tables.labels import CampaignLabel, RunLabel
from assay.tables.runs import Attempt, Participant, Run, Trial

AT_ONCE = 10
"""Runs that are read in one snapshot."""

APART = "; "
"""Between several values in one cell."""

Open = Callable[[], AbstractContextManager[Session]]
Found = TypeVar("Found")


@dataclass(frozen=True)
class ExportedRun:
    """A run with what is needed for the columns that its rows share."""

    run: Run
    campaign: Campaign
    participants: Sequence[Participant]
    labels: dict[str, str]
    verdict: str | None

    def cells(self) -> Row:
        """Return the values of the columns `OF_RUN`."""
        run, snapshot = self.run, self.campaign.profile_snapshot
        return (
            self.campaign.id,
            self.campaign.name,
            snapshot.get("slug"),
            snapshot.get("version"),
            self.campaign.reference,
            run.id,
            run.title,
            run.kind,
            run.state,
            self.verdict,
            run.created_at,
            run.started_at,
            run.ended_at,
        )

    def place(self, *participants: Participant) -> Row:
        """Return the values of the columns `OF_PLACE` for these participants."""
        return (
            _each(one.role for one in participants),
            _each(one.host.name for one in participants),
            _each(one.target.path for one in participants if one.target),
            _each(one.array_name for one in participants if one.array_name),
        )


def layout_of(session: Session, chosen: Select[Run], kinds: Sequence[str] | None) -> ExportLayout:
    """Return the columns for these runs; those of `kinds`, if a request names them.

    Raises Invalid if the runs have more keys of labels than a file has columns for.
    """
    runs = chosen.subquery()
    found = set(kinds or session.scalars(select(runs.c.kind).distinct()))
    keys = union(
        select(RunLabel.key).where(RunLabel.owner_id.in_(select(runs.c.id))),
        select(CampaignLabel.key).where(CampaignLabel.owner_id.in_(select(runs.c.campaign_id))),
    )
    labels = sorted(session.scalars(keys.limit(MOST_LABELS + 1)))
    if len(labels) > MOST_LABELS:
        message = f"has more than {MOST_LABELS} different keys among these runs, a column for each"
        raise Invalid([FieldError("label", message, "Select fewer runs by a filter.", None)])
    return ExportLayout([name for name in KINDS if name in found], labels)


def last_id(session: Session, chosen: Select[Run]) -> int:
    """Return the newest id among these runs; 0 without any."""
    return session.scalar(select(func.max(chosen.subquery().c.id))) or 0


def pages(
    open_: Open, chosen: Select[Run], last: int, of: Callable[[Session, list[Run]], Found]
) -> Iterator[Found]:
    """Yield what `of` returns for each few runs up to an id, the oldest first.

    Each part is read in a snapshot of its own, which is closed before it is yielded: a slow
    download must not hold a session.
    """
    after = 0
    while after < last:
        with open_() as session:
            part = chosen.where(Run.id > after, Run.id <= last).order_by(Run.id).limit(AT_ONCE)
            runs = list(session.scalars(part))
            found = of(session, runs)
        if not runs:
            return
        after = runs[-1].id
        yield found


def described(session: Session, runs: Sequence[Run]) -> list[ExportedRun]:
    """Return runs with their campaigns, participants, labels and verdicts."""
    ids = [run.id for run in runs]
    of_campaigns = {run.campaign_id for run in runs}
    campaigns = {
        one.id: one
        for one in session.scalars(
            select(Campaign)
            .options(
                load_only(Campaign.id, Campaign.name, Campaign.profile_snapshot, Campaign.reference)
            )
            .where(among(session, Campaign.id, of_campaigns))
        )
    }
    participants, labels = of_runs(session, ids), _labels(session, ids, of_campaigns)
    judged = verdicts.summaries(session, runs)
    return [
        ExportedRun(
            run=run,
            campaign=campaigns[run.campaign_id],
            participants=participants[run.id],
            labels={
                key: APART.join(sorted(values))
                for key, values in labels(run.id, run.campaign_id).items()
            },
            verdict=judged[run.id].outcome if run.id in judged else None,
        )
        for run in runs
    ]


def _labels(
    session: Session, run_ids: Collection[int], campaign_ids: Collection[int]
) -> Callable[[int, int], dict[str, set[str]]]:
    """Return the labels of a run and its campaign: the values of each key."""
    own: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for one in session.scalars(select(RunLabel).where(among(session, RunLabel.owner_id, run_ids))):
        own[one.owner_id].append((one.key, one.value))
    of_campaign: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for one in session.scalars(
        select(CampaignLabel).where(among(session, CampaignLabel.owner_id, campaign_ids))
    ):
        of_campaign[one.owner_id].append((one.key, one.value))

    def labels(run_id: int, campaign_id: int) -> dict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for key, value in (*own[run_id], *of_campaign[campaign_id]):
            found[key].add(value)
        return found

    return labels


def trials_of(
    session: Session,
    run: Run,
    rules: str,
    participants: Sequence[Participant],
    attempts: Mapping[int, Sequence[Attempt]],
) -> dict[int, ExportedTrial]:
    """Return a run's trials by id, without figures, in the order of measurement."""
    chosen = select(Trial).where(Trial.run_id == run.id).order_by(Trial.position)
    ids = [one.id for one in participants]
    return {
        trial.id: ExportedTrial(
            id=trial.id,
            position=trial.position,
            repeat=trial.repeat,
            key=trial.cell,
            run=run.parameters,
            trial=trial.parameters,
            participants=len(ids),
            rules=rules,
            started_at=_first_start(deciding(attempts.get(trial.id, []), ids)),
        )
        for trial in session.scalars(chosen)
    }


def attempts_of(session: Session, run_id: int) -> dict[int, list[Attempt]]:
    """Return a run's attempts by trial, without their results."""
    found: defaultdict[int, list[Attempt]] = defaultdict(list)
    columns = (
        *(Attempt.trial_id, Attempt.participant_id, Attempt.number, Attempt.status),
        *(Attempt.started_at, Attempt.sample_count, Attempt.sealed, Attempt.unsealed_from),
        *(Attempt.done_bytes, Attempt.done_ns, Attempt.marked_bytes, Attempt.mark_count),
    )
    for attempt in session.scalars(
        select(Attempt)
        .options(load_only(*columns))
        .join(Trial)
        .where(Trial.run_id == run_id)
        .order_by(Attempt.trial_id, Attempt.number)
    ):
        found[attempt.trial_id].append(attempt)
    return found


def reader(columns: Sequence[ExportColumn], kind: str) -> Callable[[ExportedTrial], Row]:
    """Return the function that reads these columns of a trial of a kind; others' are null."""
    own = {one.name: one.read for one in (*OF_TRIAL, *JUDGED, *KINDS[kind].export_columns)}
    reads = [own.get(one.name) for one in columns]
    return lambda trial: tuple(read(trial) if read else None for read in reads)


def label_cells(keys: Sequence[str], labels: dict[str, str]) -> Row:
    """Return the values of the columns of labels."""
    return tuple(labels.get(key) for key in keys)


def _first_start(attempts: Iterable[Attempt | None]) -> datetime | None:
    """Return when the first of these attempts started, by the clock of its host."""
    return min((one.started_at for one in attempts if one and one.started_at), default=None)


def _each(values: Iterable[str]) -> str | None:
    """Return each different value once; null without any."""
    return APART.join(dict.fromkeys(values)) or None
