"""One browser and one server for all pages of the battery; the server answers to two hosts."""

from collections.abc import Iterator

import pytest

from tests.support.rig import Rig
from tests.support.site import Site


def other_host(site: Site) -> str:
    """The same server under another name: to a browser, another site."""
    return site.host.replace("127.0.0.1", "localhost")


@pytest.fixture(scope="session")
def server() -> Iterator[Site]:
    with Site.started() as running:
        yield running


@pytest.fixture(scope="session")
def rig(server: Site) -> Iterator[Rig]:
    with Rig.started("battery", hosts=[server.host, other_host(server)]) as running:
        yield running
