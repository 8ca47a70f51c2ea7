"""A snapshot's ref names one element for the life of the run: that one or, once it is gone, none."""

import re

import pytest

from browser.errors import StaleRef
from tests.battery.conftest import other_host
from tests.support.rig import Rig
from tests.support.site import Site

FRAME = "<iframe title='{0}' srcdoc='<button>{0}</button>'></iframe>"


def ref_of(rig: Rig, name: str) -> str:
    """The ref that a new snapshot gives to the button of this name."""
    found = re.search(rf'button "{name}".*\[ref=(\w+)\]', rig.snapshot().text)
    assert found, f"no button {name!r} in the snapshot"
    return found[1]


def refs_in(text: str) -> set[str]:
    return set(re.findall(r"\[ref=(\w+)\]", text))


def name_of(rig: Rig, ref: str) -> str:
    (candidate,) = rig.find(ref, timeout_s=0).candidates
    return candidate.name


def is_stale(rig: Rig, ref: str, *, timeout_s: float = 0) -> bool:
    with pytest.raises(StaleRef):
        rig.find(ref, timeout_s=timeout_s)
    return True


def test_a_ref_stays_while_its_element_lives(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button>Stay</button>"))
    ref = ref_of(rig, "Stay")
    rig.script("document.body.insertAdjacentHTML('afterbegin', '<button>New</button>'.repeat(9))")
    rig.script("document.body.append(document.body.lastElementChild)")
    assert ref_of(rig, "Stay") == ref
    assert name_of(rig, ref) == "Stay"


def test_a_ref_of_an_element_that_left_is_stale(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button>Gone</button>"))
    ref = ref_of(rig, "Gone")
    rig.script("document.querySelector('button').remove()")
    assert is_stale(rig, ref)
    rig.snapshot()
    assert is_stale(rig, ref)


def test_an_element_that_leaves_while_it_is_waited_for_is_stale(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button>Soon gone</button>"))
    ref = ref_of(rig, "Soon gone")
    rig.script(
        "((one) => { one.hidden = true; setTimeout(() => one.remove(), 200) })"
        "(document.querySelector('button'))"
    )
    assert is_stale(rig, ref, timeout_s=5)


def test_a_twin_in_the_elements_place_does_not_take_its_ref(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button>Twin</button>"))
    ref = ref_of(rig, "Twin")
    rig.script("((one) => one.replaceWith(one.cloneNode(true)))(document.querySelector('button'))")
    assert is_stale(rig, ref)
    assert ref_of(rig, "Twin") != ref
    assert is_stale(rig, ref)


def test_a_ref_that_no_snapshot_gave_is_stale(server: Site, rig: Rig) -> None:
    """The browser may well have a node of that number."""
    rig.open(server.page("<button>One</button>"))
    rig.snapshot()
    rig.script("document.body.insertAdjacentHTML('beforeend', '<button>New</button>'.repeat(99))")
    highest = rig.frames[""]["highest"]
    assert is_stale(rig, f"e{highest + 50}")
    assert is_stale(rig, "f77e1")


@pytest.mark.parametrize("same_site", [True, False], ids=["same-process", "another-process"])
def test_a_new_documents_refs_are_none_of_the_old_ones(
    server: Site, rig: Rig, same_site: bool
) -> None:
    """A new process numbers its nodes from one again."""
    buttons = "".join(f"<button>Go {number}</button>" for number in range(40))
    here = server.page(buttons)
    there = here if same_site else here.replace(server.host, other_host(server))
    rig.open(here)
    old = refs_in(rig.snapshot().text)
    for address in (there, here, there):
        rig.open(address)
        new = refs_in(rig.snapshot().text)
        assert len(new) >= 40
        assert not old & new
        assert all(is_stale(rig, ref) for ref in sorted(old)[:5])
        old |= new
    assert name_of(rig, ref_of(rig, "Go 7")) == "Go 7"


def test_a_reload_ends_the_refs(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button>Again</button>"))
    ref = ref_of(rig, "Again")
    rig.ask(lambda tab: tab.page.reload())
    assert is_stale(rig, ref)
    assert ref_of(rig, "Again") != ref
    assert is_stale(rig, ref)


def test_a_frame_keeps_its_number_when_frames_come_and_go(server: Site, rig: Rig) -> None:
    rig.open(server.page(FRAME.format("Ann") + FRAME.format("Ben")))
    ann, ben = ref_of(rig, "Ann"), ref_of(rig, "Ben")
    rig.script(
        "document.querySelector('[title=Ann]').remove();"
        f"document.body.insertAdjacentHTML('afterbegin', `{FRAME.format('Cy')}`)"
    )
    rig.ask(lambda tab: tab.page.wait_for_timeout(200))
    cy = ref_of(rig, "Cy")
    assert ref_of(rig, "Ben") == ben
    assert name_of(rig, ben) == "Ben"
    assert is_stale(rig, ann)
    assert cy.partition("e")[0] not in {ann.partition("e")[0], ben.partition("e")[0]}


def test_a_frames_number_is_never_given_again(server: Site, rig: Rig) -> None:
    rig.open(server.page(FRAME.format("First")))
    first = ref_of(rig, "First")
    rig.script("document.querySelector('iframe').remove()")
    rig.snapshot()
    rig.script(f"document.body.insertAdjacentHTML('beforeend', `{FRAME.format('Second')}`)")
    rig.ask(lambda tab: tab.page.wait_for_timeout(200))
    second = ref_of(rig, "Second")
    assert first.partition("e")[0] != second.partition("e")[0]
    assert is_stale(rig, first)


def test_a_frame_that_navigates_ends_its_refs_only(server: Site, rig: Rig) -> None:
    server.page("<button>Next</button>", "/next")
    other = f"http://{other_host(server)}/next"
    rig.open(server.page(f"<button>Main</button><iframe src={other}></iframe>"))
    rig.ask(lambda tab: tab.page.frames[1].wait_for_load_state())
    main, inner = ref_of(rig, "Main"), ref_of(rig, "Next")
    assert name_of(rig, inner) == "Next"
    rig.script(f"document.querySelector('iframe').src = 'http://{server.host}/next'")
    rig.ask(lambda tab: tab.page.wait_for_timeout(300))
    assert is_stale(rig, inner)
    assert ref_of(rig, "Next") != inner
    assert is_stale(rig, inner)
    assert name_of(rig, main) == "Main"
