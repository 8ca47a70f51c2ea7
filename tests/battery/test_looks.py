"""What a search holds: the very elements, until later looks are many; and nothing needlessly."""

from browser import resolver
from browser.frames import LOOKS, world_of
from browser.sessions import Tab
from tests.support.rig import Rig
from tests.support.site import Site

FORM = "<form>" + "".join(f"<input id=field-{number}>" for number in range(40)) + "</form>"


def looks_held(rig: Rig) -> int:
    def job(tab: Tab) -> int:
        world = world_of(tab, tab.page.main_frame)
        assert world is not None
        return int(world.run(f"{LOOKS}?.size ?? 0"))

    return rig.ask(job)


def test_a_long_forms_fields_are_all_held_to_the_end(server: Site, rig: Rig) -> None:
    rig.open(server.page(FORM))
    fields = [rig.find(f"#field-{number}").found[0] for number in range(40)]
    rig.script("document.querySelector('form').prepend(document.createElement('input'))")
    assert [rig.read_one(field, "element.id") for field in fields] == [
        f"field-{number}" for number in range(40)
    ]


def test_the_held_element_can_be_picked(server: Site, rig: Rig) -> None:
    rig.open(server.page(FORM))
    third = rig.find("input").found[2]
    rig.script("document.querySelector('form').prepend(document.createElement('input'))")

    def pick(tab: Tab) -> str | None:
        picked = tab.page.query_selector(f"{tab.engine}=pick:{third.world.token}:{third.position}")
        return picked.get_attribute("id") if picked else None

    assert rig.ask(pick) == "field-2"
    rig.script("document.getElementById('field-2').remove()")
    assert rig.ask(pick) is None


def test_waiting_in_vain_holds_one_look_and_counting_none(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button hidden>Go</button><button id=go>Go</button>"))
    before = looks_held(rig)
    rig.find("text=Go >> visible=false", timeout_s=0.5)
    assert looks_held(rig) == before + 1
    resolution = rig.find("#go")
    for _ in range(3):
        assert rig.ask(lambda tab: resolver.count_again(tab, resolution, {})) == 1
    assert looks_held(rig) == before + 2
    assert rig.read_one(resolution.found[0], "element.id") == "go"
