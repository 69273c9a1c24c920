"""`cairn upgrade`."""

from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import emit_json, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.resources.upgrade import TableUpgrade


@click.command(
    epilog="""\b
Examples:
  cairn upgrade --dry-run
  cairn upgrade

Any other command upgrades an older home by itself, before anything else. Nothing is lost, and
nothing is asked of a language model again. Run again after an interruption, it finishes; a second
run does nothing. Stop `cairn ui` and `cairn serve` of the older version before."""
)
@click.option("--dry-run", is_flag=True, help="Tell what would be done, and change nothing.")
@options.as_json
@click.pass_context
def command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Bring a home that an older Cairn wrote to the schema of this one."""
    from cairn.resources.home.home import HomeError, find_home
    from cairn.resources.home.settings import load_settings
    from cairn.resources.upgrade import upgrade_home

    settings = load_settings()
    root = find_home(ctx.find_root().obj or settings.home)
    if not (root / "schema_version").exists():
        raise HomeError(f"home {root} is not there: nothing is to be upgraded")
    done = upgrade_home(root, settings, lock_timeout=settings.lock_timeout, dry_run=dry_run)
    if as_json:
        emit_json(
            {
                "home": str(done.home), "from_version": done.from_version,
                "to_version": done.to_version, "dry_run": done.dry_run,
                "tables": [table._asdict() for table in done.tables],
                "files": done.files, "settings": done.settings,
                "namespaces": done.namespaces,
            }
        )  # fmt: skip
        return
    if done.from_version == done.to_version:
        say(f"Nothing to upgrade: the home has schema {done.to_version}.")
    else:
        what = "would be upgraded" if dry_run else "is upgraded"
        say(f"The home {what} from schema {done.from_version} to {done.to_version}:")
        for table in done.tables:
            say(_line(table), indent=2)
        for old, new in done.files.items():
            say(f"{old} → {new}", indent=2)
        if done.namespaces:
            say(f"tables of their own: {', '.join(done.namespaces)}", indent=2)


def _line(table: "TableUpgrade") -> str:
    name = table.table if table.table == table.new_name else f"{table.table} → {table.new_name}"
    columns = ", ".join(f"{old} → {new}" for old, new in table.columns.items())
    return f"{name}, {count(table.rows, 'row')}{f': {columns}' if columns else ''}"
