"""Every fault of the table, on a complete appliance that measures on hosts of the lab.

One injection covers four runs: a write and a read matrix each, in the middle of a trial and between
two. `docs/reliability.md` shows the longest time of the four; with `--times` none may take longer.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from assay.tables.database import make_engine
from assay_worker.driver.follow import SILENT_REASON
from faults import document, records
from faults.places import Place, Scene
from faults.table import FAULTS, OF_A_HOST, OF_TRANSFERS, Fault, View
from faults.transfers import TransferScene
from faults.watching import Watch
from sqlalchemy.orm import Session
from testing.appliance import until

OVER_WITHIN_S = 120
SEEN_WITHIN_S = WHOLE_WITHIN_S = 60
STEPS_LATE = 2
"""Tolerance over the page's figures, which are rounded up to steps."""
USUAL = [
    *(View(state, "") for state in ("running", "finishing", "done")),
    View("running", SILENT_REASON),
]
"""What the row of an undisturbed run shows; a probe suspended until the moment is silent."""
OF_THE_SCENE = {"suspended", "not_settled"}
"""Notices without a fault: a probe was suspended until the moment, or its disk is slow."""

GROUPS = {
    "sqlite": "faults of a host",
    "postgresql": "faults, PostgreSQL",
    "clock": "faults, clock",
}


NIGHTLY = {
    *("API killed", "scheduler killed", "queue (Valkey) killed", "everything killed at once"),
    *("redeployed: SIGTERM to everything, then started", "sshd restarted"),
    *("PostgreSQL's tables locked for 10 s", "probe killed by the OOM killer"),
    "one message delivered three times",
    *("host away for longer than the watch deadline (10 s)", "file system read-only"),
    *("storage (FUSE) hangs for 6 s", "storage (FUSE) hangs, and the run is canceled"),
    # a worker continues after both in worker/tests/driver/test_storage_of_our_own.py
    *("SQLite locked for 10 s", "the appliance's own disk full"),
    # worker/tests/driver/test_faults.py: a broken connection, and an owner of an older generation
    *("SSH connection reset", "two workers believe that they own a run"),
    # backend/tests/tables/test_clock.py, and two hosts in worker/tests/on_lab/test_path_causes.py
    "the appliance's clock set back one hour, then corrected",
    "the clock of the host's logins set back one hour",
    "file system returns EIO",  # worker/tests/on_lab/test_injection.py
}
"""Rows with the mechanism of another test; only `make nightly` and `make reliability` run them."""


def grouped(fault: Fault, kind: str = Scene.kind) -> object:
    """Return a row as a parameter; rows of one scene, or of one half of it, run consecutively."""
    group = f"faults of {'hosts' if fault in OF_A_HOST else fault.on}"
    if kind == TransferScene.kind:
        group = f"faults of transfers, {fault.on}"
    marks = [pytest.mark.xdist_group(group)]
    usual = kind == Scene.kind
    if fault.name in NIGHTLY if usual else fault.name not in OF_TRANSFERS_ALWAYS:
        marks.append(pytest.mark.nightly)
    return pytest.param(fault, id=fault.name, marks=marks)


OF_TRANSFERS_ALWAYS = {
    *("probe killed", "disk filled by other processes", "the link silent for 5 s"),
}
"""Of transfers, one row for each way to lose an end, its storage, or the network.

Another worker continues a transfer in worker/tests/driver/test_transfer.py.
"""


class Struck:
    """An injected fault: when each run was affected, when it ended, and the spool size then."""

    def __init__(self, scene: Scene, fault: Fault) -> None:
        self.scene, self.fault = scene, fault
        self.at: dict[int, float] = {}
        self.since: dict[int, tuple[float, int]] = {}
        self._lasting = contextlib.ExitStack()

    def strike(self) -> None:
        """Inject the fault at the moments of the places."""
        places = self.scene.places
        for place in places:
            place.reach()
        if self.fault.at_once:
            self._strike(self.scene, places)
        else:
            for place in places:
                self._strike(place, [place])

    def _strike(self, whom: Scene | Place, places: Sequence[Place]) -> None:
        for place in places:
            self.at[place.run_id] = time.monotonic()
            self.since[place.run_id] = self.at[place.run_id], place.spooled
        self._lasting.enter_context(self.fault.strikes(whom))  # pyright: ignore[reportArgumentType]
        for place in places:
            place.go_on()

    def repair(self) -> None:
        """Repair a lasting fault."""
        self._lasting.close()
        if self.fault.lasts_s is not None:
            for place in self.scene.places:
                self.since[place.run_id] = time.monotonic(), place.spooled

    def went_on(self, watch: Watch, run_id: int) -> float:
        """Return the seconds until the run continued, or had ended."""
        since, size = self.since[run_id]
        ended = watch.ended(run_id)
        assert ended
        return ended - self.at[run_id] if ended < since else watch.went_on(run_id, since, size)


def says(view: View) -> Callable[[View], bool]:
    """Return whether a row shows at least this."""

    def shown(found: View) -> bool:
        return (
            (found.state, found.condition) == (view.state, view.condition)
            and found.reason.startswith(view.reason)
            and view.remedy in (found.remedy or found.reason)
        )

    return shown


@pytest.mark.parametrize("fault", list(map(grouped, FAULTS)))
def test_a_run_survives_or_fails_with_the_documented_reason(
    fault: Fault,
    scenes: Any,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    took = survive(fault, scenes)
    promised = document.published().get(fault.name)
    if promised and request.config.getoption("--times"):
        assert not late(took, promised), f"{took}, the page says {promised}"
    record_property("fault", [*took, fault.name])


@pytest.mark.parametrize("fault", [grouped(fault, TransferScene.kind) for fault in OF_TRANSFERS])
def test_a_transfer_survives_or_fails_with_the_documented_reason(
    fault: Fault,
    scenes: Any,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    took = survive(fault.of_transfer, scenes, TransferScene)
    promised = document.published_of_transfers().get(fault.name)
    if promised and request.config.getoption("--times"):
        assert took[1] <= STEPS_LATE * promised, f"{took[1]} s, the page says {promised} s"
    record_property("fault of a transfer", [took[1], fault.name])


def late(took: tuple[float, float], promised: tuple[float, float]) -> bool:
    """Return whether a fault was seen, or the run continued, later than on the page."""
    return any(s > STEPS_LATE * most for s, most in zip(took, promised, strict=True))


def survive(fault: Fault, scenes: Any, made_as: type[Scene] = Scene) -> tuple[float, float]:
    """Inject a fault; return the seconds until it was seen, and until the last run continued."""
    with contextlib.ExitStack() as ends:
        scene = ends.enter_context(scenes.using(fault.on, made_as))
        if fault.hangs:
            ends.enter_context(scene.faulty_targets())
        campaigns = scene.launch(fault.repeats, fault.watch_ms, **fault.test)
        watch = ends.enter_context(Watch(scene, campaigns))
        struck = Struck(scene, fault)
        ends.callback(struck.repair)
        struck.strike()
        if fault.cancels:
            for campaign in campaigns:
                scene.client.post(f"/campaigns/{campaign}/cancel")
        seen_s = max((seen(watch, struck, place) for place in scene.places), default=0)
        time.sleep(fault.lasts_s or 0)
        if fault.keeps_host:
            assert all(scene.reserved(place) for place in scene.places), "its host stays reserved"
        struck.repair()
        runs = [place.run_id for place in scene.places]
        until("the end of the runs", lambda: watch.all_over(runs), OVER_WITHIN_S)
        until("the appliance being healthy", scene.is_whole, WHOLE_WITHIN_S)
        last = max(since for since, _ in struck.since.values())
        until("the pages responding", lambda: watch.has_looked(last), WHOLE_WITHIN_S)
        continued_s = max(struck.went_on(watch, run_id) for run_id in runs)
        print(f"{fault.name}: seen after {seen_s:.1f} s, continued after {continued_s:.1f} s")
        for place in scene.places:
            assert watch.probes[place.name] == 1, f"{place.name}: probes measured in parallel"
            ended_as_documented(fault, place, scene, watch)
            if fault.seen_of(place.kind) is None:
                shows_nothing(watch, struck, place)
        if fault.clears_up:
            next_run_ends_well(scene)
        for place in scene.places:
            nothing_stays(place)
    return seen_s, continued_s


def nothing_stays(place: Place) -> None:
    """Assert that neither a process nor a file of a run is left on the host."""
    with contextlib.suppress(AssertionError):
        until("a clean host", lambda: not place.leftovers(), 5)
    assert place.leftovers() == []


def shows_nothing(watch: Watch, struck: Struck, place: Place) -> None:
    """Assert that until its end the run's row is that of an undisturbed run."""
    shown = [view for _, view in watch.seen(place.run_id, struck.at[place.run_id])]
    if struck.fault.why and shown and says(struck.fault.why)(shown[-1]):
        shown.pop()
    assert [view for view in shown if view not in USUAL] == []


def seen(watch: Watch, struck: Struck, place: Place) -> float:
    """Wait until the operator sees what the table says; return the seconds."""
    fault, at = struck.fault, struck.at[place.run_id]
    view = fault.seen_of(place.kind)
    if view is None:
        until(f"a look at {place.name}", lambda: watch.has_looked(at), SEEN_WITHIN_S)
        return 0
    shown = says(view)

    def first() -> float | None:
        return next((s for s, found in watch.seen(place.run_id, at) if shown(found)), None)

    try:
        return until(f"{place.name} shows {view}", first, SEEN_WITHIN_S)
    except AssertionError:
        print(watch.seen(place.run_id, at))
        raise


def ended_as_documented(fault: Fault, place: Place, scene: Scene, watch: Watch) -> None:
    """Assert the run's last view, its notices and its record."""
    run = scene.client.get(f"/runs/{place.run_id}").json()
    found = View.of(run)
    notices = {notice["code"] for notice in run["notices"]} - OF_THE_SCENE
    told = f"{place.name}: {found}, {run['notices']}"
    assert found.state == (fault.ends if fault.feels(place.kind) else "done"), told
    if fault.feels(place.kind):
        assert fault.why is None or says(fault.why)(found), told
        noted = scene.usual_notices[place.kind] | set(fault.notes)
        assert notices - set(fault.may_note) == noted, told
    engine = make_engine(scene.database)
    with Session(engine) as session:
        records.check(session, place.run_id)
    engine.dispose()


def next_run_ends_well(scene: Scene) -> None:
    """After a fault that ended runs: the next run on each host cleans up, and measures."""
    campaigns = scene.launch(repeats=1, watch_ms=600_000)
    for campaign in campaigns:
        ended = scene.client.get(f"/campaigns/{campaign}", params={"wait": 60}).json()
        assert ended["state"] == "done", ended


def test_nightly_rows_are_rows_of_the_table() -> None:
    assert {fault.name for fault in FAULTS} > NIGHTLY
    assert {fault.name for fault in OF_TRANSFERS} > OF_TRANSFERS_ALWAYS


def test_the_page_has_every_row_of_the_table() -> None:
    """Its figures are those of `make reliability`."""
    page = document.PAGE.read_text()
    measured = {fault.name: (0, 0) for fault in FAULTS}
    expected = document.text(measured, {fault.name: 0 for fault in OF_TRANSFERS})
    assert document.without_seconds(page) == document.without_seconds(expected)
