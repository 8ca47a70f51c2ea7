"""What a browser may open, and the rules that its process is started with."""

import pytest

from sandbox.domain import refuse_navigation, resolver_rules

ALLOWED = ["shop.example", "*.cdn.example", "127.0.0.1:8001"]


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/a?b=c",
        "http://SHOP.example:8080/",
        "https://img.cdn.example/x",
        "http://127.0.0.1:8001/",
        "about:blank",
    ],
)
def test_a_listed_host_may_be_opened(url: str) -> None:
    assert refuse_navigation(url, allowed=ALLOWED) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/",
        "https://cdn.example/",
        "https://evilcdn.example/",
        "https://shop.example.evil.test/",
        "https://shop.example@evil.test/",
        "http://127.0.0.1:8002/",
        "http://127.0.0.1/",
        "http://localhost:8001/",
        "http://[::1]:8001/",
    ],
)
def test_any_other_host_is_refused(url: str) -> None:
    refusal = refuse_navigation(url, allowed=ALLOWED)
    assert refusal
    assert refusal.violation_type == "egress_host"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "chrome://version",
        "view-source:https://shop.example/",
        "about:config",
        "shop.example",
        "http://",
        "http://[bad",
        "",
    ],
)
def test_any_other_scheme_is_refused(url: str) -> None:
    refusal = refuse_navigation(url, allowed=ALLOWED)
    assert refusal
    assert refusal.violation_type == "tripwire"


def test_our_own_ports_come_before_a_listed_loopback() -> None:
    rules = resolver_rules(["127.0.0.1"], own_ports=[8000]).split(", ")
    opened = rules.index("MAP 127.0.0.1 127.0.0.1")
    assert rules.index("MAP 127.0.0.1:8000 ~NOTFOUND") < opened
    assert rules.index("MAP 127.0.0.1:23??? ~NOTFOUND") < opened
    assert rules[-1] == "MAP * ~NOTFOUND"


def test_nothing_listed_is_nothing_reachable() -> None:
    assert all(
        rule.endswith("~NOTFOUND") for rule in resolver_rules([], own_ports=[8000]).split(", ")
    )
