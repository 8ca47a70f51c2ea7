"""Which addresses our own calls may go to. Checked on the address that is really connected to."""

import asyncio
import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Where clouds hand out credentials to whoever asks, beyond the link-local ones.
METADATA = frozenset(
    ipaddress.ip_address(address)
    for address in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
NAT64 = ipaddress.ip_network("64:ff9b::/96")


class UnknownHost(Exception):
    """The host name leads to no address."""


class AddressRefused(Exception):
    """The host is where nothing of ours may connect to; the message says why."""


async def addresses_of(host: str, port: int, *, allow_private: bool, setting: str) -> list[str]:
    """Every address of `host` that may be connected to. Raises UnknownHost, AddressRefused.

    Connect to what this returned: looked up again, the name may lead elsewhere.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost("its host name is not known") from error
    addresses = list(dict.fromkeys(str(place[4][0]) for place in found))
    reasons = [refusal(one, allow_private=allow_private, setting=setting) for one in addresses]
    allowed = [address for address, why in zip(addresses, reasons, strict=True) if not why]
    if not allowed:
        raise AddressRefused(next(filter(None, reasons), "its host has no address"))
    return allowed


def refusal(address: str, *, allow_private: bool, setting: str) -> str:
    """Why `address` may not be connected to, in words that name the setting; empty if it may."""
    real = _real(ipaddress.ip_address(address))
    if real.is_link_local or real in METADATA or real.is_multicast or real.is_unspecified:
        return f"{real} is a link-local, metadata or multicast address, which is never allowed"
    if not real.is_global and not allow_private:
        return f"{real} is a private address: set {setting}=true to allow it"
    return ""


def _real(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address
