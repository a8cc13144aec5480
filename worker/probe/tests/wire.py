"""The wire of a transfer in Python, to meet the probe as a stranger or as a faulty end would."""

import hashlib
import hmac
import os
import socket
import struct

CHALLENGE, CLAIM, REPLY, HEADER = 40, 208, 40, 40
BLOCK, END, RECEIPT = 0x6B6C62, 0x6B6C63, 0x6B6C64
ACCEPTED = 0


def crc32c(data: bytes) -> int:
    """Return the CRC32C (RFC 3720) bit by bit from its polynomial, byte by byte from a table."""
    table = []
    for byte in range(256):
        state = byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
        table.append(state)
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


def digest(blocks: list[tuple[int, int]]) -> int:
    """Return the digest of blocks, each a number and a CRC32C."""
    total, most = 0, (1 << 64) - 1
    for number, crc in blocks:
        word = (number * 0x9E3779B97F4A7C15 + crc) & most
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & most
        word = (word ^ word >> 27) * 0x94D049BB133111EB & most
        total = (total + (word ^ word >> 31)) & most
    return total


def terms(trial: dict, position: int = 0) -> list[int]:
    """Return what both ends must agree on, for a transfer from memory to memory."""
    names = ("streams", "block", "length_bytes", "duration_ms")
    integrity = 1 if trial.get("integrity", "crc32c") == "crc32c" else 0
    return [0, position, *(trial.get(name, 1) for name in names), integrity]


def claim(token: str, challenge: bytes, stream: int, agreed: list[int]) -> bytes:
    """Return the answer to a challenge, as an end that knows the token gives it."""
    all_terms = [*agreed, *[0] * (16 - len(agreed))]
    said = b"assay-p2" + os.urandom(32) + struct.pack("<17Q", stream, *all_terms)
    return said + hmac.digest(bytes.fromhex(token), challenge[8:] + said, hashlib.sha256)


def receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionError(f"ended after {len(data)} of {size} bytes")
        data += more
    return data


def greet(port: int, token: str, trial: dict, stream: int = 0) -> tuple[socket.socket, int]:
    """Connect a stream of a path; return its connection and the listener's reply."""
    return connect(port, token, stream, terms(trial))


def connect(port: int, token: str, stream: int, agreed: list[int]) -> tuple[socket.socket, int]:
    """Connect a stream; return its connection and the listener's reply, whose HMAC is checked."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    challenge = receive(connection, CHALLENGE)
    said = claim(token, challenge, stream, agreed)
    connection.sendall(said)
    reply = receive(connection, REPLY)
    proof = hmac.digest(bytes.fromhex(token), challenge[8:] + said + reply[:8], hashlib.sha256)
    assert hmac.compare_digest(proof, reply[8:])
    return connection, int.from_bytes(reply[:8], "little")


def header(kind: int, crc: int = 0, number: int = 0, size: int = 0, rest: tuple = (0, 0)) -> bytes:
    return struct.pack("<IIQQQQ", kind, crc, number, size, *rest)
