"""The appliance runs with the packages of `requirements.lock`, without development tools."""

import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"

IMPORTS = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

missing = set(sys.argv[1:])
sys.meta_path.insert(0, Without())
import assay.api.app, assay.cli, assay.supervisor.up, assay_worker.scheduler
from assay_worker.application import application
application.connection_for_write().transport
"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_process_starts_with_the_locked_packages() -> None:
    locked = {canonical(name) for name in re.findall(r"^([\w.-]+)==", LOCK.read_text(), re.M)}
    missing = [
        module
        for module, packages in packages_distributions().items()
        if not {canonical(package) for package in packages} & (locked | {"assay"})
    ]
    assert "pytest" in missing, "the tests need tools to leave out"
    environment = os.environ | {"ASSAY_REDIS_URL": "redis://localhost:1"}  # never used
    subprocess.run([sys.executable, "-c", IMPORTS, *missing], env=environment, check=True)
