"""Accessible names: ours beside Playwright's own on 523 cases of web-platform-tests.

The pages are read from the folder named by CORPORA_DIR; nothing of them is kept here.
"""

import functools
import http.server
import itertools
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import resolver
from browser.sessions import Tab
from tests.support.rig import Rig

FLOOR = 503
FOLDER = Path(os.environ.get("CORPORA_DIR", "")) / "wpt-accname"
NAME_IN_SNAPSHOT = re.compile(r'- [\'"]?\w+ ("(?:[^"\\]|\\.)*")')

pytestmark = pytest.mark.skipif(
    "CORPORA_DIR" not in os.environ, reason="CORPORA_DIR names no folder of corpora"
)


class Pages(http.server.SimpleHTTPRequestHandler):
    extensions_map = {"": "text/plain", ".html": "text/html; charset=utf-8"}

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    serve = functools.partial(Pages, directory=FOLDER / "accname")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_our_names_are_right_at_least_as_often_as_playwrights(
    site: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = json.loads((FOLDER / "cases.json").read_text())
    named = [case for case in cases if case["property"] == "name"]
    seen, ours, theirs, wrong = 0, 0, 0, []
    with Rig.started("accessible-names", hosts=[site]) as rig:
        for file, of_page in itertools.groupby(named, key=lambda case: case["file"]):
            rig.open(f"http://{site}/{file}")
            for case in of_page:
                selector, right = case["selector"], _squeezed(case["expected"])
                names = rig.ask(lambda tab, selector=selector: _names(tab, selector))
                if names is None:
                    continue
                seen += 1
                our, their = names
                ours, theirs = ours + (our == right), theirs + (their == right)
                if our != right:
                    wrong.append(f"{file} {selector}: {our!r}, not {right!r}")
    with capsys.disabled():
        print(f"\naccessible names: ours {ours}, Playwright {theirs}, of {seen}")
    assert ours >= FLOOR, "\n".join(wrong)
    assert ours >= theirs, "\n".join(wrong)


def _names(tab: Tab, selector: str) -> tuple[str, str] | None:
    """Ours and Playwright's. None for what nobody can see: it is no candidate."""
    found = resolver.find(tab, selector, timeout_s=0).candidates
    if not found:
        return None
    snapshot = tab.page.locator(selector).first.aria_snapshot(timeout=1000)
    shown = NAME_IN_SNAPSHOT.match(snapshot)
    return found[0].name, _squeezed(json.loads(shown[1]) if shown else "")


def _squeezed(text: str) -> str:
    return " ".join(text.split())
