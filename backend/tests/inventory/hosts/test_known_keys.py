"""Keys that are known before the first check: fingerprints, and lines of known_hosts."""

import subprocess
from pathlib import Path

import asyncssh
import pytest
from assay.base.errors import Invalid
from assay.inventory.hosts.keys import expected_keys
from assay.inventory.hosts.schemas import ExpectedKey, HostIn
from pydantic import ValidationError

ED25519 = asyncssh.generate_private_key("ssh-ed25519")
ECDSA = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
ADDRESS = "storage-7.example"


def line(key: asyncssh.SSHKey, names: str = ADDRESS, marker: str = "") -> str:
    return f"{marker}{names} {key.export_public_key().decode().strip()} a comment\n"


def found(text: str, address: str = ADDRESS, port: int = 22) -> list[str]:
    return [key.fingerprint for key in expected_keys(address, port, None, text)]


def message(text: str, address: str = ADDRESS, port: int = 22) -> str:
    with pytest.raises(Invalid) as caught:
        found(text, address, port)
    (error,) = caught.value.errors
    assert error.field == "known_hosts"
    assert error.remedy
    return error.message


def test_each_key_of_the_address_is_expected_with_its_type() -> None:
    text = "# my hosts\n\n" + line(ED25519) + line(ECDSA, f"other,{ADDRESS}") + line(ED25519)
    assert expected_keys(ADDRESS, 22, None, text) == [
        ExpectedKey(type="ssh-ed25519", fingerprint=ED25519.get_fingerprint()),
        ExpectedKey(type="ecdsa-sha2-nistp256", fingerprint=ECDSA.get_fingerprint()),
    ]


@pytest.mark.parametrize(("address", "port"), [(ADDRESS, 22), ("10.0.0.7", 2222), ("fd00::7", 22)])
def test_names_hashed_by_ssh_keygen_match(tmp_path: Path, address: str, port: int) -> None:
    file = tmp_path / "known_hosts"
    name = address if port == 22 else f"[{address}]:{port}"
    file.write_text(line(ED25519, name) + line(ECDSA, "elsewhere"))
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", file], check=True, capture_output=True)
    text = file.read_text()
    assert address not in text
    assert found(text, address, port) == [ED25519.get_fingerprint()]
    assert "has no key for" in message(text, "10.9.9.9")


def test_patterns_match_unless_they_exclude_the_address() -> None:
    assert found(line(ED25519, "*.example")) == [ED25519.get_fingerprint()]
    assert "has no key for" in message(line(ED25519, f"*.example,!{ADDRESS}"))


def test_the_name_of_another_port_is_another_host() -> None:
    text = line(ED25519, f"[{ADDRESS}]:2222")
    assert found(text, port=2222) == [ED25519.get_fingerprint()]
    assert message(text, port=22) == f"has no key for {ADDRESS}"
    assert f"[{ADDRESS}]:2223" in message(text, port=2223)


def test_a_revoked_key_is_named() -> None:
    said = message(line(ED25519, marker="@revoked "))
    assert ED25519.get_fingerprint() in said
    assert "line 1" in said


def test_an_authority_is_no_key_of_the_host() -> None:
    assert "has no key for" in message(line(ED25519, marker="@cert-authority "))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("garbage", "is not valid in line 1"),
        (f"\n{ADDRESS} ssh-ed25519\n", "is not valid in line 2"),
        (f"@nonsense {ADDRESS} ssh-ed25519 AAAA", "is not valid in line 1"),
        ("|1|not base64|at all ssh-ed25519 AAAA", "has an invalid name in line 1"),
        (f"{ADDRESS} ssh-ed25519 AAAA", "has no readable key"),
        ("# nothing\n", "has no key for"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    assert said in message(text)


GIVEN = "SHA256:" + "k" * 43


@pytest.mark.parametrize("text", [GIVEN, f" {GIVEN}= ", f"256 {GIVEN} root@web-1 (ED25519)\n"])
def test_a_fingerprint_is_read_as_ssh_keygen_prints_it(text: str) -> None:
    body = HostIn(name="web-1", fingerprint=text)
    assert body.fingerprint == GIVEN
    assert expected_keys(ADDRESS, 22, GIVEN, None) == [ExpectedKey(type=None, fingerprint=GIVEN)]


@pytest.mark.parametrize(
    "text", ["", "SHA256:short", "MD5:16:27:ac:a5", GIVEN[:-1], f"{GIVEN} {GIVEN}", "\x00"]
)
def test_other_text_is_no_fingerprint(text: str) -> None:
    with pytest.raises(ValidationError, match="must be one SHA-256 fingerprint"):
        HostIn(name="web-1", fingerprint=text)
