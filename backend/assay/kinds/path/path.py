"""The kind *path*: from a source to a sink, with the parts that limit it measured by themselves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.http.field_errors import FieldError
from assay.kinds.export import ExportedRatio, by_trial
from assay.kinds.fields import Cache, ip_version
from assay.kinds.kind import Kind
from assay.kinds.path import devices as of_devices
from assay.kinds.path import estimate, export, refusals
from assay.kinds.path.cautions import CAUTIONS
from assay.kinds.path.comparison import PathComparison, compare
from assay.kinds.path.fields import NAME, READING, WRITING, Leg
from assay.kinds.path.metrics import METRICS
from assay.kinds.path.parameters import (
    PathParameters,
    PathTest,
    ResolvedPath,
)
from assay.kinds.path.report import report, trial_words
from assay.kinds.path.result import PathHeadline, PathResult, judge, outcome
from assay.kinds.path.scaling import joint_rates
from assay.kinds.path.trials import PathPair, PathTrial
from assay.kinds.planning import FieldName, Place, PlannedRun
from assay.kinds.result import Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.scaling import JointRate
from assay.kinds.transfers import RECEIVER, SENDER


class PathKind(Kind):
    """A transfer from a source to a sink, and its parts."""

    name = NAME
    transfers = True
    scales_out = True
    test = PathTest
    resolved = ResolvedPath
    trial = PathParameters
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
    export_columns = export.COLUMNS
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
        return {"disk_threads": of_devices.threads(per_device, devices)} if per_device else {}

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
