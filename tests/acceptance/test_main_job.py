"""The main job, from an agent's call to the record: every part is real."""

import json
import re
import threading
import time

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.site import TWO_BUTTONS, Site
from tests.support.stack import Agent, Reviewer, Stack, wait_until

pytestmark = pytest.mark.stack


def ask(agent: Agent, site: Site, html: str = TWO_BUTTONS, **params: object) -> dict:
    """An uncertain click that now waits for a person."""
    agent.open_run(site.page(html))
    answer = agent.send("browser_click", **{"target": "text=Submit", **params})
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "requires_approval"
    return answer.json()


def test_the_element_a_reviewer_picks_is_clicked_once_and_is_on_record(
    stack: Stack, chromium: Browser, site: Site
) -> None:
    with (
        stack.agent(tier="autonomous", hosts=[site.host], team="main-job") as agent,
        stack.reviewer(chromium, team="main-job") as reviewer,
    ):
        _see_the_picked_element_clicked(stack, agent, reviewer, site)


def _see_the_picked_element_clicked(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    page = reviewer.page
    expect(page.locator("[data-card]")).to_have_count(0)
    page.evaluate("window.untouched = true")

    asked = ask(agent, site, element="the main submit")
    row = page.locator(f"[data-row='{asked['proposal_id']}']")
    row.wait_for()
    assert page.evaluate("window.untouched"), "the card came by a reload"
    row.click()
    card = reviewer.card(asked["proposal_id"])
    expect(card).to_contain_text("the main submit")
    answers: list[dict] = []
    poll = threading.Thread(target=lambda: answers.append(agent.poll(asked["action_id"], 30)))
    poll.start()
    page.keyboard.press("2")
    page.keyboard.press("a")
    poll.join()

    assert answers[0]["status"] == "succeeded"
    assert "verified" not in answers[0]["tool_result"]["content"]
    assert agent.texts("#first, #second") == ["0", "1"]
    outcomes = stack.sql("SELECT outcome FROM runs_action WHERE id = %s", asked["action_id"])
    assert outcomes[0][0]["kind"] == "verified"
    expect(reviewer.card(asked["proposal_id"])).to_have_attribute("data-status", "executed")
    assert "verify" in stack.manage("audit_verify", "--run", agent.run_id)


def test_one_altered_audit_row_is_found_and_named(stack: Stack, agent: Agent, site: Site) -> None:
    ask(agent, site)
    entry, sequence = stack.sql(
        "SELECT id, sequence FROM audit_browseraudit "
        "WHERE run_id = %s AND verb = 'proposal.create'",
        agent.run_id,
    )[0]
    change = (
        'UPDATE audit_browseraudit SET payload = payload || \'{"level": "high"}\' WHERE id = %s'
    )
    with pytest.raises(Exception, match="append-only"):
        stack.sql(change, entry)
    stack.manage("audit_verify", "--run", agent.run_id)

    stack.sql("ALTER TABLE audit_browseraudit DISABLE TRIGGER USER")
    try:
        before = stack.sql("SELECT payload FROM audit_browseraudit WHERE id = %s", entry)[0][0]
        stack.sql(change, entry)
        with pytest.raises(AssertionError, match=f"entry {sequence}: its content was changed"):
            stack.manage("audit_verify", "--run", agent.run_id)
        stack.sql(
            "UPDATE audit_browseraudit SET payload = %s::jsonb WHERE id = %s",
            json.dumps(before),
            entry,
        )
    finally:
        stack.sql("ALTER TABLE audit_browseraudit ENABLE TRIGGER USER")
    stack.manage("audit_verify", "--run", agent.run_id)


def test_a_rejection_reaches_the_agent_with_its_reason(
    agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    reviewer.open_card(asked["proposal_id"])
    reviewer.page.keyboard.press("r")
    reviewer.page.get_by_label("Why not?").fill("This order was placed already.")
    reviewer.page.get_by_role("button", name="Reject with this reason").click()

    answer = agent.poll(asked["action_id"])
    assert answer["status"] == "rejected"
    assert "This order was placed already." in answer["error"]["message"]
    assert "This order was placed already." in answer["tool_result"]["content"]
    assert agent.texts("#first, #second") == ["0", "0"]


def test_an_element_removed_meanwhile_is_stale_and_nothing_is_clicked(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    gone_soon = TWO_BUTTONS.replace(
        "</script>",
        "setTimeout(() => document.querySelectorAll('button').forEach((b) => b.remove()), 2500);"
        "</script>",
    )
    asked = ask(agent, site, gone_soon)
    reviewer.open_card(asked["proposal_id"])
    wait_until(lambda: "Submit" not in " ".join(agent.texts("form, #first")), 10)
    reviewer.page.keyboard.press("2")
    reviewer.page.keyboard.press("a")

    answer = agent.poll(asked["action_id"])
    assert (answer["status"], answer["error"]["code"]) == ("failed", "stale")
    assert agent.texts("#first, #second") == ["0", "0"]
    expect(reviewer.card(asked["proposal_id"])).to_have_attribute("data-status", "stale")


def test_a_twin_in_its_place_is_never_clicked_but_asked_about_again(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    twin_soon = TWO_BUTTONS.replace(
        "</script>",
        "setTimeout(() => { for (const b of document.querySelectorAll('button')) {"
        " const twin = b.cloneNode(true); twin.onclick = () => document.title = 'TWIN';"
        " b.replaceWith(twin); } document.body.dataset.swapped = 1; }, 2000);</script>",
    )
    asked = ask(agent, site, twin_soon)
    reviewer.open_card(asked["proposal_id"])
    wait_until(lambda: agent.texts("body[data-swapped]"), 10)
    reviewer.page.keyboard.press("2")
    reviewer.page.keyboard.press("a")

    wait_until(lambda: agent.poll(asked["action_id"], 1)["proposal_id"] != asked["proposal_id"], 15)
    again = agent.poll(asked["action_id"], 0)
    assert again["status"] == "requires_approval"
    replaces = stack.sql(
        "SELECT replaces_id::text FROM proposals_proposal WHERE id = %s", again["proposal_id"]
    )
    assert replaces[0][0] == asked["proposal_id"]
    assert agent.send("browser_snapshot").json()["result"]["title"] == "Checkout"


def test_a_hidden_first_twin_does_not_count(stack: Stack, agent: Agent, site: Site) -> None:
    hidden_first = TWO_BUTTONS.replace('<form aria-label="Summary">', "<form hidden>")
    agent.open_run(site.page(hidden_first))
    answer = agent.send("browser_click", target="text=Submit").json()
    assert answer["status"] == "succeeded"
    assert answer["match_confidence"]["level"] == "high"
    assert answer["match_confidence"]["total_count"] == 2
    assert agent.texts("#first, #second") == ["0", "1"]


def test_of_two_reviewers_one_wins_and_the_other_is_told_by_whom(
    stack: Stack,
    agent: Agent,
    reviewer: Reviewer,
    chromium: Browser,
    site: Site,
) -> None:
    with stack.reviewer(chromium) as other:
        asked = ask(agent, site)
        for person in (reviewer, other):
            person.open_card(asked["proposal_id"])
        # The other's page hears of nothing, so its card still looks open when it decides.
        other.page.context.set_offline(True)
        reviewer.page.keyboard.press("1")
        reviewer.page.keyboard.press("a")
        agent.poll(asked["action_id"])
        other.page.context.set_offline(False)
        other.page.keyboard.press("2")
        other.page.keyboard.press("a")
        expect(other.card(asked["proposal_id"])).to_contain_text(reviewer.name)

    assert agent.texts("#first, #second") == ["1", "0"]
    decisions = stack.sql(
        "SELECT count(*) FROM proposals_decision WHERE proposal_id = %s", asked["proposal_id"]
    )
    assert decisions == [(1,)]


def test_a_new_worker_acts_on_the_same_page_after_kill_9(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    before = set(stack.worker_pids())
    stack.kill_worker()
    reviewer.open_card(asked["proposal_id"])
    wait_until(lambda: stack.worker_pids() and not before & set(stack.worker_pids()), 30)
    reviewer.page.keyboard.press("2")
    reviewer.page.keyboard.press("a")

    assert agent.poll(asked["action_id"], 45)["status"] == "succeeded"
    assert agent.texts("#first, #second") == ["0", "1"]


def test_in_shadow_mode_the_click_goes_through_and_says_that_it_would_gate(
    shadow: None, agent: Agent, site: Site
) -> None:
    agent.open_run(site.page(TWO_BUTTONS))
    answer = agent.send("browser_click", target="text=Submit")
    assert answer.status_code == 200
    assert answer.json()["status"] == "succeeded"
    assert answer.json()["would_gate"] is True
    assert answer.json()["match_confidence"]["level"] == "partial"
    assert agent.texts("#first, #second") == ["1", "0"]


@pytest.mark.parametrize("place", ["body", "params"])
def test_an_agent_cannot_send_an_override(place: str, agent: Agent, site: Site) -> None:
    agent.open_run(site.page(TWO_BUTTONS))
    body: dict = {"tool": "browser_click", "params": {"target": "text=Submit"}}
    (body if place == "body" else body["params"])["match_confidence_override"] = True
    answer = agent.post(body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "match_confidence_override" in answer.text
    assert agent.texts("#first, #second") == ["0", "0"]


def test_the_same_request_again_is_the_same_proposal_and_another_one_waits(
    agent: Agent, site: Site
) -> None:
    asked = ask(agent, site)
    again = agent.send("browser_click", target="text=Submit")
    assert again.json()["proposal_id"] == asked["proposal_id"]
    other = agent.send("browser_click", target="#second")
    assert (other.status_code, other.json()["code"]) == (409, "waiting_for_review")
    assert other.json()["proposal_id"] == asked["proposal_id"]
    assert agent.texts("h1") == ["Checkout"]


def test_an_agents_key_cannot_decide(stack: Stack, agent: Agent, site: Site) -> None:
    asked = ask(agent, site)
    answer = agent.http.post(
        f"/proposals/{asked['proposal_id']}/approve", json={"version": 1, "chosen_index": 0}
    )
    assert answer.status_code == 403
    assert agent.poll(asked["action_id"], 0)["status"] == "requires_approval"


def test_what_a_student_does_waits_for_a_person_whatever_the_level(
    stack: Stack, site: Site, reviewer: Reviewer
) -> None:
    with stack.agent(tier="student", hosts=[site.host]) as student:
        run = student.open_run(site.page(TWO_BUTTONS))
        first = run["waiting_for"]
        assert (first["tool"], first["status"]) == ("browser_navigate", "requires_approval")
        reviewer.open_card(first["proposal_id"])
        reviewer.page.keyboard.press("a")
        assert student.poll(first["action_id"])["status"] == "succeeded"
        clear = student.send("browser_click", target="form[aria-label=Order] >> button").json()
        assert clear["status"] == "requires_approval"
        assert clear["match_confidence"]["level"] == "high"
        assert clear["gate_reasons"] == ["tier"]


def test_expiry_is_not_a_rejection_and_its_buttons_are_gone(chromium: Browser, site: Site) -> None:
    with (
        Stack.started(PROPOSAL_TTL_SECONDS="4", MATCH_CONFIDENCE_FORCE_PROPOSAL="true") as quick,
        quick.agent(tier="autonomous", hosts=[site.host]) as agent,
        quick.reviewer(chromium) as reviewer,
    ):
        asked = ask(agent, site)
        card = reviewer.open_card(asked["proposal_id"])
        answer = agent.poll(asked["action_id"], 30)
        assert (answer["status"], answer["error"]["code"]) == ("failed", "expired")
        assert answer["error"]["retryable"] is True
        expect(card).to_have_attribute("data-status", "expired")
        expect(card.get_by_role("button", name=re.compile("^Approve"))).to_have_count(0)
        assert agent.texts("#first, #second") == ["0", "0"]
        late = reviewer.page.request.post(
            f"/api/v1/proposals/{asked['proposal_id']}/approve",
            data={"version": 1, "chosen_index": 0},
            headers={"X-CSRFToken": csrf_of(reviewer.page)},
        )
        assert late.status == 410, late.text()
        assert late.json()["code"] == "expired"


def csrf_of(page: Page) -> str:
    return next(c["value"] for c in page.context.cookies() if c["name"] == "csrftoken")


def test_a_finished_run_cancels_what_waits_and_takes_nothing_more(
    stack: Stack, agent: Agent, site: Site
) -> None:
    asked = ask(agent, site)
    assert agent.http.post(f"/runs/{agent.run_id}/finish").json()["status"] == "finished"
    answer = agent.poll(asked["action_id"])
    assert (answer["status"], answer["error"]["code"]) == ("failed", "cancelled")
    after = agent.send("browser_snapshot")
    assert (after.status_code, after.json()["code"]) == (409, "run_ended")
    wait_until(lambda: not list((stack.data_dir / "browsers").glob(f"{agent.run_id}*")), 10)


def test_a_long_poll_answers_at_once_when_a_person_has_decided(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    answered: list[float] = []

    def poll() -> None:
        httpx.get(
            f"{stack.api_url}/actions/{asked['action_id']}?wait_s=40",
            headers={"Authorization": f"Bearer {agent.key}"},
            timeout=60,
        )
        answered.append(time.monotonic())

    waiting = threading.Thread(target=poll)
    waiting.start()
    reviewer.open_card(asked["proposal_id"])
    reviewer.page.keyboard.press("1")
    decided = time.monotonic()
    reviewer.page.keyboard.press("a")
    waiting.join()
    assert answered[0] - decided < 20, "the poll slept until its time was up"


def test_a_change_inside_a_shadow_root_verifies_the_click(
    stack: Stack, agent: Agent, site: Site
) -> None:
    shadow = """<!doctype html><title>Shadow</title><div id="host"></div><script>
    const root = host.attachShadow({mode: "open"});
    root.innerHTML = '<button id="inside">Go</button><output>0</output>';
    root.querySelector("button").onclick = () => root.querySelector("output").textContent = "1";
    </script>"""
    agent.open_run(site.page(shadow))
    answer = agent.send("browser_click", target="#inside").json()
    assert answer["status"] == "succeeded"
    stored = stack.sql("SELECT outcome FROM runs_action WHERE id = %s", answer["action_id"])
    assert stored[0][0]["kind"] == "verified"
