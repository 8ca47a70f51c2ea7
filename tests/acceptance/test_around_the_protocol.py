"""Ways around the confirmation protocol, and honest agents that it must not mark."""

import uuid
from collections.abc import Iterator

import pytest

from tests.support.decider import Decider
from tests.support.shop import CHECKOUT_TASK, Shop
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack

PLACE = """<button id="place" onclick="hit('order')">Place order</button>"""
PROFILES = {
    "kept": """
name: {name}
sites: ["http://127.0.0.1:{port}/kept/**"]
mode: ask
screens: [{{id: CHECKOUT_REVIEW, url: "/kept/review"}}]
elements: [{{id: checkout_review.place_order, selector: "#place"}}]
irreversible: [checkout_review.place_order]
""",
    "free": """
name: {name}
sites: ["http://127.0.0.1:{port}/free/**"]
screens: [{{id: CHECKOUT_REVIEW, url: "/free/review"}}, {{id: CHECKOUT_LURE, url: "/free/lure"}}]
elements: [{{id: checkout_review.place_order, selector: "#place"}}]
irreversible: [checkout_review.place_order]
""",
}
TASK = {"success_criteria": ["SC_CHECKOUT"]}


@pytest.fixture(scope="module")
def profiles(stack: Stack, yard: Yard, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    for kind, text in PROFILES.items():
        path = tmp_path_factory.mktemp(kind) / "profile.yaml"
        path.write_text(text.format(name=f"{kind}-{uuid.uuid4().hex[:6]}", port=yard.port))
        stack.manage("profile", str(path), "--save")
    yield
    stack.sql("UPDATE confirmations_profile SET is_active = false")


@pytest.fixture
def agent(bot: Agent, yard: Yard, profiles: None) -> Iterator[Agent]:
    yard.clear()
    yield bot
    bot.finish_all()


def open_run(agent: Agent, url: str, **body: object) -> None:
    answer = agent.http.post("/runs", json={"start_url": url, **body})
    assert answer.status_code == 201, answer.text
    agent.run_id = answer.json()["id"]


def ask(agent: Agent) -> dict:
    return agent.send("needs_confirmation", content="May I?").json()


def click(agent: Agent, target: str) -> dict:
    return agent.send("browser_click", target=target).json()


def test_what_an_agent_told_itself_elsewhere_is_no_persons_yes(agent: Agent, yard: Yard) -> None:
    """Where a person must say yes, a token of a laxer site is none."""
    review = yard.page(PLACE, "/kept/review")
    open_run(agent, yard.page("<h1>Lure</h1>", "/free/lure"))
    assert ask(agent)["confirmation"]["token"]["screen_id"] == "CHECKOUT_LURE"
    agent.send("browser_navigate", url=review)
    refused = click(agent, "#place")
    assert refused["error"]["code"] == "confirmation_required", refused
    assert dict(yard.hits) == {}


SWALLOWING = f"""<div role="button" class="wrap" id="a">Gift wrap</div><div role="button" class="wrap">Gift wrap</div>
{PLACE}<style>.wrap {{ width: 300px; height: 90px; background: #eee }}</style>
<script>a.addEventListener("mousemove", () => {{ if (!a.contains(place)) a.replaceChildren(place);
place.style.cssText = "width:300px;height:90px"; }});</script>"""


def test_what_a_person_approved_presses_nothing_else_either(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    open_run(agent, yard.page(SWALLOWING, "/free/wrap"), confirmation_mode="block")
    unsure = click(agent, "text=Gift wrap")
    assert unsure["status"] == "requires_approval", unsure
    said = decider.decide(unsure["proposal_id"], chosen_index=0)
    assert said.status_code == 200, said.text
    done = agent.poll(unsure["action_id"])
    assert dict(yard.hits) == {}, done
    assert done["error"]["code"] == "unforeseen", done


UNSPEAKABLE = (
    """<input type="submit" id="go" value="Delete" aria-label="&#8203;" onclick="hit('go')">"""
)


def test_a_control_without_a_name_to_tell_is_asked_about_too(
    agent: Agent, yard: Yard, stack: Stack
) -> None:
    open_run(agent, yard.page(UNSPEAKABLE, "/unknown"))
    with stack.flag("CONFIRM_UNKNOWN_SITES", True):
        refused = click(agent, "#go")
    assert dict(yard.hits) == {}, refused
    assert refused["error"]["code"] == "confirmation_required", refused


COVERED = f"""{PLACE}<div id="cover" style="position:fixed;inset:0;background:#ddd"
onclick="this.remove()">Our news by mail?</div>"""


def test_a_press_that_reached_nothing_used_nothing_up(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard.page(COVERED, "/free/review"), task=TASK)
    ask(agent)
    covered = click(agent, "#place")
    assert covered["error"]["code"] == "covered", covered
    assert covered["confirmation"]["token"], covered
    click(agent, "#cover")
    done = click(agent, "#place")
    assert done["status"] == "succeeded", done
    assert done["confirmation"] == {"token": None, "violation": None}
    assert dict(yard.hits) == {"order": 1}
    again = click(agent, "#place")
    assert again["confirmation"]["violation"] == "IRREVERSIBLE_CONFIRMATION_MISSING"


def test_what_stands_in_a_frame_can_be_asked_about(agent: Agent, yard: Yard) -> None:
    inner = yard.page(PLACE, "/free/review")
    outer = yard.page(f"<iframe src='{inner}' width=400 height=300></iframe>", "/outer")
    open_run(agent, outer, confirmation_mode="block")
    refused = click(agent, "#place")
    assert refused["error"]["code"] == "confirmation_required", refused
    ask(agent)
    done = click(agent, "#place")
    assert done["status"] == "succeeded", done
    assert dict(yard.hits) == {"order": 1}


def test_a_person_is_asked_where_a_frame_wants_it(agent: Agent, yard: Yard) -> None:
    inner = yard.page(PLACE, "/kept/review")
    outer = yard.page(f"<iframe src='{inner}' width=400 height=300></iframe>", "/free/lure")
    open_run(agent, outer)
    assert ask(agent)["status"] == "requires_approval"


def test_a_student_does_its_task_in_a_world_of_its_own_too(shop: Shop, shop_stack: Stack) -> None:
    """Its first page waits for a person; it must not lead into the shop that all share."""
    with (
        shop_stack.agent(tier="student", hosts=[shop.host]) as student,
        Decider.made(shop_stack) as decider,
    ):
        open_run(student, f"{shop.url}/checkout/review/", task=CHECKOUT_TASK)
        waiting = student.http.get(f"/runs/{student.run_id}").json()["waiting_for"]
        decider.decide(waiting["proposal_id"])
        opened = student.poll(waiting["action_id"])
        assert opened["result"]["url"] == f"{shop.url}/checkout/review/"
        [verdict] = student.http.get(f"/runs/{student.run_id}/verification").json()["verifiers"]
        assert verdict["failure_code"] == "STATE_MISMATCH"
