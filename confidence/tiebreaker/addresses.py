"""Which addresses the tiebreaker may be at, with refusals in the tiebreaker's own terms."""

from confidence.tiebreaker.errors import Forbidden, Unreachable
from core import addresses

SETTING = "TIEBREAKER_ALLOW_PRIVATE"


async def addresses_of(host: str, port: int, *, allow_private: bool) -> list[str]:
    """Every address of `host` that may be connected to. Raises Unreachable, Forbidden."""
    try:
        return await addresses.addresses_of(
            host, port, allow_private=allow_private, setting=SETTING
        )
    except addresses.UnknownHost as error:
        raise Unreachable(str(error)) from error
    except addresses.AddressRefused as error:
        raise Forbidden(str(error)) from error


def refusal(address: str, *, allow_private: bool) -> str:
    return addresses.refusal(address, allow_private=allow_private, setting=SETTING)
