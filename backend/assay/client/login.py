"""A person's login: what tokens may not do, above all create tokens."""

from collections.abc import Generator
from contextlib import contextmanager, suppress

import httpx

from assay.accounts.schemas import CSRF_HEADER
from assay.client.errors import AssayError
from assay.client.transport import PATIENCE_S, TIMEOUT_S, Transport


@contextmanager
def logged_in(
    url: str, name: str, password: str, patience_s: float = PATIENCE_S
) -> Generator[Transport]:
    """Provide requests as a user while the block runs, then log out; raises AssayError.

    A request without a response is repeated for up to `patience_s`. A failed logout is ignored: the
    session expires by itself.
    """
    try:
        http = httpx.Client(base_url=url.rstrip("/"), timeout=TIMEOUT_S)
    except httpx.InvalidURL as error:
        raise AssayError(f"url is {url!r}, which is no address: {error}.") from error
    with http:
        transport = Transport(http, patience_s)
        session = transport.post("/session", {"name": name, "password": password})
        http.headers[CSRF_HEADER] = session["csrf"]
        try:
            yield transport
        finally:
            with suppress(AssayError):
                transport.delete("/session")
