"""Which addresses a webhook may reach."""

import socket
from ipaddress import ip_address

import pytest
from assay.api.webhooks.urls import AddressRefusedError, check_address, is_public, literal
from assay.base.settings import settings

NOT_PUBLIC = [
    "127.0.0.1",
    "127.8.9.1",
    "10.0.0.1",
    "172.16.5.4",
    "192.168.1.1",
    "169.254.169.254",  # metadata of most clouds
    "168.63.129.16",  # of Azure
    "100.100.100.200",  # of Alibaba
    "100.64.0.1",
    "192.0.0.192",
    "0.0.0.0",
    "224.0.0.1",
    "239.255.255.250",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "fec0::1",  # site-local, which some networks still use
    "::7f00:1",
    "::ffff:0:a00:1",
    "3fff::1",
    "5f00::1",
]
PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_needs_permission(address: str, on: None) -> None:
    with pytest.raises(AddressRefusedError, match="not a public address"):
        check_address(address, 9999, private=False)
    check_address(address, 9999, private=True)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_needs_none(address: str, on: None) -> None:
    assert is_public(ip_address(address))
    check_address(address, 443, private=False)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.0.0.5", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"]
)
def test_the_appliance_itself_is_refused_even_with_permission(address: str, on: None) -> None:
    with pytest.raises(AddressRefusedError, match="this appliance"):
        check_address(address, settings().port, private=True)
    check_address(address, settings().port + 1, private=True)


def test_another_machine_may_use_the_port_of_the_appliance(on: None) -> None:
    check_address("192.0.2.7", settings().port, private=True)


def test_the_port_of_the_metrics_is_the_appliance_too(
    on: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_METRICS_PORT", "9777")
    settings.cache_clear()
    with pytest.raises(AddressRefusedError, match="this appliance"):
        check_address("127.0.0.1", 9777, private=True)


def test_a_network_can_be_allowed_for_all_webhooks(
    on: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_WEBHOOK_NETWORKS", "10.1.0.0/16, fd00:1::/32")
    settings.cache_clear()
    for allowed in ("10.1.2.3", "::ffff:10.1.2.3", "fd00:1::7"):
        check_address(allowed, 9999, private=False)
    for other in ("10.2.0.1", "fd00:2::7", "127.0.0.1"):
        with pytest.raises(AddressRefusedError):
            check_address(other, 9999, private=False)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "a.LOCALHOST", "127.1", "0x7f000001", "2130706433", "017700000001"],
)
def test_an_address_is_recognized_in_every_notation(host: str) -> None:
    assert literal(host) == "127.0.0.1"


def test_a_name_is_not_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[object]()
    resolve = socket.getaddrinfo

    def watched(*args: object, **how: object) -> object:
        asked.append(how.get("flags"))
        return resolve(*args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    assert literal("ci.example.com") is None
    assert asked == [socket.AI_NUMERICHOST]
