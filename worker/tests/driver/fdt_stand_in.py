"""A stand-in for FDT, called as `java … -jar …`: its command line and its ports, no more.

FDT's jar is in no package registry. This shows that the built-in commands are what FDT's sources
(0.26) accept, and that a transfer by its rules delivers; it shows nothing of FDT's speed, and
nothing of what only the program itself can show. It prints that it is not FDT.
"""

import json
import shutil
import socket
import sys
from io import BufferedRWPair
from pathlib import Path

FLAGS = {"-v", "-vv", "-vvv", "-loop", "-r", "-pull", "-printStats", "-N", "-bio", "-gsi"}.union(
    {"-gsissh", "-notmp", "-nolock", "-nolocks", "-nettest", "-genb"}
)
"""Options that take no value, whatever follows; any other one takes a word that is no option."""

DEFAULT_PORT = 54321


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return options and files by the rules of `Utils.parseArguments`."""
    options: dict[str, str] = {}
    files: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            if ":" in word:
                sys.exit("Illegal syntax! You can use either Client/Server (-c/-d) or SCP syntax")
            files.append(word)
        elif word in FLAGS or not words or words[0].startswith("-"):
            options[word] = ""
        else:
            options[word] = words.pop(0)
    return options, files


def listening(port: str) -> socket.socket:
    made = socket.socket(socket.AF_INET6)
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("::", int(port)))
    made.listen()
    return made


def serve(options: dict[str, str]) -> None:
    """Name a transfer port to each client, and receive its files there."""
    control = listening(options.get("-p", str(DEFAULT_PORT)))
    port = options.get("-tp", str(DEFAULT_PORT)).split(",")[0]
    print("READY", flush=True)
    while True:
        client, _ = control.accept()
        with client, listening(port) as transfer:
            client.sendall(f"{port}\n".encode())
            session, _ = transfer.accept()
            with session, session.makefile("rwb") as stream:
                receive(stream, hidden="-notmp" not in options)


def receive(stream: BufferedRWPair, hidden: bool) -> None:
    for line in iter(stream.readline, b"\n"):
        head = json.loads(line)
        place = Path(head["directory"]) / Path(head["name"]).name
        assert not hidden, "FDT would write to a hidden file first, and rename it after the end"
        with place.open("wb") as file:
            for left in range(head["size"], 0, -65536):
                file.write(stream.read(min(left, 65536)))
    stream.write(b"END_SESSION\n")
    stream.flush()


def send(options: dict[str, str], files: list[str]) -> None:
    """Ask for a transfer port, and send the files there."""
    if not options.get("-d") or not files:
        sys.exit("No destination or no source specified")
    host = options["-c"]
    with socket.create_connection((host, int(options.get("-p", DEFAULT_PORT)))) as control:
        port = int(control.makefile().readline())
        with socket.create_connection((host, port)) as session, session.makefile("rwb") as stream:
            for path in map(Path, files):
                if not path.is_file():
                    sys.exit(f"The specified name [ {path} ] is not a file!")
                head = {"directory": options["-d"], "name": str(path)}
                stream.write(json.dumps(head | {"size": path.stat().st_size}).encode() + b"\n")
                with path.open("rb") as file:
                    shutil.copyfileobj(file, stream)
            stream.write(b"\n")
            stream.flush()
            assert stream.readline() == b"END_SESSION\n"


def main() -> None:
    words = sys.argv[1:]
    options, files = parse(words[words.index("-jar") + 2 :])
    print("This is not FDT, but a stand-in for tests of its command line.", flush=True)
    if "-c" in options:
        send(options, files)
    else:
        serve(options)


if __name__ == "__main__":
    main()
