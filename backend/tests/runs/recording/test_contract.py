"""The reader against the contract that the probe is also tested against."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from assay.kinds.kind import Kind
from assay.kinds.registry import KINDS
from assay.kinds.sustained.detail import SustainedDetail
from assay.kinds.transfer.detail import CardDetail, StreamsCardDetail
from assay.runs.recording import events
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.ingest import ingest
from assay.runs.recording.result_event import ResultEvent
from assay.tables.runs import Attempt, Participant, Trial
from pydantic import BaseModel
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from testing.api import on_sqlite
from testing.seeds import seed_run
from testing.spools import Spool

FOLDER = Path(__file__).parents[4] / "worker" / "probe" / "contract"
CONTRACT: dict[str, Any] = json.loads((FOLDER / "events.schema.json").read_text())
GOOD, BROKEN = (sorted((FOLDER / kind).glob("*.ndjson")) for kind in ("good", "broken"))
MODELS: dict[str, type[BaseModel]] = {
    "hello": events.Hello,
    "conditions": events.ConditionsEvent,
    "trial": events.TrialBegan,
    "ready": events.Ready,
    "sample": events.SampleEvent,
    "mark": events.MarkEvent,
    "result": ResultEvent,
    "notice": events.NoticeEvent,
    "error": events.ErrorEvent,
    "end": events.End,
}


def test_an_event_has_the_fields_of_the_contract() -> None:
    differing: list[str] = []
    for kind, model in MODELS.items():
        described = CONTRACT["$defs"][kind]
        required = {name for name, field in model.model_fields.items() if field.is_required()}
        differing += [f"{kind}.{n}" for n in set(model.model_fields) ^ set(described["properties"])]
        differing += [f"{kind}.{n} is required" for n in required ^ set(described["required"])]
    assert not differing, "\n".join(differing)


def _differing(model: type[BaseModel], described: dict[str, Any]) -> set[str]:
    """Return the fields that only one has, or only one requires."""
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    return (set(model.model_fields) ^ set(described["properties"])) | (
        required ^ set(described["required"])
    )


@pytest.mark.parametrize(
    "kind", [one for one in KINDS.values() if one.detail], ids=lambda kind: kind.name
)
def test_the_detail_of_a_result_has_the_fields_of_the_contract(kind: Kind) -> None:
    assert kind.detail
    assert not _differing(kind.detail, CONTRACT["$defs"][f"{kind.name}_detail"])


@pytest.mark.parametrize(
    ("name", "card"), [("path_detail", StreamsCardDetail), ("tool_detail", CardDetail)]
)
def test_a_card_has_the_fields_of_the_contract(name: str, card: type[CardDetail]) -> None:
    described, _ = CONTRACT["$defs"][name]["properties"]["card"]["oneOf"]
    assert not _differing(card, described)


def test_enumerations_are_those_of_the_contract() -> None:
    """The contract's enumerations equal the reader's; columns have a test of their own."""
    differing: list[str] = []
    for kind, model in MODELS.items():
        ours = model.model_json_schema()["properties"]
        for name, described in CONTRACT["$defs"][kind]["properties"].items():
            if described.get("enum") and name != "columns":
                kinds = ours[name].get("anyOf", [ours[name]])  # or null
                if (own := kinds[0].get("enum")) != described["enum"]:
                    differing.append(f"{kind}.{name}: {own} instead of {described['enum']}")
    assert not differing, "\n".join(differing)


def test_generated_spools_follow_the_contract() -> None:
    spool = Spool().hello().whole_trial(1).add("notice", code="prepared", message="b", bytes=3)
    spool.add("error", code="io", message="why", errno="EIO", trial=1).conditions("end").end()
    for line in spool.lines:
        jsonschema.validate(json.loads(line), CONTRACT)
        events.parse(line)


def participant_for(session: Session, data: bytes) -> Participant:
    """A participant of a run with the trials of a golden spool."""
    run, participant, trials = seed_run(session)
    session.delete(trials[0])
    session.flush()
    told = {int(number) for number in re.findall(rb'"trial":(\d+)', data)}
    for position in sorted(told):
        trial = Trial(run_id=run.id, position=position, repeat=0)
        trial.cell, trial.parameters = trials[0].cell, trials[0].parameters
        session.add(trial)
    session.flush()
    return participant


def store_all(session: Session, participant: Participant, data: bytes) -> None:
    """Store as much of a spool as possible; at the latest, the second batch meets a broken line."""
    for _ in range(2):
        offset = participant.offset
        ingest(session, participant.id, 1, offset, data[offset:])


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_spool_is_stored_completely(database: Engine, path: Path) -> None:
    data = path.read_bytes()
    with Session(database) as session, session.begin():
        participant = participant_for(session, data)
        store_all(session, participant, data)
        assert participant.offset == data.rfind(b"\n") + 1
        results = data.count(b'"ev":"result"')
        ended = [a for a in session.scalars(select(Attempt)) if a.result is not None]
        assert len(ended) == results


def test_a_spool_of_an_older_probe_is_stored_completely(database: Engine) -> None:
    [path] = [path for path in GOOD if path.stem == "sustained"]
    found = map(json.loads, path.read_bytes().splitlines())
    lines = [line for line in found if line["ev"] != "readback"]
    for seq, line in enumerate(lines):
        line["seq"] = seq
        if line["ev"] == "result":
            line["detail"] = {
                name: value
                for name, value in line["detail"].items()
                if SustainedDetail.model_fields[name].is_required()
            }
    texts = [json.dumps(line, separators=(",", ":")) for line in lines]
    data = "".join(text + "\n" for text in texts).encode()
    with Session(database) as session, session.begin():
        participant = participant_for(session, data)
        store_all(session, participant, data)
        assert participant.offset == len(data)


@on_sqlite
def test_a_broken_spool_is_rejected_with_its_position(database: Engine) -> None:
    wrong: list[str] = []
    for path in BROKEN:
        data = path.read_bytes()
        with Session(database) as session:  # rolled back at the end
            try:
                store_all(session, participant_for(session, data), data)
            except BrokenEventError as error:
                if re.search(r"at byte \d+", str(error)):
                    continue
                wrong.append(f"{path.stem}, without a position: {error}")
            else:
                wrong.append(f"{path.stem} is stored")
    assert not wrong, "\n".join(wrong)


def test_there_are_golden_spools() -> None:
    assert GOOD and BROKEN
