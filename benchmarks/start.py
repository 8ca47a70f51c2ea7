"""P10: from a run's request to its page ready, beside chromium.launch() and new_page()."""

from playwright.sync_api import Playwright, sync_playwright

from benchmarks import pages
from benchmarks.ground import launch
from benchmarks.measuring import Goal, Measure, alternate, spread_of, timed_ms
from benchmarks.report import arguments, run
from tests.support.site import Site
from tests.support.stack import Agent, Stack, wait_until

STOP_LIMIT_S = 20


def measure(rounds: int) -> list[Measure]:
    with Stack.started() as stack, Site.started() as site, sync_playwright() as playwright:
        url = site.page(pages.rows_page(20))
        with stack.agent(tier="autonomous", hosts=[site.host]) as agent:
            samples, plain = alternate(
                lambda _: start(stack, agent, url),
                lambda _: start_plainly(playwright, url),
                rounds=rounds,
                warm_up=2,
            )
    ours, peer = spread_of(samples), spread_of(plain)
    goals = [Goal("median ratio", ours.median / peer.median, 0.35)]
    return [Measure("P10", "run start to page ready", ours, peer, goals)]


def start(stack: Stack, agent: Agent, url: str) -> float:
    """In ms. The run ends afterwards, out of the time; its browser is gone when this returns."""
    answer = {}
    took = timed_ms(lambda: answer.update(agent.open_run(url)))
    if answer["status"] != "open":
        raise SystemExit(f"The run did not open: {answer}")
    agent.finish_all()
    wait_until(lambda: not any((stack.data_dir / "browsers").iterdir()), STOP_LIMIT_S)
    return took


def start_plainly(playwright: Playwright, url: str) -> float:
    opened = []

    def begin() -> None:
        browser = launch(playwright)
        opened.append(browser)
        browser.new_page(no_viewport=True).goto(url)

    took = timed_ms(begin)
    opened[0].close()
    return took


def main() -> None:
    rounds = arguments(__doc__ or "", rounds=10).rounds
    run("start", lambda: measure(rounds))


if __name__ == "__main__":
    main()
