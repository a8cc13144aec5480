"""The plan parser: errors are named, and nothing is changed."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from assay.kinds.parameters import bounds_of
from assay.kinds.registry import KINDS
from probe_driver import Probe, of

CORPUS = Path(__file__).resolve().parent / "fuzz_corpus"
DICTIONARY = CORPUS.with_name("fuzz_plan.dict")
FUZZED = 300_000
"""Inputs, always the same ones: a few seconds' worth. `make fuzz` runs for as long as requested."""
HEAD = "plan v=2 job=matrix run=r generation=1 watch_ms=1000 sample_ms=100"
TARGET = "target path=/nowhere reserve_bytes=0"
GOOD = f"{HEAD}\n{TARGET}"
TRIAL = (
    "trial position=1 attempt=1 operation=write file_size=4096 block=4096 threads=1 files=1"
    " layout=fresh cache=page open=rw timeout_ms=1000 sync_timeout_ms=1000"
)
TOKEN = "0123456789abcdef" * 4
SMALL = "small_files=5 small_file_bytes"
PATH_HEAD = HEAD.replace("matrix", "path") + f" role=sender token={TOKEN} barrier=yes"
PATH_TRIAL = (
    "trial position=0 attempt=1 leg=transfer length_bytes=65536 duration_ms=0 block=4096"
    " timeout_ms=1000 sync_timeout_ms=1000"
)
RECORDS_TRIAL = (
    "trial position=0 attempt=1 senders=3 sender=2 record_bytes=10 records=9"
    " timeout_ms=1000 sync_timeout_ms=1000"
)


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        ("", "end: is missing"),
        (f"{GOOD}\n{TRIAL}\n", "end: is missing"),
        (f"{GOOD}\n{TRIAL}\nend", "does not end with a newline"),
        (f"{GOOD}\nend\n", "end after the last trial"),
        (f"{GOOD}\n{TRIAL}\nend\nend\n", "text after end"),
        (f"{TRIAL}\nend\n", "expected plan v=2"),
        (
            f"{GOOD.replace('v=2', 'v=1')}\n{TRIAL}\nend\n",
            "v=1: the plan's first field must be v=2",
        ),
        (f"{GOOD} colour=red\n{TRIAL}\nend\n", "line 2: colour=red: is not a field"),
        (f"{HEAD} run=again\n{TARGET}\n{TRIAL}\nend\n", "run=again: is given twice"),
        (f"{GOOD.replace(' run=r', '')}\n{TRIAL}\nend\n", "run: is missing"),
        (f"{GOOD.replace('run=r', 'run=')}\n{TRIAL}\nend\n", "run=: is empty"),
        (
            f"{GOOD.replace('/nowhere', 'here')}\n{TRIAL}\nend\n",
            "path=here: must be an absolute path",
        ),
        (
            f"{GOOD.replace('/nowhere', '/a%0')}\n{TRIAL}\nend\n",
            "path=/a%0: is not percent-encoded",
        ),
        (f"{GOOD.replace('/nowhere', '/a%00b')}\n{TRIAL}\nend\n", "is not percent-encoded"),
        (f"{GOOD.replace('/nowhere', '/ä')}\n{TRIAL}\nend\n", "is not percent-encoded"),
        (
            f"{GOOD.replace('sample_ms=100', 'sample_ms=99')}\n{TRIAL}\nend\n",
            "sample_ms=99: must be from 100 to 60000",
        ),
        (f"{GOOD}  \n{TRIAL}\nend\n", "is not key=value"),
        (
            f"{GOOD}\n{TRIAL.replace('threads=1', 'threads=0')}\nend\n",
            "line 3: threads=0: must be from 1 to 256",
        ),
        (f"{GOOD}\n{TRIAL.replace('threads=1', 'threads=257')}\nend\n", "threads=257: must be"),
        (
            f"{GOOD}\n{TRIAL.replace('threads=1', 'threads=-1')}\nend\n",
            "threads=-1: is not a whole number",
        ),
        (
            f"{GOOD}\n{TRIAL.replace('threads=1', 'threads=1x')}\nend\n",
            "threads=1x: is not a whole number",
        ),
        (
            f"{GOOD}\n{TRIAL.replace('block=4096', 'block=511')}\nend\n",
            "block=511: must be from 512 to 67108864",
        ),
        (f"{GOOD}\n{TRIAL.replace('block=4096', 'block=67108865')}\nend\n", "block=67108865"),
        (
            f"{GOOD}\n{TRIAL.replace('operation=write', 'operation=erase')}\nend\n",
            "operation=erase: must be one of write, read",
        ),
        (
            f"{GOOD}\n{TRIAL.replace('file_size=4096', 'file_size=0')}\nend\n",
            "file_size=0: must be",
        ),
        (
            f"{GOOD}\n{TRIAL.replace('file_size=4096', 'file_size=99999999999999999999')}\nend\n",
            "19 digits",
        ),
        (
            f"{GOOD}\n{TRIAL}\nend\n".replace("file_size=4096", f"file_size={1 << 62}").replace(
                "threads=1 files=1", "threads=2 files=2"
            ),
            "more than 2^62 bytes",
        ),
        (
            f"{GOOD}\n{TRIAL}\n{TRIAL}\nend\n",
            "line 4: position=1: must be greater than 1, the position of the previous trial",
        ),
        (f"{GOOD.replace('matrix', 'waltz')}\n{TRIAL}\nend\n", "job=waltz: must be one of matrix"),
        (f"{GOOD.replace('run=r', 'run=' + 129 * 'r')}\n{TRIAL}\nend\n", "longer than 128 bytes"),
        (f"{HEAD}\n{TRIAL}\nend\n", 'line 2: "trial": expected target'),
        (f"{GOOD}\n{TARGET}\n{TRIAL}\nend\n", "line 3: target: job=matrix takes 1 of them"),
        (f"{GOOD}\n{TRIAL}\n{TARGET}\nend\n", 'line 4: "target": expected trial, or end'),
        (f"{GOOD} role={'r' * 33}\n{TRIAL}\nend\n", "longer than 32 bytes"),
        (f"{GOOD}\n{TRIAL}\0\nend\n", "NUL byte"),
        (f"{GOOD}\n{'x' * 70000}\nend\n", "longer than 65536"),
    ],
)
def test_an_invalid_plan_is_rejected_with_the_field_and_changes_nothing(
    probe: Probe, plan: str, named: str
) -> None:
    refused = probe.start(plan, check=False)
    assert refused.returncode == 3
    message = refused.stderr.decode()
    assert named in message
    assert message.count("\n") == 1
    assert not probe.run_dir.exists()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (" role=sender", "", "role=(none): of the plan must be sender or receiver"),
        ("role=sender", "role=writer", "role=writer: of the plan must be"),
        (f" token={TOKEN}", "", "token: of the plan must be 64 hexadecimal digits"),
        (TOKEN, TOKEN[1:], "token: of the plan"),
        (TOKEN, "x" + TOKEN[1:], "token: of the plan"),
        (TOKEN, TOKEN + "0", "token=(secret): is longer than 64 bytes"),
        (TOKEN, f"{TOKEN} token={TOKEN}", "token=(secret): is given twice"),
        (TOKEN, TOKEN + "%zz", "token=(secret): is not percent-encoded"),
        (" barrier=yes", "", "barrier=no"),
        ("leg=transfer", "leg=read", "source=memory: leg=read reads a disk"),
        ("leg=transfer", "leg=write", "sink=memory: leg=write writes a disk"),
        ("leg=transfer", "leg=transfer source=disk", "source=disk: this end has no target"),
        ("bytes=65536 duration_ms=0", "bytes=0 duration_ms=0", "one of them ends the trial"),
        ("duration_ms=0", "duration_ms=5", "one of them ends the trial"),
        (
            "bytes=65536 duration_ms=0",
            "bytes=0 duration_ms=5 source=disk",
            "length_bytes=0: the data of a source on disk",
        ),
        ("bytes=65536 duration_ms=0", "bytes=0 duration_ms=5 ramp_ms=5", "ramp_ms=5 is not"),
        ("block=4096", "block=4608", "block=4608 is not a multiple of 4096"),
        ("block=4096", "block=4096 streams=129", "streams=129: must be from 1 to 128"),
        ("block=4096", "block=4096 port_first=9", "port_first=9 and port_last=0 are no range"),
        ("block=4096", "block=4096 port_last=9", "port_first=0 and port_last=9 are no range"),
        ("trial", f"{TARGET}\n{TARGET}\ntrial", "job=path takes at most 1 of them"),
        ("block=4096", "block=4096 small_files=5", "small_file_bytes=0: one of them is 0"),
        ("block=4096", "block=4096 small_file_bytes=5", "small_files=0 and"),
        ("block=4096", f"block=4096 {SMALL}=4097", "small_file_bytes=4097 is more than block=4096"),
        ("block=4096", f"block=4096 {SMALL}=5", "small_files=5: memory has no files"),
        (
            "bytes=65536 duration_ms=0",
            f"bytes=0 duration_ms=5 sink=disk {SMALL}=5",
            "small_files=5: their number ends the trial",
        ),
        ("block=4096", "block=4096 small_files=1000001", "must be from 0 to 1000000"),
    ],
)
def test_an_invalid_plan_of_a_path_is_rejected_with_the_field(
    probe: Probe, old: str, new: str, named: str
) -> None:
    plan = f"{PATH_HEAD}\n{PATH_TRIAL}\nend\n"
    assert old in plan
    refused = probe.start(plan.replace(old, new, 1), check=False)
    assert refused.returncode == 3
    assert named in refused.stderr.decode()
    assert TOKEN[1:] not in refused.stderr.decode()
    assert not probe.run_dir.exists()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (" role=sender", "", "role=(none): of the plan must be sender or receiver"),
        (" barrier=yes", "", "barrier=no"),
        (" senders=3", "", "senders: is missing"),
        ("senders=3", "senders=33", "senders=33: must be from 1 to 32"),
        ("sender=2", "sender=3", "sender=3: must be less than senders=3"),
        ("role=sender", "role=receiver", "sender=2: this end is the receiver; omit it"),
        ("bytes=10 ", "bytes=0 ", "record_bytes=0: must be from 1 to 1048576"),
        ("records=9", "records=9 window_ms=5", "records=9 and window_ms=5: one of them ends"),
        ("records=9", "ramp_ms=5", "records=0 and window_ms=0: one of them ends"),
        ("records=9", "records=9 ramp_ms=5", "ramp_ms=5: a warm-up needs window_ms"),
        ("records=9", "records=1099511627776 record_bytes=1048576", "more than 2^60 bytes"),
        ("records=9", "records=9 listener=sender", "only the receiver can listen"),
        (
            "records=9",
            "records=9 acknowledge=synced",
            "acknowledge=synced: sink=memory has nothing",
        ),
        ("records=9", "records=9 sync_ms=5", "sync_ms: sink=memory has nothing to sync"),
        (
            "records=9",
            "records=9 sink=disk acknowledge=synced sync_bytes=5",
            "acknowledge=synced: each batch is synced",
        ),
        (
            "records=9",
            "records=9 sink=disk sync_ms=1 sync_bytes=5",
            "sync_bytes=5: set one of them",
        ),
        ("records=9", "records=9 port_last=9", "port_first=0 and port_last=9 are no range"),
        ("records=9", "records=9 streams=2", "streams=2: is not a field"),
        (
            "role=sender",
            "role=receiver",
            "sink=disk: this end has no target",
        ),
    ],
)
def test_an_invalid_plan_of_records_is_rejected_with_the_field(
    probe: Probe, old: str, new: str, named: str
) -> None:
    plan = f"{PATH_HEAD.replace('job=path', 'job=records')}\n{RECORDS_TRIAL}\nend\n"
    if "no target" in named:
        plan = plan.replace(" sender=2", " sink=disk")
    if "record_bytes=1048576" in new:
        plan = plan.replace(" record_bytes=10", "")
    assert old in plan
    refused = probe.start(plan.replace(old, new, 1), check=False)
    assert refused.returncode == 3
    assert named in refused.stderr.decode()
    assert TOKEN[1:] not in refused.stderr.decode()
    assert not probe.run_dir.exists()


def test_a_hostile_value_cannot_break_the_error_line(probe: Probe) -> None:
    refused = probe.start(
        GOOD.encode() + b" x\x1b[31m\xff=1\n" + TRIAL.encode() + b"\nend\n", check=False
    )
    assert refused.returncode == 3
    assert refused.stderr.decode("ascii").count("\n") == 1
    assert b"\x1b" not in refused.stderr


@pytest.mark.parametrize(
    "name",
    [
        "it's",
        'a "quote"',
        "two\nlines",
        "$(touch pwned)",
        "`id`",
        "-rf",
        "ünïcödé",
        "50% off",
        "a\\b",
        "\t",
    ],
)
def test_unusual_names_of_target_and_run_are_accepted(
    probe: Probe, tmp_path: Path, name: str
) -> None:
    outer = tmp_path / "odd"
    probe.target = outer / name
    probe.target.mkdir(parents=True)
    probe.run_dir = tmp_path / "runs" / name
    events = probe.run({}, run=name)
    assert events[0]["run"] == name
    assert events[0]["target"] == str(probe.target)
    assert of(events, "end")[0]["status"] == "done"
    assert sorted(outer.iterdir()) == [probe.target]
    assert not (tmp_path / "pwned").exists() and not Path("pwned").exists()


def test_a_target_path_that_is_not_utf8_produces_valid_events(probe: Probe, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff\xfe")).mkdir()
    plan = probe.plan({}).replace(f"path={probe.target}", f"path={tmp_path}/%FF%FE")
    probe.start(plan)
    probe.follow()
    assert probe.problems() == []
    assert probe.events()[0]["target"] == f"{tmp_path}/\ufffd\ufffd"


def test_the_fuzz_target_survives_its_corpus_and_its_mutations(
    fuzzer: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found"
    found.mkdir()
    done = subprocess.run(
        [
            fuzzer,
            "-seed=1",
            f"-runs={FUZZED}",
            "-max_len=4096",
            "-timeout=5",
            # its peak memory includes pytest's, which started it: limit single allocations instead
            "-rss_limit_mb=0",
            "-malloc_limit_mb=64",
            f"-dict={DICTIONARY}",
            f"-artifact_prefix={tmp_path}/",
            found,
            CORPUS,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Done {FUZZED} runs" in done.stderr


KINDS_HEAD = f"{HEAD.replace('job=matrix', 'job={kind}')} role=sender token={TOKEN} barrier=yes"
LARGEST = 2**63 - 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_value_that_the_api_accepts_is_accepted_by_the_probe(probe: Probe, kind: str) -> None:
    """Parameters that a plan names as the API does; the probe names its bounds when it refuses."""
    compared = list[str]()
    for name, schema in KINDS[kind].test.model_json_schema()["properties"].items():
        bounds = bounds_of(schema)
        if bounds is None:
            continue
        plan = f"{KINDS_HEAD.format(kind=kind)}\ntrial position=0 attempt=1 {name}={LARGEST}\nend\n"
        said = probe.start(plan, check=False).stderr.decode()
        if f"{name}={LARGEST}: is not a field" in said:
            continue  # it is given as something else
        found = re.search(rf"{name}={LARGEST}: must be from (\d+) to (\d+)", said)
        assert found or f"{name}=" not in said, "it is refused for its bounds, or not at all"
        least, most = map(int, found.groups()) if found else (0, LARGEST)
        assert least <= bounds[0], (name, bounds, said)
        assert bounds[1] <= most, (name, bounds, said)
        compared.append(name)
    assert set(compared) & {"block", "record_bytes"}
