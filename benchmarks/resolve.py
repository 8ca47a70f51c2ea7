"""P1, P2: a click through our layer in this process, as the worker does it, beside page.click."""

import time
from collections.abc import Callable
from itertools import pairwise
from uuid import uuid4

from benchmarks import pages
from benchmarks.ground import own_data, plain_page
from benchmarks.measuring import Goal, Measure, alternate, medians, spread_of, timed_ms
from benchmarks.report import arguments, run
from browser import calls, providers
from browser.providers import BrowserRef
from confidence.domain.confidence import score
from confidence.domain.gate import Decision, GateCall, ToolKind, decide
from confidence.domain.outcome import OutcomeKind
from core.actors import SYSTEM
from tests.support.site import Site

TIMEOUT_S = 5.0


class Layer:
    """One run's browser. A click resolves, scores, asks the gate, acts, and puts both on record."""

    def __init__(self, ref: BrowserRef) -> None:
        self._ref = ref
        self._run_id = uuid4()
        self.parts: list[dict[str, float]] = []
        self.unverified = 0

    def click(self, target: str) -> None:
        """Raises SystemExit when the gate would ask a person."""
        from audit.services import record  # models exist once Django is set up

        marks = [time.perf_counter()]
        resolution = calls.resolve(self._ref, target, timeout_s=TIMEOUT_S, refs={})
        marks.append(time.perf_counter())
        confidence = score(
            resolution.match_count,
            is_text_only=resolution.is_text_only,
            appeared_after_ms=resolution.appeared_after_ms,
            total_count=resolution.total_count,
            candidates=resolution.candidates,
        )
        asked = GateCall(
            kind=ToolKind.ACT, level=confidence.level, tier="autonomous", force_proposal=True
        )
        if decide(asked).decision is not Decision.PROCEED:
            raise SystemExit(f"{target} is {confidence.level}: the gate does not let it pass.")
        marks.append(time.perf_counter())
        record("action.act", actor=SYSTEM, run_id=self._run_id, payload=confidence.as_dict())
        marks.append(time.perf_counter())
        index = confidence.index_to_act_on()
        done = calls.act(
            self._ref,
            "browser_click",
            {},
            [calls.Pick(resolution, index)],
            refs={},
            timeout_s=TIMEOUT_S,
        )
        self.unverified += done.outcome.kind is not OutcomeKind.VERIFIED
        marks.append(time.perf_counter())
        outcome = {"outcome": done.outcome.as_dict(), "result": done.result}
        record("action.finish", actor=SYSTEM, run_id=self._run_id, payload=outcome)
        marks.append(time.perf_counter())
        self._note(marks)

    def refuse_unless_clicked(self) -> None:
        """The page counts its clicks; a benchmark of clicks that do nothing is none."""
        resolution = calls.resolve(self._ref, "[id^=state-]", timeout_s=TIMEOUT_S, refs={})
        clicks = sum(int(text) for text in calls.texts_of(self._ref, resolution))
        if clicks != len(self.parts):
            raise SystemExit(f"{len(self.parts)} clicks were done, the page saw {clicks}.")

    def _note(self, marks: list[float]) -> None:
        took = [(after - before) * 1000 for before, after in pairwise(marks)]
        resolved, scored, first, acted, last = took
        self.parts.append(
            {"resolve": resolved, "score and gate": scored, "act": acted, "audit": first + last}
        )


def compare(
    measure_id: str,
    name: str,
    pages_by_path: dict[str, str],
    target: Callable[[int], str],
    *,
    rounds: int,
    goals: tuple[float, float | None],
) -> Measure:
    """Ours and Playwright's on the same page, each in a browser of its own."""
    with Site.started() as site:
        url = site.folder(pages_by_path) + "/"
        ref = calls.adopt(providers.start(f"bench-{measure_id}", allowed_hosts=[site.host]))
        calls.navigate(ref, url, timeout_s=TIMEOUT_S)
        layer = Layer(ref)
        with plain_page(url) as page:
            samples, plain = alternate(
                lambda number: timed_ms(lambda: layer.click(target(number))),
                lambda number: timed_ms(lambda: page.click(target(number))),
                rounds=rounds,
            )
        layer.refuse_unless_clicked()
        calls.forget(ref)
        providers.stop(ref)
    ours, peer = spread_of(samples), spread_of(plain)
    held = [Goal("median ratio", ours.median / peer.median, goals[0])]
    if goals[1] is not None:
        held.append(Goal("p99 ratio", ours.p99 / peer.p99, goals[1]))
    note = f"{layer.unverified} of {len(layer.parts)} clicks came back unverified"
    return Measure(measure_id, name, ours, peer, held, medians(layer.parts[-rounds:]), note=note)


def measure(rounds: int) -> list[Measure]:
    with own_data():
        return [
            compare(
                "P1",
                "click in-process, page of 500 rows",
                {"/": pages.rows_page()},
                pages.target,
                rounds=rounds,
                goals=(1.05, 1.10),
            ),
            compare(
                "P2",
                "the same, 5 frames and 3 shadow roots",
                pages.framed_pages(),
                pages.shadow_target,
                rounds=rounds,
                goals=(1.15, None),
            ),
        ]


def main() -> None:
    rounds = arguments(__doc__ or "", rounds=100).rounds
    run("resolve", lambda: measure(rounds))


if __name__ == "__main__":
    main()
