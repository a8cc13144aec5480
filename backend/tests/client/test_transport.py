"""Requests are repeated where that is safe, and no response is mistaken for another."""

import socket

import pytest
from assay.client import (
    ApiError,
    Assay,
    AssayError,
    NoResponseError,
    RateLimitError,
    UnexpectedResponseError,
    parsed,
    transport,
)
from assay.inventory.hosts.schemas import HostKeys
from testing.unreliable import Unreliable

BUSY = (409, {"Retry-After": "7"}, {})


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the client makes, in seconds; none of them takes time."""
    made: list[float] = []
    monkeypatch.setattr(transport.time, "sleep", made.append)
    return made


def test_a_request_whose_response_was_lost_is_repeated_with_its_key(
    unreliable: Unreliable, pauses: list[float]
) -> None:
    unreliable.responses += [None, BUSY, (503, {}, "maintenance"), (201, {}, {"id": 7})]
    assert unreliable.connect().post("/campaigns", {}) == {"id": 7}
    methods, keys = zip(*unreliable.requests, strict=True)
    assert methods == ("POST",) * 4
    assert keys[0] and len(set(keys)) == 1
    assert pauses[1] == 7.0


def test_pauses_grow_and_are_random(unreliable: Unreliable, pauses: list[float]) -> None:
    unreliable.responses += [None] * 6 + [(200, {}, {})]
    unreliable.connect().get("/health")
    for number, pause in enumerate(pauses):
        most = min(transport.FIRST_PAUSE_S * 2**number, transport.LONGEST_PAUSE_S)
        assert most / 2 <= pause <= most


def test_a_key_of_the_caller_is_sent(unreliable: Unreliable) -> None:
    unreliable.responses += [(201, {}, {})]
    unreliable.connect().post("/hosts", {}, key="job-17")
    assert unreliable.requests == [("POST", "job-17")]


def test_a_key_that_no_header_can_have_is_named(unreliable: Unreliable) -> None:
    with pytest.raises(AssayError, match="key is 'schlüssel'"):
        unreliable.connect().post("/hosts", {}, key="schlüssel")
    assert unreliable.requests == []


def test_text_that_is_not_unicode_is_named(unreliable: Unreliable) -> None:
    with pytest.raises(AssayError, match="surrogates not allowed"):
        unreliable.connect().post("/hosts", {"name": "a\ud800"})


def test_a_longer_wait_than_the_clients_patience_is_an_error(
    unreliable: Unreliable, pauses: list[float]
) -> None:
    problem = {
        "type": "/problems/too_many_requests",
        "title": "Too many requests",
        "status": 429,
        "detail": "Wait.",
        "code": "too_many_requests",
    }
    unreliable.responses += [(429, {"Retry-After": "60"}, problem)]
    with pytest.raises(RateLimitError) as refused:
        unreliable.connect(patience_s=30).get("/hosts")
    assert (refused.value.retry_after_s, refused.value.code) == (60.0, "too_many_requests")
    assert pauses == []


@pytest.mark.parametrize("method", ["delete", "patch"])
def test_what_must_not_be_executed_twice_is_not_repeated(
    unreliable: Unreliable, pauses: list[float], method: str
) -> None:
    unreliable.responses += [None, (204, {}, "")]
    connection = unreliable.connect()
    with pytest.raises(NoResponseError):
        if method == "delete":
            connection.delete("/hosts/1")
        else:
            connection.patch("/hosts/1", {"name": "a"}, etag='"1"')
    assert len(unreliable.requests) == 1
    assert pauses == []


def test_a_server_that_does_not_respond_is_reported_after_the_patience() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with (
            Assay(url, "assay_x", patience_s=0.3) as connection,
            pytest.raises(NoResponseError, match=url),
        ):
            connection.get("/hosts")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ((200, {}, "<html>Log in"), "responds with '<html>Log in'"),
        ((302, {"Location": "https://a.example/"}, ""), "redirects to https://a.example/"),
    ],
)
def test_a_response_of_another_server_is_named(
    unreliable: Unreliable, response: tuple[int, dict[str, str], str], said: str
) -> None:
    unreliable.responses.append(response)
    with pytest.raises(UnexpectedResponseError) as found:
        unreliable.connect().get("/hosts")
    assert said in str(found.value)
    assert "Correct the address." in str(found.value)


def test_an_error_of_a_proxy_is_an_error_of_the_api(unreliable: Unreliable) -> None:
    unreliable.responses.append((504, {}, "<html>\x1b[2JGateway Timeout"))
    with pytest.raises(ApiError) as found:
        unreliable.connect().get("/hosts")
    assert (found.value.status, found.value.code) == (504, "")
    assert r"\x1b[2JGateway Timeout" in found.value.detail


def test_a_document_of_another_version_is_named_by_its_field() -> None:
    with pytest.raises(UnexpectedResponseError, match=r"offered\.fingerprint"):
        parsed(HostKeys, {"approved": None, "offered": {"type": "ssh-ed25519"}})
    known = {"approved": None, "offered": None}
    assert parsed(HostKeys, known | {"new": 1}) == HostKeys(approved=None, offered=None)


@pytest.mark.parametrize(
    ("url", "token", "said"),
    [
        ("assay.example", "assay_x", "url is 'assay.example'"),
        ("", "assay_x", "url is missing. Give it, or set ASSAY_URL."),
        ("http://a", "", "token is missing"),
        ("http://a", "assay_ü", "token has characters"),
        ("http://a", "assay\n_x", "token has characters"),
        ("http://a:x", "assay_x", "url is 'http://a:x', which is no address"),
    ],
)
def test_a_wrong_address_or_token_is_named(url: str, token: str, said: str) -> None:
    with pytest.raises(AssayError) as found, Assay(url, token, patience_s=0) as connection:
        connection.get("/hosts")
    assert said in str(found.value)


def test_address_and_token_are_those_of_the_environment(
    unreliable: Unreliable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{unreliable.port}/api/v1/")
    monkeypatch.setenv("ASSAY_TOKEN", "assay_x\n")
    unreliable.responses += [(200, {}, {"items": []})]
    with Assay() as connection:
        assert connection.get("/hosts") == {"items": []}
