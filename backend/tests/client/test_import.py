"""The client runs without the server: neither its database nor its queue nor its endpoints."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {server} or name in {own}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
import {module}
"""

SERVER = {
    *("sqlalchemy", "psycopg", "alembic", "celery", "redis", "fastapi", "starlette", "uvicorn"),
    *("asyncssh", "argon2", "cryptography", "typer", "rich"),
}
OWN = {"assay.tables", "assay.base.messaging", "assay.api.app"}


def imported(module: str) -> subprocess.CompletedProcess[str]:
    source = WITHOUT.format(server=SERVER, own=OWN, module=module)
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )


def test_the_client_is_imported_without_packages_of_the_server() -> None:
    done = imported("assay.client")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["assay.api.app", "assay.tables.hosts"])
def test_a_module_of_the_server_needs_them(module: str) -> None:
    assert "ModuleNotFoundError" in imported(module).stderr
