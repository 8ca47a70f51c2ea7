"""The whole product in the foreground, until a signal."""

import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from django.core.management import call_command
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from core import engines, env, metrics
from core.engines.grounds import log_file
from core.processes.children import Child, RunningChild
from core.processes.claims import HOST, StackError, claim_data_dir, require_free_port
from core.processes.logs import Screen

OWN = "stack"  # the supervisor's own name on the screen
TICK_S = 0.2
ENGINES_EVERY_S = 2.0
READY_LIMIT_S = 60.0
FAILURES_LIMIT = 3  # while starting; a child that has worked is started again for ever
STOP_ONE_S = 3.5
STOP_ALL_S = 7.0
GRACEFUL = ["--timeout-graceful-shutdown", "3"]
CELERY = [sys.executable, "-m", "celery", "--quiet", "--app", "config"]
CALM = ["--loglevel", "INFO"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Stack:
    """Engines, steps, then the children in order; all of it undone in reverse order.

    `children` are web, worker and beat unless others are given; `extra` ones come after them.
    `steps` run when the engines answer, before any child. `cleanup` is called before the engines
    start and after the last child ended.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int,
        children: Sequence[Child] | None = None,
        extra: Sequence[Child] = (),
        steps: Sequence[Callable[[], None]] | None = None,
        cleanup: Callable[[Path], object] | None = None,
    ) -> None:
        self.data_dir = data_dir
        self.port = port
        self.url = f"http://{HOST}:{port}"
        own = product(data_dir, port=port) if children is None else children
        self._children = [*own, *extra]
        self._steps = [metrics.clear, migrate] if steps is None else steps
        self._cleanup = cleanup
        names = [child.name for child in self._children]
        self._screen = Screen(sys.stdout, max(len(name) for name in [OWN, *names]))
        self._running: list[RunningChild] = []
        self._began = time.monotonic()
        self._is_up = False
        self._is_late = False
        self._look_at_engines_at = 0.0
        self._signals: list[float] = []

    def run_until_signal(self, *, on_ready: Callable[[], None] | None = None) -> None:
        """Blocks. `on_ready` is called once, when every child is ready. Raises StackError when
        the product cannot start; whatever was started is stopped first."""
        with ExitStack() as undo:
            undo.enter_context(self._heeding_signals())
            undo.enter_context(claim_data_dir(self.data_dir))
            for variable, port in self._ports():
                require_free_port(port, variable=variable)
            self._clean_up()
            undo.callback(engines.stop_engines, self.data_dir)
            undo.callback(self._clean_up)
            self._start_engines()
            for step in self._steps:
                step()
            undo.callback(self._stop_children)
            for child in self._children:
                self.start(child)
            self._watch(on_ready)
            self._say("stopping")
            # Beat is ended in the middle of whatever it does, and says so at length.
            self._screen.silence("beat")

    def start(self, child: Child) -> None:
        """Add a child while the others run."""
        log = log_file(self.data_dir, child.name)
        running = RunningChild(child, log=log, screen=self._screen)
        self._running.append(running)
        running.start()

    def _watch(self, on_ready: Callable[[], None] | None) -> None:
        while not self._signals:
            self._listen()
            for running in self._running:
                self._tend(running)
            self._keep_engines()
            if not self._is_up:
                self._look_whether_up(on_ready)

    def _listen(self) -> None:
        """Pass on what the children say; returns after a tick at the latest."""
        outputs = [output for running in self._running for output in running.outputs()]
        select.select(outputs, [], [], TICK_S)
        for running in self._running:
            running.read()

    def _tend(self, running: RunningChild) -> None:
        if running.has_died():
            if not self._is_up and running.failures >= FAILURES_LIMIT:
                name = running.child.name
                raise StackError(
                    f"{name} stopped {running.failures} times while starting. "
                    f"Its last words are above and in {self.data_dir / 'logs' / name}.log"
                )
        elif running.is_due():
            running.start()

    def _look_whether_up(self, on_ready: Callable[[], None] | None) -> None:
        for running in self._running:
            running.look_whether_ready()
        took_s = time.monotonic() - self._began
        if waiting := [running.child.name for running in self._running if not running.is_ready]:
            if took_s > READY_LIMIT_S and not self._is_late:
                self._is_late = True
                self._say(f"still waiting for {', '.join(waiting)}; see {self.data_dir / 'logs'}")
            return
        self._is_up = True
        self._screen.show(
            f"\nPointsman is ready after {took_s:.1f} s: {self.url}/\nCtrl-C ends it.\n"
        )
        if on_ready:
            on_ready()

    def _start_engines(self) -> None:
        try:
            if started := engines.start_engines(self.data_dir):
                self._say(f"started {' and '.join(started)}")
        except engines.EngineError as error:
            raise StackError(str(error)) from error

    def _keep_engines(self) -> None:
        """An engine that died is started again; the children wait for it as well as they can."""
        if time.monotonic() < self._look_at_engines_at:
            return
        self._look_at_engines_at = time.monotonic() + ENGINES_EVERY_S
        if missing := engines.missing_engines(self.data_dir):
            self._say(f"{' and '.join(missing)} stopped")
            try:
                self._start_engines()
            except StackError as error:
                self._say(str(error))

    def _stop_children(self) -> None:
        """In reverse order, each with a time to end well; then what is left is killed."""
        last = time.monotonic() + STOP_ALL_S
        for running in reversed(self._running):
            running.ask_to_stop()
            limit = min(last, time.monotonic() + STOP_ONE_S)
            while running.is_running() and time.monotonic() < limit and not self._is_hurried():
                self._listen()
            if running.is_running():
                self._say(f"killing {running.child.name}, which did not stop")
            running.end()

    def _clean_up(self) -> None:
        if self._cleanup:
            self._cleanup(self.data_dir)

    def _ports(self) -> list[tuple[str, int]]:
        """Each with the variable that chooses another one: PORT for the web, else NAME_PORT."""
        return [
            ("PORT" if port == self.port else f"{child.name.upper()}_PORT", port)
            for child in self._children
            if child.ready_url and (port := urlsplit(child.ready_url).port)
        ]

    def _say(self, line: str) -> None:
        self._screen.say(OWN, line)

    @contextmanager
    def _heeding_signals(self) -> Iterator[None]:
        before = {number: signal.getsignal(number) for number in SIGNALS}
        for number in SIGNALS:
            if number != signal.SIGHUP or before[number] != signal.SIG_IGN:  # nohup keeps us on
                signal.signal(number, self._heed)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _heed(self, _number: int, _frame: FrameType | None) -> None:
        """Only noted, so that nothing is cut in the middle; a third one cuts after all."""
        self._signals.append(time.monotonic())
        if len(self._signals) > 2 and self._is_hurried():
            raise KeyboardInterrupt

    def _is_hurried(self) -> bool:
        """Asked again. A shell or make may pass one Ctrl-C on twice at the same moment."""
        return bool(self._signals) and self._signals[-1] - self._signals[0] > 1


def product(data_dir: Path, *, port: int) -> list[Child]:
    """The children that make Pointsman: web, worker, beat."""
    (data_dir / "beat").mkdir(mode=0o700, parents=True, exist_ok=True)
    here = {
        "DATA_DIR": str(data_dir),
        "PORT": str(port),
        # `doctor` says it once, in words that help.
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }
    return [
        Child("web", web_command(port), here, ready_url=f"http://{HOST}:{port}/healthz"),
        # Celery closes a pool around every task, also under the threads that work beside it.
        Child(
            "worker", worker_command(), {**here, "DATABASE_POOL_SIZE": "0"}, ready_text=" ready."
        ),
        Child("beat", beat_command(data_dir / "beat" / "schedule"), here),
    ]


def web_command(port: int) -> list[str]:
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application"]
    where = ["--host", HOST, "--port", str(port)]
    manner = ["--no-access-log", "--no-proxy-headers", "--no-server-header", "--lifespan", "off"]
    return [*command, *where, *manner, "--ws", "websockets-sansio", *GRACEFUL]


def worker_command() -> list[str]:
    width = env.integer("WORKER_CONCURRENCY", default=2)
    # One worker has nobody to gossip with; asking around costs a second at every start.
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return [*CELERY, "worker", "--pool", "prefork", "--concurrency", str(width), *alone, *CALM]


def beat_command(schedule: Path) -> list[str]:
    return [*CELERY, "beat", "--schedule", str(schedule), "--pidfile", "", *CALM]


def migrate() -> None:
    """Bring the database up to date; keeps no connection open."""
    call_command("migrate", interactive=False, verbosity=0)
    for connection in connections.all():
        connection.close()
        if isinstance(connection, DatabaseWrapper):
            connection.close_pool()
