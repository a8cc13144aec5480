"""Records in Python, after the contract, to meet the receiver as a faulty sender would.

Only records of ten bytes: a sender's digit, eight digits of the number, and a newline.
"""

import hashlib
import hmac
import socket

import wire
from records_driver import RECORDS

RECORDS_FRAME, ACKNOWLEDGED = 0x6B6C65, 0x6B6C66
WORD = (1 << 64) - 1
BITS = 40
STEP = 0x9E3779B97F4A7C15
ACKNOWLEDGE = ("none", "received", "written", "synced")


def mix(word: int) -> int:
    """Return SplitMix64's finalizer of a word."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


def contents(token: str, sender: int, numbers: list[int], attempt: int = 1) -> bytes:
    """Return the sender's records with these numbers, one after the other."""
    said = f"records 0 {attempt}".encode()
    seed = hmac.digest(bytes.fromhex(token), said, hashlib.sha256)[:8]
    key = mix(int.from_bytes(seed, "little") ^ mix(sender + 1))
    offset = mix(key + 1 & WORD)
    one, two = (mix(key + 3 + i & WORD) | 1 for i in range(2))
    data = bytearray()
    for number in numbers:
        word = (number + offset) * one % (1 << BITS)
        word = (word ^ word >> BITS // 2) * two % (1 << BITS)
        digits = bytes(0x30 + (word >> 5 * place & 31) for place in range(8))
        data += bytes([0x30 + sender]) + digits + b"\n"
    return bytes(data)


def greet(port: int, token: str, trial: dict, sender: int = 0) -> tuple[socket.socket, int]:
    """Connect as a sender; return the connection and the listener's reply."""
    trial = {"senders": 1} | RECORDS | trial
    names = ("senders", "record_bytes", "records", "ramp_ms", "window_ms")
    agreed = [1, 0, 1, *(trial.get(name, 0) for name in names)]
    agreed += [int(trial.get("sink") == "disk"), int(trial.get("format") == "json")]
    agreed += [trial["batch_records"], trial.get("batch_ms", 10_000)]
    agreed += [ACKNOWLEDGE.index(trial.get("acknowledge", "written"))]
    agreed += [trial.get("rate_records_per_s", 0)]
    return wire.connect(port, token, sender, agreed)


def frame(data: bytes, *, ends: bool = True, count: int | None = None) -> bytes:
    """Return a frame of records."""
    records = len(data) // 10 if count is None else count
    return wire.header(RECORDS_FRAME, 0, int(ends), len(data), (records, 0)) + data


def end(data: bytes, count: int) -> bytes:
    """Return the end of a sequence that was `data`."""
    return wire.header(wire.END, rest=(count, wire.crc32c(data)))
