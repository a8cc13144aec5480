"""The reader against the contract that the probe is tested against too."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from assay.runs import events
from pydantic import BaseModel
from spools import Spool

SCHEMA = Path(__file__).parents[3] / "worker" / "probe" / "contract" / "events.schema.json"
CONTRACT: dict[str, Any] = json.loads(SCHEMA.read_text())
MODELS: dict[str, type[BaseModel]] = {
    "hello": events.Hello,
    "trial": events.TrialBegan,
    "sample": events.Sample,
    "result": events.Result,
    "notice": events.Told,
    "error": events.Failed,
    "end": events.End,
}


@pytest.mark.parametrize("kind", MODELS)
def test_an_event_has_the_fields_of_the_contract(kind: str) -> None:
    described, fields = CONTRACT["$defs"][kind], MODELS[kind].model_fields
    assert set(fields) == set(described["properties"])
    required = {name for name, field in fields.items() if field.is_required()}
    assert required == set(described["required"])


@pytest.mark.parametrize("kind", MODELS)
def test_words_are_those_of_the_contract(kind: str) -> None:
    """Enumerations of the contract are the reader's, word for word."""
    ours = MODELS[kind].model_json_schema()["properties"]
    for name, described in CONTRACT["$defs"][kind]["properties"].items():
        if described.get("enum"):
            assert ours[name]["enum"] == described["enum"], name


def test_spools_made_by_these_tests_follow_the_contract() -> None:
    spool = Spool().hello().whole_trial(1).add("notice", code="prepared", message="b", bytes=3)
    spool.add("error", code="io", message="why", errno="EIO", trial=1).end()
    for line in spool.lines:
        jsonschema.validate(json.loads(line), CONTRACT)
        events.parse(line)
