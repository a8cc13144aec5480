"""How long a slice lasts."""

from assay.settings import settings
from assay_worker.driver.slice import length_s


def test_runs_that_began_together_do_not_renew_together() -> None:
    longest = settings().slice_seconds
    parts = [length_s() / longest for _ in range(500)]
    assert all(0.5 <= part <= 1 for part in parts)
    assert max(sum(at <= part < at + 0.01 for part in parts) for at in parts) < 50
