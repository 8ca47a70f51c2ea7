"""The gate beyond its vectors: every tool, unknown values, and what may never happen."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confidence.domain.gate import (
    ALL_TIERS,
    TOOL_KINDS,
    Decision,
    GateCall,
    ToolKind,
    decide,
    kind_of,
)
from confidence.domain.levels import MatchLevel

calls = st.builds(
    GateCall,
    kind=st.sampled_from(ToolKind),
    level=st.none() | st.sampled_from(MatchLevel),
    tier=st.sampled_from([*ALL_TIERS, "unheard-of"]),
    agent_flag=st.none() | st.booleans(),
    override=st.booleans(),
    force_proposal=st.booleans(),
    gated_tiers=st.frozensets(st.sampled_from(ALL_TIERS)),
    enabled=st.booleans(),
    locator_api=st.booleans(),
)


@given(calls)
def test_nothing_uncertain_passes_while_gating_is_in_force(call):
    in_force = (
        call.force_proposal
        and call.enabled
        and call.locator_api
        and not call.override
        and call.kind is ToolKind.ACT
        and call.level is not MatchLevel.HIGH
        and (call.agent_flag or (call.agent_flag is None and call.tier in call.gated_tiers))
    )
    if in_force:
        assert decide(call).decision is Decision.PROPOSE
        assert "match_confidence" in decide(call).reasons


@given(calls)
def test_would_gate_tells_what_force_would_add(call):
    shadow = GateCall(**{**vars(call), "force_proposal": False})
    forced = GateCall(**{**vars(call), "force_proposal": True})
    assert decide(shadow).would_gate == ("match_confidence" in decide(forced).reasons)
    assert not decide(forced).would_gate


@given(calls)
def test_shadow_mode_stops_nothing_that_its_tier_does_not(call):
    shadow = decide(GateCall(**{**vars(call), "force_proposal": False}))
    assert shadow.reasons == ("tier",) or shadow.decision is Decision.PROCEED


@given(calls)
def test_reading_and_protocol_never_gate(call):
    if call.kind in {ToolKind.READ, ToolKind.PROTOCOL}:
        assert decide(call).decision is Decision.PROCEED


@given(calls)
def test_a_reason_is_always_given(call):
    assert decide(call).reasons


@pytest.mark.parametrize("tier", ["student", "intern", "unheard-of", ""])
def test_untrusted_tiers_propose_every_act(tier):
    for kind in (ToolKind.ACT, ToolKind.ACT_WITHOUT_TARGET):
        decision = decide(GateCall(kind=kind, level=MatchLevel.HIGH, tier=tier))
        assert (decision.decision, decision.reasons) == (Decision.PROPOSE, ("tier",))


@pytest.mark.parametrize(
    ("tier", "decision", "reason"),
    [
        ("student", "propose", "tier"),
        ("unheard-of", "propose", "tier"),
        ("intern", "proceed", "no_target"),
        ("supervised", "proceed", "no_target"),
        ("autonomous", "proceed", "no_target"),
    ],
)
@pytest.mark.parametrize("force", [True, False])
def test_only_a_student_proposes_navigation(tier, decision, reason, force):
    call = GateCall(kind=ToolKind.NAVIGATE, level=None, tier=tier, force_proposal=force)
    assert (decide(call).decision, decide(call).reasons) == (decision, (reason,))
    assert decide(call).would_gate is False


def test_a_click_without_a_level_is_as_uncertain_as_an_ambiguous_one():
    lost = GateCall(kind=ToolKind.ACT, level=None, tier="autonomous", force_proposal=True)
    assert decide(lost).reasons == ("match_confidence",)


def test_the_agents_own_always_comes_before_its_tiers_roll_out():
    call = GateCall(
        kind=ToolKind.ACT,
        level=MatchLevel.PARTIAL,
        tier="autonomous",
        agent_flag=True,
        force_proposal=True,
        gated_tiers=frozenset(),
    )
    assert decide(call).decision is Decision.PROPOSE


def test_every_tool_of_the_interface_has_its_kind():
    named = """
        browser_navigate browser_navigate_back browser_snapshot browser_find browser_click
        browser_hover browser_type browser_fill_form browser_select_option browser_press_key
        browser_drag browser_file_upload browser_handle_dialog browser_wait_for browser_tabs
        browser_take_screenshot browser_extract_text browser_evaluate browser_close
        browser_mouse_click_xy needs_confirmation message_user finished
    """
    assert set(named.split()) == set(TOOL_KINDS)


def test_only_listing_tabs_is_reading():
    kinds = [kind_of("browser_tabs", {"action": action}) for action in ("list", "new", "close")]
    assert kinds == [ToolKind.READ, ToolKind.NAVIGATE, ToolKind.NAVIGATE]
    assert kind_of("browser_tabs") is ToolKind.NAVIGATE


def test_an_unlisted_tool_is_judged_as_an_act():
    assert kind_of("browser_teleport") is ToolKind.ACT


def test_all_combinations_are_decided():
    for kind, level, tier in itertools.product(ToolKind, [None, *MatchLevel], ALL_TIERS):
        assert decide(GateCall(kind=kind, level=level, tier=tier)).decision in set(Decision)
