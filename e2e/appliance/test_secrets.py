"""After a whole campaign, no secret is stored anywhere that others can read.

Two hosts, one with a password and one with a key and passphrase, are registered and measured by the
appliance as a user starts it. Meanwhile every process of the machine is watched.
"""

import base64
import contextlib
import json
import re
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncssh
import httpx
import pytest
from assay.documents import openapi as api_document
from testing.appliance import Appliance
from testing.sshd import Sshd

PASSWORDS = {
    "administrator's password": "correct-horse-administrator",
    "host's password": "host-password-Zq7",
    "wrong password": "wrong-password-Zq8",
    "passphrase": "passphrase-of-the-key-Zq9",
}
MB = 10**6


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[tuple[Sshd, Sshd]]:
    """A host with password login, and one with key login."""
    made = (
        Sshd(tmp_path / "by-password", password=PASSWORDS["host's password"]),
        Sshd(tmp_path / "by-key"),
    )
    for server in made:
        server.start()
    yield made
    for server in made:
        server.stop()


class Watch:
    """Polls every process's command line and environment."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.01):
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit():
                    for name in ("cmdline", "environ"):
                        with contextlib.suppress(OSError):
                            self.seen.add((entry / name).read_bytes())


class Changes:
    """Records the response to every request but a GET, with its headers, by method and path."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}

    def client(self, appliance: Appliance, **headers: str) -> httpx.Client:
        url = f"{appliance.url}/api/v1"
        hooks: dict[str, Any] = {"response": [self._keep]}
        return httpx.Client(base_url=url, headers=headers, timeout=120, event_hooks=hooks)

    def _keep(self, answer: httpx.Response) -> None:
        if answer.request.method != "GET":
            place = f"{answer.request.method} {answer.request.url.path}"
            said = answer.read() + repr(answer.headers.multi_items()).encode()
            self.answers[place] = self.answers.get(place, b"") + said


SHOWN_ONCE = [
    "session's cookie in POST /api/v1/setup",
    "token in POST /api/v1/tokens",
    "link in POST /api/v1/campaigns/1/shares",
]
"""The responses that contain a secret for its owner."""


def secrets_of(appliance: Appliance, client: httpx.Client, key: asyncssh.SSHKey) -> dict[str, str]:
    """Return all secrets; of the private key, every line in both of its forms."""
    plain = key.export_private_key().decode()
    return PASSWORDS | {
        "session's cookie": client.cookies["assay_session"],
        "secret key": (appliance.home / "secret.key").read_text().strip(),
        **{
            f"private key, line {number}": line
            for number, line in enumerate(plain.splitlines())
            if len(line) > 40 and "-----" not in line
        },
    }


def forms(secret: str) -> list[bytes]:
    """Return the secret unchanged, and in common encodings."""
    raw = secret.encode()
    return [raw, base64.b64encode(raw).rstrip(b"="), raw.hex().encode()]


def found_in(places: dict[str, bytes], secrets: dict[str, str]) -> list[str]:
    return [
        f"{name} in {place}"
        for place, content in places.items()
        for name, secret in secrets.items()
        if any(form in content for form in forms(secret))
    ]


def test_no_secret_is_seen_after_a_campaign_over_password_and_key(
    appliances: Any, hosts: tuple[Sshd, Sshd], tmp_path: Path
) -> None:
    appliance: Appliance = appliances(ASSAY_ADMIN_PASSWORD="")
    with Watch() as watch:
        appliance.start()
        changes = Changes()
        with changes.client(appliance) as client:
            set_up(appliance, client)
            targets = [
                register(client, hosts[0], tmp_path, password=PASSWORDS["host's password"]),
                register(client, hosts[1], tmp_path, **sealed_key(hosts[1])),
            ]
            refuse(client, hosts[0])
            token = made(client, "/tokens", {"name": "ci", "role": "operator"})
            with changes.client(appliance, Authorization=f"Bearer {token['token']}") as pipeline:
                measure(pipeline, targets)
            secrets = secrets_of(appliance, client, hosts[1].client_key)
            secrets["token"] = token["token"]
            shared = made(client, "/campaigns/1/shares", {"expires_in_days": 1})
            secrets["link"] = shared["token"]
            assert client.get(f"{appliance.url}{shared['path']}").status_code == 200
            answers = every_answer(client, targets)
        files = everything_kept(appliance, hosts)
        appliance.interrupt()
    places = files | answers | everything_kept(appliance, hosts)
    processes = b"\n".join(watch.seen)
    assert b"assay-probe" in processes
    assert b"uvicorn" in processes
    assert len(answers) > 25
    assert {"POST /api/v1/credentials", "POST /api/v1/hosts"} <= set(changes.answers)
    assert found_in(changes.answers, secrets) == SHOWN_ONCE
    assert len(found_in(places, {"what is no secret": "by-password"})) > 3
    assert found_in(places | {"a process": processes}, secrets) == []


def made(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def set_up(appliance: Appliance, client: httpx.Client) -> None:
    """Use the code that the first start prints."""
    code = re.search(r"\b[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}\b", appliance.log)
    assert code, appliance.log
    password = PASSWORDS["administrator's password"]
    opened = made(client, "/setup", {"code": code[0], "name": "ada", "password": password})
    client.headers["X-Assay-CSRF"] = opened["csrf"]


def sealed_key(server: Sshd) -> dict[str, str]:
    passphrase = PASSWORDS["passphrase"]
    key = server.client_key.export_private_key(passphrase=passphrase).decode()
    return {"private_key": key, "passphrase": passphrase}


def host_of(client: httpx.Client, server: Sshd, name: str, **secret: str) -> dict[str, Any]:
    """Return a host with its own credential, whose key was approved, after a check."""
    kind = "password" if "password" in secret else "private_key"
    credential = made(client, "/credentials", {"name": name, "kind": kind, **secret})
    reach = {"name": name, "address": "127.0.0.1", "port": server.port, "user": server.user}
    host = made(client, "/hosts", {**reach, "credential_id": credential["id"]})
    path = f"/hosts/{host['id']}"
    client.post(f"{path}/check", params={"wait": 60})
    offered = client.get(f"{path}/host-key").json()["offered"]
    client.post(f"{path}/host-key", json={"fingerprint": offered["fingerprint"]})
    return client.post(f"{path}/check", params={"wait": 60}).json()


def register(client: httpx.Client, server: Sshd, folder: Path, **secret: str) -> dict[str, Any]:
    host = host_of(client, server, server.folder.name, **secret)
    assert host["state"] == "ready", host
    scratch = folder / f"scratch-{server.folder.name}"
    scratch.mkdir()
    body = {"host_id": host["id"], "path": str(scratch), "root_consent": True}
    return made(client, "/targets", body)


def refuse(client: httpx.Client, server: Sshd) -> None:
    """Check that a failed login does not reveal the password."""
    host = host_of(client, server, "refused", password=PASSWORDS["wrong password"])
    assert host["check"]["error"]["code"] == "auth_failed", host


def measure(client: httpx.Client, targets: list[dict[str, Any]]) -> None:
    """Launch a campaign on both hosts as a pipeline does."""
    profiles = client.get("/profiles").json()["items"]
    profile = next(one for one in profiles if one["slug"] == "filecatalyst-default-write")
    plan = {
        "profile_id": profile["id"],
        "target_ids": [target["id"] for target in targets],
        "overrides": {"file_size": 20 * MB, "repeats": 1},
    }
    campaign = made(client, "/campaigns", plan)
    ended = client.get(f"/campaigns/{campaign['id']}", params={"wait": 100}).json()
    assert ended["state"] == "done", ended


REQUIRED = {
    "/compare": {"runs": "1,2"},
    "/compare/suggestions": {"run_id": "1"},
    "/compare/export": {"runs": "1,2"},
    "/compare/export/size": {"runs": "1,2"},
    "/search": {"q": "web"},
}
"""Parameters without which a GET is refused."""


def every_answer(client: httpx.Client, targets: list[dict[str, Any]]) -> dict[str, bytes]:
    """Return the response to every GET of the OpenAPI document for an administrator."""
    ids = {
        "target_id": targets[0]["id"],
        "trial_id": client.get("/runs/1/trials").json()["items"][0]["id"],
    }
    found: dict[str, bytes] = {}
    for path, methods in json.loads(api_document.document())["paths"].items():
        if "get" not in methods:
            continue
        names = re.findall(r"{(\w+)}", path)
        filled = path.format(**{name: ids.get(name, 1) for name in names})
        url = f"{client.base_url.copy_with(path=filled)}"
        params = REQUIRED.get(path.removeprefix("/api/v1"), {})
        with client.stream("GET", url, params=params) as answer:
            parts = answer.iter_bytes()
            content = next(parts, b"") if path.endswith("/stream") else b"".join(parts)
            assert answer.status_code in (200, 404, 409), (url, content)
            found[f"GET {filled}"] = content + repr(answer.headers).encode()
    return found


def everything_kept(appliance: Appliance, hosts: tuple[Sshd, Sshd]) -> dict[str, bytes]:
    """Return every file of the appliance except the secret key's, its log, and files on hosts."""
    files = [path for path in appliance.home.rglob("*") if path.name != "secret.key"]
    files += [path for server in hosts for path in server.home.rglob("*")]
    files += [server.folder / "log" for server in hosts]
    places = {str(path): path.read_bytes() for path in files if path.is_file()}
    database = sqlite3.connect(f"file:{appliance.home / 'assay.db'}?mode=ro", uri=True)
    with contextlib.closing(database):
        chunks = database.execute("SELECT data FROM raw_chunks").fetchall()
    assert chunks
    places["events"] = b"".join(zlib.decompress(data) for (data,) in chunks)
    return places | {"log": appliance.log.encode()}
