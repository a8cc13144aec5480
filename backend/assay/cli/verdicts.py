"""Verdicts on campaigns and runs, waivers, and `assay criterion`: what criteria mean."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from assay.base.suggestions import did_you_mean
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    minute,
    output,
    print_json,
    print_list,
    shown,
    table,
)
from assay.cli.nouns import CampaignId, RunId
from assay.cli.options import widening
from assay.runs.verdicts import words
from assay.runs.verdicts.judging import Outcome
from assay.runs.verdicts.schemas import (
    CampaignVerdict,
    CheckedCriterion,
    MetricOut,
    RunVerdict,
    VerdictRow,
)

criterion = typer.Typer(help="Acceptance criteria and their metrics.", no_args_is_help=True)

ERROR, INCONCLUSIVE, FAIL = 1, 98, 99
"""Exit codes; 0 is a pass, and 2 a command that did not start its work."""

Criterion = Annotated[
    str, typer.Argument(help="The criterion as `verdict` prints it, or its number from 0 on")
]
Reason = Annotated[str, typer.Option(help="Why it is accepted")]
ExpiresAt = Annotated[
    str, typer.Option("--until", help="When the waiver ends: 2027-01-31, or 2027-01-31T12:00Z")
]

Judged = Sequence[tuple[str, str, Sequence[VerdictRow]]]
"""Rows, with the run that they are about for a sentence and for a table."""


def of_campaign(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Print the verdict on a campaign; exit with 99 if it failed, with 98 if it is inconclusive."""
    with connected("viewer") as assay:
        found = assay.campaigns.verdict(campaign)
    _conclude(found, as_json=as_json)


def judge(
    campaign: CampaignId,
    criterion: Annotated[
        list[str], typer.Argument(help='One or more, such as "durable.mean >= 1 GB/s"')
    ],
    as_json: AsJson = False,
) -> None:
    """Judge a campaign's results by other criteria; changes nothing. Exit codes as `verdict`."""
    with connected("viewer") as assay:
        found = assay.campaigns.judge(campaign, criterion)
    _conclude(found, as_json=as_json)


def waive_in_campaign(
    campaign: CampaignId,
    criterion: Criterion,
    reason: Reason,
    until: ExpiresAt,
    as_json: AsJson = False,
) -> None:
    """Accept a criterion by which no run of a campaign was judged, until a time."""
    with connected() as assay:
        row = _row(criterion, assay.campaigns.verdict(campaign).unjudged)
        found = assay.campaigns.waive(campaign, _waiver(row, reason, until))
    if as_json:
        print_json(found)
    else:
        print_campaign(found)


def of_run(run: RunId, as_json: AsJson = False) -> None:
    """Print the verdict on a run; exit with 99 if it failed, with 98 if it is inconclusive."""
    with connected("viewer") as assay:
        found = assay.runs.verdict(run)
    _print_run(found, as_json=as_json)
    _exit(f"run {run}", found.outcome)


def waive(
    run: RunId, criterion: Criterion, reason: Reason, until: ExpiresAt, as_json: AsJson = False
) -> None:
    """Accept a criterion that a run did not pass, until a time."""
    with connected() as assay:
        row = _row(criterion, assay.runs.verdict(run).rows)
        found = assay.runs.waive(run, _waiver(row, reason, until))
    _print_run(found, as_json=as_json)


def print_campaign(verdict: CampaignVerdict) -> None:
    """Print a row for each criterion and run, and what is in doubt about some."""
    judged = [(f"run {one.run_id}", f"{one.run_id} {one.title}", one.rows) for one in verdict.runs]
    _print(verdict.outcome, [*judged, ("no run", "none", verdict.unjudged)])


def exit_by(campaign_id: int, outcome: Outcome | None) -> None:
    """Raise CommandError with the exit code of an outcome, unless it is a pass or a waiver."""
    _exit(f"campaign {campaign_id}", outcome)


def _conclude(found: CampaignVerdict, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        print_campaign(found)
    exit_by(found.campaign_id, found.outcome)


def _exit(what: str, outcome: Outcome | None) -> None:
    if outcome == "fail":
        raise CommandError(f"{what} failed its criteria", exit_code=FAIL)
    if outcome == "inconclusive":
        raise CommandError(f"the verdict on {what} is inconclusive", exit_code=INCONCLUSIVE)


def _print_run(found: RunVerdict, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        _print(found.outcome, [(f"run {found.run_id}", f"{found.run_id}", found.rows)])


def _print(outcome: Outcome | None, judged: Judged) -> None:
    grid = table(
        *("run", "criterion", "measured", "margin", "outcome"),
        title=f"verdict: {outcome or 'none'}",
    )
    for _, title, rows in judged:
        for row in rows:
            grid.add_row(
                shown(title),
                shown(row.criterion),
                words.measured(row.measured, row.dimension, row.criterion),
                words.margin(row.margin),
                row.outcome,
            )
    output.print(grid)
    for run_words, _, rows in judged:
        for row in rows:
            for said in _reasons(row):
                output.print(shown(f"{run_words}, {row.criterion}: {said}"), highlight=False)


def _reasons(row: VerdictRow) -> Iterator[str]:
    """Yield what a criterion was judged on, what is in doubt, and who waived it."""
    cell = words.judged_cell(row.evidence.cell, row.of_cells)
    participant = words.judged_participant(row.evidence.participant)
    yield from filter(None, (cell, participant))
    yield from words.notes(row.judged, (doubt.message for doubt in row.doubts))
    if row.waiver is not None:
        until = minute(row.waiver.expires_at)
        yield f"waived by {row.waiver.actor} until {until} UTC: {row.waiver.reason}"


def _row(wanted: str, rows: Sequence[VerdictRow]) -> VerdictRow:
    """Return the row of a criterion that is given by its text or number; raises CommandError."""
    for row in rows:
        if wanted in (row.criterion, str(row.number)):
            return row
    known = [row.criterion for row in rows]
    remedy = did_you_mean(wanted, known) or f"Use one of: {'; '.join(known) or 'none'}."
    raise CommandError(f"No criterion {wanted!r} is to be waived here. {remedy}")


def _waiver(row: VerdictRow, reason: str, until: str) -> dict[str, Any]:
    """Return the body of a waiver; a time without a zone is in UTC. Raises CommandError."""
    try:
        end = datetime.fromisoformat(until)
    except ValueError:
        message = f"--until: {until!r} is not a date or time. Write it like 2027-01-31."
        raise CommandError(message) from None
    ends_at = end.replace(tzinfo=UTC) if end.tzinfo is None else end
    return {"number": row.number, "reason": reason, "expires_at": ends_at.isoformat()}


@criterion.command()
@widening
def metrics(
    kind: Annotated[str | None, typer.Option(help="Only those of this test kind")] = None,
    as_json: AsJson = False,
) -> None:
    """List the metrics that criteria may limit, with their units."""
    with connected("viewer") as assay:
        found = [one for one in assay.metrics() if kind in (None, one.kind)]
    columns: Columns = {
        **{"kind": "kind", "metric": _metric, "definition": "definition"},
        "units": lambda one: ", ".join(one.units),
    }
    print_list(found, columns, as_json=as_json, wide=("definition",))


@criterion.command()
def check(
    criteria: Annotated[
        list[str],
        typer.Argument(metavar="CRITERION...", help='One or more, such as "write.p99 < 20 ms"'),
    ],
    profile: Annotated[
        str | None, typer.Option(help="Name or id: whose tests must have the metrics")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what criteria mean, or the mistakes in them; exit with 1 if there is one."""
    body: dict[str, Any] = {"criteria": criteria}
    with connected("viewer") as assay:
        if profile is not None:
            tests = assay.profiles.get(profile).body.tests
            body["tests"] = [test.model_dump(mode="json") for test in tests]
        found = assay.check_criteria(body)
    if as_json:
        print_json(found)
    else:
        for one in found.criteria:
            output.print(shown(_criterion_words(one)), highlight=False)
    if any(one.mistake for one in found.criteria):
        raise typer.Exit(1)


def _metric(one: MetricOut) -> str:
    arguments = ", ".join(argument.name for argument in one.arguments)
    return f"{one.name}({arguments})" if arguments else one.name


def _criterion_words(one: CheckedCriterion) -> str:
    if one.mistake is None:
        return f"{one.criterion}: {one.meaning}"
    return f"{one.criterion}: {one.mistake.message} {one.mistake.remedy}".rstrip()
