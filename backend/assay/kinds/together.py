"""A trial of a target's storage that several participants measured together.

It counts if every participant's attempt does. What is said of all is that of the worst one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from assay.analysis import flags as rules
from assay.analysis.contention import Contention
from assay.analysis.flags import Flag
from assay.analysis.served_by import ServedBy
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint
from assay.kinds.cells import MeasuredTrial, ParticipantRates, StorageTrial
from assay.kinds.evidence import least_conclusive, worst_contention
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord

Each = TypeVar("Each", bound=MeasuredTrial[StorageTrial])


@dataclass(frozen=True)
class TrialTogether(Generic[Each]):
    """The parts of all participants in a trial, in their order."""

    run: RunRecord
    trial: TrialRecord
    of_each: Sequence[Each]

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The participants' names by their ids."""
        return {site.participant_id: site.name for site in self.run.sites}

    @cached_property
    def attempts(self) -> list[AttemptRecord]:
        """The deciding attempts; of a trial that counts, that of each participant."""
        return [attempt for attempt in self.trial.deciding if attempt is not None]

    @property
    def status(self) -> str:
        """The status of the trial."""
        return of_trial([one.figures.status for one in self.of_each])

    @property
    def counts(self) -> bool:
        """Whether the trial measured the storage."""
        return self.status in COUNTED and all(one.figures.is_counted for one in self.of_each)

    @property
    def flags(self) -> list[Flag]:
        """The flags of the participants."""
        flags = {each: one.figures.flags for each, one in self._by_id.items()}
        return rules.of_participants(flags, self.names)

    @property
    def application_served_by(self) -> ServedBy | None:
        """The least conclusive source of the application rate."""
        found = {each: one.application_served_by for each, one in self._by_id.items()}
        return least_conclusive(found, self.names)

    @property
    def durable_served_by(self) -> ServedBy | None:
        """The least conclusive source of the durable rate."""
        found = {each: one.durable_served_by for each, one in self._by_id.items()}
        return least_conclusive(found, self.names)

    @property
    def contention(self) -> Contention | None:
        """The most severe contention."""
        found = {each: one.figures.contention for each, one in self._by_id.items()}
        return worst_contention(self.run, self.trial, found, self.names)

    def clocks(self, since_ns: int) -> list[tuple[Contention | None, int]]:
        """Return each contention, and its participant's time at a moment after the agreed start."""
        return [
            (one.figures.contention, since_ns - attempt.delay_ns)
            for one, attempt in zip(self.of_each, self.attempts, strict=True)
        ]

    def rates(self, found: Joint | None) -> list[ParticipantRates]:
        """Return each participant's rates; `found` is null if the trial does not count."""
        window = found.application if found else [None] * len(self.of_each)
        return [
            ParticipantRates(
                participant_id=site.participant_id,
                status=one.figures.status,
                reason=one.figures.reason,
                bytes=one.figures.bytes,
                application_bytes_per_s=rate,
                durable_bytes_per_s=one.figures.durable_bytes_per_s,
                start_delay_ns=attempt.delay_ns if attempt else None,
            )
            for site, one, attempt, rate in zip(
                self.run.sites, self.of_each, self.trial.deciding, window, strict=True
            )
        ]

    @property
    def _by_id(self) -> Mapping[int, Each]:
        return dict(zip(self.names, self.of_each, strict=True))
