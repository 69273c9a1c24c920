"""The command line. Each command is a module of `serving.commands`, loaded when it is asked for."""

import sys
from importlib import import_module
from pathlib import Path

import click

COMMANDS = {
    "run": "Take in logs, make knowledge of them, publish it",
    "search": "Find facts, episodes and learnings",
    "facts": "List facts",
    "learnings": "List learnings",
    "entities": "List entities",
    "show": "Explain a fact, entity, learning, episode or record",
    "status": "What is there, how fresh it is, what waits",
    "sources": "List or remove watched sources",
    "stale": "What a changed rule or setting would redo",
    "backfill": "Make days anew",
    "dead-letters": "What could not be read, and why",
    "doctor": "Check home, lock, versions, disk, daemon, index, model",
    "config": "Settings in force, and where each comes from",
    "ui": "Open Dagster's UI on this state",
}


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
        module = import_module(f"serving.commands.{cmd_name.replace('-', '_')}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names with their summaries, without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Start with `cairn run --samples`, then `cairn search "backup fails"`.',
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="State folder (CAIRN_HOME; data/state in the checkout if unset).",
)
@click.version_option(package_name="cairn", message="cairn %(version)s")
@click.pass_context
def cairn(ctx: click.Context, home: Path | None) -> None:
    """Knowledge that lasts, as a pure function of your logs."""
    ctx.obj = home


def main() -> None:
    """Runs `cairn`. What a person can mend is one line on stderr, and exit code 1 (2: wrong use)."""
    from resources.home import HomeError
    from resources.settings import ConfigError

    try:
        cairn(standalone_mode=False)
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
        sys.stderr.close()
        sys.exit(0)
    except (HomeError, ConfigError) as error:
        _refuse(str(error), 1)


def _refuse(message: str, code: int) -> None:
    click.echo(f"cairn: {message}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
