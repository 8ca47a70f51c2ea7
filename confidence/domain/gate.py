"""The gate: may this call run now, or does a person decide first? One pure function, `decide`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from confidence.domain.levels import MatchLevel

ALL_TIERS = ("student", "intern", "supervised", "autonomous")
TIERS_THAT_ACT = frozenset({"supervised", "autonomous"})
TIERS_THAT_NAVIGATE = TIERS_THAT_ACT | {"intern"}


class ToolKind(StrEnum):
    """How a tool meets the page, which is all the gate needs to know of it."""

    READ = "read"
    ACT = "act"  # on a target, so there is a confidence
    ACT_WITHOUT_TARGET = "act_without_target"
    NAVIGATE = "navigate"
    PROTOCOL = "protocol"  # speaks to people or to Pointsman, never to the page


TOOL_KINDS: Mapping[str, ToolKind] = {
    "browser_navigate": ToolKind.NAVIGATE,
    "browser_navigate_back": ToolKind.NAVIGATE,
    "browser_tabs": ToolKind.NAVIGATE,
    "browser_close": ToolKind.NAVIGATE,
    "browser_snapshot": ToolKind.READ,
    "browser_find": ToolKind.READ,
    "browser_wait_for": ToolKind.READ,
    "browser_take_screenshot": ToolKind.READ,
    "browser_extract_text": ToolKind.READ,
    "browser_click": ToolKind.ACT,
    "browser_mouse_click_xy": ToolKind.ACT,
    "browser_hover": ToolKind.ACT,
    "browser_type": ToolKind.ACT,
    "browser_fill_form": ToolKind.ACT,
    "browser_select_option": ToolKind.ACT,
    "browser_press_key": ToolKind.ACT,
    "browser_drag": ToolKind.ACT,
    "browser_file_upload": ToolKind.ACT_WITHOUT_TARGET,
    "browser_handle_dialog": ToolKind.ACT_WITHOUT_TARGET,
    "browser_evaluate": ToolKind.ACT_WITHOUT_TARGET,
    "needs_confirmation": ToolKind.PROTOCOL,
    "message_user": ToolKind.PROTOCOL,
    "finished": ToolKind.PROTOCOL,
}


class Decision(StrEnum):
    PROCEED = "proceed"
    PROPOSE = "propose"


@dataclass(frozen=True)
class GateCall:
    """`level` is None where the tool has no target. `agent_flag` None follows the tier's roll-out.
    `override` comes from one approved proposal, never from the agent."""

    kind: ToolKind
    level: MatchLevel | None
    tier: str
    agent_flag: bool | None = None
    override: bool = False
    force_proposal: bool = False
    gated_tiers: frozenset[str] = frozenset(ALL_TIERS)
    enabled: bool = True
    locator_api: bool = True


@dataclass(frozen=True)
class GateDecision:
    """`reasons` in the order of the rules. `would_gate`: in shadow mode, certainty alone would have
    sent the call to a person."""

    decision: Decision
    reasons: tuple[str, ...]
    would_gate: bool = False


def kind_of(tool: str, params: Mapping[str, object] | None = None) -> ToolKind:
    """A tool nobody listed is taken to act on a target: the strictest reading."""
    if tool == "browser_tabs" and params and params.get("action") == "list":
        return ToolKind.READ
    if tool == "browser_file_upload" and params and "target" in params:
        return ToolKind.ACT
    return TOOL_KINDS.get(tool, ToolKind.ACT)


def decide(call: GateCall) -> GateDecision:
    """The first rule that applies decides; a tier that proposes keeps certainty's reason too."""
    if call.override:
        return _proceed("override")
    if call.kind is ToolKind.READ:
        return _proceed("read_only")
    if call.kind is ToolKind.PROTOCOL:
        return _proceed("protocol")
    by_certainty = _decide_by_certainty(call)
    if not _tier_proposes(call):
        return by_certainty
    proposed_anyway = by_certainty.decision is Decision.PROPOSE
    reasons = ("tier", *by_certainty.reasons) if proposed_anyway else ("tier",)
    return GateDecision(Decision.PROPOSE, reasons, would_gate=by_certainty.would_gate)


def _tier_proposes(call: GateCall) -> bool:
    """Unknown tiers propose: what is not known to be trusted is not."""
    trusted = TIERS_THAT_NAVIGATE if call.kind is ToolKind.NAVIGATE else TIERS_THAT_ACT
    return call.tier not in trusted


def _decide_by_certainty(call: GateCall) -> GateDecision:
    """A call that should have a level and has none is as uncertain as an ambiguous one."""
    if call.level is None and call.kind is not ToolKind.ACT:
        return _proceed("no_target")
    if not (call.enabled and call.locator_api):
        return _proceed("layer_disabled")
    if call.level == MatchLevel.HIGH:
        return _proceed("high")
    when_forced = _decide_by_roll_out(call)
    if call.force_proposal:
        return when_forced
    would_gate = when_forced.decision is Decision.PROPOSE
    return GateDecision(Decision.PROCEED, ("shadow",), would_gate=would_gate)


def _decide_by_roll_out(call: GateCall) -> GateDecision:
    """The agent's own flag comes before the roll-out of its tier."""
    if call.agent_flag is False:
        return _proceed("agent_opt_out")
    if call.agent_flag is True or call.tier in call.gated_tiers:
        return GateDecision(Decision.PROPOSE, ("match_confidence",))
    return _proceed("tier_not_rolled_out")


def _proceed(reason: str) -> GateDecision:
    return GateDecision(Decision.PROCEED, (reason,))
