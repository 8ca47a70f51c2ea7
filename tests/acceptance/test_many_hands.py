"""Whichever worker carries out the next act of a run: no guard of another one stands in its way."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.site import Site
from tests.support.stack import Agent, Stack

FIELDS = ("name", "email", "street", "town")
PAGE = f"""<!doctype html><html lang="en"><title>Delivery</title>
<form>{"".join(f'<label>{one}<input id="{one}"></label>' for one in FIELDS)}</form>
<button id="count" onclick="this.textContent = Number(this.textContent) + 1">0</button>
<iframe title="part" srcdoc="<button id='in' onclick='top.seen(this)'>0</button>"></iframe>
<script>function seen(button) {{ button.textContent = Number(button.textContent) + 1; }}</script>
</html>"""
ROUNDS = 8


def _one_round(agent: Agent, number: int) -> list[str]:
    """What became of each act: four fields, a click, and one in a frame."""
    acts = [
        *(
            {"tool": "browser_type", "target": f"#{one}", "text": f"{one} {number}"}
            for one in FIELDS
        ),
        {"tool": "browser_click", "target": "#count"},
        {"tool": "browser_click", "target": "#in"},
    ]
    answers = [agent.send(act.pop("tool"), **act).json() for act in acts]
    return [answer["status"] for answer in answers]


def test_acts_of_one_run_by_several_workers_all_arrive() -> None:
    with Stack.started() as stack, Site.started() as site:
        hosts = [site.host]
        with (
            stack.agent(tier="autonomous", hosts=hosts) as one,
            stack.agent(tier="autonomous", hosts=hosts) as other,
        ):
            one.open_run(site.page(PAGE))
            other.open_run(site.page(PAGE))
            with ThreadPoolExecutor(2) as both:  # so that the workers take turns at each run
                rounds = [
                    both.submit(_one_round, agent, number).result
                    for number in range(ROUNDS)
                    for agent in (one, other)
                ]
                said = [status for result in rounds for status in result()]
            assert said == ["succeeded"] * (ROUNDS * 2 * 6)
            assert one.texts("#count") == [str(ROUNDS)]
