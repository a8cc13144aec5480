"""User certificates of credentials, as `ssh-keygen -s` makes them."""

from pathlib import Path
from typing import Any

import asyncssh
import pytest
from testing.api import Appliance, fields, on_sqlite, problem
from testing.certificates import Authority

KEY = asyncssh.generate_private_key("ssh-ed25519")
OTHER = asyncssh.generate_private_key("ssh-ed25519")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def given(certificate: str | None, key: asyncssh.SSHKey = KEY) -> dict[str, Any]:
    private = key.export_private_key().decode()
    return {
        "name": "signed key",
        "kind": "private_key",
        "private_key": private,
        "certificate": certificate,
    }


def host_with(appliance: Appliance, credential: int, user: str = "assay") -> dict[str, Any]:
    body = {"name": user, "address": "10.0.0.7", "user": user, "credential_id": credential}
    made = appliance.operator.post("/hosts", body)
    assert made.status_code == 201
    return made.json()


@pytest.mark.parametrize("kind", ["ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"])
def test_a_certificate_is_shown_with_its_limits(
    appliance: Appliance, authority: Authority, kind: str
) -> None:
    key = asyncssh.generate_private_key(kind)
    line = authority.sign(key, "assay", "backup", source_address="10.0.0.0/8")
    made = appliance.admin.post("/credentials", given(line, key))
    assert made.status_code == 201, made.text
    shown = made.json()["certificate"]
    assert (shown["key_id"], shown["serial"]) == ("made for a test", "7")
    assert shown["principals"] == ["assay", "backup"]
    assert shown["authority"] == authority.fingerprint
    assert (shown["force_command"], shown["source_address"]) == (None, "10.0.0.0/8")
    assert shown["valid_from"] < shown["valid_until"]
    assert made.json()["warnings"] == []
    again = appliance.operator.get(f"/credentials/{made.json()['id']}").json()
    assert again == made.json()


def test_a_certificate_without_an_end_is_never_reported(
    appliance: Appliance, authority: Authority
) -> None:
    line = authority.sign(KEY, "assay", validity="always:forever")
    made = appliance.admin.post("/credentials", given(line)).json()
    assert (made["certificate"]["valid_from"], made["certificate"]["valid_until"]) == (None, None)
    assert made["warnings"] == []


def test_a_certificate_is_reported_before_it_expires(
    appliance: Appliance, authority: Authority
) -> None:
    long = authority.sign(KEY, "assay", validity="-1w:+13d")
    made = appliance.admin.post("/credentials", given(long)).json()
    assert made["warnings"] == [], "a quarter of 20 days has not begun"
    short = authority.sign(KEY, "assay", validity="-52w:+13d")
    put = appliance.admin.put(
        f"/credentials/{made['id']}/certificate", {"certificate": short}
    ).json()
    (warning,) = put["warnings"]
    assert "expires at" in warning
    assert "UTC" in warning
    assert appliance.viewer.get("/overview").json()["issues"] == [], "no host uses it"
    host = host_with(appliance, made["id"])
    assert host["warnings"] == [f"Credential 'signed key': {warning}"]
    (issue,) = [
        one
        for one in appliance.viewer.get("/overview").json()["issues"]
        if one["kind"] == "certificate"
    ]
    assert warning in issue["message"]
    assert issue["link"] == "/settings/credentials"


def test_a_user_that_is_no_principal_is_reported(
    appliance: Appliance, authority: Authority
) -> None:
    line = authority.sign(KEY, "assay")
    made = appliance.admin.post("/credentials", given(line)).json()
    assert host_with(appliance, made["id"], "assay")["warnings"] == []
    (warning,) = host_with(appliance, made["id"], "root")["warnings"]
    assert "The user 'root' is not a principal of the certificate (assay)" in warning
    (listed,) = appliance.operator.get(f"/credentials/{made['id']}").json()["warnings"]
    assert "'root'" in listed


def test_a_forced_command_is_reported(appliance: Appliance, authority: Authority) -> None:
    line = authority.sign(KEY, "assay", force_command="/bin/true")
    (warning,) = appliance.admin.post("/credentials", given(line)).json()["warnings"]
    assert "forces the command '/bin/true'" in warning


def test_a_generated_key_gets_its_certificate_after_it_was_signed(
    appliance: Appliance, authority: Authority
) -> None:
    made = appliance.admin.post("/credentials", {"name": "lab key", "kind": "generated"}).json()
    assert made["certificate"] is None
    path = f"/credentials/{made['id']}/certificate"
    public = asyncssh.import_public_key(made["public_key"])
    line = authority.sign(public, "assay")
    put = appliance.admin.put(path, {"certificate": line})
    assert put.json()["certificate"]["principals"] == ["assay"]
    assert appliance.admin.put(path, {"certificate": line}).json() == put.json()
    entry = appliance.audit()[0]
    assert (entry["action"], entry["detail"]["principals"]) == (
        "credential.certificate",
        ["assay"],
    )
    removed = appliance.admin.put(path, {"certificate": None})
    assert (removed.status_code, removed.json()["certificate"]) == (200, None)


def mistakes(authority: Authority) -> dict[str, tuple[str, str]]:
    good = authority.sign(KEY, "assay")
    kind, data, *_ = good.split()
    tampered = data[:-20] + ("A" if data[-20] != "A" else "B") + data[-19:]
    return {
        "of another key": (authority.sign(OTHER, "assay"), OTHER.get_fingerprint()),
        "expired": (authority.sign(KEY, "assay", validity="-2h:-1h"), "expired at"),
        "of a host": (authority.sign_host(KEY, "web-1"), "is a host certificate"),
        "a public key": (KEY.export_public_key().decode(), "is a public key"),
        "garbage": ("garbage", "cannot be read"),
        "cut": (good[:200], "cannot be read"),
        "tampered": (f"{kind} {tampered}", "has an invalid signature"),
    }


@on_sqlite
@pytest.mark.parametrize(
    "case",
    ["of another key", "expired", "of a host", "a public key", "garbage", "cut", "tampered"],
)
def test_a_wrong_certificate_is_rejected(
    appliance: Appliance, authority: Authority, case: str
) -> None:
    certificate, word = mistakes(authority)[case]
    made = appliance.admin.post("/credentials", given(None)).json()
    for answer in (
        appliance.admin.post("/credentials", {**given(certificate), "name": "another"}),
        appliance.admin.put(f"/credentials/{made['id']}/certificate", {"certificate": certificate}),
    ):
        found = problem(answer, 422, "invalid")
        assert fields(found) == ["certificate"]
        assert word in found["detail"]
    assert len(appliance.admin.get("/credentials").json()["items"]) == 1


@on_sqlite
def test_only_keys_have_certificates(appliance: Appliance, authority: Authority) -> None:
    line = authority.sign(KEY, "assay")
    for body in (
        {"name": "x", "kind": "password", "password": "x", "certificate": line},
        {"name": "x", "kind": "generated", "certificate": line},
    ):
        found = problem(appliance.admin.post("/credentials", body), 422, "invalid")
        assert fields(found) == ["certificate"]
    body = {"name": "x", "kind": "password", "password": "x"}
    made = appliance.admin.post("/credentials", body).json()
    path = f"/credentials/{made['id']}/certificate"
    answer = appliance.admin.put(path, {"certificate": line})
    assert fields(problem(answer, 422, "invalid")) == ["certificate"]
    for wrong in (7, "", "x" * 16_001):
        answer = appliance.admin.put(path, {"certificate": wrong})
        assert fields(problem(answer, 422, "invalid")) == ["certificate"]
    problem(
        appliance.admin.put("/credentials/99/certificate", {"certificate": line}), 404, "not_found"
    )
