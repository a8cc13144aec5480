"""Runs: their figures, verdicts and trials, and what they compare with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assay.client.nouns import Annotatable
from assay.client.transport import Transport, parsed
from assay.compare.schemas import Candidate, Comparison, Suggestions
from assay.kinds.registry import Result
from assay.runs.schemas import RunOut, RunSummary, TrialOut, TrialRow
from assay.runs.states import RunState
from assay.verdicts.judging import Outcome
from assay.verdicts.schemas import RunVerdict, WaiverIn


class MeasurementFilter(TypedDict, total=False):
    """What was measured, where and when; `since` and `until` are dates or times of the launch."""

    host: str
    host_id: int
    target: str
    target_id: int
    array: str
    array_id: int
    profile: str
    schedule: str | int
    kind: str | Sequence[str]
    verdict: Outcome | Sequence[Outcome]
    label: str | Sequence[str]
    since: str
    until: str
    q: str
    sort: str


class RunQuery(MeasurementFilter, total=False):
    """Which runs a list has, and in which order."""

    campaign_id: int
    state: RunState | Sequence[RunState]


class CandidateFilter(TypedDict, total=False):
    """Which runs compare with others (`beside`, ids with commas between), and in which order."""

    beside: str
    q: str
    sort: str


class Runs(Annotatable[int]):
    """Tests over one or more participants."""

    def __init__(self, api: Transport) -> None:
        """Use this connection."""
        self._api = api

    def list(self, *, most: int | None = None, **where: Unpack[RunQuery]) -> Iterator[RunSummary]:
        """Yield the runs that match all filters, newest first unless `sort` says otherwise."""
        return self._api.items(RunSummary, "/runs", most=most, **query(where))

    def get(self, run_id: int) -> RunOut:
        """Return a run with the conditions under which it measured."""
        return parsed(RunOut, self._api.get(f"/runs/{run_id}"))

    def result(self, run_id: int) -> Result:
        """Return the figures, flags and answer of a run; the type is that of its test kind."""
        return parsed(Result, self._api.get(f"/runs/{run_id}/result"))

    def verdict(self, run_id: int) -> RunVerdict:
        """Return the criteria as judged on a run."""
        return parsed(RunVerdict, self._api.get(f"/runs/{run_id}/verdict"))

    def trials(self, run_id: int) -> Iterator[TrialRow]:
        """Yield the trials of a run in the order of measurement."""
        for one in self._api.get(f"/runs/{run_id}/trials")["items"]:
            yield parsed(TrialRow, one)

    def trial(self, trial_id: int) -> TrialOut:
        """Return a trial with its attempts and their percentiles."""
        return parsed(TrialOut, self._api.get(f"/trials/{trial_id}"))

    def waive(self, run_id: int, waiver: WaiverIn | Mapping[str, object]) -> RunVerdict:
        """Accept a criterion that a run did not pass, until the waiver expires."""
        return parsed(RunVerdict, self._api.post(f"/runs/{run_id}/waivers", waiver))

    def compare(self, run_ids: Sequence[int]) -> Comparison:
        """Compare runs with the first of them: their conditions and results."""
        return parsed(Comparison, self._api.get("/compare", runs=",".join(map(str, run_ids))))

    def suggestions(self, run_id: int) -> Suggestions:
        """Return the previous run at the same place, and the same test on other hosts."""
        return parsed(Suggestions, self._api.get("/compare/suggestions", run_id=run_id))

    def candidates(
        self, *, most: int | None = None, **where: Unpack[CandidateFilter]
    ) -> Iterator[Candidate]:
        """Yield the measured runs that compare with those of `beside`, newest first."""
        return self._api.items(Candidate, "/compare/candidates", most=most, **where)

    def _of(self, which: int) -> str:
        return f"/runs/{which}"


def query(where: Mapping[str, object]) -> dict[str, Any]:
    """Return filters as query parameters; `from` is no name in Python."""
    names = {"since": "from", "until": "to"}
    return {names.get(name, name): value for name, value in where.items()}
