"""The golden spools match the current probe, and the invalid ones fail as their names say."""

from pathlib import Path

import golden_good
import pytest
import spool_rules
from golden_broken import BROKEN, broken
from probe_driver import Probe

CONTRACT = spool_rules.CONTRACT


@pytest.mark.parametrize("name", golden_good.SCENARIOS)
def test_a_current_run_has_the_shape_of_the_golden_spool(
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


def test_an_invalid_spool_differs_from_the_valid_one_in_one_point() -> None:
    folder = CONTRACT / "broken"
    wrong = [n for n in BROKEN if broken(n) != (folder / f"{n}.ndjson").read_bytes()]
    assert not wrong, "\n".join(wrong)


def test_every_golden_spool_can_be_regenerated() -> None:
    assert {path.stem for path in (CONTRACT / "good").iterdir()} == set(golden_good.SCENARIOS)
    assert {path.stem for path in (CONTRACT / "broken").iterdir()} == set(BROKEN)
