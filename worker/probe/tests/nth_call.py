"""Failing exactly one system call of a program and its children: the N-th of its kind.

strace counts the calls of each thread separately, so a daemon's first calls are hidden behind those
of its starter. Here the kernel asks this process about every such call of any process (seccomp's
user notification), so that one count covers the whole program. It also reports when the last of its
processes has exited.
"""

import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

NUMBERS = {
    "x86_64": {
        "openat": (2, 257),
        "mkdirat": (83, 258),
        "unlinkat": (87, 263),
        "renameat": (82, 264),
        "fork": (56, 57, 435),
        "read": (0, 19),
        "write": (1, 20),
        "pread64": (17,),
        "pwrite64": (18,),
        "fdatasync": (75,),
        "fsync": (74,),
        "ftruncate": (77,),
        "fallocate": (285,),
        "fcntl": (72,),
        "flock": (73,),
        "fstat": (5, 262, 332),
        "getdents64": (217,),
        "mmap": (9,),
    },
    "aarch64": {
        "openat": (56,),
        "mkdirat": (34,),
        "unlinkat": (35,),
        "renameat": (38,),
        "fork": (220, 435),
        "read": (63, 65),
        "write": (64, 66),
        "pread64": (67,),
        "pwrite64": (68,),
        "fdatasync": (83,),
        "fsync": (82,),
        "ftruncate": (46,),
        "fallocate": (47,),
        "fcntl": (25,),
        "flock": (32,),
        "fstat": (80, 79, 291),
        "getdents64": (61,),
        "mmap": (222,),
    },
}[platform.machine()]
"""The numbers of a call and of its older and wider forms."""

SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]
SET_MODE_FILTER, NEW_LISTENER, NO_NEW_PRIVILEGES = 1, 8, 38
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ASK, ALLOW = 0x7FC00000, 0x7FFF0000
RECEIVE, SEND, CONTINUE = 0xC0502100, 0xC0182101, 1
QUESTION_BYTES = 80

libc = ctypes.CDLL(None, use_errno=True)


class Filter(ctypes.Structure):
    """The kernel's `sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


class NthCall:
    """A fault: the N-th `call` fails with `error`. `injected` is whether it did."""

    def __init__(self, call: str, number: int, error: str) -> None:
        self.call = call
        self._left, self._errno = number, getattr(errno, error)
        self.injected = False
        numbers = NUMBERS[call]
        jumps = [(JUMP_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
        code = [(LOAD, 0, 0, 0), *jumps, (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ASK)]
        self._code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
        self._filter = Filter(len(code), ctypes.cast(self._code, ctypes.c_void_p))
        self._ours, self._theirs = socket.socketpair()
        self._answering = threading.Thread(target=self._answer)

    def start(self, argv: Sequence[Any], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program with the fault."""
        self._answering.start()
        try:
            return subprocess.Popen(
                argv,
                preexec_fn=self._install,  # noqa: PLW1509 (three calls, nothing imported)
                close_fds=False,  # closing them may open files, which would be counted
                **options,
            )
        finally:
            self._theirs.close()

    def wait(self) -> None:
        """Wait until no process with the fault is left."""
        self._answering.join(60)
        assert not self._answering.is_alive(), "a process stays"

    def _install(self) -> None:
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        reference = ctypes.byref(self._filter)
        listener = libc.syscall(SECCOMP, SET_MODE_FILTER, NEW_LISTENER, reference)
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", listener))
        self._theirs.sendmsg([b"!"], [rights])  # fails without a listener
        os.close(listener)

    def _answer(self) -> None:
        with self._ours:
            _, listeners, _, _ = socket.recv_fds(self._ours, 1, 1)
        if not listeners:
            return
        asked = select.poll()
        asked.register(listeners[0], select.POLLIN)
        while not asked.poll()[0][1] & select.POLLHUP:
            self._answer_one(listeners[0])
        os.close(listeners[0])

    def _answer_one(self, listener: int) -> None:
        question = bytearray(QUESTION_BYTES)
        try:
            fcntl.ioctl(listener, RECEIVE, question)
            (name,) = struct.unpack_from("Q", question)
            due = self._left == 1
            error, flags = (-self._errno, 0) if due else (0, CONTINUE)
            fcntl.ioctl(listener, SEND, struct.pack("QqiI", name, 0, error, flags))
        except OSError as gone:  # a signal came first: the call is made again, and requested again
            assert gone.errno in (errno.ENOENT, errno.EINTR)
            return
        self._left -= 1
        self.injected = self.injected or due
