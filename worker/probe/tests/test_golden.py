"""The golden spools are what the probe says today, and break where their names say."""

from pathlib import Path

import golden_good
import pytest
import spool_rules
from golden_broken import BROKEN, broken
from probe_driver import Probe

CONTRACT = spool_rules.CONTRACT


@pytest.mark.parametrize("name", golden_good.SCENARIOS)
def test_a_run_of_today_has_the_shape_of_the_golden_spool(
    shipped: Probe, tmp_path: Path, name: str
) -> None:
    golden = (CONTRACT / "good" / f"{name}.ndjson").read_bytes()
    with golden_good.target_for(name, tmp_path) as target:
        shipped.target = target
        try:
            spool = golden_good.played(name, shipped)
        finally:
            shipped.clean_up()
    shipped.target = tmp_path / "target"
    assert golden_good.shape(spool) == golden_good.shape(golden)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_spool_is_the_good_one_with_one_thing_wrong(name: str) -> None:
    whole = (CONTRACT / "good/complete.ndjson").read_bytes()
    assert broken(name, whole) == (CONTRACT / "broken" / f"{name}.ndjson").read_bytes()


def test_every_golden_spool_can_be_made_anew() -> None:
    assert {path.stem for path in (CONTRACT / "good").iterdir()} == set(golden_good.SCENARIOS)
    assert {path.stem for path in (CONTRACT / "broken").iterdir()} == set(BROKEN)
