"""Agents that are connected: their settings files are edited, and put back as they were."""

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cairn.integrations.agents import Agent, SettingsError, SettingsFile, Wiring
from cairn.resources.home.atomic_files import read_regular, replace_file
from cairn.resources.home.home import Home, check_writable
from cairn.resources.home.notes import NoteError, read_note

BACKUP = ".before-cairn"
"""Ends the name of the copy that stands beside a file of an agent."""


@dataclass(frozen=True)
class Connection:
    """A settings file that we wrote into."""

    agent: str
    path: str
    user: bool
    """Whether it is of the user; else of a project."""
    existed: bool
    digest: str
    """Of what was written: while it is that, the file is put back byte for byte."""
    connected_at: float


@dataclass(frozen=True)
class SettingsChange:
    """What is written into a settings file, or was; the same text if nothing is to be changed."""

    path: Path
    before: str
    after: str

    @property
    def changes(self) -> bool:
        """Whether the file is another one afterwards."""
        return self.before != self.after


@dataclass(frozen=True)
class AgentState:
    """How an agent stands to Cairn."""

    name: str
    title: str
    is_here: bool
    connected: list[str]
    """Settings files that we wrote into, and that still name us."""
    last_event_at: float | None
    """When a hook of it last ran; None if none ever did."""
    untrusted: list[str]
    """Those of the files whose hooks it does not run until a person trusts them."""

    @property
    def heard_at(self) -> datetime | None:
        """The same moment, by the clock of UTC."""
        at = self.last_event_at
        return None if at is None else datetime.fromtimestamp(at, UTC)


class HookFault(NamedTuple):
    """When a hook said nothing since something was wrong, at which moment, and why."""

    at: float
    moment: str
    why: str


def hook_faults(home: Home, days: float) -> list[HookFault]:
    """Faults of the last days that the hook client noted."""
    since = time.time() - days * 86_400
    found: list[HookFault] = []
    with suppress(OSError):
        for line in read_regular(home.hooks / "log.jsonl").split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):
                entry = json.loads(line)
                fault = HookFault(float(entry["at"]), str(entry["moment"]), str(entry["why"]))
                if fault.at >= since:
                    found.append(fault)
    return found


def connections(home: Home) -> list[Connection]:
    """What was written, and not taken back; a list that cannot be read counts as none."""
    try:
        return read_note(home.hooks / "connections.json", list[Connection])
    except (FileNotFoundError, NoteError):
        return []


def states(
    home: Home, agents: Mapping[str, Agent], user_home: Path, environment: Mapping[str, str]
) -> list[AgentState]:
    """Each agent: whether it is here, connected, and when its last event arrived."""
    known = connections(home)
    found: list[AgentState] = []
    for agent in agents.values():
        files = sorted(
            one.path for one in known if one.agent == agent.name and Path(one.path).is_file()
        )
        last = None
        with suppress(OSError):
            last = (home.hooks / "agents" / agent.name).stat().st_mtime
        here = agent.is_here(user_home, environment)
        untrusted = agent.untrusted(files, user_home, environment, last)
        found.append(AgentState(agent.name, agent.title, here, files, last, untrusted))
    return found


def connect(
    home: Home,
    agent: Agent,
    root: Path,
    wiring: Wiring,
    environment: Mapping[str, str],
    *,
    user: bool,
    dry_run: bool = False,
) -> list[SettingsChange]:
    """Writes hooks and MCP server into an agent's settings; again changes nothing.

    Args:
        home: Where it is noted.
        agent: Which.
        root: Home folder of the user, or folder of the project.
        wiring: What the agent is told.
        environment: Variables that may move its settings.
        user: Whether `root` is that of the user.
        dry_run: Only tell what would be written.

    Raises:
        SettingsError: a file cannot be edited; then none is.
    """
    edits = [
        (file, before, file.connect(before, wiring))
        for file in agent.files(agent, root, user, environment)
        for before in [_read(file)]
    ]
    changes = [SettingsChange(file.path, before, after) for file, before, after in edits]
    if dry_run:
        return changes
    check_writable(home)
    noted = {one.path: one for one in connections(home)}
    for file, before, after in edits:
        path = str(file.path)
        known = noted.get(path)
        if known is None or known.digest != _digest(before):
            original = file.disconnect(before) if known or before == after else before
            existed = known.existed if known else file.path.exists()
            _keep(file.path, original, existed=existed)
            known = Connection(agent.name, path, user, existed, "", time.time())
        if before != after:
            _write(file.path, after)
        noted[path] = replace(known, digest=_digest(after))
        _note(home, noted)
    return changes


def disconnect(
    home: Home,
    agent: Agent,
    root: Path,
    environment: Mapping[str, str],
    *,
    user: bool,
    dry_run: bool = False,
) -> list[SettingsChange]:
    """Takes hooks and MCP server out again: byte for byte, if nobody changed the file since.

    Raises:
        SettingsError: a file cannot be edited.
    """
    noted = {one.path: one for one in connections(home)}
    changes: list[SettingsChange] = []
    for file in agent.files(agent, root, user, environment):
        before, known = _read(file), noted.get(str(file.path))
        backup = _backup(file.path)
        untouched = known is not None and known.digest == _digest(before)
        if untouched and backup.exists():
            after = backup.read_bytes().decode(errors="surrogateescape")
        else:
            after = "" if untouched and known and not known.existed else file.disconnect(before)
        changes.append(SettingsChange(file.path, before, after))
        if dry_run:
            continue
        if before != after:
            if after or (known and known.existed):
                _write(file.path, after)
            else:
                file.path.unlink(missing_ok=True)
        backup.unlink(missing_ok=True)
        if noted.pop(str(file.path), None):
            _note(home, noted)
    return changes


def _read(file: SettingsFile) -> str:
    try:
        return file.path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file.path} cannot be read: {error}") from None


def _keep(path: Path, text: str, *, existed: bool) -> None:
    if existed:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        replace_file(_backup(path), text.encode(), mode)


def _write(path: Path, text: str) -> None:
    """In place of a file, or of what a link leads to; its mode stays."""
    place = path.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o600
    replace_file(place, text.encode(errors="surrogateescape"), mode)


def _backup(path: Path) -> Path:
    return path.with_name(f"{path.name}{BACKUP}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _note(home: Home, noted: Mapping[str, Connection]) -> None:
    home.hooks.mkdir(mode=0o700, exist_ok=True)
    rows = [asdict(one) for _, one in sorted(noted.items())]
    replace_file(home.hooks / "connections.json", json.dumps(rows, indent=1).encode(), 0o600)
