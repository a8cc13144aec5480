"""One query for all campaigns that this process drives."""

from collections.abc import Callable

import pytest
from assay_worker.driver import follow
from assay_worker.driver.follow import Cancellations
from testing.installation import Installation, wait_until


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Cancellations:
    monkeypatch.setattr(follow, "LOOK_S", 0.01)
    return Cancellations()


def test_only_drivers_of_a_cancelled_campaign_are_notified(
    installation: Installation, look: Cancellations
) -> None:
    target = installation.target_row(installation.local_host())
    first, second = (installation.launch(target) for _ in range(2))
    campaigns = [installation.run(run_id).campaign_id for run_id in (first, second)]
    with look.watching(campaigns[0]) as one, look.watching(campaigns[1]) as other:
        assert not one()
        installation.cancel(first)
        wait_until(one)
        assert not other()


def test_each_new_watcher_reads_the_state_again(
    installation: Installation, look: Cancellations, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = installation.launch(installation.target_row(installation.local_host()))
    campaign_id = installation.run(run_id).campaign_id
    installation.cancel(run_id)
    with look.watching(campaign_id) as cancelled:
        wait_until(cancelled)
    monkeypatch.setattr(follow, "LOOK_S", 0.5)
    seen: Callable[[], bool]
    with look.watching(campaign_id) as seen:
        assert not seen()
        wait_until(seen)
