"""The keeper: one small process per run that starts a Chromium and stays beside it.

It outlives every worker. It answers dialogs that open while nobody is attached (one native alert
would block every later attach), refuses downloads, and takes the profile folder away at the end.
Started by `browser/providers.py`; stands alone: standard library and websockets only.
"""

import asyncio
import contextlib
import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# A band of its own, so that no browser is allowed to reach any DevTools port.
PORTS = range(23_000, 24_000)
LISTENING = re.compile(r"DevTools listening on (ws://\S+)")
TRIES = 8
PR_SET_PDEATHSIG = 1
LONGEST_MESSAGE = 500


def main() -> int:
    order = json.loads(sys.stdin.readline())
    folder = Path(order["folder"])
    chromium, endpoint = _start(order, folder)
    if chromium is None:
        _say({"error": endpoint})
        shutil.rmtree(folder, ignore_errors=True)
        return 1
    record = {"pid": os.getpid(), "pgid": os.getpgid(0), "endpoint": endpoint}
    draft = folder / "browser.json.draft"
    draft.write_text(json.dumps(record))
    draft.rename(folder / "browser.json")
    _say(record)
    signal.signal(signal.SIGTERM, lambda *_: chromium.terminate())
    try:
        asyncio.run(_keep(endpoint, chromium, folder))
    finally:
        _end(chromium)
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _say(message: dict[str, Any]) -> None:
    """One line to whoever started us; after it nobody listens any more."""
    print(json.dumps(message), flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _start(
    order: dict[str, Any], folder: Path
) -> tuple[subprocess.Popen[str], str] | tuple[None, str]:
    reason = "no free DevTools port"
    for port in random.sample(PORTS, TRIES):
        chromium = subprocess.Popen(
            [*order["command"], f"--remote-debugging-port={port}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=order["environment"],
            cwd=folder,
            preexec_fn=_die_with_keeper,
        )
        endpoint, said = _endpoint_of(chromium)
        if endpoint:
            return chromium, endpoint
        _end(chromium)
        reason = said or reason
        if "Address already in use" not in said and "bind" not in said:
            break
    return None, reason


def _die_with_keeper() -> None:
    """Linux ends the browser also when the keeper is killed without a word."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _endpoint_of(chromium: subprocess.Popen[str]) -> tuple[str, str]:
    """The DevTools address that Chromium prints, or what it said instead."""
    said: list[str] = []
    for line in chromium.stderr or ():
        if found := LISTENING.search(line):
            return found[1], ""
        said.append(line.strip())
    return "", " ".join(said)[-600:]


def _end(chromium: subprocess.Popen[str]) -> None:
    chromium.terminate()
    try:
        chromium.wait(timeout=2)
    except subprocess.TimeoutExpired:
        chromium.kill()
        chromium.wait()


async def _keep(endpoint: str, chromium: subprocess.Popen[str], folder: Path) -> None:
    drain = asyncio.get_running_loop().run_in_executor(None, _drain, chromium)
    guard = asyncio.create_task(_guard(endpoint, folder))
    await drain  # ends when Chromium does
    guard.cancel()


def _drain(chromium: subprocess.Popen[str]) -> None:
    """Read what Chromium prints, so that its pipe never fills up."""
    for _ in chromium.stderr or ():
        pass
    chromium.wait()


async def _guard(endpoint: str, folder: Path) -> None:
    from websockets.asyncio.client import connect  # after Chromium was started: it takes a while
    from websockets.exceptions import ConnectionClosed

    with contextlib.suppress(ConnectionClosed, OSError):
        async with connect(endpoint, max_size=None, compression=None) as socket:
            await Guard(socket, folder).run()


class Guard:
    """Speaks raw DevTools: attaches to every page and answers its dialogs.

    A dialog is dismissed unless `dialog.json` says otherwise for the next one. What was asked and
    answered is appended to `dialogs.jsonl` before the page goes on. `tabs.txt` names the tabs in
    the order they were opened: whoever attaches later is told of them in another one.
    """

    def __init__(self, socket: Any, folder: Path) -> None:
        self._socket = socket
        self._folder = folder
        self._last_id = 0

    async def run(self) -> None:
        await self._send("Browser.setDownloadBehavior", {"behavior": "deny"})
        await self._send(
            "Target.setAutoAttach",
            {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True},
        )
        async for text in self._socket:
            await self._hear(json.loads(text))

    async def _hear(self, message: dict[str, Any]) -> None:
        match message.get("method"):
            case "Target.attachedToTarget":
                if message["params"]["targetInfo"]["type"] == "page":
                    self._append("tabs.txt", message["params"]["targetInfo"]["targetId"])
                    await self._send("Page.enable", {}, message["params"]["sessionId"])
            case "Page.javascriptDialogOpening":
                await self._answer(message["params"], message["sessionId"])

    async def _answer(self, dialog: dict[str, Any], session: str) -> None:
        is_leaving = dialog["type"] == "beforeunload"
        order = {"accept": True, "text": ""} if is_leaving else self._order()
        said = {
            "type": dialog["type"],
            "message": dialog["message"][:LONGEST_MESSAGE],
            "accepted": order["accept"],
        }
        self._append("dialogs.jsonl", json.dumps(said))
        answer = {"accept": order["accept"], "promptText": order["text"]}
        await self._send("Page.handleJavaScriptDialog", answer, session)

    def _append(self, name: str, line: str) -> None:
        with (self._folder / name).open("a") as lines:
            lines.write(line + "\n")

    def _order(self) -> dict[str, Any]:
        """What was ordered for the next dialog; used up by this one."""
        path = self._folder / "dialog.json"
        try:
            order: dict[str, Any] = json.loads(path.read_text())
            path.unlink()
        except (OSError, ValueError):
            return {"accept": False, "text": ""}
        is_late = order["until"] < time.time()
        return {"accept": False, "text": ""} if is_late else order

    async def _send(self, method: str, params: dict[str, Any], session: str = "") -> None:
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        await self._socket.send(json.dumps(message))


if __name__ == "__main__":
    sys.exit(main())
