"""The built front end, and the security headers of all responses."""

import gzip
import mimetypes
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.api.http.responses import answer
from assay.base.errors import NoSuchEndpoint, NotFound

HEADERS = {
    # plotly.js writes style elements; nothing may be loaded from another machine
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

COMPRESSIBLE = {".js", ".css", ".svg"}
FOREVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"

PAGES = re.compile(
    r"(|login|setup|launch|compare|hosts/new|(arrays|campaigns|hosts|profiles|runs|schedules)(/\d+)?"
    r"|settings(/(users|tokens|credentials|tools|audit|files|storage|webhooks(/\d+)?))?)/?"
)
"""The front end's routes; a test compares them with its router."""


class FenceHeaders:
    """Adds the headers to every response, and keeps API responses out of caches."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        """Wrap `app`; `prefix` is the path prefix of the API."""
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, and add headers to the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)  # a page may have a stricter policy
                if scope["path"].startswith(self.prefix):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


@cache
def _compressed(file: Path) -> bytes:
    """Return a compressed file; cached, because its name changes with its content."""
    return gzip.compress(file.read_bytes(), compresslevel=9, mtime=0)


def _built(root: Path, path: str) -> Path | None:
    """Return the requested file below `root`, if it exists."""
    try:
        wanted = (root / path).resolve()
        return wanted if wanted.is_relative_to(root) and wanted.is_file() else None
    except (OSError, ValueError):  # not a valid file name
        return None


def _asset(file: Path, request: Request) -> Response:
    headers = {"Cache-Control": FOREVER}
    if file.suffix not in COMPRESSIBLE or "gzip" not in request.headers.get("Accept-Encoding", ""):
        return FileResponse(file, headers=headers)
    headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    kind = mimetypes.guess_type(file.name)[0]
    return Response(_compressed(file), media_type=kind, headers=headers)


def install(app: FastAPI, front_end: Path, prefix: str) -> None:
    """Serve the pages in `front_end`; unknown paths are 404."""
    app.add_middleware(FenceHeaders, prefix=prefix)
    root = front_end.resolve()
    programs = prefix.split("/")[1]

    def is_of_programs(path: str) -> bool:
        """Return whether the path belongs to the API, whose clients must not receive a page."""
        return path.partition("/")[0] == programs

    @app.get("/{path:path}", include_in_schema=False)
    def page(path: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if is_of_programs(path):
            raise NoSuchEndpoint(f"/{path}")
        if (wanted := _built(root, path)) is not None:
            if path.startswith("assets/"):
                return _asset(wanted, request)
            return FileResponse(wanted, headers={"Cache-Control": ASK_AGAIN})
        if path.startswith("assets/"):
            raise NotFound("file", path)
        known = PAGES.fullmatch(path) is not None
        if not known and "text/html" not in request.headers.get("Accept", ""):
            raise NoSuchEndpoint(f"/{path}")
        index = root / "index.html"
        if not index.is_file():
            return PlainTextResponse("The front end is not built. Run `make build`.", 503)
        # the page shows "Not found"; the status is for programs
        status = HTTPStatus.OK if known else HTTPStatus.NOT_FOUND
        return FileResponse(index, status, headers={"Cache-Control": ASK_AGAIN})

    @app.exception_handler(HTTPStatus.METHOD_NOT_ALLOWED)
    async def wrong_method(  # pyright: ignore[reportUnusedFunction]
        request: Request, error: Exception
    ) -> Response:
        path: str = request.scope["path"]
        unknown = request.scope.get("endpoint") is page and is_of_programs(path.removeprefix("/"))
        return await answer(request, NoSuchEndpoint(path) if unknown else error)
