"""The kind *path*: from a source to a sink, with the parts that limit it measured by themselves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from assay.analysis.flags import Rate, excluded
from assay.analysis.statuses import COUNTED
from assay.base.field_errors import FieldError
from assay.kinds.export import ExportedRatio, by_trial
from assay.kinds.fields import Cache
from assay.kinds.kind import Kind
from assay.kinds.path import estimate, export, refusals
from assay.kinds.path.comparison import PathComparison, compare
from assay.kinds.path.detail import PathDetail
from assay.kinds.path.estimate import CAUTIONS
from assay.kinds.path.fields import NAME, READING, WRITING, Leg
from assay.kinds.path.figures import PathPair, PathTrial
from assay.kinds.path.legs import PathLeg
from assay.kinds.path.metrics import METRICS
from assay.kinds.path.parameters import PathParameters, PathTest, ResolvedPath
from assay.kinds.path.planned import disk_threads
from assay.kinds.path.report import report, trial_words
from assay.kinds.path.result import PathHeadline, PathResult, judge, outcome
from assay.kinds.path.settings import PathSetting
from assay.kinds.planning import FieldName, Place, PlannedRun
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.scaling import JointRate, ParticipantRate, RateDoubt, ReachedRate
from assay.kinds.transfer.cells import counted
from assay.kinds.transfer.fields import ip_version
from assay.kinds.transfer.planned import RECEIVER, SENDER


class PathKind(Kind):
    """A transfer from a source to a sink, and its parts."""

    name = NAME
    transfers = True
    scales_out = True
    test = PathTest
    resolved = ResolvedPath
    trial = PathParameters
    detail = PathDetail
    result = PathResult
    headline = PathHeadline
    comparison = PathComparison
    paced_by = (
        "source_cache",
        "sink_cache",
        "full_duplex",
        "integrity",
        "congestion_control",
        "pacing_bytes_per_s",
        "family",
    )
    cautions = CAUTIONS
    metrics = METRICS
    figure_columns = export.COLUMNS
    part_columns = export.OF_PAIR

    def plan_transfer(
        self, number: int, test: PathTest, source: Place, sink: Place, field: FieldName
    ) -> tuple[estimate.PlannedPath | None, list[FieldError]]:
        """Plan the test from a source to a sink."""
        return estimate.plan(number, test, source, sink, field)

    def writes(self, parameters: Mapping[str, Any], role: str) -> bool:
        """Return whether it is the receiver in a leg that ends on a disk."""
        return role == RECEIVER and parameters["leg"] in WRITING

    def unused(self, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return also the number of small files, if there are none."""
        found = super().unused(parameters)
        return found if parameters.get("small_files") else found | {"small_files"}

    def alike(self, planned: Sequence[Any]) -> Sequence[PlannedRun]:
        """Return the pairs of a joint run with one length."""
        return estimate.alike(planned)

    def joined(self, planned: Sequence[Any]) -> list[PlannedRun]:
        """Return the ends of all pairs."""
        return [*estimate.joined(planned)]

    def refused_of_several(
        self, planned: Sequence[Any], field: FieldName, *, at_once: bool
    ) -> Iterator[FieldError]:
        """Return the addresses and ports that several pairs cannot have."""
        return refusals.refused_of_several(planned, field, at_once=at_once)

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a participant's probe."""
        leg: Leg = trial["leg"]
        moves = leg not in ("read", "write")
        fields: dict[str, object] = self.copied_fields(parameters) | {
            "leg": "transfer" if moves else leg,
            "source": "disk" if leg in READING else "memory",
            "sink": "disk" if leg in WRITING else "memory",
            "length_bytes": trial["length_bytes"],
            "duration_ms": trial["duration_ms"],
            "ramp_ms": parameters["ramp_ms"] if trial["duration_ms"] else 0,
            "block": trial["block"],
            "source_cache": _cache(parameters["source_cache"], direct=direct),
            "sink_cache": _cache(parameters["sink_cache"], direct=direct),
        }
        if trial.get("small_files"):
            names = ("small_files", "small_file_bytes")
            fields |= {name: trial[name] for name in names}
        if not moves:
            return fields
        return fields | {
            "streams": trial["streams"],
            "socket_buffer_bytes": parameters["socket_buffer_bytes"],
            "congestion": parameters["congestion_control"],
            "pacing_bytes_per_s": parameters["pacing_bytes_per_s"],
            "family": ip_version(parameters),
            "port_first": parameters["port"],
            "port_last": parameters["last_port"] or parameters["port"],
        }

    def disk_fields(self, parameters: Mapping[str, Any], devices: int) -> dict[str, object]:
        """Return the number of threads that use a target; runs of before leave it to the probe."""
        per_device = parameters.get("threads_per_device")
        return {"disk_threads": disk_threads(per_device, devices)} if per_device else {}

    def own_fields(self, parameters: Mapping[str, Any], role: str, place: int) -> dict[str, object]:
        """Return the CPUs and the addresses of an end, and which end of its pair listens.

        With full duplex, the sender of every other pair is at the sink, and the place that listens
        is the same for both directions: the other one may be behind a firewall.
        """
        turned = bool(parameters.get("full_duplex")) and place % 2 == 1
        is_source = (role == SENDER) != turned
        own, other = ("source", "sink") if is_source else ("sink", "source")
        listener = parameters["listener"]
        if turned:
            listener = RECEIVER if listener == SENDER else SENDER
        return {
            "bind": parameters[f"{own}_address"],
            "peer": parameters[f"{other}_address"],
            "listener": listener,
            "cpus": parameters.get(f"{own}_cpus"),
        }

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of the largest trial's files at the source or at the sink."""
        legs = READING if role == SENDER else WRITING
        sizes = [
            one["length_bytes"] + one.get("small_files", 0) * one.get("small_file_bytes", 0)
            for one in trials
            if one["leg"] in legs
        ]
        return max(sizes, default=0)

    def scored_role(self, parameters: Mapping[str, Any]) -> str:
        """Return the end that scores a leg: the receiver of all that is not only read."""
        return SENDER if parameters["leg"] == "read" else RECEIVER

    def trial_ms(self, parameters: Mapping[str, Any]) -> int | None:
        """Return the duration of a trial between memories."""
        return parameters["duration_ms"] or None

    def judge(self, run: RunRecord) -> PathResult:
        """Return the path of a run."""
        return judge(run)

    def outcome(self, result: PathResult) -> RunOutcome:
        """Return the finding of an ended run."""
        return outcome(result)

    def compare(self, results: Sequence[PathResult]) -> PathComparison:
        """Compare the first path with the second."""
        return compare(results)

    def cells(self, result: PathResult) -> Sequence[PathSetting]:
        """Return its settings."""
        return result.settings

    def joint_rates(self, result: PathResult) -> Iterator[JointRate]:
        """Return what the pairs of a run reach in each leg with each setting."""
        return joint_rates(result)

    def exported(self, result: PathResult) -> Iterable[tuple[Any, Any]]:
        """Yield each trial after its leg."""
        return by_trial(result.legs)

    def parts(self, trial: PathTrial) -> Sequence[PathPair]:
        """Return the pairs of a trial of several."""
        return trial.pairs

    def export_ratios(self, comparison: PathComparison) -> Iterable[ExportedRatio]:
        """Return the figures of both runs side by side."""
        return export.ratios(comparison)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's leg and setting."""
        return trial_words(parameters)

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format a path for a terminal."""
        return report(result)


def _cache(cache: Cache, *, direct: bool) -> str:
    """Return page or direct; a run's own parameters are resolved already."""
    return ("direct" if direct else "page") if cache == "direct_if_real" else cache


def joint_rates(result: PathResult) -> Iterator[JointRate]:
    """Yield what the pairs of a run reach in each leg with each setting.

    Both ends of a pair have its rate. The slowest participant is an end that other pairs do not
    share.
    """
    senders = [one for one in result.participants if one.role == "sender"]
    one_source = len({(one.host, one.path) for one in senders}) == 1
    for leg in result.legs:
        trial, paced = _shown(leg), _is_paced(result, leg)
        pairs: Sequence[PathPair] = trial.pairs if trial else ()
        slowest = None
        if trial and trial.slowest_pair is not None:
            pair = pairs[trial.slowest_pair]
            slowest = pair.receiver_id if one_source else pair.sender_id
        cell = PathParameters(
            kind="path",
            leg=leg.leg,
            block=leg.block,
            streams=leg.streams or 0,
            length_bytes=0,
            duration_ms=0,
        )
        application = _reached(leg, "application", paced=paced)
        alone = [
            ParticipantRate(one.id, application.bytes_per_s, 1.0)
            for one in (result.participants if trial else ())
        ]
        yield JointRate(
            cell=cell.key,
            label=trial_words(cell.model_dump(), several=len(senders) > 1),
            application=application,
            durable=_reached(leg, "durable", paced=paced) if leg.leg in WRITING else None,
            fairness=trial.fairness if trial else None,
            slowest_participant_id=slowest,
            participants=[
                ParticipantRate(end, one.application_bytes_per_s, one.share)
                for one in pairs
                for end in (one.sender_id, one.receiver_id)
            ]
            or alone,
        )


def _is_paced(result: PathResult, leg: PathLeg) -> bool:
    """Return whether the pacing that the test asked for limits a leg."""
    return any(
        one.bottleneck is not None and one.bottleneck.limit == "pacing"
        for one in result.settings
        if (one.transfer, one.block, one.streams) == (leg.leg, leg.block, leg.streams)
    )


def _shown(leg: PathLeg) -> PathTrial | None:
    """Return the trial whose rate is the median of those that the leg's figures rest on."""
    rated = [one for one in leg.trials if one.status in COUNTED and one.leading_bytes_per_s]
    if not rated:
        return None
    middle = median(one.leading_bytes_per_s or 0.0 for one in rated)
    return min(rated, key=lambda one: abs((one.leading_bytes_per_s or 0.0) - middle))


def _reached(leg: PathLeg, rate: Rate, *, paced: bool) -> ReachedRate:
    found = leg.of(rate)
    sources = [one.served_by for one in leg.trials if one.served_by]
    return ReachedRate(
        bytes_per_s=found.mean if found else None,
        served_by=sources[0].source if sources else None,
        doubt=_doubt(leg.trials, rate, paced=paced) if found else "not_measured",
    )


def _doubt(trials: Sequence[PathTrial], rate: Rate, *, paced: bool) -> RateDoubt | None:
    sound = [
        one for one in counted(trials) if not excluded(one.flags, rate) and not one.wrong_blocks
    ]
    if not sound:
        return "unreliable"
    if any(one.inflated for one in sound):
        return "page_cache"
    if paced:
        return "paced"  # the pace decides the rate, not what the pairs share
    if rate == "durable" and any(one.bounded for one in sound):
        return "bounded"  # the true rate is lower
    served = any(one.served_by and one.served_by.source == "page_cache" for one in sound)
    return "page_cache" if served else None
