"""What is added to the tree, in a copy of it, runs from form to result.

A test kind is self-contained: a folder in each of three places, and a line in each registry. A
parameter is declared once; the probe parses it and uses it.
"""

import csv
import io
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from testing.appliance import ADMIN_PASSWORD, ROOT, Appliance

KIND = Path(__file__).parent / "added_kind"
SOURCES = ("backend/assay", "migrations", "worker/assay_worker", "worker/probe", "frontend")
TEST = {
    "kind": "commits",
    "title": "Commits",
    "record": 512,
    "records": 40,
    "repeats": 2,
    "sample_ms": 100,
}
WRITE = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "file_size": 2_000_000,
    "repeats": 1,
}
PARAMETER: dict[str, tuple[str, str]] = {
    "backend/assay/kinds/matrix/parameters.py": (
        "    open_mode: Annotated[",
        """    rest_ms: Annotated[
        Annotated[int, Field(strict=True, ge=0, le=60_000)],
        Parameter(
            *("Rest", "Before the files are opened.", "duration_ms"),
            group=IO_PATH,
            in_plan=True,
            common=True,
        ),
    ] = 0
""",
    ),
    "worker/probe/src/matrix/fields.h": ("    uint64_t open;", "    uint64_t rest_ms;\n"),
    "worker/probe/src/matrix/fields.c": (
        "    WORD(struct matrix_trial, open,",
        "    OPTIONAL_NUMBER(struct matrix_trial, rest_ms, MATRIX_REST_MS_LEAST, "
        "MATRIX_REST_MS_MOST, 0),\n",
    ),
    "worker/probe/src/matrix/matrix.c": (
        "    uint64_t bytes = files_prepared_bytes(",
        "    clock_sleep(trial->rest_ms * NS_PER_MS);\n",
    ),
}
"""The line before which each file gets what a new parameter needs: these are all of them.

Its bounds and its words are in a header that is generated for the probe.
"""
REST_MS = 1500


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the tree with the added kind and parameter, its probe and front end built."""
    copy = tmp_path / "tree"
    for folder in (
        "backend/assay",
        "migrations",
        "worker/assay_worker",
        "worker/probe",
        "frontend",
    ):
        left_out = shutil.ignore_patterns("build", "dist", "node_modules", "__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, ignore=left_out)
    for link in (".venv", "frontend/node_modules"):
        (copy / link).symlink_to(ROOT / link)
    add_kind(copy)
    for file, line in PARAMETER.items():
        insert(copy / file, line)
    run(sys.executable, "-m", "assay.documents.probe", tree=copy / "backend")
    probe = f"build/{platform.machine()}/assay-probe"
    make = ("make", "-C", "worker/probe", probe, f"PYTHON={sys.executable}")
    with ThreadPoolExecutor() as both:
        made = [both.submit(run, *make, tree=copy), both.submit(build_front_end, copy)]
        for each in made:
            each.result()
    return copy


def add_kind(tree: Path) -> None:
    """Add a folder in each of the three places, and a line in each registry."""
    backend, probe, frontend = (
        tree / folder
        for folder in ("backend/assay/kinds", "worker/probe/src", "frontend/src/features/kinds")
    )
    for name, place in (("backend", backend), ("probe", probe), ("frontend", frontend)):
        shutil.copytree(KIND / name, place / "commits")
    insert(
        backend / "registry.py",
        ("from assay.kinds.matrix import", "from assay.kinds.commits import CommitsKind\n"),
        ("    MatrixKind(),", "    CommitsKind(),\n"),
    )
    insert(probe / "jobs.c", ("    JOB(matrix)", "    JOB(commits) \\\n"))
    insert(
        frontend / "registry.ts",
        ("import { matrix }", 'import { commits } from "./commits/kind";\n'),
        ("  matrix,", "  commits,\n"),
    )


def insert(file: Path, *lines: tuple[str, str]) -> None:
    """Insert each line before the one that begins with the given text."""
    text = file.read_text()
    for before, line in lines:
        assert text.count(f"\n{before}") == 1, f"{file}: {before}"
        text = text.replace(f"\n{before}", f"\n{line}{before}")
    file.write_text(text)


@cache
def node_folder() -> str:
    command = [sys.executable, ROOT / "bootstrap.py", "--node"]
    return subprocess.check_output(command, text=True).strip()


def run(*command: str | Path, tree: Path) -> str:
    """What the command prints; fails with all that it said."""
    path = os.pathsep.join([node_folder(), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=tree,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build_front_end(tree: Path) -> None:
    folder = tree / "frontend"
    run("node", "scripts/api.mjs", tree=folder)
    with ThreadPoolExecutor() as both:
        made = [
            both.submit(run, "node_modules/.bin/tsc", "--noEmit", tree=folder),
            both.submit(run, "node_modules/.bin/vite", "build", tree=folder),
        ]
        for each in made:
            each.result()


def created(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def table(answer: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def target_in(client: httpx.Client, scratch: Path) -> int:
    """The id of a target on this machine."""
    scratch.mkdir()
    host = created(client, "/hosts", {"name": "here", "connection": "local"})
    ready = client.post(f"/hosts/{host['id']}/check", params={"wait": 60}).json()
    assert ready["state"] == "ready", ready
    target = {"host_id": host["id"], "path": str(scratch), "root_consent": True}
    return created(client, "/targets", target)["id"]


@pytest.mark.timeout(600)
def test_an_added_kind_and_parameter_run_from_launch_to_result(
    tree: Path, appliances: Callable[..., Appliance], tmp_path: Path
) -> None:
    path = os.pathsep.join(str(tree / folder) for folder in ("backend", "worker"))
    command = (sys.executable, "-c", "import sys, assay.cli; sys.exit(assay.cli.main())", "up")
    appliance = appliances(command, PYTHONPATH=path)
    appliance.start()
    with appliance.client() as client:
        target = target_in(client, tmp_path / "scratch")
        tests = [TEST, {**TEST, "title": "More commits", "records": 60}, WRITE]
        body = {"name": "Database log", "body": {"tests": tests}}
        profile = created(client, "/profiles", body)
        plan = {
            "profile_id": profile["id"],
            "target_ids": [target],
            "overrides": {"record": 1024, "file_size": 1_000_000, "rest_ms": REST_MS},
        }
        estimate = client.post("/campaigns/estimate", json=plan).json()
        assert estimate["problems"] == []
        assert [run["bytes_written"] for run in estimate["runs"]] == [
            2 * 40 * 1024,
            2 * 60 * 1024,
            1_048_576,
        ]

        wrong = {"name": "wrong", "body": {"tests": [{**TEST, "records": 0}, {"kind": "other"}]}}
        refused = client.post("/profiles", json=wrong).json()
        fields = [error["field"] for error in refused["errors"]]
        assert fields == ["body.tests.0.records", "body.tests.1.kind"]

        beyond = {**plan, "overrides": {"rest_ms": 60_001}}
        (error,) = client.post("/campaigns", json=beyond).json()["errors"]
        assert (error["field"], error["message"]) == ("overrides.rest_ms", "must be at most 1 min")

        campaign = created(client, "/campaigns", plan)
        ended = client.get(f"/campaigns/{campaign['id']}", params={"wait": 60}).json()
        assert ended["state"] == "done", ended
        commits = ended["runs"][0]
        assert [one["kind"] for one in ended["runs"]] == ["commits", "commits", "matrix"]
        assert commits["headline"]["commits_per_s"] > 0

        shown = client.get(f"/runs/{commits['id']}").json()
        assert shown["parameters"] == {**TEST, "record": 1024, "timeout_ms": 60_000}
        result = client.get(f"/runs/{commits['id']}/result").json()
        assert [trial["status"] for trial in result["trials"]] == ["complete"] * 2
        assert all(trial["commits_per_s"] > 0 for trial in result["trials"])
        rows = table(client.get(f"/runs/{commits['id']}/result.csv"))
        assert [row["repeat"] for row in rows] == ["1", "2"]
        assert {row["record_bytes"] for row in rows} == {"1024"}
        assert all(float(row["commits_per_s"]) > 0 for row in rows)
        trials = client.get(f"/runs/{commits['id']}/trials").json()["items"]
        samples = client.get(f"/trials/{trials[0]['id']}/samples").json()
        assert samples["count"] > 0

        rested = client.get(f"/runs/{ended['runs'][2]['id']}").json()
        assert rested["parameters"]["rest_ms"] == REST_MS
        exported = table(client.get("/runs/export", params={"rows": "trials", "format": "csv"}))
        assert {(row["kind"], row["record_bytes"], row["rest_ms"]) for row in exported} == {
            ("commits", "1024", ""),
            ("matrix", "", str(REST_MS)),
        }
        began, over = (datetime.fromisoformat(rested[name]) for name in ("started_at", "ended_at"))
        assert (over - began).total_seconds() > REST_MS / 1000

    check_pages(appliance, ended, profile["id"], result)


def check_pages(
    appliance: Appliance, campaign: dict[str, Any], profile: int, result: dict[str, Any]
) -> None:
    """Pages are composed by kind: each shows what the kind of its run, test or result brings."""
    first, second, write = (run["id"] for run in campaign["runs"])
    rate = f"{round(result['commits_per_s'])} commits/s"
    expected = {
        "/": [f"{rate} in records of 1\u00a0KiB"],
        f"/runs/{first}": [rate, "repeat 2:", "Record size", "1\u00a0KiB", "one row per repeat"],
        f"/runs/{write}": [
            *("Operation latency", "Block sizes", "the matrix, one row per cell"),
            *("Rest", "1.5\u00a0s"),
        ],
        f"/compare?runs={first},{second}": ["times the commits", "Records"],
        f"/compare?runs={first},{write}": ["different test kinds"],
        f"/campaigns/{campaign['id']}": [rate, "2 of 2 repeats committed"],
        f"/launch?profile={profile}": ["Record size", "Block sizes", "Rest", "FileCatalyst terms"],
        f"/profiles/{profile}": ["Kind", "Record size", "Operation", "Block sizes"],
        "/profiles": ["Commits 40; More commits 60; Write: 1\u00a0×\u00a01 cells"],
    }
    script = KIND / "pages.mjs"
    said = run(
        *("node", script, appliance.url, ADMIN_PASSWORD, json.dumps(expected)), tree=ROOT / "e2e"
    )
    found = json.loads(said)
    for path, texts in expected.items():
        shown = found["shown"][path]
        assert [text for text in texts if text not in shown] == [], f"{path}:\n{shown}"
    assert found["errors"] == []
