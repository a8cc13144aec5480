"""The cost of SSH for a sample, measured with a real sshd."""

import asyncio

import pytest
from fleet import ssh


def test_pipes_and_each_cipher_are_measured_in_every_repetition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssh, "SETTLE_S", 1.2)  # until each host has sent its first sample
    monkeypatch.setattr(ssh, "CIPHERS", {"aes": ("aes128-ctr",)})
    found = asyncio.run(ssh.compare(hosts=2, seconds=1.5, repetitions=1))
    assert list(found) == [ssh.PIPES, "aes"]
    [pipes], [aes] = found.values()
    assert pipes.samples >= 2
    assert aes.samples >= 2
    assert pipes.server_ms == 0
    assert pipes.reader_ms > 0
    assert aes.reader_ms > 0
