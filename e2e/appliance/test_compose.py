"""`docker-compose.yml` as parsed by Compose itself."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECRETS = {
    "ASSAY_DB_PASSWORD": "database-secret",
    "ASSAY_REDIS_PASSWORD": "queue-secret",
    "ASSAY_SECRET_KEY": "sealing-secret",
}


def compose(**environment: str) -> subprocess.CompletedProcess[str]:
    command = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
    return subprocess.run(
        [*command, "-f", str(ROOT / "docker-compose.yml"), "config"],
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_compose_accepts_it_and_every_service_has_a_health_check() -> None:
    done = compose(**SECRETS)
    assert done.returncode == 0, done.stderr
    services = done.stdout.split("\nvolumes:")[0]
    assert services.count("healthcheck:") == 5
    for name in ("db", "redis", "api", "worker", "scheduler"):
        assert f"\n  {name}:\n" in services


@pytest.mark.parametrize("left_out", SECRETS)
def test_no_secret_has_a_default(left_out: str) -> None:
    done = compose(**{name: value for name, value in SECRETS.items() if name != left_out})
    assert done.returncode != 0
    assert "choose a" in done.stderr or "make one" in done.stderr


def test_secrets_reach_only_the_services_that_need_them() -> None:
    shown = compose(**SECRETS).stdout
    assert shown.count("sealing-secret") == 3, json.dumps(shown)
    assert "database-secret" in shown


def test_trusted_proxies_reach_the_api_and_are_none_by_default() -> None:
    given = "10.1.0.0/16,192.0.2.7"
    shown = compose(**SECRETS, ASSAY_TRUSTED_PROXIES=given).stdout
    assert f"ASSAY_TRUSTED_PROXIES: {given}" in shown
    assert re.search(r"ASSAY_TRUSTED_PROXIES: (''|\"\")$", compose(**SECRETS).stdout, re.MULTILINE)
