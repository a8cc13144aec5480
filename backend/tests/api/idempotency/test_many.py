"""Many campaigns posted at once by clients whose connections fail: each exists once."""

import json
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any

from assay.tables.campaigns import Campaign
from assay.tables.database import reading
from assay.tables.runs import Run
from sqlalchemy import func, select
from testing.api import Appliance

CAMPAIGNS = 200
CLIENTS = 20
MOST_TRIES = 200


def drop(port: int, body: bytes, headers: dict[str, str]) -> None:
    """Send a request, and close the connection before its response."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/api/v1/campaigns", body, headers)
    connection.close()


def post(port: int, token: str, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Post over connections of which half are lost, until there is a response; return its body."""
    chance, content = random.Random(key), json.dumps(body).encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    for _ in range(MOST_TRIES):
        if chance.random() < 0.5:
            drop(port, content, headers)
            continue
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/api/v1/campaigns", content, headers)
        answer = connection.getresponse()
        document = json.loads(answer.read())
        connection.close()
        if answer.status == HTTPStatus.CREATED:
            return document
        assert document["code"] == "request_in_progress", document
        time.sleep(0.1)
    raise AssertionError(f"no response to {key}")


def test_each_of_two_hundred_campaigns_posted_at_once_exists_once(
    appliance: Appliance, served: int
) -> None:
    hosts = [appliance.host(f"web-{number}") for number in range(4)]
    targets = [appliance.target(host) for host in hosts]
    profile, token = appliance.profile(), str(appliance.operator.token)
    asked = [
        ({"name": f"c{n}", "profile_id": profile, "target_ids": [targets[n % 4]]}, f"key-{n}")
        for n in range(CAMPAIGNS)
    ]
    asked += asked  # each also by a second client
    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(lambda one: post(served, token, *one), asked))
    with reading() as session:
        names = Counter(session.scalars(select(Campaign.name)))
        runs = session.scalar(select(func.count()).select_from(Run)) or 0
    assert names == {f"c{n}": 1 for n in range(CAMPAIGNS)}
    assert runs == CAMPAIGNS
    assert len({answer["id"] for answer in answers}) == CAMPAIGNS
