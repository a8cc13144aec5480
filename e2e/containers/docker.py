"""A Docker daemon of its own, with images made from Debian packages, and Compose on it."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "dockerd": "docker.io",
    "docker-compose": "docker-compose",
    "debootstrap": "debootstrap",
}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
BASE, STORES = "assay-base", "assay-stores"
IMAGES = {
    "ASSAY_BASE_IMAGE": BASE,
    "ASSAY_POSTGRES_IMAGE": STORES,
    "ASSAY_REDIS_IMAGE": STORES,
}


def install() -> None:
    """Install Debian's packages of the commands that are missing."""
    missing = [package for command, package in PACKAGES.items() if not shutil.which(command)]
    if missing:
        subprocess.run(["apt-get", "update", "-q"], check=True)
        subprocess.run(
            ["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing],
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            check=True,
        )


class Docker:
    """The daemon's clients; `folder` has everything that it stores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix://{folder / 'docker.sock'}"
        # its own configuration, and the builder that needs no plugin
        own = {"DOCKER_HOST": self.address, "DOCKER_CONFIG": str(folder / "config")}
        own["COMPOSE_HTTP_TIMEOUT"] = "600"  # the storage driver copies whole file systems
        self._environment = os.environ | own | {"DOCKER_BUILDKIT": "0"}

    def responds(self) -> bool:
        """Return whether the daemon responds."""
        command = ["docker", "version"]
        done = subprocess.run(command, env=self._environment, capture_output=True, check=False)
        return done.returncode == 0

    def run(self, *command: str, **environment: str) -> str:
        """Run `docker` or `docker-compose` and return its output; raises with its errors."""
        done = subprocess.run(
            command,
            env=self._environment | environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stdout + done.stderr)[-4000:]
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{said}")
        return done.stdout

    def import_base(self) -> None:
        """Make the base image: a minimal Debian with Python that trusts what this machine does."""
        system = self.folder / "debian"
        release = dict(
            line.split("=", 1) for line in Path("/etc/os-release").read_text().split("\n") if line
        )
        include = "--include=ca-certificates,python3,python3-venv"
        suite = release["VERSION_CODENAME"].strip('"')
        self.run("debootstrap", "--variant=minbase", include, suite, str(system))
        shutil.copy(CERTIFICATES, f"{system}{CERTIFICATES}")
        archive = self.folder / "debian.tar"
        self.run("tar", "-C", str(system), "-cf", str(archive), ".")
        trust = (f"ENV PIP_CERT={CERTIFICATES}", f"ENV NODE_EXTRA_CA_CERTS={CERTIFICATES}")
        changes = [word for line in trust for word in ("--change", line)]
        self.run("docker", "import", *changes, str(archive), BASE)
        shutil.rmtree(system)
        archive.unlink()

    def build(self, tag: str, folder: Path) -> None:
        """Build an image on the base image; downloads use this machine's network."""
        options = ["--network", "host", "--build-arg", f"BASE={BASE}", "--tag", tag]
        self.run("docker", "build", "-q", *options, str(folder))


@contextlib.contextmanager
def daemon(folder: Path) -> Generator[Docker]:
    """Run a daemon that leaves this machine's firewall alone; all of it ends with the block."""
    docker = Docker(folder)
    for name in ("data", "run", "config"):
        (folder / name).mkdir()
    command = ["dockerd", "--storage-driver=vfs", "--iptables=false", "--ip6tables=false"]
    command += ["--bridge=none", f"--host={docker.address}", f"--pidfile={folder / 'pid'}"]
    command += [f"--data-root={folder / 'data'}", f"--exec-root={folder / 'run'}"]
    with (folder / "dockerd.log").open("wb") as log:
        # its mounts end with it
        process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", *command], stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + 60
        while not docker.responds():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((folder / "dockerd.log").read_text()[-4000:])
            time.sleep(0.2)
        yield docker
    finally:
        process.terminate()
        process.wait(60)


class Stack:
    """`docker-compose.yml` on that daemon, as one project."""

    def __init__(self, docker: Docker, secrets: Mapping[str, str]) -> None:
        self._docker = docker
        self._environment = dict(IMAGES) | dict(secrets) | {"COMPOSE_PROJECT_NAME": "assayproof"}

    def compose(self, *words: str) -> str:
        """Run Compose with `words`."""
        return self._docker.run("docker-compose", *words, **self._environment)

    def create(self) -> None:
        """Create the containers without starting them; the storage driver copies their images."""
        self.compose("up", "--no-start", "--no-build")

    def up(self) -> None:
        """Start the stack; raises with the services' last lines if one does not become healthy."""
        try:
            self.compose("up", "-d", "--no-build")
        except RuntimeError as error:
            logs = self.compose("logs", "--no-color", "--tail", "20")
            raise RuntimeError(f"{error}\n{logs[-6000:]}") from error

    def inspect(self) -> list[dict[str, Any]]:
        """Return Docker's description of each container of the project."""
        ids = self.compose("ps", "-q").split()
        return json.loads(self._docker.run("docker", "inspect", *ids)) if ids else []

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's containers."""
        return self.compose("ps", "-q", service).split()

    def execute(self, container: str, *command: str) -> str:
        """Run a command in a container and return its output."""
        return self._docker.run("docker", "exec", container, *command)

    def gateway(self) -> str:
        """Return this machine's address in the project's network."""
        networks = self.inspect()[0]["NetworkSettings"]["Networks"]
        return next(iter(networks.values()))["Gateway"]

    def await_health(self, seconds: float = 180) -> float:
        """Wait until every container is healthy; return how long it took, in seconds."""
        began = time.monotonic()
        while True:
            states = {
                one["Name"].lstrip("/"): one["State"].get("Health", {}).get("Status", "none")
                for one in self.inspect()
            }
            if states and set(states.values()) == {"healthy"}:
                return time.monotonic() - began
            if time.monotonic() - began > seconds:
                logs = self.compose("logs", "--tail", "20")
                raise RuntimeError(f"not healthy after {seconds:g} s: {states}\n{logs[-6000:]}")
            time.sleep(0.3)

    def kill(self, container: str) -> None:
        """Kill a container as a crash would; Docker restarts it."""
        pid = json.loads(self._docker.run("docker", "inspect", container))[0]["State"]["Pid"]
        os.kill(pid, 9)

    def remains(self) -> dict[str, str]:
        """Return what of the project is left: containers, volumes and networks, by kind."""
        label = "label=com.docker.compose.project=assayproof"
        found = {
            "containers": self._docker.run("docker", "ps", "-aq", "--filter", label),
            "volumes": self._docker.run("docker", "volume", "ls", "-q"),
            "networks": self._docker.run("docker", "network", "ls", "-q", "--filter", label),
        }
        return {kind: ids for kind, ids in found.items() if ids.strip()}
