"""An HTTP server that loses responses and sends wrong ones, as a proxy or a restart does."""

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from assay.client import Assay

Response = tuple[int, dict[str, str], Any]
"""Status, headers and body."""


@dataclass
class Unreliable:
    """A server that gives these responses, one after the other; None closes the connection.

    `requests` are method and idempotency key of each request.
    """

    port: int
    responses: list[Response | None] = field(default_factory=list)
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def connect(self, patience_s: float = 30.0) -> Assay:
        """Return a client of it."""
        return Assay(f"http://127.0.0.1:{self.port}", "assay_x", patience_s=patience_s)


@contextlib.contextmanager
def running() -> Iterator[Unreliable]:
    """Provide a server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            state.requests.append((self.command, self.headers.get("Idempotency-Key")))
            self.close_connection = True
            if (answer := state.responses.pop(0)) is None:
                return
            status, headers, body = answer
            sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(sent))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = do_DELETE = respond  # noqa: N815 (names of the library)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Unreliable(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()
