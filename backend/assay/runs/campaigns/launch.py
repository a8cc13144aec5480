"""Launch: create a campaign with its runs and trials from an estimate without problems.

A profile and overrides are resolved into the tests to run.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import FieldProblem, Problem
from assay.base.field_errors import FieldError, from_pydantic
from assay.base.identity import Identity
from assay.base.messaging.changes import announce
from assay.base.states import Origin
from assay.inventory.labels import put_labels
from assay.kinds.planning import PlannedRun
from assay.kinds.registry import KINDS, Test
from assay.runs.campaigns import naming
from assay.runs.campaigns.estimate import Forecast, forecast, joint_peak_bytes, unplaced
from assay.runs.campaigns.expectation import earlier_runs, expected_s, seat
from assay.runs.campaigns.naming import PlaceLabels, Spot, with_ids
from assay.runs.campaigns.pairs import Transfers, mispaired
from assay.runs.campaigns.places import find_places, read_back_problems, read_back_spot
from assay.runs.campaigns.schemas import (
    BusyHost,
    CampaignPlan,
    Estimate,
    EstimateWarning,
    ExpectedDuration,
    RunEstimate,
)
from assay.runs.campaigns.token_limits import admit
from assay.runs.campaigns.token_usage import charge
from assay.runs.participants import subject
from assay.runs.profiles.schemas import ProfileBody
from assay.runs.scheduling.reservations import dispatch
from assay.runs.verdicts.applicability import problem_of
from assay.runs.verdicts.schemas import CriterionIn
from assay.tables.campaigns import PERSON, SCHEDULE, TOKEN, Campaign
from assay.tables.labels import CampaignLabel
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Reservation, Run, Trial


class Resolution:
    """The tests of a plan with its overrides applied; `problems` lists invalid values."""

    def __init__(self, plan: CampaignPlan, profile_tests: Sequence[Test]) -> None:
        """Apply the overrides to each test."""
        self._overrides = plan.overrides.model_dump(exclude_none=True)
        self._prefix = "profile.tests" if plan.tests is None else "tests"
        self.tests: list[Test] = []
        self.problems: list[FieldError] = []
        given = profile_tests if plan.tests is None else plan.tests
        for number, test in enumerate(given):
            try:
                known = type(test).model_fields
                overrides = {n: v for n, v in self._overrides.items() if n in known}
                self.tests.append(type(test).model_validate({**test.model_dump(), **overrides}))
            except ValidationError as error:
                for one in from_pydantic(error.errors()):
                    name = self.field(number, one.field.partition(".")[0])
                    problem = FieldError(name, one.message, one.remedy, one.value)
                    if problem not in self.problems:
                        self.problems.append(problem)
        if not self.problems:
            self.problems += self._without_effect(given)

    def _without_effect(self, given: Sequence[Test]) -> Iterator[FieldError]:
        """Yield the overrides that change nothing, because no test has or uses the value.

        A rate without `pace`, for example, would leave an unpaced test unpaced.
        """
        for name, value in self._overrides.items():
            where, having = f"overrides.{name}", list[tuple[Test, Test]]()
            for before, after in zip(given, self.tests, strict=True):
                having += [(before, after)] if name in type(after).model_fields else []
            if not having:
                message = "is given, but no test of the profile has this value"
                yield FieldError(where, message, "Omit it.", value)
            elif all(getattr(before, name) == getattr(after, name) for before, after in having):
                continue
            elif all(name in KINDS[one.kind].unused(one.model_dump()) for _, one in having):
                decided = (KINDS[one.kind].used_with(name, one.model_dump()) for _, one in having)
                used = next(filter(None, decided), None)
                if used and used[0] in self._overrides:
                    continue  # the launch form keeps the rate of a test that is paced no more
                remedy = f"Omit it, or set {used[0]} to {used[1]}." if used else "Omit it."
                message = "is given, but no test uses it with its other parameters"
                yield FieldError(where, message, remedy, value)

    def field(self, number: int, name: str) -> str:
        """Return the request field that set the field `name` of the n-th test."""
        return f"overrides.{name}" if name in self._overrides else f"{self._prefix}.{number}.{name}"


class CampaignRefused(Problem):
    """The campaign cannot be launched; `estimate` has the problems and the figures."""

    status, code, title = 422, "invalid", "The campaign cannot be launched"

    def __init__(self, errors: list[FieldError], estimate: Estimate) -> None:
        """Keep the estimate."""
        super().__init__(errors=errors)
        self.estimate = estimate

    @property
    def facts(self) -> dict[str, Any]:
        """The estimate."""
        return {"estimate": self.estimate.model_dump(mode="json")}


class DoesNotFit(CampaignRefused):
    """There is not enough free space."""

    code, title = "does_not_fit", "There is not enough free space"


class HostDeleting(CampaignRefused):
    """A host is being deleted."""

    code, title = "host_deleting", "A host is being deleted"


class Launch:
    """A plan checked against the current profile, hosts and targets."""

    def __init__(self, session: Session, plan: CampaignPlan, *, lock: bool = False) -> None:
        """Load everything; with `lock`, the hosts are locked until the commit.

        Raises Invalid for unknown names.
        """
        named = with_ids(session, plan)
        plan = named.plan
        self.session, self.plan = session, plan
        self.profile = session.get(Profile, plan.profile_id or 0)
        self.forecast, self.deleting = Forecast(), False
        if self.profile is None or self.profile.retired_at is not None:
            self.forecast.problems.append(
                FieldError(
                    "profile_id",
                    "there is no such profile",
                    "Select an existing profile.",
                    plan.profile_id,
                )
            )
            return
        self.body = ProfileBody.model_validate(self.profile.body)
        resolution = Resolution(plan, self.body.tests)
        found = find_places(session, plan, lock=lock)
        self.deleting = found.deleting
        self.forecast = forecast(
            resolution.tests,
            found.places,
            resolution.field,
            together=plan.together,
            scale_out=plan.scale_out,
            transfers=Transfers(found.sources, found.sinks, plan.arrangement),
        )
        self.forecast.problems.extend(
            read_back_problems(
                session,
                plan.read_back_target_id,
                resolution.tests,
                self.forecast.parts,
                resolution.field,
            )
            if not resolution.problems  # else the tests are not known
            else ()
        )
        unplanned = [
            *found.problems,
            *unplaced(resolution.tests, _counts(plan)),
            *mispaired(plan.sources, plan.sinks, plan.arrangement),
            *resolution.problems,
            *self._refused(resolution.tests),
        ]
        if unplanned:
            self.forecast.problems[:0] = unplanned
            if self.forecast.fits:
                self.forecast.fits = None
        self.forecast.problems[:] = map(named.as_given, self.forecast.problems)
        self.forecast.cautions[:0] = found.cautions

    @property
    def criteria(self) -> list[CriterionIn]:
        """The criteria of the profile, then those of the launch."""
        return [*self.body.criteria, *self.plan.criteria]

    def _refused(self, tests: Sequence[Any]) -> list[FieldError]:
        """Return the first criterion that no test with its overrides can give, or that conflicts.

        Tests that were refused themselves are not among `tests`.
        """
        found = problem_of([one.criterion for one in self.criteria], tests) if tests else None
        if found is None:
            return []
        number, error = found
        own = number - len(self.body.criteria)
        name = f"profile.criteria.{number}" if own < 0 else f"criteria.{own}.criterion"
        return [FieldError(name, str(error), error.remedy, error.text)]

    def estimate(self) -> Estimate:
        """Return the estimate with all problems."""
        found = self.forecast
        return Estimate(
            cells=found.cells,
            trials=found.trials,
            bytes_written=found.bytes_written,
            shortest_s=found.shortest_s,
            longest_s=found.longest_s,
            expected=self._expected(),
            run_count=len(found.runs),
            runs=[_run_estimate(part, run) for run in found.runs for part in run],
            hosts_busy=self._busy(),
            problems=[FieldProblem.model_validate(one.document()) for one in found.problems],
            warnings=self.warnings,
            fits=found.fits,
        )

    @property
    def warnings(self) -> list[EstimateWarning]:
        """The warnings of the estimate and of the launched campaign."""
        return [EstimateWarning.of(one) for one in self.forecast.cautions]

    def go(self, who: Identity, *, schedule_id: int | None = None) -> int:
        """Create the campaign, of a schedule if given, and dispatch its runs; returns its id.

        Raises CampaignRefused, DoesNotFit or HostDeleting, and what `admit` raises.
        """
        problems = self.forecast.problems
        if problems or self.profile is None:
            refused = HostDeleting if self.deleting else CampaignRefused
            if self.forecast.fits is False and not self.deleting:
                refused = DoesNotFit
            raise refused(problems, self.estimate())
        spots: dict[Spot, str] = {_spot(part): part.place.name for part in self.forecast.parts}
        spots |= read_back_spot(self.session, self.plan.read_back_target_id)
        labels = naming.current_labels(self.session, spots)
        places = {name: labels[spot].pairs for spot, name in spots.items()}
        written = self.forecast.bytes_written
        admit(self.session, who, places, written)
        campaign = self._campaign(self.profile, who, schedule_id)
        for number, planned in enumerate(self.forecast.runs, start=1):
            self._run(campaign, number, planned, [labels[_spot(part)] for part in planned])
        prepared = [sum(part.prepared_bytes for part in run) for run in self.forecast.runs]
        charge(self.session, who, campaign.id, written, prepared)
        self.session.flush()
        what = f"campaign {campaign.id} {campaign.name}"
        record(self.session, who, "campaign.launched", what, **campaign.parameters)
        dispatch(self.session)
        announce(f"campaign:{campaign.id}", after=self.session)
        return campaign.id

    def _campaign(self, profile: Profile, who: Identity, schedule_id: int | None) -> Campaign:
        beside = {"name", "labels", "reference"}
        parameters = self.plan.model_dump(mode="json", exclude=beside, exclude_none=True)
        campaign = Campaign(
            name=self.plan.name or profile.name,
            profile_id=profile.id,
            profile_snapshot={
                "slug": profile.slug,
                "name": profile.name,
                "version": profile.version,
                "body": profile.body,
            },
            parameters=parameters,
            criteria=[one.model_dump() for one in self.criteria],
            stops=any(one.stop for one in self.criteria),
            created_by=who.actor,
            origin=_origin(who),
            reference=self.plan.reference,
            schedule_id=schedule_id,
        )
        self.session.add(campaign)
        self.session.flush()
        if self.plan.labels:
            put_labels(self.session, CampaignLabel, campaign.id, self.plan.labels)
        return campaign

    def _run(
        self,
        campaign: Campaign,
        number: int,
        parts: Sequence[PlannedRun],
        labels: Sequence[PlaceLabels],
    ) -> None:
        planned = parts[0]
        run = Run(
            campaign_id=campaign.id,
            number=number,
            title=planned.title,
            kind=planned.kind,
            parameters=planned.parameters | {"watch_ms": self.body.watch_ms},
            subject=subject(
                campaign.profile_snapshot["slug"], planned.kind, planned.title, map(seat, parts)
            ),
            read_back_target_id=self.plan.read_back_target_id
            if planned.read_back_elsewhere
            else None,
            trials_total=planned.trials,
        )
        self.session.add(run)
        self.session.flush()
        self.session.add_all(
            Participant(
                run_id=run.id,
                position=position,
                role=part.role,
                host_id=part.place.host_id,
                target_id=part.place.target_id,
                array_id=part.place.array_id,
                array_name=part.place.array_name,
                array_cache_bytes=part.place.array_cache_bytes,
                array_identity=part.place.array_identity,
                labels=of.labels,
                external_references=of.references,
            )
            for position, (part, of) in enumerate(zip(parts, labels, strict=True))
        )
        naming.store_labels(self.session, run.id, labels)
        self.session.execute(insert(Trial), _trials(run.id, planned))

    def _expected(self) -> ExpectedDuration | None:
        """Return how long the campaign takes, if earlier runs tell it for each of its runs."""
        runs = self.forecast.runs
        earlier = earlier_runs(self.session, runs)
        seconds = [expected_s(run[0], one) for run, one in zip(runs, earlier, strict=True)]
        known = [each for each in seconds if each is not None]
        if not runs or len(known) < len(runs):
            return None
        used = {one.id: one for each in earlier for one in each}
        return ExpectedDuration(
            seconds=self.forecast.queued_s(known),
            run_ids=sorted(used, reverse=True),
            since=min(one.ended_at for one in used.values()),
        )

    def _busy(self) -> list[BusyHost]:
        """Return the hosts that are busy: another run holds a resource that they need."""
        places = {part.place.host_id: part.place for part in self.forecast.parts}
        needed = {name for place in places.values() for name in place.resources}
        held = {
            row.resource: row.run_id
            for row in self.session.scalars(
                select(Reservation).where(Reservation.resource.in_(needed))
            )
        }
        found = [
            BusyHost(host_id=host_id, name=place.host_name, run_id=run_id)
            for host_id, place in places.items()
            if (run_id := next((held[r] for r in place.resources if r in held), None))
        ]
        return sorted(found, key=lambda busy: busy.name)


def _origin(who: Identity) -> Origin:
    if who.is_schedule:
        return SCHEDULE
    return PERSON if who.token_id is None else TOKEN


def _spot(planned: PlannedRun) -> Spot:
    return planned.place.host_id, planned.place.target_id


def _trials(run_id: int, planned: PlannedRun) -> list[dict[str, Any]]:
    return [
        {
            "run_id": run_id,
            "position": position,
            "repeat": trial.repeat,
            "cell": trial.cell,
            "parameters": trial.parameters,
        }
        for position, trial in enumerate(planned.order())
    ]


def _counts(plan: CampaignPlan) -> dict[str, int]:
    """Return how many places a plan names, by field; the sinks of a mesh are its sources."""
    found = {name: len(getattr(plan, name)) for name in ("target_ids", "sources", "sinks")}
    return found | ({"sinks": found["sources"]} if plan.arrangement == "mesh" else {})


def _run_estimate(run: PlannedRun, parts: Sequence[PlannedRun]) -> RunEstimate:
    free_after = run.place.free_bytes - joint_peak_bytes(run, parts)
    return RunEstimate(
        target_id=run.place.target_id,
        host_id=run.place.host_id,
        kind=run.kind,
        title=run.title,
        role=run.role,
        cells=run.cells,
        trials=run.trials,
        file_size=run.file_size,
        bytes_written=run.bytes_written,
        prepared_bytes=run.prepared_bytes,
        peak_bytes=run.peak_bytes,
        free_after_bytes=None if run.place.is_memory else free_after,
        free_at=run.place.free_at,
        disk_threads=run.disk_threads,
        devices=list(run.place.devices),
        shortest_s=run.shortest_s,
        longest_s=run.longest_s,
    )
