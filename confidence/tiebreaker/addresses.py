"""Which addresses the tiebreaker may be at. Checked on the address that is really connected to."""

import asyncio
import ipaddress
import socket

from confidence.tiebreaker.errors import Forbidden, Unreachable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Where clouds hand out credentials to whoever asks, beyond the link-local ones.
METADATA = frozenset(
    ipaddress.ip_address(address)
    for address in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
NAT64 = ipaddress.ip_network("64:ff9b::/96")


async def addresses_of(host: str, port: int, *, allow_private: bool) -> list[str]:
    """Every address of `host` that may be connected to. Raises Unreachable, Forbidden."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable("its host name is not known") from error
    addresses = list(dict.fromkeys(str(place[4][0]) for place in found))
    reasons = [refusal(address, allow_private=allow_private) for address in addresses]
    allowed = [address for address, why in zip(addresses, reasons, strict=True) if not why]
    if not allowed:
        raise Forbidden(next(filter(None, reasons), "its host has no address"))
    return allowed


def refusal(address: str, *, allow_private: bool) -> str:
    """Why `address` may not be connected to, in words; empty if it may."""
    real = _real(ipaddress.ip_address(address))
    if real.is_link_local or real in METADATA or real.is_multicast or real.is_unspecified:
        return f"{real} is a link-local, metadata or multicast address, which is never allowed"
    if not real.is_global and not allow_private:
        return f"{real} is a private address: set TIEBREAKER_ALLOW_PRIVATE=true to allow it"
    return ""


def _real(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address
