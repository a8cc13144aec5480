"""The interface of a test kind."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from pydantic import BaseModel

from assay.base.field_errors import FieldError
from assay.base.field_types import RequestBody, Title
from assay.kinds.detail import BaseDetail
from assay.kinds.examples import Examples, examples_of
from assay.kinds.export import (
    JUDGED,
    OF_TRIAL,
    ExportColumn,
    ExportedRatio,
    ExportedTrial,
    by_trial,
    of_parameters,
)
from assay.kinds.headline import BaseHeadline
from assay.kinds.metrics import Metric
from assay.kinds.parameters import Parameter, conditions_of, declared, overrides_of
from assay.kinds.planning import Extent, FieldName, Place, PlannedRun
from assay.kinds.programs import ToolDefinition
from assay.kinds.result import BaseComparison, BaseResult, Report, RunOutcome
from assay.kinds.run_record import RunRecord
from assay.kinds.scaling import JointRate


class BaseTest(RequestBody):
    """Fields of every test; each kind adds its own, including `kind`."""

    kind: Any
    title: Title

    @property
    def trials(self) -> int:
        """Number of trials on one target."""
        raise NotImplementedError

    @property
    def reads_back_elsewhere(self) -> bool:
        """Whether another host of the target's file system reads the test files back."""
        return False


class BaseParameters(BaseModel):
    """The parameters of one trial; each kind has its own."""

    kind: Any

    @property
    def key(self) -> str:
        """Identifies the parameter combination in its run."""
        raise NotImplementedError

    @property
    def extent(self) -> Extent | None:
        """What the duration of the trial depends on; None if that is unknown."""
        return None


class Kind(ABC):
    """A test kind: everything that is specific to it."""

    name: ClassVar[str]
    together: ClassVar[bool] = False
    """Whether one run can measure several targets at the same time."""
    watch_ms: ClassVar[int] = 600_000
    """How long a probe continues without a follower, if the profile does not say."""
    transfers: ClassVar[bool] = False
    """Whether it moves data from a source to a sink (`plan_transfer`), not at a target (`plan`)."""
    scales_out: ClassVar[bool] = False
    """Whether `joint_rates` shows what growing numbers of targets reach together."""
    counts_left: ClassVar[bool] = False
    """Whether a probe that is started again counts what a dead one left in its file."""
    compares: ClassVar[frozenset[str]] = frozenset()
    """The kinds whose results `compare` takes beside those of its own."""
    compares_all: ClassVar[bool] = False
    """Whether `compare` compares each run with the first; else it compares the first two."""
    goes_on: ClassVar[bool] = False
    """Whether a disturbed trial continues with a gap; else it is repeated."""
    test: ClassVar[type[BaseTest]]
    resolved: ClassVar[type[BaseTest]]
    """The test as a run measures it; fields that it does not have are ignored."""
    trial: ClassVar[type[BaseParameters]]
    detail: ClassVar[type[BaseDetail] | None] = None
    """What the result of an attempt adds in the event log; None if it adds nothing."""
    result: ClassVar[type[BaseResult]]
    headline: ClassVar[type[BaseHeadline]]
    comparison: ClassVar[type[BaseComparison]]
    paced_by: ClassVar[tuple[str, ...]] = ()
    """The parameters of a run, beside those of its cells, on which the duration of trials depends.

    Runs in which they are the same tell each other's duration."""
    cautions: ClassVar[frozenset[str]]
    """The codes of the kind's estimate warnings."""
    metrics: ClassVar[Sequence[Metric]] = ()
    """The figures of its results that criteria may limit."""
    figure_columns: ClassVar[Sequence[ExportColumn]] = ()
    """The figures that it adds to the rows of trials."""
    part_columns: ClassVar[Sequence[ExportColumn]] = ()
    """What it adds to a result's CSV for the parts of a trial, with their number."""

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The declared parameters of a test."""
        return declared(self.test)

    @cached_property
    def overrides(self) -> type[RequestBody]:
        """The parameters that a launch can override, as a request has them."""
        return overrides_of(self.test)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The parameters of a run that are conditions of its result, with their labels."""
        return {name: one.label for name, one in self.conditions.items()}

    @cached_property
    def conditions(self) -> Mapping[str, Parameter]:
        """The parameters of a run that are conditions of its result."""
        return conditions_of(self.test, self.resolved)

    @cached_property
    def parameter_columns(self) -> Sequence[ExportColumn]:
        """The parameters in the rows of trials and of samples, unless measured under their name."""
        measured = {one.name for one in self.figure_columns}
        of_all = of_parameters(self.test, self.resolved, self.trial)
        return [one for one in of_all if one.name not in measured]

    @property
    def export_columns(self) -> Sequence[ExportColumn]:
        """What it adds to the rows of trials."""
        return (*self.parameter_columns, *self.figure_columns)

    @property
    def examples(self) -> Examples:
        """The examples in the API's description."""
        return examples_of(self.name)

    def plan(
        self, number: int, test: Any, place: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the campaign's test `number` on a place, or return None with the problems."""
        raise NotImplementedError(f"{self.name} needs a source and a sink, not {place.name}")

    def plan_transfer(
        self, number: int, test: Any, source: Place, sink: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the campaign's test `number` from a source to a sink; as `plan`.

        `field` also names the two ends, as the fields `source` and `sink`.
        """
        raise NotImplementedError(f"{self.name} has no {source.name} and {sink.name}")

    def alike(self, planned: Sequence[PlannedRun]) -> Sequence[PlannedRun]:
        """Return these, which are to be measured together, with the values that they must share.

        What an expression gives may differ between them.
        """
        return planned

    def joined(self, planned: Sequence[PlannedRun]) -> list[PlannedRun]:
        """Return the plans of all participants of one run that measures these together.

        They are the participants of each target, or of each pair of source and sink, in order.
        """
        return [part for run in planned for part in run.participants]

    def refused_of_several(
        self, planned: Sequence[PlannedRun], field: FieldName, *, at_once: bool
    ) -> Iterable[FieldError]:
        """Return why these cannot be runs of one campaign, or be measured `at_once` in one run.

        Parameters that differ within a run are refused for all kinds.
        """
        del planned, field, at_once
        return ()

    def exchange(self, position: int) -> int:
        """Return the exchange of data of a participant of a transfer, by its position in the run.

        The participants of an exchange have a token in common, and those that do not listen connect
        to the one that does. Without another rule, each sender and the receiver after it are one.
        """
        return position // 2

    def copied_fields(self, parameters: Mapping[str, Any]) -> dict[str, object]:
        """Return the fields of a trial's plan line that are the values of parameters."""
        copied = {name: one for name, one in self.parameters.items() if one.in_plan}
        return {one.plan_name or name: parameters[name] for name, one in copied.items()}

    @abstractmethod
    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a participant's probe.

        `role` is the participant's, `direct` is whether O_DIRECT was verified to bypass the page
        cache at the target.
        """

    def own_fields(self, parameters: Mapping[str, Any], role: str, place: int) -> dict[str, object]:
        """Return the fields of each trial's line that differ between the participants of a role.

        `place` is the participant's number among those with its role, from 0.
        """
        return {}

    def disk_fields(self, parameters: Mapping[str, Any], devices: int) -> dict[str, object]:
        """Return the plan fields that depend on the number of physical devices below the target.

        `devices` is 0 if they are unknown.
        """
        del parameters, devices
        return {}

    @abstractmethod
    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the maximum size of a participant's files in these trials, in bytes."""

    def writes(self, parameters: Mapping[str, Any], role: str) -> bool:
        """Return whether a participant with this role writes a trial's bytes to its target."""
        return role in {"writer", "receiver"}

    def scored_role(self, parameters: Mapping[str, Any]) -> str | None:
        """Return the role whose bytes are those of a trial; None if it is that of the first."""
        return None

    def program(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any]
    ) -> ToolDefinition | None:
        """Return the program that moves the data of a trial; None if the probes do."""
        return None

    def program_input(self, trial: Mapping[str, Any]) -> dict[str, object]:
        """Return the values of the placeholders that describe what a program moves."""
        del trial
        return {}

    def trial_ms(self, parameters: Mapping[str, Any]) -> int | None:
        """Return how long a trial with these parameters takes, if a duration ends it."""
        return None

    @abstractmethod
    def judge(self, run: RunRecord) -> BaseResult:
        """Return the result of a run in any state."""

    @abstractmethod
    def outcome(self, result: Any) -> RunOutcome:
        """Return the finding of an ended run, for lists."""

    @abstractmethod
    def compare(self, results: Sequence[Any]) -> BaseComparison:
        """Compare the first result with the second."""

    def unused(self, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that a test or a run with these parameters does not use."""
        return frozenset(n for n, one in self.parameters.items() if not one.is_used(parameters))

    def used_with(self, name: str, parameters: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return what decides that a test with these parameters does not use `name`.

        It is another parameter, with the values that it would have to have.
        """
        parameter = self.parameters.get(name)
        for alternative in parameter.used if parameter else ():
            for condition in alternative:
                if not condition.holds(parameters):
                    return condition.name, condition.wanted
        return None

    def cells(self, result: Any) -> Sequence[Any]:
        """Return the cells of a result, which the arguments of its metrics name."""
        return getattr(result, "cells", ())

    def joint_rates(self, result: Any) -> Iterable[JointRate]:
        """Return what all participants of a run reach in each cell, if it scales out."""
        raise NotImplementedError(f"{self.name} does not scale out: {result.run_id}")

    @abstractmethod
    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's parameters."""

    @abstractmethod
    def report(self, result: Mapping[str, Any]) -> Report:
        """Format the API's representation of a result for a terminal."""

    def exported(self, result: Any) -> Iterable[tuple[Any, Any]]:
        """Yield each trial of a result after its cell; a trial may be in several cells.

        A trial has `id`, `status`, `reason`, `attempts` and `flags`.
        """
        return by_trial(getattr(result, "cells", ()))

    def parts(self, trial: Any) -> Sequence[Any]:
        """Return the parts of a trial that have figures of their own, such as its pairs."""
        del trial
        return ()

    def csv_columns(self, result: Any) -> Sequence[ExportColumn]:
        """Return the columns of a result's CSV: those of exported trials, and those of parts."""
        del result
        return (*OF_TRIAL, *self.part_columns, *JUDGED, *self.export_columns)

    def csv_rows(self, result: Any, trials: Mapping[int, ExportedTrial]) -> Iterable[ExportedTrial]:
        """Yield the rows of a result's CSV: each trial, followed by its parts.

        `trials` are those of the run by id, without their figures.
        """
        for cell, figures in self.exported(result):
            whole = replace(trials[figures.id], cell=cell, figures=figures)
            yield whole
            for number, part in enumerate(self.parts(figures), start=1):
                yield replace(whole, figures=part, part=number)

    def export_ratios(self, comparison: Any) -> Iterable[ExportedRatio]:
        """Return the figures that a comparison shows side by side."""
        del comparison
        return ()
