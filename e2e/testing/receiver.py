"""A receiver of webhooks: a real HTTP or HTTPS server on the loopback interface."""

import base64
import hashlib
import hmac
import ssl
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Received:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def message_id(self) -> str:
        return self.headers["webhook-id"]

    def is_signed_by(self, secret: str) -> bool:
        """Verify the signature as a receiver does, from the specification alone."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.message_id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return wanted in self.headers["webhook-signature"].split(" ")


@dataclass
class Receiver:
    """What a receiver got, and how it answers: a status, headers, a body, after a pause."""

    port: int = 0
    scheme: str = "http"
    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    answer: bytes = b""
    pause_s: float = 0
    received: list[Received] = field(default_factory=list[Received])
    arrived: threading.Event = field(default_factory=threading.Event)
    """Set at each request, before the answer."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook?token=t"


@contextmanager
def receiving(certificate: Path | None = None) -> Generator[Receiver]:
    """Provide a receiver; with a file of certificate and key, it speaks TLS."""
    receiver = Receiver(scheme="https" if certificate else "http")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(Received(self.path, dict(self.headers.items()), body))
            receiver.arrived.set()
            time.sleep(receiver.pause_s)
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(receiver.answer)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore clients that hang up: a sender reads only the beginning of an answer."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield receiver
        server.shutdown()
        thread.join()
