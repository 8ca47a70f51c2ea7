"""A desk full of cards, a run with its timeline, and two people: made by the services themselves.

`python -m tests.pages.seed` fills the configured database and prints the way in as JSON.
"""

import json
import os
import uuid
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.db import transaction

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from audit.services import keep_picture, record
from core import clock
from core.actors import SYSTEM
from proposals import services
from proposals.domain import Event
from proposals.models import Proposal
from runs.models import Action, Run
from tests.pages.scenes import HEIGHT, WIDTH, Scene, photograph

PASSWORD = "a-long-enough-password"
SHOP = "https://shop.sprigandstone.example"


@dataclass(frozen=True)
class World:
    """What a test may want to name."""

    anna: Person
    ben: Person
    agents: dict[str, AgentRegistry]
    cards: dict[str, Proposal]
    run: Run


def score_of(candidates: list[dict[str, Any]], *, text_only: bool, late_ms: int) -> float:
    taken = 0.30 * (len(candidates) - 1) + 0.15 * text_only + 0.10 * (late_ms > 1000)
    return round(max(0.0, 1 - taken), 4)


def confidence(
    scene: Scene,
    *,
    text_only: bool = False,
    late_ms: int = 40,
    chosen: int = -1,
    tiebreak: dict[str, Any] | None = None,
    hidden: int = 0,
) -> dict[str, Any]:
    score = score_of(scene.candidates, text_only=text_only, late_ms=late_ms)
    level = "high" if score >= 0.85 else "partial" if score >= 0.5 else "ambiguous"
    count = len(scene.candidates)
    return {
        "level": level,
        "score": score,
        "rationale": f"{count} visible matches" + (", named by text only." if text_only else "."),
        "match_count": count,
        "total_count": count + hidden,
        "is_text_only": text_only,
        "appeared_after_ms": late_ms,
        "chosen_index": 0 if count == 1 else chosen,
        "tiebreak": tiebreak,
        "candidates": scene.candidates,
    }


def people_and_agents() -> tuple[Person, Person, dict[str, AgentRegistry]]:
    people = []
    for name in ("anna", "ben"):
        person, _ = create_person(name)
        person.set_password(PASSWORD)
        person.save()
        people.append(person)
    tiers = {
        "checkout-bot": "supervised",
        "price-watch": "autonomous",
        "first-week": "student",
        "a-rather-long-agent-name-for-the-returns-department-of-the-north": "intern",
    }
    agents = {name: create_agent(name, tier=tier) for name, tier in tiers.items()}
    return people[0], people[1], agents


@transaction.atomic
def propose(
    agent: AgentRegistry,
    scene: Scene | None,
    *,
    target: str = "",
    tool: str = "browser_click",
    intent: str = "",
    found: dict[str, Any] | None = None,
    reasons: tuple[str, ...] = ("match_confidence",),
    risk: str = Proposal.Risk.ORDINARY,
    url: str = f"{SHOP}/checkout?session=1f9",
    params: dict[str, Any] | None = None,
    run: Run | None = None,
    step_id: int = 1,
) -> Proposal:
    """An action of its own run that waits for a person, as the pipeline would leave it."""
    run = run or open_run(agent, url=url, title=scene.title if scene else "")
    sent = {**({"target": target} if target else {}), **(params or {})}
    if intent:
        sent["element"] = intent
    action = add_action(run, tool=tool, params=sent, step_id=step_id, found=found)
    action.status = Action.Status.REQUIRES_APPROVAL
    draft = services.Draft(
        agent=agent,
        run_id=run.id,
        action_id=action.id,
        step_id=step_id,
        tool=tool,
        params=sent,
        intent=intent,
        reasons=reasons,
        level=found["level"] if found else "",
        score=found["score"] if found else None,
        match_confidence=found,
        chosen_index=found["chosen_index"] if found else -1,
        page_url=url,
        page_title=scene.title if scene else "",
        page_digest=uuid.uuid4().hex,
        viewport=scene.viewport if scene else {},
        picture=picture_of(scene) if scene else "",
        snippet=scene.snippet if scene else "",
        risk=risk,
    )
    proposal = services.create(draft)
    action.proposal_id = proposal.id
    action.save()
    return proposal


def picture_of(scene: Scene) -> str:
    return keep_picture(scene.picture, media_type="image/jpeg", width=WIDTH, height=HEIGHT)


def open_run(agent: AgentRegistry, *, url: str, title: str = "", label: str = "") -> Run:
    now = clock.now()
    run = Run.objects.create(
        agent=agent, status=Run.Status.OPEN, label=label, start_url=url, current_url=url,
        title=title, step_id=1, created_at=now, active_at=now,
    )  # fmt: skip
    record("run.open", actor=SYSTEM, run_id=run.id, agent_id=agent.id)
    return run


def add_action(
    run: Run,
    *,
    tool: str,
    params: dict[str, Any],
    step_id: int,
    found: dict[str, Any] | None = None,
    **fields: Any,
) -> Action:
    action = Action.objects.create(
        run=run, step_id=step_id, tool=tool, params=params, match_confidence=found,
        fingerprint=uuid.uuid4().hex, created_at=clock.now(), **fields,
    )  # fmt: skip
    record(
        "action.receive", actor=SYSTEM, run_id=run.id, action_id=action.id, payload={"tool": tool}
    )
    return action


def waiting_cards(
    agents: dict[str, AgentRegistry], scenes: dict[str, Scene]
) -> dict[str, Proposal]:
    checkout, addresses, account = scenes["checkout"], scenes["addresses"], scenes["account"]
    bot, watch = agents["checkout-bot"], agents["price-watch"]
    student = agents["first-week"]
    long_named = agents["a-rather-long-agent-name-for-the-returns-department-of-the-north"]
    tiebreak = {
        "used": True, "chosen_index": 1, "cache_hit": False, "latency_ms": 640, "model": "budget",
        "rationale": "The agent asked for the main submit; 2 sits in the order form.",
    }  # fmt: skip
    covered = replace(
        scenes["newsletter"],
        candidates=[
            {**scenes["newsletter"].candidates[0],
             "covered_by": {"tag": "div", "text": "We use cookies"}},
            *scenes["newsletter"].candidates[1:],
        ],
    )  # fmt: skip
    return {
        "two": propose(
            bot, checkout, target='text="Submit order"', intent="the main submit button",
            found=confidence(checkout, text_only=True, chosen=1, tiebreak=tiebreak),
        ),
        "five": propose(
            watch, addresses, target="td button", intent="edit the office address",
            url=f"{SHOP}/account/addresses", found=confidence(addresses, text_only=True, hidden=2),
        ),
        "irreversible": propose(
            bot, account, target='button:has-text("Delete")', intent="delete the old card",
            url=f"{SHOP}/account", risk=Proposal.Risk.IRREVERSIBLE,
            found=confidence(account, text_only=True, chosen=0),
        ),
        "navigation": propose(
            student, None, tool="browser_navigate", intent="look at the sale",
            params={"url": f"{SHOP}/sale/kitchen?sort=price&page=2"}, reasons=("tier",),
            url="about:blank",
        ),
        "student": propose(
            student, scenes["search button"], target="role=button[name=Search]",
            intent="start the search", url=f"{SHOP}/search", reasons=("tier",),
            found=confidence(scenes["search button"]),
        ),
        "typing": propose(
            student, scenes["search"], tool="browser_type", target="#q", url=f"{SHOP}/search",
            intent="the search field", params={"text": "iron skillet 26 cm", "submit": True},
            reasons=("tier",), found=confidence(scenes["search"]),
        ),
        "outside": propose(
            watch, scenes["reviews"], target=".more", intent="show more reviews",
            url=f"{SHOP}/kitchen/iron-skillet", found=confidence(scenes["reviews"], chosen=1),
        ),
        "frame": propose(
            watch, covered, target="text=Subscribe", intent="join the newsletter",
            url=SHOP, found=confidence(covered, late_ms=1400, chosen=1),
        ),
        "bidi": propose(
            bot, scenes["trick"], target="text=Download catalogue",
            intent="the \u202eeugolatac\u202c download <script>alert(1)</script>",
            url="http://downloads.xn--sprig-7qa.example:8080/mirror/3",
            found=confidence(scenes["trick"], text_only=True),
        ),
        "long": propose(
            long_named, scenes["terms"], target="button:has-text('I have read the terms of use, "
            "the privacy notice of 14 March and the list of 212 partners')",
            intent="accept what is needed to go on, and nothing that is optional, so that the "
            "return form can be reached and filled in for the customer in Settimo Torinese",
            url=f"{SHOP}/a/very/long/path/that/goes/on/and/on/until/it/no/longer/fits/terms",
            found=confidence(scenes["terms"], chosen=1),
        ),
    }  # fmt: skip


def settled_cards(
    agents: dict[str, AgentRegistry], scenes: dict[str, Scene], anna: Person, ben: Person
) -> dict[str, Proposal]:
    bot = agents["checkout-bot"]

    def fresh() -> Proposal:
        found = confidence(scenes["checkout"], text_only=True, chosen=1)
        return propose(bot, scenes["checkout"], target='text="Submit order"', found=found,
                       intent="the main submit button")  # fmt: skip

    done = services.approve(fresh().id, person=anna, version=1)
    done = services.claim(done.id, lease_s=30)
    evidence = "The address became /orders/1042 and the page says “Thank you”."
    done = services.finish(
        done, Event.EXECUTE, outcome={"kind": "verified", "success": True, "evidence": evidence}
    )
    changed = services.modify(fresh().id, person=ben, version=1, modifications={"chosen_index": 0})
    rejected = services.reject(
        fresh().id, person=ben, version=1, reason="Not what was asked. The cart holds two skillets."
    )
    failed = services.claim(services.approve(fresh().id, person=ben, version=1).id, lease_s=30)
    failed = services.finish(
        failed, Event.FAIL, error={"code": "covered", "message": "A cookie banner lies over it."}
    )
    unknown = services.claim(services.approve(fresh().id, person=anna, version=1).id, lease_s=30)
    unknown = services.finish(
        unknown, Event.LOSE,
        error={"code": "outcome_unknown", "message": "The worker died while it acted."},
    )  # fmt: skip
    gone = fresh()
    services.supersede(gone, actor=SYSTEM)
    gone.refresh_from_db()
    return {"done": done, "changed": changed, "rejected": rejected, "failed": failed,
            "unknown": unknown, "superseded": gone}  # fmt: skip


def run_with_steps(
    agents: dict[str, AgentRegistry], scenes: dict[str, Scene], anna: Person, ben: Person
) -> Run:
    """Eight steps: a read, clear clicks, a change, a rejection, a failure, and one that waits."""
    bot = agents["checkout-bot"]
    run = open_run(
        bot, url=f"{SHOP}/checkout", title="Checkout · Sprig & Stone", label="Order 1042"
    )
    search, button, checkout = scenes["search"], scenes["search button"], scenes["checkout"]
    verified = {"kind": "verified", "success": True, "evidence": "The results list was filled."}
    plain = {"kind": "unverified", "success": True, "evidence": ""}
    done = {"status": Action.Status.SUCCEEDED, "started_at": clock.now(),
            "finished_at": clock.now() + timedelta(milliseconds=420),
            "timings": {"resolve_ms": 18, "act_ms": 41}}  # fmt: skip
    add_action(run, tool="browser_navigate", params={"url": f"{SHOP}/search"}, step_id=1,
               outcome=verified, **done)  # fmt: skip
    add_action(run, tool="browser_type", params={"target": "#q", "text": "iron skillet",
               "element": "the search field"}, step_id=2, found=confidence(search), acted_index=0,
               outcome=plain, picture=picture_of(search), **done)  # fmt: skip
    add_action(run, tool="browser_click", params={"target": "role=button[name=Search]",
               "element": "start the search"}, step_id=3, found=confidence(button), acted_index=0,
               outcome=verified, picture=picture_of(button), **done)  # fmt: skip
    add_action(run, tool="browser_extract_text", params={"target": ".results"}, step_id=4, **done)

    found = confidence(checkout, text_only=True, chosen=1)
    asked = propose(bot, checkout, target='text="Submit order"', intent="the main submit button",
                    found=found, run=run, step_id=5)  # fmt: skip
    asked = services.modify(asked.id, person=anna, version=1, modifications={"chosen_index": 0},
                            reason="The small cart is the one with the voucher.")  # fmt: skip
    asked = services.finish(services.claim(asked.id, lease_s=30), Event.EXECUTE, outcome=verified)
    settle(asked, Action.Status.SUCCEEDED, acted_index=0, outcome=verified,
           picture=picture_of(checkout), timings={"resolve_ms": 22, "act_ms": 57})  # fmt: skip

    refused = propose(
        bot,
        scenes["addresses"],
        target="td button",
        intent="edit the address",
        found=confidence(scenes["addresses"], text_only=True),
        run=run,
        step_id=6,
    )
    services.reject(refused.id, person=ben, version=1, reason="Name the address you mean.")
    settle(refused, Action.Status.REJECTED)

    error = {"code": "covered", "message": "A cookie banner lies over it: <div> “We use cookies”.",
             "retryable": True}  # fmt: skip
    add_action(run, tool="browser_click", params={"target": "text=Continue"}, step_id=7,
               found=confidence(button), status=Action.Status.FAILED, error=error,
               finished_at=clock.now() + timedelta(seconds=5))  # fmt: skip
    propose(bot, checkout, target='text="Submit order"', intent="pay", found=found, run=run,
            step_id=8)  # fmt: skip
    run.step_id = 8
    run.save(update_fields=["step_id"])
    return run


def settle(proposal: Proposal, status: str, **fields: Any) -> None:
    Action.objects.filter(pk=proposal.action_id).update(
        status=status, finished_at=clock.now() + timedelta(seconds=34), **fields
    )


def seed(scenes: dict[str, Scene]) -> World:
    anna, ben, agents = people_and_agents()
    cards = waiting_cards(agents, scenes)
    cards |= settled_cards(agents, scenes, anna, ben)
    run = run_with_steps(agents, scenes, anna, ben)
    return World(anna, ben, agents, cards, run)


if __name__ == "__main__":
    world = seed(photograph())
    names = {name: str(card.id) for name, card in world.cards.items()}
    print(json.dumps({"username": "anna", "password": PASSWORD, "run": str(world.run.id), **names}))
