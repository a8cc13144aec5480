"""The kind *sustained*: a long write, read or both, paced or not, of hours and terabytes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.analysis.flags import Rate
from assay.base.field_errors import FieldError
from assay.kinds.cells import sound_trials
from assay.kinds.export import ExportedRatio
from assay.kinds.kind import Kind
from assay.kinds.planning import FieldName, Place
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate
from assay.kinds.sustained import estimate, export
from assay.kinds.sustained.comparison import SustainedComparison, compare
from assay.kinds.sustained.detail import SustainedDetail
from assay.kinds.sustained.directions import offered_to, operation_of, parameters_of
from assay.kinds.sustained.estimate import CAUTIONS
from assay.kinds.sustained.fields import NAME, YEAR_MS
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.headline import SustainedHeadline, shown
from assay.kinds.sustained.metrics import METRICS
from assay.kinds.sustained.modes import used_by
from assay.kinds.sustained.parameters import ResolvedSustained, SustainedParameters, SustainedTest
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.read_back import READ_BACK
from assay.kinds.sustained.report import report, trial_words
from assay.kinds.sustained.result import SustainedResult, judge, outcome

GRACE_MS = 600_000
"""How much longer than its duration a trial may take before it is stopped."""


class SustainedKind(Kind):
    """A long write, read or both: rates over time, stalls, and the rates that it carries."""

    name = NAME
    together = True
    scales_out = True
    watch_ms = 86_400_000  # neither an upgrade nor a quiet day ends it
    goes_on = True
    test = SustainedTest
    resolved = ResolvedSustained
    trial = SustainedParameters
    detail = SustainedDetail
    result = SustainedResult
    headline = SustainedHeadline
    comparison = SustainedComparison
    metrics = METRICS
    compares_all = True
    paced_by = (
        "operation",
        "access",
        "read_percent",
        "file_mode",
        "cache",
        "engine",
        "pace",
        "gap_ns",
        "quantum_ns",
        "sync_bytes",
        "sync_ms",
        "fill_percent",
        "purge",
        "precondition_passes",
        "read_back",
    )
    cautions = CAUTIONS
    figure_columns = export.COLUMNS

    def plan(
        self, number: int, test: SustainedTest, place: Place, field: FieldName
    ) -> tuple[estimate.PlannedSustained | None, list[FieldError]]:
        """Plan the test on a place."""
        return estimate.plan(number, test, place, field)

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a writer or a reader."""
        offered = offered_to(parameters, trial, operation_of(role))
        parameters = parameters_of(parameters, operation_of(role))
        lasting = trial["duration_ms"]
        pace, burst = parameters["pace"], parameters["pace"] == "burst"
        cache = used_by(parameters, trial, "cache")
        if cache == "direct_if_real":
            cache = "direct" if direct else "page"
        return {
            **self.copied_fields(parameters),
            **_access(parameters, trial),
            "length_bytes": trial["length_bytes"],
            "duration_ms": lasting,
            "block": trial["block"],
            "streams": trial["streams"],
            "file_bytes": trial["file_bytes"],
            "files": trial["files"],
            "cache": cache,
            "pace": pace,
            "rate_bytes_per_s": offered if pace == "rate" else 0,
            "burst_blocks": trial["burst_blocks"] if burst else 0,
            "gap_ns": parameters["gap_ns"] if burst else 0,
            "quantum_ns": parameters["quantum_ns"] if burst else 0,
            "mark_bytes": trial["mark_bytes"],
            "idle_ms": trial.get("idle_ms", 0),
            "priority": used_by(parameters, trial, "priority"),
            "io_priority": used_by(parameters, trial, "io_priority"),
            "read_back": READ_BACK[parameters["read_back"]],
            "rates": ",".join(map(str, _rates(offered))),
            "timeout_ms": min(YEAR_MS, lasting + GRACE_MS) if lasting else parameters["timeout_ms"],
        }

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of the largest trial's files."""
        return max((trial["footprint_bytes"] for trial in trials), default=0)

    def trial_ms(self, parameters: Mapping[str, Any]) -> int | None:
        """Return the duration of a trial, or None if a number of bytes ends it."""
        return parameters["duration_ms"] or None

    def judge(self, run: RunRecord) -> SustainedResult:
        """Return the result of a run."""
        return judge(run)

    def outcome(self, result: SustainedResult) -> RunOutcome:
        """Return the finding of an ended run."""
        return outcome(result)

    def compare(self, results: Sequence[SustainedResult]) -> SustainedComparison:
        """Compare each run with the first."""
        return compare(results)

    def joint_rates(self, result: SustainedResult) -> Iterable[JointRate]:
        """Return what all participants of a run reach in each cell."""
        return joint_rates(result)

    def export_ratios(self, comparison: SustainedComparison) -> Iterable[ExportedRatio]:
        """Return the figures of both runs side by side."""
        return export.ratios(comparison)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's parameters."""
        return trial_words(parameters)

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format a result for a terminal."""
        return report(result)


def _access(parameters: Mapping[str, Any], trial: Mapping[str, Any]) -> dict[str, object]:
    """Return the fields of random access, of a mixture and of the engine, as far as it has them."""
    found: dict[str, object] = {}
    if parameters.get("access") == "random":
        found |= {"access": "random", "seed": parameters["seed"]}
    if parameters["operation"] == "mixed":
        found["read_percent"] = parameters["read_percent"]
    if parameters.get("engine") == "io_uring":
        found |= {"engine": "io_uring", "queue_depth": trial["queue_depth"]}
    return found


def _rates(offered: int | None) -> list[int]:
    """Return the rates at which the probe simulates a queue."""
    return sorted({preset.bytes_per_s for preset in PRESETS} | ({offered} if offered else set()))


def joint_rates(result: SustainedResult) -> Iterator[JointRate]:
    """Yield what the participants of a run reach in each cell."""
    alone = result.participants[0].id
    for cell in result.cells:
        trial = shown(cell)
        label = trial_words(
            {
                "block": cell.block,
                "queue_depth": cell.queue_depth,
                "rate_bytes_per_s": cell.rate_bytes_per_s,
                "burst_blocks": cell.burst_blocks,
                "idle_ms": cell.idle_ms,
                **cell.mode.given,
            }
        )
        application = _reached(cell, "application")
        several = trial.participants if trial else ()
        own = [ParticipantRate(alone, application.bytes_per_s, 1.0)] if trial else []
        yield JointRate(
            cell=cell.key,
            label=label,
            application=application,
            durable=_reached(cell, "durable") if result.operation != "read" else None,
            fairness=trial.fairness if trial else None,
            slowest_participant_id=trial.slowest_participant_id if trial else None,
            participants=[
                ParticipantRate(one.participant_id, one.application_bytes_per_s, one.share)
                for one in several
            ]
            or own,
        )


def _reached(cell: SustainedCell, rate: Rate) -> ReachedRate:
    mean, source = cell.mean(rate), cell.source(rate)
    doubt = _doubt(cell, rate, source) if mean is not None else "not_measured"
    return ReachedRate(bytes_per_s=mean, served_by=source, doubt=doubt)


def _doubt(cell: SustainedCell, rate: Rate, source: str | None) -> RateDoubt | None:
    sound = sound_trials(cell.trials, rate)
    if not sound:
        return "unreliable"
    if cell.offered_bytes_per_s is not None:
        return "paced"  # the pace decides the rate, not what the targets share
    if rate == "durable" and any(trial.bounded for trial in sound):
        return "bounded"  # the true rate is lower
    if any(trial.levels for trial in sound):
        return "cliff"  # the mean is a rate that was never reached
    return "page_cache" if source == "page_cache" else None
