"""A run's browser, driven in the test's own process as a worker drives it: no queue, no database."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from browser import providers, resolver, sessions, snapshot
from browser.frames import LOOKS, World, prepare
from browser.providers import BrowserRef
from browser.resolver import Found, Resolution
from browser.sessions import Tab

Answer = TypeVar("Answer")


class Rig:
    """`frames` is what the latest snapshot said of the page's frames, as a run keeps it."""

    def __init__(self, ref: BrowserRef) -> None:
        self.ref = ref
        self.frames: dict[str, Any] = {}

    @classmethod
    @contextlib.contextmanager
    def started(cls, name: str, *, hosts: list[str]) -> Iterator["Rig"]:
        ref = providers.start(name, allowed_hosts=hosts)
        try:
            yield cls(ref)
        finally:
            sessions.forget(ref)
            providers.stop(ref)

    def open(self, url: str) -> None:
        def job(tab: Tab) -> None:
            prepare(tab)
            tab.page.goto(url, wait_until="domcontentloaded")

        self.ask(job)

    def ask(self, job: Callable[[Tab], Answer]) -> Answer:
        return sessions.call(self.ref, job, timeout_s=30)

    def script(self, expression: str) -> Any:
        """Run in the page's own world, as its own scripts do."""
        return self.ask(lambda tab: tab.page.evaluate(expression))

    def find(self, target: str, *, timeout_s: float = 2) -> Resolution:
        resolver.check_selector(target)
        return self.ask(
            lambda tab: resolver.find(tab, target, timeout_s=timeout_s, refs=self.frames)
        )

    def snapshot(self) -> snapshot.Snapshot:
        taken = self.ask(lambda tab: snapshot.take(tab, known=self.frames))
        self.frames = taken.frames
        return taken

    def read(self, resolution: Resolution, expression: str) -> list[Any]:
        """Of every match, hidden ones too, in order: `expression` says what, of `element`."""
        return [
            value for world in resolution.worlds for value in self._read_held(world, expression)
        ]

    def read_one(self, found: Found, expression: str) -> Any:
        return self._read_held(found.world, expression)[found.position]

    def _read_held(self, world: World, expression: str) -> list[Any]:
        held = f"({LOOKS}.get({world.token!r}) ?? [])"
        values: list[Any] = self.ask(lambda _: world.run(f"{held}.map((element) => {expression})"))
        return values
