"""The result of a records test: its cells, the headline, and the limitations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.analysis.edition import EDITION
from assay.analysis.flags import FlagCode
from assay.analysis.levels import levels_words
from assay.analysis.served_by import Source
from assay.base import words
from assay.base.worded import Part, Quantity, joined, say
from assay.kinds.examples import example
from assay.kinds.headline import BaseHeadline, HeadlineWords, doubt_of, no_rate_words, nothing
from assay.kinds.limits import BaseLimit, excluding, gravest_first, unreliable, unstable
from assay.kinds.records.cells import cells_of, is_reliable, lost_of
from assay.kinds.records.figures import RecordsCell, RecordsLeft, RecordsTrial
from assay.kinds.records.parameters import NAME, Format, Sink
from assay.kinds.result import BaseResult, HeadlineLevels, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.selected import selected
from assay.kinds.transfer.cells import counted, ended, of_cut_short
from assay.kinds.transfer.evidence import Limit
from assay.kinds.transfer.streams import rejections, total
from assay.kinds.writeback import Repeat, below

NoRecordsRate = Literal["wrong_records", "unreliable", "not_measured"]
RecordsLimitCode = Literal[
    "cut_short",
    "wrong_records",
    "lost_records",
    "rejected_connections",
    "unreliable",
    "unstable",
    "below_repeats",
]


@dataclass(frozen=True)
class RecordsLimit(BaseLimit):
    """A limitation of a records test's result."""

    code: RecordsLimitCode


class LengthRate(BaseModel):
    """The mean rate with one record length; null if no trial counts, or if `levels` replace it."""

    record_bytes: int
    records_per_s: float | None
    bytes_per_s: float | None
    levels: HeadlineLevels = None


class RecordsHeadline(BaseHeadline):
    """The rate of the record length that moves most payload, and those of all lengths.

    `no_result` is why there is no rate, and `flags` are those that exclude the trials if none is
    reliable. If the rate changed for good in the window, `levels` of the payload replace it. `lost`
    are acknowledged records that the sink does not hold, in all trials.
    """

    kind: Literal["records"]
    senders: int
    sink: Sink
    format: Format
    record_bytes: int | None
    records_per_s: float | None
    bytes_per_s: float | None
    served_by: Source | None
    limit: Limit | None
    lost: int | None
    lengths: list[LengthRate]
    no_result: NoRecordsRate | None
    flags: list[FlagCode] = Field(default_factory=list[FlagCode])
    levels: HeadlineLevels = None
    limited: str | None = None

    def worded(self) -> HeadlineWords:
        """Return the rate of the records, where they came from and went, and what limits them."""
        lost = say("{} record{}", {"count": self.lost or 0}, "" if self.lost == 1 else "s")
        rest: list[Part] = [
            self.limited or "",
            "" if self.lost is None else say("{} lost", lost if self.lost else "no records"),
        ]
        doubt, length = doubt_of(self.served_by), say("{}", {"block_bytes": self.record_bytes or 0})
        if self.levels:
            levels = say(
                "{} payload in {} records {}", levels_words(self.levels), length, self._route
            )
            return HeadlineWords(doubt, None, joined("; ", [levels, *rest]))
        if self.bytes_per_s is None or self.records_per_s is None:
            return nothing(no_rate_words(self.no_result, self.flags, _NO_RATE))
        payload: Quantity = {"bytes_per_s": self.bytes_per_s}
        reached = say("of {} ({} payload) {}", length, payload, self._route)
        figure: Quantity = {"records_per_s": self.records_per_s}
        return HeadlineWords(doubt, figure, joined("; ", [reached, *rest]))

    @property
    def _route(self) -> str:
        """From where to where: `from three senders to a file of JSON lines`."""
        lines = " of JSON lines" if self.format == "json" else ""
        sink = "memory" if self.sink == "memory" else f"a file{lines}"
        return f"from {words.count(self.senders, 'sender')} to {sink}"


_NO_RATE: dict[str, str] = {
    "wrong_records": "records did not arrive and stay as they were sent",
}
"""Why there is no rate, beside what all kinds have."""


class RecordsResult(BaseResult):
    """Records of all senders in one sink; the participants are the senders, then the receiver.

    `best` is the index of the reliable cell with the highest payload rate.
    """

    model_config = ConfigDict(json_schema_extra=example("records", "result"))

    kind: Literal["records"]
    senders: int
    sink: Sink
    format: Format
    rate_records_per_s: int | None
    cells: list[RecordsCell]
    best: int | None
    headline: RecordsHeadline | None
    warnings: list[RecordsLimit]

    @property
    def trials(self) -> list[RecordsTrial]:
        """All trials."""
        return [trial for cell in self.cells for trial in cell.trials]

    def cell(self, record_bytes: int) -> RecordsCell | None:
        """Return the cell with a record length."""
        return next((one for one in self.cells if one.record_bytes == record_bytes), None)


def judge(run: RunRecord) -> RecordsResult:
    """Return the result of a run in any state."""
    cells = cells_of(run)
    rated = [one for one in cells if one.bytes_per_s is not None]
    sound = [one for one in rated if one.reliable]
    leading = max(sound, key=lambda one: _mean_rate(one) or 0.0, default=None)
    return RecordsResult(
        kind=NAME,
        run_id=run.id,
        edition=EDITION,
        participants=run.participants,
        senders=run.parameters["senders"],
        sink=run.parameters["medium"],
        format=run.parameters["format"],
        rate_records_per_s=run.parameters["rate_records_per_s"] or None,
        cells=cells,
        best=cells.index(leading) if leading else None,
        headline=_headline(run, cells, sound, leading),
        warnings=gravest_first(_warnings(run, cells)),
    )


def outcome(result: RecordsResult) -> RunOutcome:
    """Return the finding of an ended run."""
    if result.headline is None:
        return RunOutcome()
    best = result.cells[result.best] if result.best is not None else None
    trial = max(
        (one for one in best.trials if is_reliable(one) and one.bytes_per_s) if best else (),
        key=lambda one: one.bytes_per_s or 0.0,
        default=None,
    )
    return RunOutcome(
        headline=result.headline,
        headline_levels=best.levels or None if best else None,
        metric="records.payload" if best and best.bytes_per_s else None,
        best_trial_id=trial.id if trial else None,
    )


def _mean_rate(cell: RecordsCell) -> float | None:
    return cell.bytes_per_s.mean if cell.bytes_per_s else None


def _headline(
    run: RunRecord,
    cells: Sequence[RecordsCell],
    sound: Sequence[RecordsCell],
    leading: RecordsCell | None,
) -> RecordsHeadline | None:
    """Return the headline, or why there is no rate; None if nothing ended.

    The leading cell was selected among the `sound` ones.
    """
    trials = [one for cell in cells for one in cell.trials]
    done = ended(trials)
    if not done:
        return None
    rate, found = length_rate(leading) if leading else None, leading and leading.bottleneck
    why = None if leading else _why_not(done)
    return RecordsHeadline(
        kind=NAME,
        senders=run.parameters["senders"],
        sink=run.parameters["medium"],
        format=run.parameters["format"],
        record_bytes=rate.record_bytes if rate else None,
        records_per_s=rate.records_per_s if rate else None,
        bytes_per_s=rate.bytes_per_s if rate else None,
        levels=rate.levels if rate else None,
        served_by=_source(leading) if leading else None,
        limit=found.limit if found else None,
        limited=found.limited if found else None,
        lost=lost_of(trials),
        lengths=[length_rate(one) for one in cells],
        no_result=why,
        flags=excluding(trials, "application") if why == "unreliable" else [],
        selected=selected(one.bytes_per_s for one in sound) if rate and not rate.levels else None,
    )


def _source(cell: RecordsCell) -> Source | None:
    """Return who served the data of the trial that represents a cell."""
    shown = next((one for one in cell.trials if one.id == cell.trial_id), None)
    return shown.served_by.source if shown and shown.served_by else None


def length_rate(cell: RecordsCell) -> LengthRate:
    """Return the rate of a cell, or the levels that replace it."""
    rate = None if cell.levels else cell.records_per_s
    return LengthRate(
        record_bytes=cell.record_bytes,
        records_per_s=rate.mean if rate else None,
        bytes_per_s=None if cell.levels else _mean_rate(cell),
        levels=cell.levels or None,
    )


def _why_not(trials: Sequence[RecordsTrial]) -> NoRecordsRate:
    if any(one.counts and not one.counts.is_whole for one in trials):
        return "wrong_records"
    return "unreliable" if counted(trials) else "not_measured"


def _warnings(run: RunRecord, cells: Sequence[RecordsCell]) -> list[RecordsLimit]:
    trials = [one for cell in cells for one in cell.trials]
    found = [RecordsLimit("cut_short", *said) for said in of_cut_short(run, trials)]
    found += _of_counts(trials)
    for cell in cells:
        name = f"Records of {words.block(cell.record_bytes)}"
        whole = [one for one in counted(cell.trials) if one.counts is None or one.counts.is_whole]
        if whole and not cell.reliable:
            found.append(RecordsLimit("unreliable", unreliable(name, whole, "application")))
        if varying := unstable(name, "application", cell.records_per_s):
            found.append(RecordsLimit("unstable", *varying))
    found += _below(run, cells)
    found += _of_left([one for trial in trials for one in trial.left])
    strangers = sum(rejections(one.deciding[-1]) for one in run.trials)
    if strangers:
        said = (
            f"The receiver rejected {words.count(strangers, 'connection')} of others during the "
            "trials."
        )
        figures = {"connections": float(strangers)}
        found.append(RecordsLimit("rejected_connections", said, figures))
    return found


def _below(run: RunRecord, cells: Sequence[RecordsCell]) -> list[RecordsLimit]:
    """Return the trial that is far below its repeats."""
    repeats = [
        (
            f"with records of {words.block(cell.record_bytes)}" if len(cells) > 1 else "",
            [
                Repeat(one.id, one.repeat, one.bytes_per_s, one.attempts > 1)
                for one in counted(cell.trials)
                if is_reliable(one) and one.bytes_per_s is not None
                if not any(flag.code == "cliff" for flag in one.flags)
            ],
        )
        for cell in cells
    ]
    first = min((one.id for cell in cells for one in cell.trials), default=0)
    said = below(repeats, first_trial_id=first, allocates=run.parameters["medium"] == "disk")
    return [RecordsLimit("below_repeats", *said)] if said else []


def _of_left(left: Sequence[RecordsLeft]) -> list[RecordsLimit]:
    """Return what receivers that died had acknowledged, and what of it was lost."""
    if not left:
        return []
    times = "once" if len(left) == 1 else f"{len(left)} times"
    lost, held = total(one.lost for one in left), total(one.acknowledged for one in left)
    if lost is None or held is None:
        intact = sum(one.intact for one in left)
        said = (
            f"The receiver died {times}. Its file then held {words.grouped(intact)} intact "
            "records; how many of the acknowledged ones were lost is unknown."
        )
        return [RecordsLimit("lost_records", said, {"intact_records": float(intact)})]
    said = (
        f"The receiver died {times}. Of the {words.grouped(held)} records that it had "
        f"acknowledged, its file held all but {words.grouped(lost)} afterwards."
        if lost
        else f"The receiver died {times}. Its file then held all {words.grouped(held)} records "
        "that it had acknowledged."
    )
    figures = {"lost_records": float(lost), "acknowledged_records": float(held)}
    return [RecordsLimit("lost_records", said, figures)]


def _of_counts(trials: Sequence[RecordsTrial]) -> list[RecordsLimit]:
    """Return that records of complete trials did not arrive or stay as they were sent."""
    counted = [one.counts for one in trials if one.counts and not one.counts.is_whole]
    if not counted:
        return []
    sums = {
        name: sum(getattr(one, name) or 0 for one in counted)
        for name in ("missing", "wrong", "duplicate", "lost")
    }
    said = ", ".join(f"{words.grouped(number)} {name}" for name, number in sums.items() if number)
    message = f"Records did not arrive and stay as they were sent: {said}. Do not trust this path."
    figures = {f"{name}_records": float(number) for name, number in sums.items()}
    return [RecordsLimit("wrong_records", message, figures)]
