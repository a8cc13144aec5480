"""Credentials: parsing, encryption, secrecy, and deletion while in use."""

import base64
import stat
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay.base.settings import settings
from assay.inventory.credentials.sealing import SealError, seal, unseal
from assay.tables.credentials import Credential
from assay.tables.database import reading
from testing.api import Appliance, fields, on_sqlite, problem


def nested(depth: int) -> str:
    """A sequence in a sequence in a sequence, in base64."""
    inner = b""
    for _ in range(depth):
        inner = b"\x30\x82" + len(inner).to_bytes(2) + inner
    return base64.b64encode(inner).decode()


KEY = asyncssh.generate_private_key("ssh-ed25519", comment="my key")
PLAIN = KEY.export_private_key().decode()
LOCKED = KEY.export_private_key(passphrase="open sesame", rounds=1).decode()
TWO_LINES = asyncssh.generate_private_key("ssh-ed25519", comment="a\nssh-ed25519 AAAA b")
NESTED = f"-----BEGIN PRIVATE KEY-----\n{nested(3000)}\n-----END PRIVATE KEY-----\n"


def _stored(credential_id: int) -> Credential:
    with reading() as session:
        return session.get_one(Credential, credential_id)


def test_a_generated_key_pair_shows_only_its_public_key(appliance: Appliance) -> None:
    answer = appliance.admin.post("/credentials", {"name": "lab key", "kind": "generated"})
    assert answer.status_code == 201
    shown = answer.json()
    assert shown["public_key"].startswith("ssh-ed25519 ")
    assert shown["fingerprint"].startswith("SHA256:")
    private = unseal(_stored(shown["id"]).sealed)
    public = asyncssh.import_private_key(private).export_public_key().decode().strip()
    assert public == shown["public_key"]
    assert "PRIVATE" not in answer.text


def test_an_encrypted_key_is_read_with_its_passphrase(appliance: Appliance) -> None:
    body = {
        "name": "my key",
        "kind": "private_key",
        "private_key": LOCKED,
        "passphrase": "open sesame",
    }
    answer = appliance.admin.post("/credentials", body)
    assert answer.json()["fingerprint"] == KEY.get_fingerprint()
    assert asyncssh.import_private_key(unseal(_stored(answer.json()["id"]).sealed))


@on_sqlite
@pytest.mark.parametrize(
    ("given", "field", "word"),
    [
        ({"private_key": LOCKED, "passphrase": "wrong"}, "passphrase", "is wrong"),
        ({"private_key": LOCKED}, "passphrase", "is required"),
        ({"private_key": "garbage"}, "private_key", "cannot be read"),
        ({"private_key": PLAIN[:-120]}, "private_key", "cannot be read"),
        ({"private_key": NESTED}, "private_key", "cannot be read"),
        ({"private_key": KEY.export_public_key().decode()}, "private_key", "is a public key"),
        ({}, "private_key", "is required"),
        ({"private_key": PLAIN, "password": "x"}, "password", "is not allowed"),
    ],
    ids=[
        "wrong passphrase",
        "no passphrase",
        "garbage",
        "cut",
        "nested",
        "public",
        "none",
        "two kinds",
    ],
)
def test_an_unusable_key_is_rejected_with_the_reason(
    appliance: Appliance, given: dict[str, Any], field: str, word: str
) -> None:
    answer = appliance.admin.post("/credentials", {"name": "k", "kind": "private_key", **given})
    document = problem(answer, 422, "invalid")
    assert fields(document) == [field]
    assert word in document["errors"][0]["message"]
    assert "BEGIN" not in document["detail"]
    assert document["errors"][0]["value"] is None
    assert appliance.admin.get("/credentials").json()["items"] == []


def test_legacy_key_formats_are_supported(appliance: Appliance) -> None:
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    for number, (form, given) in enumerate((("pkcs1-pem", "a b"), ("pkcs8-pem", "a b"))):
        text = key.export_private_key(form, passphrase=given).decode()
        body = {"name": f"key {number}", "kind": "private_key", "private_key": text}
        problem(appliance.admin.post("/credentials", {**body, "passphrase": "x"}), 422, "invalid")
        answer = appliance.admin.post("/credentials", {**body, "passphrase": given})
        assert answer.json()["fingerprint"] == key.get_fingerprint()


def test_a_password_is_sealed_and_never_shown(appliance: Appliance) -> None:
    body = {"name": "p", "kind": "password", "password": "s3cret 'ü'"}
    answer = appliance.admin.post("/credentials", body)
    stored = _stored(answer.json()["id"])
    assert b"s3cret" not in stored.sealed
    assert unseal(stored.sealed) == "s3cret 'ü'"
    for text in (answer.text, appliance.admin.get("/credentials").text, str(appliance.audit())):
        assert "s3cret" not in text


def test_a_credential_in_use_is_not_deleted(appliance: Appliance) -> None:
    credential = appliance.credential()
    host = appliance.host(credential_id=credential)
    answer = appliance.admin.delete(f"/credentials/{credential}")
    document = problem(answer, 409, "credential_in_use")
    assert document["hosts"] == [{"id": host, "name": "web-1"}]
    assert "web-1" in document["detail"]
    shown = appliance.operator.get("/credentials").json()["items"]
    assert shown[0]["hosts"] == [{"id": host, "name": "web-1"}]
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    assert appliance.admin.delete(f"/credentials/{credential}").status_code == 204


def test_an_operator_may_list_but_not_add(appliance: Appliance) -> None:
    assert appliance.operator.get("/credentials").status_code == 200
    answer = appliance.operator.post("/credentials", {"name": "k", "kind": "generated"})
    problem(answer, 403, "not_allowed")
    problem(appliance.viewer.get("/credentials"), 403, "not_allowed")


def test_the_key_file_is_private_and_outside_the_database(on: None, tmp_path: Path) -> None:
    seal("x")
    file = tmp_path / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_a_secret_of_another_key_cannot_be_decrypted(
    on: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = seal("x")
    monkeypatch.setenv("ASSAY_SECRET_KEY", "a" * 40)
    settings.cache_clear()
    with pytest.raises(SealError, match="another key"):
        unseal(sealed)
    assert unseal(seal("y")) == "y"
    with pytest.raises(SealError, match="form"):
        unseal(b"\x02" + sealed)
    with pytest.raises(SealError):
        unseal(sealed[:-1] + bytes([sealed[-1] ^ 1]))


def test_a_short_secret_key_is_rejected(on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SECRET_KEY", "short")
    settings.cache_clear()
    with pytest.raises(SealError, match="at least 32"):
        seal("x")


def test_a_public_key_is_one_line(appliance: Appliance) -> None:
    """It is copied to a host's authorized_keys."""
    body = {
        "name": "two lines",
        "kind": "private_key",
        "private_key": TWO_LINES.export_private_key().decode(),
    }
    document = problem(appliance.admin.post("/credentials", body), 422, "invalid")
    assert fields(document) == ["private_key"]
