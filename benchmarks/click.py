"""P3: a hosted click, from the HTTP request to its answer, warm, beside page.click."""

from statistics import median

from benchmarks import pages
from benchmarks.ground import plain_page
from benchmarks.measuring import Goal, Measure, alternate, spread_of, timed_ms
from benchmarks.report import arguments, run
from tests.support.site import Site
from tests.support.stack import Agent, Stack

# What the rows say of the way of a click, in ms.
STAGES = """
SELECT extract(epoch FROM started_at - created_at) * 1000,
       (timings->>'resolve_ms')::float,
       (timings->>'act_ms')::float,
       extract(epoch FROM finished_at - started_at) * 1000
FROM runs_action WHERE run_id = %s AND tool = 'browser_click' ORDER BY created_at DESC LIMIT %s
"""


def measure(rounds: int) -> list[Measure]:
    with Stack.started(MATCH_CONFIDENCE_FORCE_PROPOSAL="true") as stack, Site.started() as site:
        url = site.page(pages.rows_page())
        with stack.agent(tier="autonomous", hosts=[site.host]) as agent, plain_page(url) as page:
            agent.open_run(url)
            samples, plain = alternate(
                lambda number: timed_ms(lambda: click(agent, pages.target(number))),
                lambda number: timed_ms(lambda: page.click(pages.target(number))),
                rounds=rounds,
                warm_up=10,
            )
            parts = _stages(stack, agent, rounds, whole_ms=median(samples))
    ours, peer = spread_of(samples), spread_of(plain)
    goals = [
        Goal("added median ms", ours.median - peer.median, 25),
        Goal("added p99 ms", ours.p99 - peer.p99, 80),
    ]
    return [Measure("P3", "hosted click over REST, warm", ours, peer, goals, parts)]


def click(agent: Agent, target: str) -> None:
    answer = agent.send("browser_click", target=target).json()
    if answer.get("status") != "succeeded":
        raise SystemExit(f"The hosted click on {target} did not succeed: {answer}")


def _stages(stack: Stack, agent: Agent, rounds: int, *, whole_ms: float) -> dict[str, float]:
    rows = stack.sql(STAGES, agent.run_id, rounds)
    queued, resolving, acting, working = (
        median(float(value) for value in column) for column in zip(*rows, strict=True)
    )
    return {
        "queue": round(queued, 1),
        "resolve": round(resolving, 1),
        "act": round(acting, 1),
        "rows and audit in the worker": round(working - resolving - acting, 1),
        "HTTP on both sides": round(whole_ms - queued - working, 1),
    }


def main() -> None:
    rounds = arguments(__doc__ or "", rounds=100).rounds
    run("click", lambda: measure(rounds))


if __name__ == "__main__":
    main()
