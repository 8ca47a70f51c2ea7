import uuid
from tests.pages.test_people import *  # fixtures
from tests.pages.test_people import _set_up_a_second_factor, paths_of, _unfold
import pytest, os
os.makedirs('/tmp/shots', exist_ok=True)
@pytest.mark.parametrize("width,theme", [(1440,"light"),(360,"dark")])
def test_look(width, theme, rows, crew, ada, open_desk):
    rows.do(lambda: services.create_password_link(services.invite(f"ivy-{uuid.uuid4().hex[:5]}", email=f"{uuid.uuid4().hex[:5]}@example.com", role="auditor", teams=[], actor=actor_of(ada)), actor=actor_of(ada)))
    rows.do(lambda: services.create_key(crew.agents["first-week"]))
    rows.do(lambda: services.set_role(crew.anna, "auditor", actor=actor_of(ada)))
    desk = open_desk(ada, width=width, height=900, color_scheme=theme)
    for i, path in enumerate((*paths_of(rows, crew), f"/agents/{crew.agents['first-week'].pk}")):
        desk.page.goto(path)
        if "agents" in path: _unfold(desk)
        desk.page.screenshot(path=f"/tmp/shots/{width}-{i}.png", full_page=True)
    desk.page.goto("/account/second-factor")
    desk.page.screenshot(path=f"/tmp/shots/{width}-again.png")
    _set_up_a_second_factor(desk.page)
    desk.page.screenshot(path=f"/tmp/shots/{width}-qr.png")
    desk.page.goto("/account"); desk.page.locator("summary").first.click()
    desk.page.screenshot(path=f"/tmp/shots/{width}-menu.png")
