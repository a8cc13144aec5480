"""The example of the documentation works as printed, and its tables are complete."""

import inspect
import re
import threading
from pathlib import Path

import pytest
from assay import client
from assay.client import Assay
from assay.runs.recording.ingest import ingest
from assay.tables.database import now, writing
from assay.tables.runs import Participant, Run
from sqlalchemy import select, update
from testing.api import Appliance
from testing.seeds import TEST
from testing.spools import Spool

TEXT = (Path(__file__).parents[3] / "docs" / "client.md").read_text()


def measure(stop: threading.Event) -> None:
    """Measure the first run that is launched, as a worker does."""
    while not stop.wait(0.02):
        with writing() as session:
            if run := session.scalars(select(Run)).first():
                run.generation = 1
                session.flush()
                (participant,) = session.scalars(select(Participant.id))
                ingest(session, participant, 1, 0, Spool().hello().whole_trial(0).end().data)
                session.execute(update(Run).values(state="done", ended_at=now()))
                return


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("4 MB/s", None),
        ("4 GB/s", "campaign 1 is done"),
        ("4 GB", "criteria.0.criterion is 'durable.mean >= 4 GB'."),
    ],
)
def test_the_example_gates_a_pipeline(
    address: str,
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    written: str,
    said: str | None,
) -> None:
    appliance.target(appliance.host("array-7"), "/mnt/a")
    appliance.operator.post("/profiles", {"name": "Acceptance", "body": {"tests": [TEST]}})
    monkeypatch.setenv("ASSAY_URL", address)
    monkeypatch.setenv("ASSAY_TOKEN", appliance.operator.token or "")
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    source = compile(example.replace("4 MB/s", written), "docs/client.md", "exec")
    stop = threading.Event()
    worker = threading.Thread(target=measure, args=(stop,))
    worker.start()
    try:
        exec(source, {})
        code = None
    except SystemExit as ended:
        code = ended.code
    finally:
        stop.set()
        worker.join()
    assert (code is None) == (said is None), code
    assert (said or "") in str(code)
    outcome = {"4 MB/s": "pass", "4 GB/s": "fail"}.get(written)
    if outcome:
        assert f"durable.mean >= {written}: {outcome}" in capsys.readouterr().out


def test_every_request_and_every_error_is_documented(assay: Assay) -> None:
    nouns = [name for name, one in vars(assay).items() if hasattr(one, "list")]
    assert len(nouns) > 10
    for noun in nouns:
        (row,) = re.findall(rf"^\| .*`{noun}`.* \| (.*) \|$", TEXT, re.MULTILINE)
        methods = {
            name
            for name, _ in inspect.getmembers(getattr(assay, noun), inspect.ismethod)
            if not name.startswith("_")
        }
        assert set(re.findall(r"`(\w+)`", row)) == methods, noun
    errors = {name for name in client.__all__ if name.endswith("Error")}
    assert errors == set(re.findall(r"`(\w+Error)`", TEXT)) - {"TimeoutError"}
