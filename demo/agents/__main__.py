"""`python -m demo.agents checkout-bot --api URL --key pm_... --shop URL`"""

import argparse
import contextlib
import itertools
import os
import signal
import sys
import time
from types import FrameType

from demo.agents import checkout_bot, price_watch
from demo.agents.pointsman import KeyRefused, Pointsman, Refused, RoundOver, Say
from demo.agents.visit import Visit

PLAYS = {"checkout-bot": checkout_bot.play, "price-watch": price_watch.play}


class Stopped(BaseException):
    """Somebody asked this process to end."""


def main() -> int:
    asked = parse_arguments()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)

    prefix = "" if asked.no_name else f"{asked.agent}: "

    def say(line: str) -> None:
        print(f"{prefix}{line}", flush=True)

    pointsman = Pointsman(asked.api.rstrip("/"), key=asked.key, say=say)
    rounds = range(asked.rounds) if asked.rounds else itertools.count()
    try:
        for number in rounds:
            play_round(pointsman, asked, number=number, say=say)
            time.sleep(asked.pause)
    except Stopped:
        pointsman.say_goodbye()
    except KeyRefused:
        say("Pointsman does not know this key; stopping")
        return 2
    return 0


def play_round(pointsman: Pointsman, asked: argparse.Namespace, *, number: int, say: Say) -> None:
    try:
        pointsman.open_run(f"{asked.shop}/", label=f"{asked.agent}, round {number + 1}")
        say("opened a run on the shop")
        PLAYS[asked.agent](Visit(pointsman, shop=asked.shop, say=say), number=number, say=say)
    except RoundOver as over:
        say(str(over))
    except Refused as refused:
        say(f"could not open a run: {refused}")
    # Refused here means that the run is over already, which is what was wanted.
    with contextlib.suppress(Refused):
        pointsman.finish_run()


def stop(number: int, frame: FrameType | None) -> None:
    """Leave what is being waited for. A second signal must not cut the goodbye short."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise Stopped


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo.agents", description="A demo agent of Pointsman.")
    parser.add_argument("agent", choices=sorted(PLAYS))
    parser.add_argument("--api", default="http://127.0.0.1:8000/api/v1")
    parser.add_argument(
        "--key", default=os.environ.get("POINTSMAN_KEY", ""), help="or POINTSMAN_KEY"
    )
    parser.add_argument("--shop", default="http://127.0.0.1:8001")
    parser.add_argument("--pause", type=float, default=20, help="seconds between two rounds")
    parser.add_argument("--rounds", type=int, default=0, help="how many rounds; 0 goes on for ever")
    parser.add_argument("--no-name", action="store_true", help="the supervisor names the lines")
    asked = parser.parse_args()
    if not asked.key:
        parser.error("an API key is needed: --key or POINTSMAN_KEY")
    asked.shop = asked.shop.rstrip("/")
    return asked


if __name__ == "__main__":
    sys.exit(main())
