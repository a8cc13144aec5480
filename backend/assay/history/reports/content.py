"""What a report of a campaign shows, as plain texts and numbers: the figures of the pages.

Results are in words here already (`Kind.report`), so that `redaction` sees every text that the
report will have: also conditions and times.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay import __version__
from assay.analysis.flags import flag_words
from assay.base import words
from assay.base.worded import plain
from assay.kinds.registry import KINDS
from assay.runs import queries as runs
from assay.runs.campaigns import queries as campaigns
from assay.runs.campaigns.mesh import mesh
from assay.runs.campaigns.scale_out import scale_out
from assay.runs.campaigns.schemas import CampaignOut
from assay.runs.campaigns.tables import TextTable, mesh_tables, scale_out_tables
from assay.runs.conditions import labels
from assay.runs.samples import queries as samples
from assay.runs.schemas import RunOut
from assay.runs.stored_results import outcomes, result
from assay.runs.verdicts import queries as verdicts
from assay.tables.clock import now
from assay.tables.hosts import Host, Inventory
from assay.tables.notes import CampaignNotes, RunNotes
from assay.tables.runs import Run, Trial

Content = dict[str, Any]
"""A JSON document."""


def _conditions(run: RunOut) -> Iterator[Content]:
    """Yield the known conditions of a run, each with its label and its value with its unit.

    If participants differ, it has the value of each.
    """
    declared = KINDS[run.kind].conditions
    parameters = run.parameters.model_dump(mode="json")
    for name, label in labels([run.kind]).items():
        value = run.conditions.get(name)
        if name in declared and name in parameters:
            text = declared[name].words(value, parameters)
        elif isinstance(value, list):
            several = (_environment(name, one) for one in cast("list[Any]", value))
            text = ", ".join(one or "unknown" for one in several)
        else:
            text = _environment(name, value)
        if text:
            yield {"of": name, "label": label, "value": text}


def _environment(name: str, value: Any) -> str | None:
    """Return what a host or a target is, with its unit; None if it is unknown."""
    if value is None:
        return None
    if isinstance(value, int) and name.endswith("_bytes"):
        return words.block(value) if name in _IN_BINARY else words.size(value)
    return str(value)


_IN_BINARY = {"read_ahead_bytes", "alignment_bytes"}


def moment_words(at: str | None) -> str:
    """Return a time as `2026-11-21 01:17:00 UTC`; a dash if there is none."""
    if at is None:
        return "–"
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def elapsed_words(begin: str | None, end: str | None) -> str:
    """Return the time between two moments, such as `37 min`; a dash if one is missing."""
    if begin is None or end is None:
        return "–"
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    return words.elapsed(seconds * 10**9)


def speed_words(bits_per_s: int | None) -> str:
    """Return the speed of a network card, such as `10 Gb/s`; a dash if it is unknown."""
    if not bits_per_s:
        return "–"
    giga = bits_per_s / 1e9
    return f"{giga:g} Gb/s" if giga >= 1 else f"{bits_per_s / 1e6:g} Mb/s"


POINTS = 240
"""Points of a throughput chart: about one for three pixels."""

MOST_SERIES = 8
"""Participants in a throughput chart; each has a color of its own."""

_SERIES = (
    *("t_ns", "dt_ns", "phase"),
    *("rate_min_bytes_per_s", "rate_mean_bytes_per_s", "rate_max_bytes_per_s"),
)
_MACHINE = ("hostname", "os", "kernel", "arch", "cpus", "mem_total_bytes", "mem_limit_bytes")
_DEVICE = ("name", "model", "size_bytes", "rotational", "scheduler", "write_cache")
_CARD = ("name", "speed_bits_per_s", "state")


def content(session: Session, campaign_id: int) -> Content:
    """Return everything that the report of a campaign shows; raises NotFound."""
    campaign = campaigns.one(session, campaign_id)
    rows = {
        row.id: row for row in session.scalars(select(Run).where(Run.campaign_id == campaign_id))
    }
    judged = verdicts.of_campaign(session, campaign_id) if campaign.verdict else None
    parts = [_run(session, rows[one.id]) for one in campaign.runs]
    shown = campaign.model_dump(mode="json", exclude={"runs", "parameters", "criteria"})
    return {
        "campaign": shown
        | {"labels": _labels(campaign.labels), "has_criteria": bool(campaign.criteria)},
        "verdict": judged and judged.model_dump(mode="json"),
        "notes": _notes(session, CampaignNotes, campaign_id),
        "together": [asdict(one) for one in _together(session, campaign)],
        "runs": parts,
        "hosts": _hosts(session, parts),
        "created_at": now(session).isoformat(),
        "version": __version__,
    }


def _together(session: Session, campaign: CampaignOut) -> list[TextTable]:
    """Return what the runs of a scale-out or a mesh reach together."""
    tables: list[TextTable] = []
    if campaign.parameters.get("scale_out"):
        tables += scale_out_tables(scale_out(session, campaign.id).model_dump(mode="json"))
    if campaign.parameters.get("arrangement") == "mesh":
        tables += mesh_tables(mesh(session, campaign.id).model_dump(mode="json"))
    return tables


def _labels(of: Mapping[str, str]) -> list[str]:
    return [f"{key}={value}" if value else key for key, value in of.items()]


def _notes(session: Session, table: type[CampaignNotes | RunNotes], owner_id: int) -> str:
    return session.scalar(select(table.text).where(table.owner_id == owner_id)) or ""


def _run(session: Session, row: Run) -> Content:
    """Return a run with its result in words, and the throughput of its best trial over time."""
    run = runs.one(session, row.id)
    found = result(session, row).model_dump(mode="json")
    trials = session.execute(
        select(Trial.id, Trial.repeat, Trial.parameters)
        .where(Trial.run_id == row.id)
        .order_by(Trial.position)
    ).all()
    words = {
        trial_id: f"{KINDS[row.kind].trial_words(parameters)}, repeat {repeat}"
        for trial_id, repeat, parameters in trials
    }
    answer = outcomes(session, [row]).get(row.id)
    best = answer and answer.best_trial_id
    shown = run.model_dump(mode="json", include={"id", "number", "title", "kind", "state"})
    shown |= {"outcome": run.verdict and run.verdict.outcome}
    shown |= run.model_dump(mode="json", include={"started_at", "ended_at", "error"})
    return shown | {
        "reason": run.state_reason,
        "participants": [_participant(run, number) for number in range(len(run.participants))],
        "read_back_by": run.read_back_by and run.read_back_by.model_dump(mode="json"),
        "notices": [
            {"at": one.at.isoformat(), "level": one.level, "message": one.message}
            for one in run.notices
        ],
        "conditions": list(_conditions(run)),
        "report": asdict(KINDS[row.kind].report(found)),
        # names that the participants had when they measured; a host may have been renamed since
        "measured_at": [
            {"host": one["host"], "path": one["path"]} for one in found["participants"]
        ],
        "flags": list(_flags(found, words)),
        "edition": found["edition"],
        "notes": _notes(session, RunNotes, row.id),
        "chart": best and {"trial": words[best], "series": _series(session, run, best)},
    }


def _participant(run: RunOut, number: int) -> Content:
    one = run.participants[number]
    return {
        "host_id": one.host.id,
        "host": one.host.name,
        "path": one.target and one.target.path,
        "role": one.role,
        "inventory_id": one.inventory_id,
        "probe": one.probe,
        "labels": {of: _labels(found) for of, found in one.labels.items()},
        "references": dict(one.references),
    }


def _flags(part: object, words: Mapping[int, str]) -> Iterator[Content]:
    """Yield the flags of the trials in a result of any kind, with the trial in words."""
    if isinstance(part, Mapping):
        of = cast("Mapping[str, Any]", part)
        if "repeat" in of and of.get("id") in words:
            for flag in of.get("flags") or ():
                yield {
                    "trial": words[of["id"]],
                    "flag": flag_words(flag["code"], flag["rates"]),
                    "text": plain(flag["evidence"]),
                }
        for inner in of.values():
            yield from _flags(inner, words)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for inner in cast("Sequence[object]", part):
            yield from _flags(inner, words)


def _series(session: Session, run: RunOut, trial_id: int) -> list[Content]:
    """Return the throughput at each participant; not at one that has no samples."""
    found: list[Content] = []
    for number, part in enumerate(run.participants[:MOST_SERIES]):
        course = samples.series(session, trial_id, POINTS, participant_id=part.id)
        if course.columns.t_ns:
            place = _participant(run, number)
            shown = {name: place[name] for name in ("host", "path", "role")}
            columns = course.columns.model_dump(include={*_SERIES})
            found.append(shown | {"count": course.count, "columns": columns})
    return found


def _hosts(session: Session, measured: Sequence[Content]) -> list[Content]:
    """Return the hosts in the order of the runs, each with its newest inventory among these."""
    inventories: dict[int, int] = {}
    for run in measured:
        for part in run["participants"]:
            known = inventories.get(part["host_id"], 0)
            inventories[part["host_id"]] = max(known, part["inventory_id"] or 0)
    found: list[Content] = []
    for host_id, inventory_id in inventories.items():
        host, seen = session.get_one(Host, host_id), session.get(Inventory, inventory_id)
        body: dict[str, Any] = seen.body if seen else {}
        found.append(
            {
                "host": host.name,
                "address": host.address,
                **{name: body.get(name) for name in _MACHINE},
                "devices": _chosen(body.get("devices"), _DEVICE),
                "nics": _chosen(body.get("nics"), _CARD),
                "taken_at": seen and seen.taken_at.isoformat(),
                "build": seen and seen.probe,
            }
        )
    return found


def _chosen(rows: list[dict[str, Any]] | None, names: Sequence[str]) -> list[Content]:
    return [{name: row.get(name) for name in names} for row in rows or []]
