"""What this machine has and lacks, in plain words. Needs no running database."""

import os
import platform
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
import psycopg
import redis
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core import engines
from core.chromium import chromium_version, find_chromium
from core.processes.claims import StackError, require_free_port, supervisor_of

MIB = 1024 * 1024
RUN_MIB = 400  # one Chromium with one page
START = "`make run` starts it."


@dataclass(frozen=True)
class Finding:
    """One line of the report. `missing` means that Pointsman cannot work without it."""

    name: str
    state: Literal["ok", "warn", "missing"]
    text: str


def examine() -> Iterator[Finding]:
    """All checks, each as soon as it is known."""
    yield python()
    yield chromium()
    yield chromium_sandbox()
    yield fonts()
    yield data_folder()
    yield disk()
    yield memory()
    yield shared_memory()
    yield open_files()
    yield port()
    database = postgres()
    yield database
    yield valkey()
    if database.state == "ok" and "not running" not in database.text:
        yield migrations()


def ok(name: str, text: str) -> Finding:
    return Finding(name, "ok", text)


def warn(name: str, text: str) -> Finding:
    return Finding(name, "warn", text)


def missing(name: str, text: str) -> Finding:
    return Finding(name, "missing", text)


def python() -> Finding:
    """An older one would not have come this far: its newer syntax stops it."""
    return ok("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def chromium() -> Finding:
    given = os.environ.get("CHROMIUM_PATH", "")
    program = find_chromium()
    if program is None and given:
        return missing("chromium", f"CHROMIUM_PATH={given} is no program that can be run.")
    if program is None:
        return missing("chromium", "none found. `make setup` fetches one, or set CHROMIUM_PATH.")
    version = chromium_version(program)
    if version is None:
        return missing("chromium", f"{program} does not start; try `{program} --version`.")
    return ok("chromium", f"{version} at {program}")


def chromium_sandbox() -> Finding:
    if sys.platform != "linux":
        return ok("sandbox", "Chromium's own sandbox is on.")
    if os.geteuid() == 0:
        return warn(
            "sandbox",
            "running as root: Chromium's own sandbox is off. Run as a normal user where you can.",
        )
    if _kernel_says("kernel/apparmor_restrict_unprivileged_userns", "1") or _kernel_says(
        "kernel/unprivileged_userns_clone", "0"
    ):
        return warn(
            "sandbox",
            "this kernel restricts user namespaces; Chromium's own sandbox works only if the "
            "package installed its helper or profile.",
        )
    return ok("sandbox", "Chromium's own sandbox is on.")


def _kernel_says(name: str, value: str) -> bool:
    path = Path("/proc/sys") / name
    return path.exists() and path.read_text().strip() == value


def fonts() -> Finding:
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts"]
    if sys.platform != "linux":
        return ok("fonts", "the system's own")
    found = (path.suffix for folder in folders for path in folder.rglob("*"))
    if not {".ttf", ".otf", ".ttc", ".pfb"}.isdisjoint(found):
        return ok("fonts", "found")
    return warn("fonts", "none found, pictures will show boxes: apt install fonts-liberation")


def data_folder() -> Finding:
    folder: Path = settings.DATA_DIR
    nearest = next(path for path in [folder, *folder.parents] if path.exists())
    if os.access(nearest, os.W_OK | os.X_OK):
        return ok("data", f"{folder} can be written")
    return missing("data", f"{folder} cannot be written by this user: set DATA_DIR.")


def disk() -> Finding:
    folder: Path = settings.DATA_DIR
    nearest = next(path for path in [folder, *folder.parents] if path.exists())
    free = shutil.disk_usage(nearest).free // MIB
    text = f"{free:,} MiB free for {folder}"
    if free < 300:
        return missing("disk", f"{text}; an empty database alone takes 60, give it 1,000.")
    return warn("disk", f"{text}; that is little.") if free < 1000 else ok("disk", text)


def memory() -> Finding:
    available = psutil.virtual_memory().available // MIB
    text = f"{available:,} MiB available; each open run takes about {RUN_MIB}"
    if available < 3 * RUN_MIB:
        return warn("memory", f"{text}: lower MAX_OPEN_RUNS.")
    return ok("memory", text)


def shared_memory() -> Finding:
    if not Path("/dev/shm").is_dir():
        return ok("shm", "not used here")
    size = shutil.disk_usage("/dev/shm").total // MIB
    if size < 256:
        return warn("shm", f"/dev/shm has {size} MiB, too little for heavy pages: --shm-size=1g")
    return ok("shm", f"/dev/shm has {size:,} MiB")


def open_files() -> Finding:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit != resource.RLIM_INFINITY and limit < 1024:
        return warn("files", f"at most {limit} open files: raise it with `ulimit -n 4096`.")
    return ok("files", f"up to {limit:,} open files")


def port() -> Finding:
    number: int = settings.PORT
    holder = supervisor_of(settings.DATA_DIR)
    try:
        require_free_port(number)
    except StackError as error:
        if holder:
            return ok("port", f"{number} is held; Pointsman runs as process {holder}")
        return missing("port", str(error))
    return ok("port", f"{number} is free")


def postgres() -> Finding:
    given = os.environ.get("DATABASE_URL")
    if not given and not engines.postgres_runs(settings.DATA_DIR):
        return _embedded("postgres", engines.postgres_program())
    url = given or engines.database_url(settings.DATA_DIR)
    try:
        with psycopg.connect(url, connect_timeout=3) as session:
            version = session.info.server_version
    except psycopg.Error as error:
        return missing("postgres", f"does not answer: {str(error).strip()}")
    return ok("postgres", f"PostgreSQL {version // 10000}.{version % 10000} answers")


def valkey() -> Finding:
    if not os.environ.get("REDIS_URL") and not engines.valkey_runs(settings.DATA_DIR):
        return _embedded("valkey", engines.valkey_program())
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=3) as session:
            facts = session.info("server")
    except (redis.RedisError, ValueError) as error:
        return missing("valkey", f"REDIS_URL does not answer: {error}")
    version = facts.get("valkey_version") or facts["redis_version"]
    return ok("valkey", f"{facts.get('server_name', 'redis')} {version} answers")


def _embedded(name: str, program: Path) -> Finding:
    """Not running is no fault; a program that cannot run on this machine is one."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return missing(name, f"the one in .venv does not run here: {error}")
    version = done.stdout.split(" sha=")[0].strip()
    return ok(name, f"not running; {START} ({version})")


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        return warn("migrations", f"{len(pending)} to apply; `make run` applies them.")
    return ok("migrations", "all applied")
