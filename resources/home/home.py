"""The one folder that holds all run-time state."""

import os
import re
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cairn.knowledge.schema.identity import digest
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.migrations import MIGRATIONS

SCHEMA_VERSION = MIGRATIONS[-1].version
"""Rises when what lies in a home changes so that older code would misread it."""

LEAST_FREE = 100_000_000
"""Bytes that must be free on the disk before anything is written."""

FOLDERS = ("inbox", "warehouse", "index", "dagster", "publication")
OURS = {
    *FOLDERS, "schema_version", "cairn.toml", "answers.sqlite", "answers.sqlite-shm",
    "answers.sqlite-wal", "sources.json", "sources.copy.json", "write.lock", "write.lock.next",
    "checks", "checks.json", "held.json", "blocked.json", "sensor_alive", "model_waits",
    "model_goes_on", "keys.json", "forget.key", "forgetting", "search_waits", "notifications",
    "damaged", "records_dated", "warehouse.next", "usage", "run_times.jsonl", "upgrading",
    "lookup", "hooks", "daemon.lock", "watch.lock", "nothing_new.json", "verified", "nights",
    "settled", "locks", "shared", "home_id", "notes.lock", "vectors", "batches",
    "logs",
}  # fmt: skip
KEPT_ASIDE = 20
"""Damaged things that are kept; of more, the oldest go."""
PACKAGE = Path(__file__).parents[2]
CHECKOUT = PACKAGE.parent
"""Of the package; what holds it, where it does not run from a checkout."""
SAMPLES_FOLDER = (PACKAGE / "samples").resolve()
MISREAD = re.compile(r"[=?^|\\\[\]]|%[0-9A-Fa-f]{2}")
"""What no folder above may have in its name: polars takes `a=b` for a column and stops at others as
at a wrong address, and Dagster's database is looked for elsewhere."""
NAMESPACE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")

# What dagster 1.13 accepts stands in dagster/_core/instance/config.py. Storage is not named: the
# default is SQLite under DAGSTER_HOME, which is this folder. Runs of several namespaces go side by
# side, one for each core; more than one lets a sensor's run pass between the assets of a night.
DAGSTER_SECTIONS = {
    "telemetry": "telemetry:\n  enabled: false\n",
    "nux": "nux:\n  enabled: false\n",
    "python_logs": """\
# Else each event of each step of a run is printed into the terminal of `cairn ui`; all are stored.
python_logs:
  python_log_level: ERROR
""",
    "compute_logs": """\
# Nothing is printed by steps. The default manager starts processes for each run to catch it, whose
# tracebacks are what a person sees at Ctrl-C.
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
""",
    "run_queue": f"""\
run_queue:
  max_concurrent_runs: {min(max(2, os.cpu_count() or 1), 8)}
  dequeue_interval_seconds: 1
""",
    "run_monitoring": """\
run_monitoring:
  enabled: true
  start_timeout_seconds: 180
  cancel_timeout_seconds: 180
  max_runtime_seconds: 21600
  poll_interval_seconds: 60
""",
    "retention": """\
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 2
      started: 30
      success: 30
      failure: 90
""",
}
"""Settings of Dagster that Cairn writes, by section, where nobody wrote that section."""

_BODY = "# What you set here stays; sections that Cairn needs and you left out are added.\n" + (
    "".join(DAGSTER_SECTIONS.values())
)
DAGSTER_YAML = f"# {digest(_BODY)}\n{_BODY}"
"""Dagster's settings as Cairn writes them, below their digest: if it holds, nobody changed any."""

_OVERWRITTEN = "# Written by Cairn; changes made here are overwritten.\n"
"""How the file began when Cairn still wrote it at each command."""

_SECTION = re.compile(r"(?m)^(\w+)\s*:")


class HomeError(Exception):
    """The state folder cannot be used; the message says why and what to do."""


class OlderHomeError(HomeError):
    """The state folder has an older schema: it is upgraded before anything else."""

    def __init__(self, root: Path, found: int) -> None:
        super().__init__(
            f"home {root} was written by an older Cairn (schema {found}, this one needs"
            f" {SCHEMA_VERSION}): run `cairn upgrade` where it can be written"
        )
        self.root = root


@dataclass(frozen=True)
class Home:
    """A state folder, and where each thing stands in it. `root` is absolute."""

    root: Path
    lock_timeout: float = 600.0
    """Seconds that a writer waits for another one."""

    @property
    def inbox(self) -> Path:
        """Events that people and agents sent, a file per month."""
        return self.root / "inbox"

    @property
    def warehouse(self) -> Path:
        """Delta tables, unless the settings name an object store."""
        return self.root / "warehouse"

    @property
    def index(self) -> Path:
        """Generations of vectors, by namespace."""
        return self.root / "index"

    @property
    def dagster(self) -> Path:
        """Instance of Dagster: settings, runs, cursors."""
        return self.root / "dagster"

    @property
    def publication(self) -> Path:
        """Manifests that readers follow, by namespace."""
        return self.root / "publication"

    @property
    def answers(self) -> Path:
        """Answers of language models."""
        return self.root / "answers.sqlite"

    @property
    def lookup(self) -> Path:
        """What the hook client reads, a file per namespace."""
        return self.root / "lookup"

    @property
    def hooks(self) -> Path:
        """What the hook client writes beside the inbox: its log, what waits, what was offered."""
        return self.root / "hooks"

    @property
    def sources(self) -> Path:
        """Folders and files that the sensor watches."""
        return self.root / "sources.json"

    @property
    def sources_copy(self) -> Path:
        """The same list once more, sealed."""
        return self.root / "sources.copy.json"

    @property
    def keys(self) -> Path:
        """Digests of the keys of the HTTP API."""
        return self.root / "keys.json"

    @property
    def forget_key(self) -> Path:
        """The secret that tombstones are made with."""
        return self.root / "forget.key"

    @property
    def damaged(self) -> Path:
        """What was damaged and cannot be made again, set aside."""
        return self.root / "damaged"

    @property
    def has_tables(self) -> bool:
        """Whether any namespace has tables: it was run before."""
        return self.warehouse.exists() and any(self.warehouse.iterdir())

    @property
    def read_only(self) -> bool:
        """Whether it can only be read, as a backup may be."""
        return not os.access(self.root, os.W_OK | os.X_OK)

    @property
    def write_lock(self) -> Path:
        """Held by who writes to the whole home, and shared by who writes to a namespace."""
        return self.root / "write.lock"

    @property
    def vectors(self) -> Path:
        """Folder of the vectors that are dear: a file for each namespace."""
        return self.root / "vectors"

    @property
    def namespace_locks(self) -> Path:
        """Folder of locks, each held by who writes to a namespace."""
        return self.root / "locks"

    @property
    def daemon_lock(self) -> Path:
        """Held by who runs sensors and schedules."""
        return self.root / "daemon.lock"

    @property
    def watch_lock(self) -> Path:
        """Held by who takes in what comes as it comes."""
        return self.root / "watch.lock"

    @property
    def sensor_mark(self) -> Path:
        """Touched at each tick of the sensor; not there if it never ran."""
        return self.root / "sensor_alive"

    def dagster_environment(self) -> dict[str, str]:
        """Points Dagster at this home, here and in every process started from here.

        Without DAGSTER_HOME runs and cursors are kept in a temporary folder and vanish.

        Returns:
            The environment variables, which are set in this process too.
        """
        variables = {
            "CAIRN_HOME": str(self.root),
            "DAGSTER_HOME": str(self.dagster),
            "DAGSTER_DISABLE_TELEMETRY": "yes",
        }
        os.environ.update(variables)
        return variables


def find_home(path: Path | None = None) -> Path:
    """Absolute path of the state folder: the argument, else CAIRN_HOME, else the default.

    That is `data/state` in a checkout, and the user's data folder where Cairn is installed.
    """
    if path is None:
        if named := os.environ.get("CAIRN_HOME"):
            path = Path(named)
        elif (CHECKOUT / "pyproject.toml").is_file():
            path = CHECKOUT / "data" / "state"
        else:
            from platformdirs import user_data_path

            path = user_data_path("cairn", appauthor=False)
    return path.expanduser().absolute()


def open_home(path: Path | None = None, lock_timeout: float = Home.lock_timeout) -> Home:
    """The state folder, made if it is not there, readable by its owner only.

    One that may only be read is opened as it is.

    Raises:
        HomeError: it cannot be made, holds something else, or has a newer schema version.
        OlderHomeError: it has an older one.
    """
    root = find_home(path)
    try:
        _prepare(root)
    except OSError as error:
        raise HomeError(
            f"home {root}: {error.strerror}: choose another with --home or CAIRN_HOME"
        ) from error
    return Home(root, lock_timeout)


def check_room(home: Home) -> None:
    """Refuses to begin what would end halfway, where the index is mapped into memory, by a signal.

    Raises:
        HomeError: the home cannot be written, or its disk is as good as full.
    """
    check_writable(home)
    free = shutil.disk_usage(home.root).free
    if free < LEAST_FREE:
        raise HomeError(
            f"home {home.root}: {free / 1e6:.0f} MB are free, {LEAST_FREE / 1e6:.0f} are needed:"
            " make room first"
        )


def check_writable(home: Home) -> None:
    """Refuses what would change a home that can only be read.

    Raises:
        HomeError: it cannot be written.
    """
    if home.read_only:
        raise HomeError(
            f"home {home.root} is read-only: it can be searched, and nothing can be told to it or"
            " made in it; choose another with --home or CAIRN_HOME"
        )


def set_aside(home: Home, path: Path) -> Path:
    """Moves a damaged thing out of the way, to `damaged/`, and gives its new place.

    The oldest of very many go. What is forgotten goes with all of them: nobody knows what they say.
    """
    folder = home.damaged
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    folder.mkdir(mode=0o700, exist_ok=True)
    known = sorted(folder.iterdir(), key=lambda one: (one.lstat().st_mtime_ns, one.name))
    for old in known[: max(0, len(known) - KEPT_ASIDE + 1)]:
        remove(old)
    place = folder / path.name
    number = 1
    while place.is_symlink() or place.exists():
        number += 1
        place = folder / f"{path.name}.{number}"
    path.rename(place)
    return place


def remove(path: Path) -> None:
    """Removes a file, a link or a folder with all that is in it; nothing, if it is not there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def check_namespace(name: str) -> str:
    """The name, if it can be a namespace: a folder's name, and a value in any filter.

    Raises:
        ValueError: it has other characters than letters, digits, `.`, `_`, `-`, begins with a
            dot, or is longer than 64.
    """
    if not NAMESPACE.fullmatch(name):
        raise ValueError(
            f"{name[:80]!r} cannot be a namespace: use 1 to 64 letters, digits, '.', '_' or '-',"
            " and no dot at the start"
        )
    return name


def _prepare(root: Path) -> None:
    if found := MISREAD.search(str(root)):
        raise HomeError(
            f"home {root} has {found[0]} in its path, which the libraries that store its tables"
            " misread: choose another with --home or CAIRN_HOME"
        )
    if root.exists() and not root.is_dir():
        raise HomeError(f"home {root} is a file: choose a folder with --home or CAIRN_HOME")
    marker = root / "schema_version"
    if marker.exists() and Home(root).read_only:
        _check_schema(root)
        return
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _marked_version(root) is None:
        foreign = [
            entry.name
            for entry in root.iterdir()
            if entry.name not in OURS and entry.suffix != ".partial"
        ]
        if foreign:
            raise HomeError(
                f"home {root} is not empty and is no home of Cairn (it holds {min(foreign)}):"
                " choose a new folder with --home or CAIRN_HOME"
            )
        found = schema_version(root)
        if marker.is_dir() or marker.is_symlink():
            remove(marker)
        replace_file(marker, f"{found}\n".encode())
    _check_schema(root)
    if stat.S_IMODE(root.stat().st_mode) & 0o077:
        root.chmod(0o700)
    for name in FOLDERS:
        # What else stands in the place of one is set aside by a run.
        if not (root / name).is_symlink() and not (root / name).exists():
            (root / name).mkdir(mode=0o700, exist_ok=True)
    with suppress(OSError):
        _set_dagster_up(root / "dagster" / "dagster.yaml")


def _set_dagster_up(path: Path) -> None:
    """Writes Dagster's settings, unless somebody changed them; then adds the sections they lack.

    Raises:
        OSError: they cannot be written.
    """
    try:
        text = path.read_text() if path.is_file() else ""
    except UnicodeDecodeError:
        text = ""
    if text == DAGSTER_YAML:
        return
    first, _, rest = text.partition("\n")
    if not text.strip() or text.startswith(_OVERWRITTEN) or first == f"# {digest(rest)}":
        replace_file(path, DAGSTER_YAML.encode())
        return
    named = set(_SECTION.findall(text))
    lacking = "".join(told for name, told in DAGSTER_SECTIONS.items() if name not in named)
    # Where it is written as one value in braces, nothing can be added at its end.
    if lacking and named and not path.is_symlink():
        replace_file(path, f"{text.rstrip()}\n{lacking}".encode())


def schema_version(root: Path) -> int:
    """The schema of a home. Where its mark cannot be read, what stands in it tells."""
    marked = _marked_version(root)
    if marked is not None:
        return marked
    older = [
        step.version - 1
        for step in MIGRATIONS
        if any((root / "warehouse" / name).exists() for name in step.tables)
        or (step.by_namespace and (root / "warehouse" / "records" / "_delta_log").exists())
    ]
    return min(older, default=SCHEMA_VERSION)


def _marked_version(root: Path) -> int | None:
    try:
        marked = int(read_regular(root / "schema_version"))
    except (ValueError, OSError):
        return None
    return marked if marked >= 0 else None


def _check_schema(root: Path) -> None:
    found = schema_version(root)
    if found > SCHEMA_VERSION:
        raise HomeError(
            f"home {root} was written by a newer Cairn (schema {found}, this one knows"
            f" {SCHEMA_VERSION}): update with `git pull && make setup`"
        )
    if found < SCHEMA_VERSION:
        raise OlderHomeError(root, found)
