"""P5, P6, P7: a proposal to the reviewer's screen, Approve to the click, a queue of a thousand."""

import time
from datetime import datetime
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.ground import launch
from benchmarks.measuring import Goal, Measure, Samples, alternate, spread_of
from benchmarks.report import arguments, run
from tests.support.crowd import COPIES
from tests.support.site import TWO_BUTTONS, Site
from tests.support.stack import Agent, Reviewer, Stack

CROWD = 1_000
# Each page writes down itself when it happened: one clock, whatever the way to us takes.
NOW = "performance.timeOrigin + performance.now()"
CLICKS_TOLD = TWO_BUTTONS.replace(
    "</body>",
    f"""<output id="clicked">0</output><script>
const told = document.getElementById("clicked");
document.addEventListener("click", () => told.textContent = {NOW}, true);
</script></body>""",
)
WATCH = f"""() => {{
  window.seenAt = {{}};
  new MutationObserver(() => {{
    for (const row of document.querySelectorAll("[data-row]")) seenAt[row.dataset.row] ??= {NOW};
  }}).observe(document, {{ subtree: true, childList: true }});
  document.addEventListener("click", (event) => {{
    if (event.target.closest?.("[data-approve]")) window.approvedAt = {NOW};
  }}, true);
}}"""
ECHO = """() => new Promise((resolve) => {
  const path = document.querySelector("[data-socket]").dataset.socket;
  const socket = new WebSocket(`ws://${location.host}${path}`);
  let asked;
  socket.addEventListener("message", (event) => {
    if (JSON.parse(event.data).kind === "welcome") {
      asked = performance.now();
      socket.send('{"kind":"ping"}');
    }
    if (JSON.parse(event.data).kind === "pong") {
      socket.close();
      resolve(performance.now() - asked);
    }
  });
})"""


class Desk:
    """One agent that asks, one reviewer who says yes, and what each took."""

    def __init__(self, stack: Stack, agent: Agent, reviewer: Reviewer, plain: Page) -> None:
        self._stack = stack
        self._agent = agent
        self._desk = reviewer.page
        self._plain = plain
        self.shown: Samples = []
        self.echoes: Samples = []
        self.reacted: Samples = []

    def ask_and_approve(self, _: int) -> float:
        """Returns ms from the reviewer's click to the click in the run's page."""
        return self._approve(self._agent.send("browser_click", target="text=Submit").json())

    def ask_before_a_crowd(self) -> None:
        """A thousand cards that nobody decides come to wait in front of those asked from now on."""
        asked = self._agent.send("browser_click", target="text=Submit").json()
        self._stack.sql(COPIES, CROWD, asked["proposal_id"])
        self._approve(asked)
        self._desk.goto("/")
        self._desk.locator("[data-line][data-state=live]").wait_for()
        self._desk.evaluate(WATCH)

    def read_the_queue(self) -> tuple[Samples, float]:
        """Returns the server's ms for the whole page, and its KB."""
        cookies = {one["name"]: one["value"] for one in self._desk.context.cookies()}
        with httpx.Client(base_url=self._stack.url, cookies=cookies, trust_env=False) as client:
            size_kb = len(client.get("/").raise_for_status().content) / 1000
            return [_server_ms(client.get("/")) for _ in range(30)], size_kb

    def _approve(self, asked: dict[str, Any]) -> float:
        proposal = asked["proposal_id"]
        self._desk.locator(f"[data-row='{proposal}']").wait_for()
        self.echoes.append(self._desk.evaluate(ECHO))
        seen = self._desk.evaluate("id => seenAt[id]", proposal)
        self.shown.append(seen - self._committed_ms(proposal))
        self._desk.locator(f"[data-row='{proposal}']").click()
        self._desk.locator(f"[data-card='{proposal}']").wait_for()
        self._desk.keyboard.press("2")
        self._desk.locator("[data-approve]").click()
        self._refuse_unless_done(self._agent.poll(asked["action_id"]))
        clicked = float(self._agent.texts("#clicked")[0])
        return clicked - self._desk.evaluate("approvedAt")

    def click_plainly(self, _: int) -> float:
        """Returns ms from the call of page.click to the click in the page."""
        called = time.time() * 1000
        self._plain.click("text=Submit")
        return float(self._plain.inner_text("#clicked")) - called

    def _committed_ms(self, proposal: str) -> float:
        """Written in the transaction that is then committed: a little too early, never too late."""
        statement = "SELECT created_at FROM proposals_proposal WHERE id = %s"
        created: datetime = self._stack.sql(statement, proposal)[0][0]
        return created.timestamp() * 1000

    def _refuse_unless_done(self, answer: dict[str, Any]) -> None:
        if answer["status"] != "succeeded":
            raise SystemExit(f"What was approved was not done: {answer}")


def measure(rounds: int) -> list[Measure]:
    gating = {"MATCH_CONFIDENCE_FORCE_PROPOSAL": "true"}
    with Stack.started(**gating) as stack, Site.started() as site, sync_playwright() as playwright:
        browser = launch(playwright)
        url = site.page(CLICKS_TOLD)
        with (
            stack.agent(tier="autonomous", hosts=[site.host]) as agent,
            stack.reviewer(browser) as reviewer,
        ):
            agent.open_run(url)
            desk = Desk(stack, agent, reviewer, _plain(browser, url))
            reviewer.page.locator("[data-line][data-state=live]").wait_for()
            reviewer.page.evaluate(WATCH)
            samples, plain = alternate(
                desk.ask_and_approve, desk.click_plainly, rounds=rounds, warm_up=3
            )
            measures = [_of_card(desk, rounds), _of_approval(samples, plain)]
            measures += _in_a_crowd(desk, rounds)
        browser.close()
    return measures


def _in_a_crowd(desk: Desk, rounds: int) -> list[Measure]:
    desk.ask_before_a_crowd()
    for number in range(rounds):
        desk.ask_and_approve(number)
    ours, echo = spread_of(desk.shown[-rounds:]), spread_of(desk.echoes[-rounds:])
    read, size_kb = desk.read_the_queue()
    page = spread_of(read)
    page_goals = [Goal("median ms", page.median, 60), Goal("KB", size_kb, 150)]
    card_goals = [Goal("median ms", ours.median, 250)]
    return [
        Measure("P5", f"proposal to card, {CROWD} waiting", ours, echo, card_goals),
        Measure("P7", f"the queue page, {CROWD} waiting", page, goals=page_goals),
    ]


def _server_ms(page: httpx.Response) -> float:
    return float(page.headers["Server-Timing"].removeprefix("app;dur="))


def _plain(browser: Browser, url: str) -> Page:
    page = browser.new_page()
    page.goto(url)
    return page


def _of_card(desk: Desk, rounds: int) -> Measure:
    ours, echo = spread_of(desk.shown[-rounds:]), spread_of(desk.echoes[-rounds:])
    goals = [Goal("median ms", ours.median, 50)]
    note = "plain is a WebSocket echo of the same server"
    return Measure("P5", "proposal to card, 1 reviewer", ours, echo, goals, note=note)


def _of_approval(samples: Samples, plain: Samples) -> Measure:
    ours, peer = spread_of(samples), spread_of(plain)
    goals = [Goal("added median ms", ours.median - peer.median, 60)]
    return Measure("P6", "Approve to click on the page", ours, peer, goals)


def main() -> None:
    rounds = arguments(__doc__ or "", rounds=20).rounds
    run("live", lambda: measure(rounds))


if __name__ == "__main__":
    main()
