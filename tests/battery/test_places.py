"""Where a described element lies: a press in the middle of its box must meet it."""

import pytest

from tests.battery.conftest import other_host
from tests.support.rig import Rig
from tests.support.site import Site

BUTTON = "<button id=pay onclick=\"this.textContent = 'pressed'\">Pay</button>"
FRAME = "<p>above</p><iframe style='border:{border}px solid;padding:7px;width:500px;height:500px' src=http://{host}/{name}></iframe>"
TALL = "<p style='height:2000px'>tall</p>"


def nested(site: Site, *hosts: str) -> str:
    """A page with a frame on the first of these hosts, a frame on the next in it, and so on."""
    page = site.page(BUTTON, f"/frame-{len(hosts)}")
    for depth in range(len(hosts) - 1, -1, -1):
        frame = FRAME.format(border=3 + depth, host=hosts[depth], name=f"frame-{depth + 1}")
        page = site.page(f"<!doctype html>{frame}{TALL}", f"/frame-{depth}")
    return page


@pytest.mark.parametrize(
    "way",
    ["", "s", "o", "ss", "so", "os", "oo", "oss", "sos", "oso", "ooss"],
    ids=lambda way: way.replace("s", "-same").replace("o", "-other").lstrip("-") or "no-frame",
)
def test_a_press_in_the_middle_of_the_box_meets_the_element(
    server: Site, rig: Rig, way: str
) -> None:
    """Each letter of `way` is a frame: of the same site as the one around it, or of the other."""
    here, there = server.host, other_host(server)
    hosts = []
    for step in way:
        here, there = (here, there) if step == "s" else (there, here)
        hosts.append(here)
    rig.open(nested(server, *hosts))
    resolution = rig.find("#pay")
    (found,) = resolution.found
    box = found.candidate.box
    assert box is not None
    x, y = box.x + box.width / 2, box.y + box.height / 2
    rig.ask(lambda tab: tab.page.mouse.click(x, y))
    assert rig.find("#pay").candidates[0].text == "pressed"


def test_boxes_count_from_the_top_of_the_page(server: Site, rig: Rig) -> None:
    rig.open(server.page(f"<!doctype html>{TALL}{BUTTON}{TALL}"))
    before = rig.find("#pay").candidates[0]
    rig.script("window.scrollTo(0, 1900)")
    after = rig.find("#pay").candidates[0]
    assert (before.in_viewport, after.in_viewport) == (False, True)
    assert before.box == after.box
