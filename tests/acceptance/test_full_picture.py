"""The picture of the whole page on the running product: the page stays as it was, and what was
approved is what is clicked."""

import pytest
from playwright.sync_api import Locator, expect

from tests.support.site import Site
from tests.support.stack import Agent, Reviewer, Stack, wait_until

pytestmark = pytest.mark.stack

TALL = 11_000
PAGE = f"""<!doctype html><html lang="en"><title>Long</title><style>
body {{ margin: 0; font: 16px sans-serif }}
header {{ position: fixed; inset: 0 0 auto; height: 50px; background: #fff }}
.gap {{ height: {TALL}px }}
#secret {{ position: absolute; left: 100px; top: 2000px; width: 300px; height: 60px }}
</style><body>
<header><span id="count">0</span> <span id="noticed">nothing</span></header>
<div style="height: 900px"></div>
<form aria-label="First"><button type="button">Open</button></form>
<div style="height: 200px"></div>
<form aria-label="Second"><button type="button" id="meant">Open</button></form>
<input id="secret" type="password" value="a secret">
<div class="gap"></div><p id="late">The end</p>
<script>
const noticed = document.getElementById("noticed");
const note = (what) => {{ noticed.textContent = what; }};
document.getElementById("meant").addEventListener("click", () => {{
  const count = document.getElementById("count");
  count.textContent = Number(count.textContent) + 1;
}});
scrollTo(0, 700);
setTimeout(() => {{
  const [width, height] = [innerWidth, innerHeight];
  addEventListener("scroll", () => note("scrolled"));
  addEventListener("resize", () => (innerWidth !== width || innerHeight !== height) && note("resized"));
  addEventListener("blur", () => note("blurred"));
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && note("loaded late"))
    .observe(document.getElementById("late"));
}}, 200);
</script></body></html>"""

# What a picture shows at a point of the page, as (red, green, blue).
COLOUR = """(image, [x, y]) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
}"""
PAINT = (0x1F, 0x29, 0x37)


def ask(agent: Agent, site: Site) -> dict:
    agent.open_run(site.page(PAGE))
    answer = agent.send("browser_click", target="text=Open")
    assert answer.status_code == 202, answer.text
    return answer.json()


def see_the_whole_page(card: Locator) -> Locator:
    card.get_by_role("tab", name="full").click()
    image = card.locator("#scene-full img")
    expect(image).to_be_visible(timeout=20_000)
    wait_until(lambda: image.evaluate("image => image.complete && image.naturalWidth"), 10)
    return image


def test_the_page_does_not_change_and_the_approved_element_is_clicked_once(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    image = see_the_whole_page(card)
    size = image.evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert size[1] == 8_000
    expect(card.locator("#scene-full")).to_contain_text("Cut: its first 8,000 of ")
    assert image.evaluate(COLOUR, [250, 2030]) == pytest.approx(PAINT, abs=6)
    assert image.evaluate(COLOUR, [600, 2030]) == pytest.approx((255, 255, 255), abs=6)
    assert agent.texts("#noticed") == ["nothing"]
    card.locator("#scene-full [data-box='1']").click()
    reviewer.page.keyboard.press("a")
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert agent.texts("#count") == ["1"]
    statement = "SELECT payload->>'picture' FROM audit_browseraudit WHERE verb = %s AND run_id = %s"
    [[digest]] = stack.sql(statement, "proposal.full_picture", asked["run_id"])
    assert image.get_attribute("src") == f"/pictures/{digest}"


def test_a_browser_that_died_is_said(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    stack.sql("UPDATE runs_run SET browser = '{}' WHERE id = %s", asked["run_id"])
    card.get_by_role("tab", name="full").click()
    expect(card.locator("#scene-full")).to_contain_text("The page is gone.", timeout=20_000)
