"""Injection and repair of faults: a context manager each.

Entering injects the fault, leaving repairs it. Faults that end by themselves, or that the appliance
repairs, have nothing after their `yield`.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Generator

from assay.runs.scheduling.wakeups import DRIVE_RUN
from assay.tables.database import make_engine
from celery import Celery
from faults.places import MB, Place, Scene
from faults.transfers import Peer
from lab import FileFault
from lab.commands import LabError
from sqlalchemy import text
from testing.appliance import until

HOUR_S = 3600
HUNG_S = 1.0
"""An operation in flight for this long hangs: on healthy storage it takes milliseconds."""

SMALL_BYTES = 1000
"""Packets of greetings and acknowledgments are smaller, packets of data are larger."""

Struck = contextlib.AbstractContextManager[None]


# -- the appliance


def killed(name: str) -> Callable[[Scene], Struck]:
    """Return a fault that kills one of the appliance's processes; its supervisor restarts it."""

    @contextlib.contextmanager
    def strike(scene: Scene) -> Generator[None]:
        scene.kill(name)
        yield

    return strike


@contextlib.contextmanager
def database_killed(scene: Scene) -> Generator[None]:
    assert scene.postgres
    scene.postgres.kill()
    yield
    scene.postgres.start()


@contextlib.contextmanager
def database_locked(scene: Scene) -> Generator[None]:
    engine = make_engine(scene.database)
    with engine.execution_options(writes=True).connect() as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            # the appliance's own limit would end the lock early
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            connection.execute(text("LOCK TABLE runs, participants, sample_blocks, raw_chunks"))
        yield
    engine.dispose()


@contextlib.contextmanager
def home_full(scene: Scene) -> Generator[None]:
    filler = scene.appliance.home / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (MB, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    yield
    filler.unlink()


@contextlib.contextmanager
def clock_back(scene: Scene) -> Generator[None]:
    assert scene.clock
    scene.clock.set(-HOUR_S)
    yield
    scene.clock.set(0)


@contextlib.contextmanager
def two_owners(scene: Scene) -> Generator[None]:
    """Suspend the worker for longer than its ownership, so that another one takes over."""
    worker = scene.appliance.child("worker")
    os.kill(worker, signal.SIGSTOP)
    other = scene.second_worker()
    until("the other worker took over", lambda: scene.owners() == {other.pid}, 60)
    os.kill(worker, signal.SIGCONT)
    yield
    other.terminate()
    other.wait(20)


@contextlib.contextmanager
def delivered_again(scene: Scene) -> Generator[None]:
    sender = Celery(broker=scene.broker)
    for place in scene.places:
        for _ in range(2):
            sender.send_task(DRIVE_RUN, args=[place.run_id])
    sender.close()
    yield


@contextlib.contextmanager
def redeployed(scene: Scene) -> Generator[None]:
    assert scene.appliance.interrupt(signal.SIGTERM) == 0
    scene.appliance.start()
    yield


@contextlib.contextmanager
def power_lost(scene: Scene) -> Generator[None]:
    assert scene.appliance.process
    scene.appliance.process.kill()
    scene.appliance.process.wait()
    scene.appliance.start()
    yield


# -- a host


@contextlib.contextmanager
def connection_reset(place: Place) -> Generator[None]:
    place.host.link.reset()
    yield


@contextlib.contextmanager
def network_silent(place: Place) -> Generator[None]:
    place.host.link.cut()
    yield
    place.host.link.join()


@contextlib.contextmanager
def host_away(place: Place) -> Generator[None]:
    """End its connections and make it unreachable."""
    place.host.link.reset()
    place.host.link.cut()
    yield
    place.host.link.join()


@contextlib.contextmanager
def sshd_restarted(place: Place) -> Generator[None]:
    place.host.stop_sshd()
    place.host.start_sshd()
    yield


@contextlib.contextmanager
def host_rebooted(place: Place) -> Generator[None]:
    place.host.reboot()
    place.rebooted()
    yield


@contextlib.contextmanager
def probe_killed(place: Place) -> Generator[None]:
    place.signal(signal.SIGKILL)
    yield


@contextlib.contextmanager
def out_of_memory(place: Place) -> Generator[None]:
    """Another program of the host takes all memory; the kernel kills the probe."""
    (probe,) = place.probes
    with contextlib.suppress(LabError):  # it is killed, too
        place.host.log_in("head -c 1G /dev/zero | tail -c 1G | tail -c 1 >/dev/null")
    assert probe not in place.probes
    yield


@contextlib.contextmanager
def disk_full(place: Place) -> Generator[None]:
    place.host.fill(place.disk, leaving=0)
    yield
    place.host.run_as_root("rm", "-f", place.path / "others-data")


@contextlib.contextmanager
def disk_read_only(place: Place) -> Generator[None]:
    # as ext4 does after an error; an ordinary remount fails while files are being written
    place.host.run_as_root("mount", "-o", "remount,abort", place.path)
    yield
    _mounted_anew(place)


@contextlib.contextmanager
def disk_broken(place: Place) -> Generator[None]:
    place.host.break_file_system(place.disk)
    yield
    _mounted_anew(place)


def _mounted_anew(place: Place) -> None:
    until("nothing uses the disk", lambda: not place.probes, 20)
    place.host.unmount(place.disk)
    place.host.remount(place.disk)


@contextlib.contextmanager
def unmounted(place: Place) -> Generator[None]:
    place.host.unmount(place.disk)
    yield
    until("nothing uses the disk", lambda: not place.probes, 20)
    place.host.remount(place.disk)


@contextlib.contextmanager
def storage_hung(place: Place) -> Generator[None]:
    name = place.path.name
    place.host.fault_file_system(name, FileFault(place.kind, hang=True))
    yield
    place.host.fault_file_system(name, None)


@contextlib.contextmanager
def operation_hung(place: Place) -> Generator[None]:
    with storage_hung(place):
        place.go_on()
        time.sleep(HUNG_S)  # operations in flight during the suspension only look old
        until("an operation hangs", lambda: place.oldest_s > HUNG_S, 30)
        yield


@contextlib.contextmanager
def killed_while_hung(place: Place) -> Generator[None]:
    with operation_hung(place):
        place.signal(signal.SIGKILL)
        yield


@contextlib.contextmanager
def host_clock_back(place: Place) -> Generator[None]:
    place.clock.set(-HOUR_S)
    behind = time.time() - int(place.host.log_in("date +%s"))
    assert HOUR_S - 5 < behind < HOUR_S + 5
    yield
    place.clock.set(0)


# -- the link between the ends of a transfer


@contextlib.contextmanager
def link_silent(end: Peer) -> Generator[None]:
    end.link.cut()
    yield
    end.link.join()


@contextlib.contextmanager
def large_packets_lost(end: Peer) -> Generator[None]:
    """As if a router on the way had a smaller MTU, and its messages were filtered."""
    with _dropped(end, "-m", "length", "--length", f"{SMALL_BYTES}:65535"):
        yield


@contextlib.contextmanager
def new_connections_dropped(end: Peer) -> Generator[None]:
    """The sink answers the source's packets, but does not let it connect: a firewall."""
    with _dropped(end, "-p", "tcp", "--syn"):
        yield


@contextlib.contextmanager
def _dropped(end: Peer, *what: str) -> Generator[None]:
    """Silently drop packets that reach the sink by the link."""
    sink = end.link.far
    rule = ("INPUT", "-i", sink.interface, *what, "-j", "DROP")
    sink.call("iptables", "-w", "-A", *rule)
    yield
    sink.call("iptables", "-w", "-D", *rule)
