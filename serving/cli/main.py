"""The command line. Each command is a module below `commands`, loaded when it is asked for."""

import errno
import gc
import os
import re
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any, TextIO, cast

import click

from cairn.resources.home.advice import for_home
from cairn.resources.telemetry.spans import name_command
from cairn.serving.runtime.logging import configure_logging, say_more
from cairn.serving.runtime.streams import GoingOn, leave

COMMANDS = {
    "run": ("run", "Take in logs, make knowledge of them, publish it"),
    "ingest": ("run", "Take in a text, or knowledge in layers"),
    "import": ("exchange", "Take in what another home exported, or another program kept"),
    "export": ("exchange", "Write what is known as files"),
    "check-ins": ("run", "What became of texts that were taken in"),
    "search": ("ask", "Find facts, episodes and learnings"),
    "context": ("ask", "Memories for a prompt, within a budget of tokens"),
    "memory": ("ask", "What is known about whom"),
    "interests": ("ask", "What you care about, the most first"),
    "like": ("say", "Say that you like something"),
    "unlike": ("say", "Take that back"),
    "dislike": ("say", "Say that you dislike something"),
    "undislike": ("say", "Take that back"),
    "mute": ("say", "Hear no more of an entity"),
    "unmute": ("say", "Hear of it again"),
    "learn": ("say", "Ask for a topic to be looked into, or see what came of it"),
    "schedule": ("say", "Have a topic searched for again and again"),
    "research": ("ask", "What is to be searched for, and what was"),
    "notifications": ("ask", "What you were told unasked, and what is blocked"),
    "why": ("ask", "Where something comes from: quote, record, file and line"),
    "facts": ("ask", "List facts"),
    "learnings": ("ask", "List learnings"),
    "brief": ("ask", "What to know of a project before work starts"),
    "lesson": ("ask", "What ended an error before"),
    "entities": ("ask", "List entities"),
    "query": ("ask", "Ask what HTTP and agents ask, in their words"),
    "show": ("ask", "Explain a fact, entity, learning, episode or record"),
    "status": ("run", "What is there, how fresh it is, what waits"),
    "sources": ("run", "List, add or remove watched sources"),
    "stale": ("run", "What a changed rule, prompt or setting would redo"),
    "backfill": ("run", "Rebuild days"),
    "verify": ("run", "Make all anew to compare, and check all tables"),
    "dry-run": ("run", "What would be extracted from a file; stores nothing"),
    "prompts": ("run", "What is asked of the language model, and what came of it"),
    "metrics": ("run", "What passes each gate, what each night did, what is used, what waits"),
    "costs": ("run", "What calls to the language model cost"),
    "review": (
        "say",
        "What waits for a person: facts to decide on, and what is held in quarantine",
    ),
    "merge": ("say", "Say that facts, or entities, are one"),
    "unmerge": ("say", "Take one out of what it was merged with"),
    "keep-apart": ("say", "Say that two are two, and both hold"),
    "correct": ("say", "Put a true sentence in the place of a fact"),
    "confirm": ("say", "Say that a fact is true"),
    "rate": ("say", "Say that a learning helped, or did not"),
    "missed": ("say", "Say what should have been learnt from a record"),
    "retract": ("say", "Say that a fact is not true, or not worth knowing"),
    "dismiss": ("say", "Say that what waits in review needs nothing"),
    "undo": ("say", "Take decisions back, as if nobody had made them"),
    "forget": ("say", "Take something away for good, with all that rests on it alone"),
    "runs": ("run", "What was run, how long it took, and why it failed"),
    "dead-letters": ("run", "What could not be read, and why"),
    "upgrade": ("run", "Bring a home of an older version to this one"),
    "embedder": ("run", "Show, try or change the embedding model"),
    "doctor": ("run", "Check home, lock, versions, disk, daemon, index, model"),
    "config": ("run", "Settings in force, and where each comes from"),
    "utility": ("ask", "Whether what agents were given helped"),
    "intake": ("run", "Take in the transcripts that agents queued"),
    "connect": ("serve", "Give a coding agent its memory: hooks and MCP server"),
    "up": ("serve", "Run it all as one service: intake, nightly schedule, HTTP API"),
    "ui": ("serve", "Open Dagster's UI on this state"),
    "serve": ("serve", "Answer over HTTP"),
    "mcp": ("serve", "Give agents memory as tools"),
    "keys": ("serve", "Make, list and remove keys of the HTTP API"),
}
"""Names, in the order in which a newcomer needs them; the room of each, and what it is for."""

ATTITUDES = ("like", "unlike", "dislike", "undislike", "mute", "unmute")
"""Those that one module makes (commands/say/attitudes.py)."""


def _choose_home(ctx: click.Context, _: click.Parameter, home: Path | None) -> None:
    if home is not None:
        home = home.expanduser().absolute()
        os.environ["CAIRN_HOME"] = str(home)  # settings, and Dagster's processes, look there too
        ctx.find_root().obj = home


_LINE_END = re.compile(r"\s*\n\s*")

HOME = click.Option(
    ["--home"],
    type=click.Path(path_type=Path, file_okay=False),
    callback=_choose_home,
    expose_value=False,
    help="State folder (CAIRN_HOME; if unset, data/state in a checkout, else your data folder).",
)


def _choose_verbosity(ctx: click.Context, _: click.Parameter, times: int) -> None:
    if ctx.parent is None:
        configure_logging(times)
    else:
        say_more(times)


VERBOSE = click.Option(
    ["-v", "--verbose"],
    count=True,
    callback=_choose_verbosity,
    expose_value=False,
    help="Say on stderr what is done; -vv says more.",
)
EVERYWHERE = (HOME, VERBOSE)
"""Options that any command takes, before its name and behind it."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called: `cairn --help` stays instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order in which a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = _imported(cmd_name)
        _take_options(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; of a misspelt one, which may be meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as unknown:
            raise click.exceptions.NoSuchCommand(
                unknown.command_name, None, COMMANDS, ctx
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names with their summaries, without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what a person can mend becomes one line."""
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except click.ClickException as error:
            if type(error) is not click.ClickException:  # of wrong use
                raise
            raise click.ClickException(for_home(error.message, ctx.obj)) from error
        except (click.Abort, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BrokenPipeError as closed:
            raise BrokenPipeError from closed  # at one with a number click would exit with 1
        except BaseException as error:  # polars gives up by no `Exception`
            if (told := _told(error)) is not None:
                raise click.ClickException(for_home(told, ctx.obj)) from error
            raise


def _imported(name: str) -> click.Command:
    """The command of a module of its name; those that say what a person thinks share one."""
    room, _ = COMMANDS[name]
    module = "attitudes" if name in ATTITUDES else name.replace("-", "_")
    module += "_" * iskeyword(module)
    found = import_module(f"cairn.serving.cli.commands.{room}.{module}")
    return found.attitude(name) if name in ATTITUDES else found.command


def _take_options(command: click.Command) -> None:
    """Has a command, and those within it, take `--home` and `-v`, too: where it is put is the same.

    What a command means by an option of its own stands.
    """
    own = {name for param in command.params for name in param.opts}
    command.params += [each for each in EVERYWHERE if own.isdisjoint(each.opts)]
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _take_options(inner)


@click.group(
    cls=LazyGroup,
    params=[*EVERYWHERE],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Start with `cairn run --samples`, then `cairn search "backup fails"`.',
)
@click.version_option(package_name="cairn-logs", message="cairn %(version)s")
@click.pass_context
def cairn(ctx: click.Context) -> None:
    """Knowledge that lasts, as a pure function of your logs."""
    name_command(ctx.invoked_subcommand or "cairn")


OBJECTS_BETWEEN_LOOKS = 50_000
"""New objects after which Python looks for those that nobody needs. Of 700 at a time, as it does by
itself, most are modules and classes that stay: a sixth of the time of a start."""


def main() -> None:
    """Runs `cairn`; what a person can mend is one line on stderr. Exits 1 then, 2 for wrong use."""
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS)
    streams = sys.stdout, sys.stderr
    if "--watch" not in sys.argv:  # that has no end of its own
        sys.stdout, sys.stderr = (cast("TextIO", GoingOn(stream)) for stream in streams)
    try:
        if any(not _is_text(argument) for argument in sys.argv):
            _refuse("an argument is not valid UTF-8", 2)
        code = cairn(standalone_mode=False) or 0  # click gives the code of an Exit
        sys.stdout.flush()
        sys.exit(code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as error:
        where = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
        _refuse(f"{error.format_message()}{where}", 2)
    except click.ClickException as error:
        _refuse(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _refuse("interrupted", 130)
    except BrokenPipeError:
        leave(sys.stdout)  # who reads our output has seen enough
        sys.exit(0)
    finally:
        sys.stdout, sys.stderr = streams
        gc.freeze()  # else Python looks through all objects as it ends: a tenth of a small run


def _refuse(message: str, code: int) -> None:
    click.echo(f"cairn: {message}", err=True)
    sys.exit(code)


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _told(error: BaseException) -> str | None:
    """What a person reads of an error that they can mend; of any other one, nothing."""
    from cairn.resources.home.damage import as_damage

    error = as_damage(error) or error
    if isinstance(error, _mendable()):
        return _LINE_END.sub(" ", str(error).strip())  # blanks of a path stay
    if isinstance(error, OSError):
        # Delta's and the engine's have their whole story as the message, over several lines.
        reason = error.strerror or (str(error).strip().splitlines() or [type(error).__name__])[0]
        if error.errno == errno.ENOSPC:
            reason += ": make room, and do it again"
        return f"{error.filename}: {reason}" if error.filename else reason
    if type(error).__module__ in ("sqlalchemy.exc", "sqlite3"):  # Dagster's runs and events
        return f"{os.environ.get('DAGSTER_HOME', 'dagster')}: {getattr(error, 'orig', error)}"
    return None


def _mendable() -> tuple[type[Exception], ...]:
    """Errors whose message tells a person what to do; imported once there is an error."""
    from cairn.knowledge.ingest.adapters import AdapterError
    from cairn.resources.home.api_keys import KeyListError
    from cairn.resources.home.damage import Damaged
    from cairn.resources.home.home import HomeError
    from cairn.resources.home.settings import ConfigError
    from cairn.resources.home.sources import SourceError
    from cairn.resources.home.write_lock import LockTimeout
    from cairn.resources.limits.day import LimitReached
    from cairn.resources.llm.answer_cache import AnswersError
    from cairn.resources.vector_index.protocol import VectorIndexError
    from cairn.serving.read.id_lookup import UnknownId
    from cairn.serving.read.namespaces import Several
    from cairn.serving.read.reader import NothingPublished
    from cairn.serving.write.decisions import Undecidable
    from cairn.serving.write.deletion import Unforgettable

    return (
        AdapterError, AnswersError, Damaged, HomeError, KeyListError, LockTimeout, ConfigError,
        LimitReached, SourceError, VectorIndexError, NothingPublished, Several, Undecidable,
        Unforgettable, UnknownId,
    )  # fmt: skip
