"""Which agent gets a prompt: the whole order, what is confirmed, and the ordinary rules."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.words import phrase
from routing.domain.deciding import decide
from routing.domain.judging import Opinion
from routing.domain.rules import Target
from routing.domain.text import asks_a_question
from routing.domain.turn import Message, Role, State, Turn, read_command
from routing.rules_file import default_rules

RULES = default_rules()
HARD = "refactor the whole dispatch layer"
PLAN = "I would split it in three packages and move the handlers."
LONG = "the export from last week has a blank column in the second sheet and " * 3


def user(text: str) -> Message:
    return Message(Role.USER, text)


def agent(text: str) -> Message:
    return Message(Role.AGENT, text)


def decided(prompt: str, *history: Message, **around: object):
    return decide(Turn(prompt, history, **around), RULES)


def asked(target: Target | None):
    """A classifier that answers so, and remembers what it was asked."""
    texts: list[str] = []

    def classify(text: str) -> Opinion:
        texts.append(text)
        return Opinion(target, phrase("it says so"))

    return texts, classify


# --- the order --------------------------------------------------------------------------
ALL = {"override": Target.LOCAL, "pin": Target.LOCAL, "sticky": True}


@pytest.mark.parametrize(
    ("prompt", "around", "target", "rule"),
    [
        ("/escalate fix it", ALL, "escalate", "explicit"),
        ("fix it", ALL, "local", "explicit"),
        ("fix it", {"override": Target.ESCALATE, "pin": Target.LOCAL}, "escalate", "explicit"),
        ("fix it", {"sticky": True, "state": State.ESCALATION_WAITING}, "escalate", "sticky"),
        ("yes", {"state": State.ESCALATION_WAITING}, "escalate", "state"),
        ("yes", {}, "escalate", "confirmation"),
        ("fix it", {}, "local", "hard_threshold"),
    ],
)
def test_what_comes_first_settles_it(prompt, around, target, rule):
    decision = decided(prompt, user(HARD), **around)
    assert (decision.target, decision.rule) == (target, rule)
    assert decision.reasons[-1].step in (rule, decision.inner_rule)


def test_every_step_before_is_told():
    decision = decided("fix it", state=State.ESCALATION_WAITING)
    assert [reason.step for reason in decision.reasons] == ["explicit", "sticky", "state"]
    steps = [reason.step for reason in decided("yes", user(HARD)).reasons]
    assert steps[:3] == ["explicit", "sticky", "state"]
    assert steps[3:] == ["confirmation", "confirmation", "hard_threshold"]


@pytest.mark.parametrize(
    ("prompt", "target", "text", "pins"),
    [
        ("/escalate", "escalate", "", True),
        (" /PRIMARY\n", "local", "", True),
        ("/escalate do  it", "escalate", "do it", False),
        ("/escalated do it", None, "/escalated do it", False),
        ("please /escalate", None, "please /escalate", False),
    ],
)
def test_a_command_pins_alone_and_counts_once_with_text(prompt, target, text, pins):
    command = read_command(prompt)
    assert (command.target, command.text, command.pins) == (target, text, pins)


# --- what is confirmed ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("prompt", "history", "text", "source", "author"),
    [
        ("yes, list the files", [user(HARD)], "list the files", "own_scope", "user"),
        (
            "yes",
            [user(HARD), agent("Should I start?")],
            "Should I start?",
            "agent_proposal",
            "agent",
        ),
        ("yes", [user(HARD), agent(PLAN)], HARD, "pending_task", "user"),
        ("yes", [user(HARD), user("👍"), user(" ")], HARD, "pending_task", "user"),
        ("yes", [user(f"/escalate {HARD}"), user("/primary")], HARD, "pending_task", "user"),
        ("yes", [agent(PLAN), agent("  ")], PLAN, "agent_message", "agent"),
        ("yes", [agent(PLAN), user("ok")], PLAN, "agent_message", "agent"),
        ("yes", [Message(Role.TOOL_RESULT, HARD)], "yes", "prompt", "user"),
    ],
)
def test_what_is_confirmed_is_looked_for_in_order(prompt, history, text, source, author):
    resolved = decided(prompt, *history).resolved
    assert resolved.as_dict() == {"text": text, "source": source, "author": author}


def test_a_yes_taken_back_is_routed_as_any_prompt():
    decision = decided("yes, but don't", user(HARD))
    assert (decision.rule, decision.inner_rule, decision.target) == (
        "hard_threshold",
        None,
        "local",
    )
    assert "takes it back" in decision.reasons[3].said


def test_agents_verbs_do_not_bind_and_users_do():
    assert decided("yes", agent("I planned it.")).target == "local"
    assert decided("yes", user("plan it")).target == "escalate"
    assert decided("yes", agent("From scratch, then.")).target == "escalate"


# --- the ordinary rules -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("", 0),
        ("grep and find it in the log", -3),
        ("compare and plan", 4),
        ("grep, then compare", 1),
        ("what to compare", 7),
        ("what’s to compare", 4),
        ("re-design the preview, explain nothing", 0),
        ("see ./x", -2),
        ("see ../x and ~/y and /z", -2),
        ("see `src/app.py`", -2),
        ("see (a/b/c)", -2),
        ("and/or", 0),
        ("on 9/15 or 9/15/2026, 1/2.5", 0),
        ("see https://a.example/b/c.html or www.a.example/b/c", 0),
        ("</div> a / b", 0),
        ("```x = 1```", -2),
    ],
)
def test_the_score_adds_each_thing_once(text, score):
    assert decided(f"{text} {LONG}").score == score


def test_thresholds_are_where_the_rules_say():
    rules = replace(RULES, local_below_tokens=3, escalate_above_tokens=5)
    targets = {count: decide(Turn("x" * 4 * count), rules).target.value for count in (3, 4, 5, 6)}
    assert targets == {3: "local", 4: "local", 5: "local", 6: "escalate"}
    assert decide(Turn("x" * 12), rules).rule == "hard_threshold"
    assert decide(Turn("x" * 16), rules).rule == "default"
    assert decide(Turn("x"), replace(rules, local_below_tokens=0)).rule == "default"


def test_the_classifier_is_asked_between_the_thresholds_only():
    texts, classify = asked(Target.ESCALATE)
    decision = decide(Turn(LONG), RULES, classify=classify)
    assert (decision.target, decision.rule, decision.score) == ("escalate", "classifier", 0)
    for prompt in ("grep it", f"from scratch {LONG}", f"what to plan {LONG}"):
        decide(Turn(prompt), RULES, classify=classify)
    assert texts == [LONG.strip()]


def test_the_classifier_sees_what_is_confirmed():
    texts, classify = asked(Target.ESCALATE)
    decision = decide(Turn("proceed", (user(LONG),)), RULES, classify=classify)
    assert (decision.rule, decision.inner_rule) == ("confirmation", "classifier")
    assert texts == [LONG.strip()]


def test_without_an_answer_the_fallback_decides():
    _, classify = asked(None)
    rules = replace(RULES, classifier_fallback=Target.ESCALATE)
    decision = decide(Turn(LONG), rules, classify=classify)
    assert (decision.target, decision.rule) == ("escalate", "default")
    assert [reason.step for reason in decision.reasons[-2:]] == ["classifier", "default"]


# --- any text ---------------------------------------------------------------------------
messages = st.builds(Message, st.sampled_from(Role), st.text())
turns = st.builds(
    Turn,
    st.one_of(st.text(), st.sampled_from(["yes", "go ahead", "/primary", "ok, not yet"])),
    st.lists(messages, max_size=6).map(tuple),
)


@given(turns)
def test_no_turn_makes_it_fail(turn):
    decision = decide(turn, RULES)
    assert decision.as_dict()["reasons"]
    assert (decision.rule == "confirmation") == (decision.inner_rule is not None)


@pytest.mark.parametrize(
    ("message", "waits"),
    [
        ("Which one?", True),
        ("Which one? \n\n ", True),
        ("哪一个？", True),
        ("أيهما؟", True),
        ("Which?\nI take the first.", False),
        ("", False),
        ("?!", False),
    ],
)
def test_an_agent_waits_when_its_last_line_asks(message, waits):
    assert asks_a_question(message) is waits
