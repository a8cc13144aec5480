"""The examples in docs/examples, executed against an appliance and a host with its own sshd."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from testing.appliance import UP, Appliance
from testing.disks import mounted
from testing.sshd import Sshd

pytestmark = pytest.mark.timeout(600)
"""Each registers a host, measures on it and removes it, beside tests that compute."""

EXAMPLES = Path(__file__).resolve().parents[2] / "docs/examples"
MET, MISSED = "4 MB/s", "900 TB/s"
PROFILE = "Gate"
TEST: dict[str, Any] = {
    "kind": "sustained",
    "title": "Paced",
    "length": "2 s",
    "block": [131_072],
    "file_mode": "ring",
    "file_size": 20_000_000,
    "mark_bytes": 131_072,
    "pace": "rate",
    "rate_bytes_per_s": [8_000_000],
}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


class Pipeline:
    """A shell with nothing but the command, the token and what a job was given."""

    def __init__(self, appliance: Appliance, host: Sshd, folder: Path, target: Path) -> None:
        self.folder, self.host, self.target = folder, host, target
        known = folder / "known_hosts"
        known.write_text(f"[127.0.0.1]:{host.port} {host.host_key}\n")
        with appliance.client() as client:
            key = {"name": "lab key", "kind": "private_key", "private_key": host.private_key}
            assert client.post("/credentials", json=key).is_success
            profile = {"name": PROFILE, "body": {"tests": [TEST]}}
            assert client.post("/profiles", json=profile).is_success
            scopes = {"scopes": ["read", "launch", "hosts"]}
            made = client.post("/tokens", json={"name": "ci", "role": "operator", **scopes})
            assert made.is_success, made.text
        self.environment = {
            "PATH": f"{Path(UP[0]).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "ASSAY_URL": appliance.url,
            "ASSAY_TOKEN": made.json()["token"],
            "CREDENTIAL": "lab key",
            "KNOWN_HOSTS": str(known),
            "PORT": str(host.port),
            "EVIDENCE": str(folder),
        }

    def run(self, *command: str, **environment: str) -> tuple[int, str]:
        done = subprocess.run(
            command,
            env=self.environment | environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def registered(self) -> str:
        """Register the host; return its target as jobs name it."""
        options = ["--address=127.0.0.1", f"--port={self.host.port}", f"--user={self.host.user}"]
        options += ["--credential=lab key", f"--known-hosts={self.environment['KNOWN_HOSTS']}"]
        options += [f"--target={self.target}", "--wait"]
        code, said = self.run("assay", "host", "add", "lab", *options)
        assert code == 0, said
        return f"lab:{self.target}"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own: tests on the root file system need a consent."""
    with mounted(tmp_path, 12_000_000_000) as point:  # 10 GB of it stay reserved
        yield point


@pytest.fixture
def pipeline(appliance: Appliance, host: Sshd, tmp_path: Path, disk: Path) -> Pipeline:
    return Pipeline(appliance, host, tmp_path, disk)


def test_a_shell_script_registers_gates_exports_and_removes_a_host(pipeline: Pipeline) -> None:
    script = [str(EXAMPLES / "qualify.sh"), "lab", "127.0.0.1", pipeline.host.user]
    script += [str(pipeline.target), "--profile", PROFILE, "--criterion"]
    code, said = pipeline.run(*script, f"durable.mean >= {MISSED}")
    assert code == 99, said
    assert 'failures="0"' not in (pipeline.folder / "verdict.xml").read_text()
    code, said = pipeline.run(*script, f"durable.mean >= {MET}")
    assert code == 0, said
    assert "stage=accepted" in said
    assert "pass" in (pipeline.folder / "verdict.md").read_text()
    rows = (pipeline.folder / "trials.csv").read_text().splitlines()
    assert len(rows) > 2 and "host" in rows[0]
    code, said = pipeline.run("assay", "host", "delete", "lab")
    assert code == 0, said
    code, said = pipeline.run("assay", "host", "list", "--json")
    assert code == 0 and "lab" not in [one["name"] for one in json.loads(said)]
    assert [path.name for path in pipeline.target.iterdir()] == ["lost+found"]


def test_the_jobs_of_github_gitlab_and_terraform_gate(pipeline: Pipeline) -> None:
    target = pipeline.registered()
    for least, expected in ((MET, 0), (MISSED, 99)):
        _assert_gates(pipeline, target, least, expected)


def _assert_gates(pipeline: Pipeline, target: str, least: str, expected: int) -> None:
    given = {"TARGET": target, "LEAST": least, "PROFILE": PROFILE}
    given |= {f"ASSAY_{name}": value for name, value in given.items()}
    given |= {"GITHUB_SHA": "1f2e", "CI_COMMIT_SHA": "1f2e"}
    given["GITHUB_STEP_SUMMARY"] = str(pipeline.folder / "summary")
    jobs: dict[str, Any] = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]
    measure, show = jobs["qualify"]["steps"]
    assert pipeline.run("bash", "-e", "-c", measure["run"], **given)[0] == expected
    assert pipeline.run("bash", "-e", "-c", show["run"], **given) == (0, "")
    assert "durable.mean" in (pipeline.folder / "summary").read_text()

    job = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["qualify storage"]
    (command,) = job["script"]
    assert pipeline.run("sh", "-e", "-c", command, **given)[0] == expected
    for kept in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (pipeline.folder / kept).exists()

    (command,) = re.findall(r'command = "(.*)"\n', (EXAMPLES / "main.tf").read_text())
    assert pipeline.run("sh", "-c", command.replace('\\"', '"'), **given)[0] == expected


def test_the_playbook_registers_and_qualifies_a_host(pipeline: Pipeline) -> None:
    playbook = shutil.which("ansible-playbook", path=pipeline.environment["PATH"])
    assert playbook, "ansible-core belongs to the development requirements"
    facts = {
        "ansible_host": "127.0.0.1",
        "ansible_port": pipeline.host.port,
        "ansible_user": pipeline.host.user,
        "storage": str(pipeline.target),
        "assay_credential": "lab key",
        "assay_known_hosts": pipeline.environment["KNOWN_HOSTS"],
        "profile": PROFILE,
    }
    inventory = pipeline.folder / "inventory.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": {"lab": facts}}}))
    command = [playbook, "-i", str(inventory), str(EXAMPLES / "playbook.yml"), "-e"]
    code, said = pipeline.run(*command, f'{{"least": "{MET}"}}')
    assert code == 0, said
    code, said = pipeline.run(*command, f'{{"least": "{MISSED}"}}')
    assert code == 2 and "verdict: fail" in said, said
