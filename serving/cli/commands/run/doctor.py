"""`cairn doctor`."""

import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
from rich.text import Text

from cairn.resources.home.advice import command as told_command
from cairn.resources.home.advice import for_home
from cairn.resources.home.home import LEAST_FREE
from cairn.serving.cli import options
from cairn.serving.cli.finding import Finding
from cairn.serving.cli.model_findings import asked_findings, asked_models, model_findings
from cairn.serving.cli.telemetry_findings import telemetry_findings
from cairn.serving.cli.terminal import console, emit_json
from cairn.serving.read.display import size

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.resources.warehouse.publication import Manifest

LIBRARIES = (
    "click", "dagster", "dagster-webserver", "deltalake", "hdbscan", "great-expectations",
    "litellm", "msgspec", "numpy", "obstore", "polars", "pyarrow", "pydantic", "qdrant-client",
    "qdrant-edge-py", "rich", "scikit-learn", "tree-sitter-bash", "wordllama",
)  # fmt: skip
LITTLE_SPACE = 1_000_000_000
MARKS = {"ok": ("ok     ", "green"), "warning": ("warning", "yellow"), "error": ("error  ", "red")}


@click.command(
    epilog="""\b
Examples:
  cairn doctor
  cairn doctor --json
  cairn doctor --model     (asks the language model one small question, which may cost a little)

Exits with 1 if there is an error."""
)
@click.option(
    "--model", "asks", is_flag=True,
    help="Ask the language model one small question: speed, form of answers, context, price.",
)  # fmt: skip
@options.as_json
@click.pass_context
def command(ctx: click.Context, asks: bool, as_json: bool) -> None:
    """Check home, tables, lock, versions, disk, daemon, index and model."""
    state = _opened(ctx)
    asked = asked_models(state) if asks else []
    found = (
        asked_findings(asked, state.settings)
        if asks
        else (finding for check in CHECKS for finding in _guarded(check, state))
    )
    named = ctx.find_root().obj
    findings = [replace(each, advice=for_home(each.advice, named)) for each in found]
    if as_json:
        told = {"models": [one._asdict() for one in asked]} if asks else {}
        emit_json({"home": state.home.root, "checks": findings, **told})
    else:
        out = console()
        for finding in findings:
            mark, style = MARKS[finding.level]
            out.print(Text.assemble((mark, style), f"  {finding.check}: {finding.found}"),
                      soft_wrap=True)  # fmt: skip
            if finding.advice:
                click.echo(f"         {finding.advice}")  # a shell takes it as it is
    if any(finding.level == "error" for finding in findings):
        raise click.exceptions.Exit(1)


def _opened(ctx: click.Context) -> "State":
    """The home, with the settings' defaults where they cannot be read."""
    from cairn.resources.context import State
    from cairn.resources.home.home import open_home
    from cairn.resources.home.settings import ConfigError, default_settings, named_home

    try:
        return options.state_of(ctx)
    except ConfigError:
        return State(open_home(ctx.find_root().obj or named_home()), default_settings())


def _guarded(check: Callable[["State"], Iterator[Finding]], state: "State") -> Iterator[Finding]:
    """A check that breaks is a finding, too."""
    from cairn.resources.home.damage import RUN, as_damage, first_line

    name = check.__name__.strip("_").replace("_", " ")
    try:
        yield from check(state)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # polars gives up by no `Exception`
        if as_damage(error) is not None:
            yield Finding(name, "warning", "cannot be told while tables are damaged", RUN)
        else:
            found = f"{type(error).__name__}: {first_line(error)}"
            yield Finding(name, "error", found, "mend what is damaged, or report it")


def _damage(state: "State") -> Iterator[Finding]:
    """All that is stored, read whole: what is damaged, what that costs, and what mends it."""
    from cairn.resources.repair.home_damage import home_damage

    found = home_damage(state, deep=True)
    for each in found:
        lost = "" if each.lost == "nothing" else f"; lost: {each.lost}"
        yield Finding(each.what, "error", f"{each.found} ({each.where}){lost}", each.advice)
    if not found:
        yield Finding("damage", "ok", "none: all that is stored is as it was written")


def _home(state: "State") -> Iterator[Finding]:
    root = state.home.root
    mode = stat.S_IMODE(root.stat().st_mode)
    if state.home.read_only:
        yield Finding("home", "warning", f"{root} is read-only",
                      "it can be searched; what writes needs another, with --home")  # fmt: skip
    elif mode & 0o077:
        yield Finding("home", "warning", f"{root} is open to others",
                      told_command("chmod", "700", root))  # fmt: skip
    else:
        yield Finding("home", "ok", f"{root}, readable by its owner only")


def _disk(state: "State") -> Iterator[Finding]:
    free = shutil.disk_usage(state.home.root).free
    # Blocks: the index's files are mostly holes.
    used = sum(file.lstat().st_blocks * 512 for file in state.home.root.rglob("*"))
    found = f"{size(free)} free, {size(used)} in the home"
    if free < LEAST_FREE:
        yield Finding("disk", "error", found, "make room before the next run")
    elif free < LITTLE_SPACE:
        yield Finding("disk", "warning", found, "make room soon")
    else:
        yield Finding("disk", "ok", found)


def _versions(_: "State") -> Iterator[Finding]:
    from cairn.resources.home.home import CHECKOUT

    running = sys.version_info[:2]
    python = ".".join(str(part) for part in sys.version_info[:3])
    level = "ok" if (3, 11) <= running < (3, 14) else "error"
    yield Finding("python", level, python, "" if level == "ok" else "use Python 3.11 to 3.13")
    lock = CHECKOUT / "requirements.lock"
    pinned = _pins(lock) if lock.is_file() else {}
    missing: list[str] = []
    other: list[str] = []
    for name in LIBRARIES:
        try:
            found = version(name)
        except PackageNotFoundError:
            missing.append(name)
            continue
        if name in pinned and found not in pinned[name]:
            other.append(f"{name} {found} (pinned {' or '.join(sorted(pinned[name]))})")
    if missing:
        yield Finding("libraries", "error", f"missing: {', '.join(missing)}", "make setup")
    if other:
        yield Finding("libraries", "warning", ", ".join(other), "make setup")
    if not missing and not other:
        told = "as pinned" if pinned else "there (no requirements.lock beside the code)"
        yield Finding("libraries", "ok", f"{len(LIBRARIES)} {told}")


def _pins(lock: Path) -> dict[str, set[str]]:
    """Versions that the lock allows, by name; several where they differ by Python."""
    pins: dict[str, set[str]] = {}
    for line in lock.read_text().splitlines():
        name, same, rest = line.partition("==")
        if same and not line.startswith(" "):
            pins.setdefault(name.partition("[")[0], set()).add(rest.split()[0].rstrip(";"))
    return pins


def _settings(_: "State") -> Iterator[Finding]:
    from cairn.resources.home.settings import ConfigError, explain

    try:
        own = [setting for setting in explain() if setting.source != "default"]
    except ConfigError as error:
        yield Finding("settings", "error", str(error), "mend what it names; until then this has"
                      " the defaults, and looks at nothing outside the home")  # fmt: skip
        return
    yield Finding("settings", "ok", f"{len(own)} set, the others are defaults")


def _prompts(state: "State") -> Iterator[Finding]:
    from cairn.resources.home.settings import ConfigError

    if state.settings.prompts_dir is None:
        return
    try:
        own = ", ".join(state.settings.prompts.own) or "none differs from what ships"
    except ConfigError as error:
        yield Finding(
            "prompts", "error", str(error), "mend what it names; until then no run starts"
        )
    else:
        yield Finding("prompts", "ok", f"your own: {own}")


def _lock(state: "State") -> Iterator[Finding]:
    from cairn.resources.home.write_lock import lock_holder

    holder = lock_holder(state.home)
    yield Finding("lock", "ok", f"held by {holder}" if holder else "free")


def _limits(state: "State") -> Iterator[Finding]:
    """Namespaces that had what they may of the day."""
    from cairn.resources.limits.day import day_uses
    from cairn.serving.status.freshness import all_namespaces

    if not state.settings.limits:
        return
    uses = [use for name in all_namespaces(state) for use in day_uses(state, name)]
    for use in uses:
        if use.reached:
            yield Finding("limits", "warning", use.words,
                          "it goes on at 00:00 UTC, or where `limits` has more")  # fmt: skip
    if not any(use.reached for use in uses):
        yield Finding("limits", "ok", "no namespace had all that it may of today")


def _daemon(state: "State") -> Iterator[Finding]:
    from cairn.serving.cli.commands.run.status import SENSOR_SILENCE, sensor_state

    sensor = sensor_state(state)
    if sensor["watched_by"]:
        yield Finding("intake", "ok", f"new logs are taken in at once by {sensor['watched_by']}")
    if sensor["alive"]:
        by = f" by {sensor['run_by']}" if sensor["run_by"] else ""
        yield Finding("sensor", "ok", f"alive: new logs are taken in{by}")
    elif sensor["watched_by"]:
        yield Finding(
            "sensor", "ok", "not needed for intake; searches and nights wait for `cairn up`"
        )
    elif sensor["last_tick"] is None:
        yield Finding("sensor", "warning", "has never run",
                      "`cairn up` starts it; `cairn run` takes in logs without it")  # fmt: skip
    else:
        yield Finding("sensor", "warning", f"no tick for over {SENSOR_SILENCE:.0f} s", "`cairn up`")


def _sources(state: "State") -> Iterator[Finding]:
    from cairn.resources.home.log_files import closed_folders
    from cairn.resources.home.sources import SourceError, list_sources

    try:
        found = list_sources(state.home)
    except SourceError:
        yield Finding("sources", "warning", "cannot be told: their list is damaged, see above")
        return
    gone = [source.path for source in found if source.is_gone]
    closed = [place for source in found for place in closed_folders(Path(source.path))]
    if closed:
        more = f" and {len(closed) - 1:,} more" if len(closed) > 1 else ""
        yield Finding("sources", "warning", f"cannot be read: {closed[0]}{more}",
                      "what lies in it is passed over")  # fmt: skip
    if gone:
        yield Finding("sources", "warning", f"gone: {', '.join(gone)}",
                      "`cairn sources remove PATH`; what was read stays")  # fmt: skip
    elif found:
        yield Finding("sources", "ok", f"{len(found)} registered")
    else:
        yield Finding("sources", "warning", "none is registered", "`cairn run --source PATH`")


def _sharing(state: "State") -> Iterator[Finding]:
    """Whether what homes share can be reached, and has all of this one."""
    from cairn.resources.home.home import HomeError

    shared = state.sharing
    if shared is None:
        return
    behind: list[str] = []
    ahead: list[str] = []
    try:
        named = shared.store.folders()
        for name in state.namespaces():
            copy = shared.of(name)
            if copy.newest() > copy.known.number:
                behind.append(name)
            elif copy.changed():
                ahead.append(name)
    except HomeError as error:
        yield Finding("sharing", "error", str(error),
                      "mend `warehouse` or `storage_options`, or try again later")  # fmt: skip
        return
    if ahead:
        yield Finding("sharing", "warning", f"not pushed yet: {', '.join(ahead)}", "`cairn run`")
    if behind:
        yield Finding("sharing", "ok", f"readers pull next: {', '.join(behind)}")
    if not (ahead or behind):
        count = len([name for name in named if not name.startswith(".")])
        yield Finding("sharing", "ok", f"{shared.address}: {count} namespaces, all pushed")


def _publication(state: "State") -> Iterator[Finding]:
    from cairn.serving.status.freshness import blocking_reasons

    held = blocking_reasons(state)
    for name, reasons in held.items():
        found = "; ".join(reasons)
        anew = "`cairn backfill --from DAY --to DAY --force` rebuilds its rows"
        advice = "" if "`cairn" in found else anew  # what strikes out too much says what to do
        yield Finding(f"publication of {name}", "error", f"blocked: {found}", advice)
    if not held:
        yield Finding("publication", "ok", "no namespace is blocked")


def _tables(state: "State") -> Iterator[Finding]:
    from cairn.resources.home.damage import RUN, Damaged
    from cairn.resources.warehouse.publication import namespaces

    names = namespaces(state.home)
    if not names:
        yield Finding("tables", "warning", "nothing is published yet", "`cairn run --samples`")
    for name in names:
        try:
            manifest = _published(state, name)
        except Damaged as error:
            yield Finding(f"tables of {name}", "error", str(error), RUN)
            continue
        broken = [table for table in manifest.tables if not _reads(state, manifest, table)]
        if broken:
            yield Finding(f"tables of {name}", "error", f"cannot be read: {', '.join(broken)}",
                          RUN)  # fmt: skip
        else:
            yield Finding(f"tables of {name}", "ok", f"all {len(manifest.tables)} can be read")


def _published(state: "State", name: str) -> "Manifest":
    from cairn.resources.home.damage import RUN, Damaged
    from cairn.resources.warehouse.publication import published

    if (manifest := published(state.home, name)) is None:
        raise Damaged(f"{name} is not published: {RUN}")
    return manifest


def _reads(state: "State", manifest: "Manifest", table: str) -> bool:
    """Whether a published version of a table can be opened and counted."""
    import polars as pl

    from cairn.knowledge.schema.tables import TABLES
    from cairn.resources.home.damage import Damaged, reading
    from cairn.resources.warehouse.publication import read_published

    try:
        with reading():
            read_published(state.warehouse, manifest, TABLES[table]).select(pl.len()).collect()
    except (Damaged, KeyError, OSError):
        return False
    return True


def _qdrant_server(state: "State") -> Iterator[Finding]:
    from cairn.resources.vector_index.protocol import VectorIndexError
    from cairn.resources.warehouse.publication import namespaces

    settings, check = state.settings, "qdrant server"
    if settings.qdrant_url is None:
        return
    from cairn.resources.vector_index.server import ServerIndex

    index = state.index
    if not isinstance(index, ServerIndex):
        return
    try:
        there, held = index.overview()
    except VectorIndexError as error:
        yield Finding(check, "error", str(error))
        return
    found = f"{settings.qdrant_url}, version {there}, collections of ours: {sum(held.values())}"
    advice: list[str] = []
    if _minor(there) - _minor(version("qdrant-client")) not in (-1, 0, 1):
        client = version("qdrant-client")
        advice.append(f"qdrant-client {client} is made for servers one minor version around it")
    address = urlsplit(settings.qdrant_url)
    if settings.qdrant_api_key and address.scheme == "http" and not _loopback(address.hostname):
        advice.append("the key and all points go over the network unencrypted: use https")
    if strangers := sorted(held.keys() - set(namespaces(state.home))):
        named = ", ".join(strangers[:5])
        advice.append(f"collections of namespaces that are not in this home: {named}; another home"
                      " on that server needs another qdrant_prefix")  # fmt: skip
    yield Finding(check, "warning" if advice else "ok", found, "; ".join(advice))


def _minor(number: str) -> int:
    return int(number.split(".")[1])


def _loopback(host: str | None) -> bool:
    return host == "localhost" or (host or "").startswith("127.") or host == "::1"


def _index(state: "State") -> Iterator[Finding]:
    from cairn.knowledge.schema.tables import VECTOR_INDEX
    from cairn.resources.home.damage import Damaged
    from cairn.resources.vector_index.protocol import VectorIndexError
    from cairn.resources.warehouse.publication import namespaces, published, read_published

    embedded = state.settings.qdrant_url is None
    if embedded and shutil.disk_usage(state.home.root).free < LEAST_FREE:
        yield Finding("index", "warning", "not looked at: it is mapped into memory, and that fails"
                      " where the disk is full", "make room first")  # fmt: skip
        return
    for name in namespaces(state.home):
        try:
            manifest = published(state.home, name)
        except Damaged:
            continue
        if manifest is None or manifest.generation is None:
            continue
        try:
            generation = state.index.generation(name, manifest.generation)
            state.index.search(name, manifest.generation, text="test", limit=1)
        except VectorIndexError as error:
            yield Finding(f"index of {name}", "error", str(error))
            continue
        listed = read_published(state.warehouse, manifest, VECTOR_INDEX).select("points").collect()
        points = int(listed["points"].sum()) if listed.height else -1
        if points != generation.points:
            yield Finding(f"index of {name}", "error",
                          f"{generation.points} points, the tables say {points}",
                          "`cairn run` makes it again")  # fmt: skip
        elif generation.model != state.embedder.model:
            yield Finding(f"index of {name}", "warning", f"made with {generation.model}",
                          "`cairn run` embeds anew")  # fmt: skip
        else:
            yield Finding(f"index of {name}", "ok", f"{generation.points:,} points, answers")


def _dead_letters(state: "State") -> Iterator[Finding]:
    from cairn.serving.query.dead_letters import letters

    found = letters(state)
    if found:
        yield Finding("dead letters", "warning", f"{len(found)}", "`cairn dead-letters`")
    else:
        yield Finding("dead letters", "ok", "none")


def _feedback(state: "State") -> Iterator[Finding]:
    """Thumbs for learnings: a changed prompt may have given what one was meant for another id."""
    from cairn.knowledge.learnings.feedback import REACTIONS, feedback, unplaced
    from cairn.knowledge.schema.tables import LEARNINGS, RAW_LOGS

    given = feedback(state.warehouse.read(RAW_LOGS).filter(REACTIONS).collect())
    columns = ["namespace", "learning_id", "feedback"]
    lost = unplaced(given, state.warehouse.read(LEARNINGS, columns=columns).collect())
    if lost.height:
        named = ", ".join(lost["learning_id"].unique().sort().head(5))
        found = f"{lost.height} of {given.height} thumbs move nothing: no learning is {named}"
        advice = "`cairn learnings` has the ids of today; thumb the one that is meant"
        yield Finding("feedback", "warning", found, advice)
    elif given.height:
        yield Finding("feedback", "ok", f"{given.height} thumbs, each moves a learning")


def _notify(state: "State") -> Iterator[Finding]:
    """Whether Apprise can read each address; nothing is sent, and no address is shown."""
    from cairn.resources.web.notifier import unreadable

    if state.settings.notify is None:
        yield Finding("notify", "ok", "none is set: what was found is told in a file of the home")
        return
    wrong = unreadable(state.settings)
    if wrong:
        found = f"Apprise cannot read {', '.join(wrong)}"
        yield Finding("notify", "warning", found, "what is found for these is told nowhere")
    else:
        yield Finding("notify", "ok", "Apprise reads every address; nothing was sent")


def _hooks(state: "State") -> Iterator[Finding]:
    """Why hooks of agents said nothing, where something was wrong, and when."""
    from cairn.resources.connections import connections, hook_faults

    known = sorted({one.agent for one in connections(state.home)})
    faults = hook_faults(state.home, days=7)
    if not faults:
        found = f"connected: {', '.join(known)}" if known else "no agent is connected"
        yield Finding("hooks", "ok", found)
        return
    last = max(faults, key=lambda one: one.at)
    when = datetime.fromtimestamp(last.at, UTC)
    found = f"silent {len(faults)} times in 7 days, last on {when:%Y-%m-%d %H:%M} ({last.moment})"
    yield Finding(
        "hooks", "warning", f"{found}: {last.why}", "`cairn run` makes anew what they read"
    )


CHECKS = (
    _home, _damage, _disk, _versions, _settings, _prompts, _lock, _limits, _daemon, _sources,
    _sharing, _publication, _tables, model_findings, _qdrant_server, _index, _notify,
    _dead_letters, _feedback, _hooks, telemetry_findings,
)  # fmt: skip
