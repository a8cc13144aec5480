"""Executes a command under a seccomp filter that refuses io_uring_setup, as container runtimes do.

Usage: seccomp.py ERRNO COMMAND...
"""

import ctypes
import os
import struct
import sys

IO_URING_SETUP = 425  # on every architecture
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse(error: int) -> None:
    """Refuse the call to this process and its children with an errno."""
    program = b"".join(
        struct.pack("HBBI", *step)
        for step in (
            (LOAD, 0, 0, 0),
            (JUMP_EQUAL, 0, 1, IO_URING_SETUP),
            (RETURN, 0, 0, ERRNO | error),
            (RETURN, 0, 0, ALLOW),
        )
    )
    library = ctypes.CDLL(None, use_errno=True)
    filters = Program(len(program) // 8, program)
    assert library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert library.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(filters)) == 0


if __name__ == "__main__":
    refuse(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
