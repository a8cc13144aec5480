"""Runs: their figures, verdicts and trials, and what they compare with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict, Unpack

from assay.base import nouns
from assay.base.states import RunState
from assay.client.resources import Annotatable, query
from assay.client.transport import parsed
from assay.history.compare.schemas import Comparison, Suggestions
from assay.kinds.registry import Result
from assay.runs.schemas import FigureOut, RunOut, RunSummary, TrialOut, TrialRow
from assay.runs.verdicts.judging import Outcome
from assay.runs.verdicts.schemas import RunVerdict, WaiverIn


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


class RunListFilter(MeasurementFilter, total=False):
    """Which runs a list has, and in which order."""

    campaign_id: int
    state: RunState | Sequence[RunState]


class CandidateFilter(TypedDict, total=False):
    """Which runs compare with others (`beside`, ids with commas between), and in which order."""

    beside: str
    q: str
    sort: str


class Runs(Annotatable[int, RunOut]):
    """Tests over one or more participants."""

    noun, _kind = nouns.RUN, RunOut

    def list(
        self, *, most: int | None = None, **where: Unpack[RunListFilter]
    ) -> Iterator[RunSummary]:
        """Yield the runs that match all filters, newest first unless `sort` says otherwise."""
        return self._api.items(RunSummary, self._path, most=most, **query(where))

    def result(self, run_id: int) -> Result:
        """Return the figures, flags and answer of a run; the type is that of its test kind."""
        return parsed(Result, self._api.get(f"{self.path_of(run_id)}/result"))

    def figures(
        self, run_id: int, *, metric: str | Sequence[str] = (), cell: str | None = None
    ) -> Iterator[FigureOut]:
        """Yield the figures of a run: of these metrics, and of cells such as `threads=4`."""
        path = f"{self.path_of(run_id)}/figures"
        for one in self._api.get(path, metric=metric, cell=cell)["items"]:
            yield parsed(FigureOut, one)

    def verdict(self, run_id: int) -> RunVerdict:
        """Return the criteria as judged on a run."""
        return parsed(RunVerdict, self._api.get(f"{self.path_of(run_id)}/verdict"))

    def trials(self, run_id: int) -> Iterator[TrialRow]:
        """Yield the trials of a run in the order of measurement."""
        for one in self._api.get(f"{self.path_of(run_id)}/trials")["items"]:
            yield parsed(TrialRow, one)

    def trial(self, trial_id: int) -> TrialOut:
        """Return a trial with its attempts and their percentiles."""
        return parsed(TrialOut, self._api.get(f"/trials/{trial_id}"))

    def waive(self, run_id: int, waiver: WaiverIn | Mapping[str, object]) -> RunVerdict:
        """Accept a criterion that a run did not pass, until the waiver expires."""
        return parsed(RunVerdict, self._api.post(f"{self.path_of(run_id)}/waivers", waiver))

    def compare(self, run_ids: Sequence[int]) -> Comparison:
        """Compare runs with the first of them: their conditions and results."""
        return parsed(Comparison, self._api.get("/compare", runs=",".join(map(str, run_ids))))

    def suggestions(self, run_id: int) -> Suggestions:
        """Return the previous run at the same place, and the same test on other hosts."""
        return parsed(Suggestions, self._api.get("/compare/suggestions", run_id=run_id))

    def candidates(
        self, *, most: int | None = None, **where: Unpack[CandidateFilter]
    ) -> Iterator[RunSummary]:
        """Yield the measured runs that compare with those of `beside`, newest first."""
        return self._api.items(RunSummary, "/compare/candidates", most=most, **where)
