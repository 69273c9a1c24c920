"""`cairn interests`."""

from datetime import datetime
from typing import Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.pages import page, plain, rows
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    emit_json,
    print_table,
    say,
    sparkline,
)
from cairn.serving.models.parameters import At
from cairn.serving.read.reader import open_reader
from cairn.serving.status.pending import ATTITUDES, listed

_COLUMNS = (
    TerminalColumn("rank", "#"),
    TerminalColumn("score"),
    TerminalColumn("display_name", "name", wide=True),
    TerminalColumn("type", from_width=90),
    TerminalColumn("active_facts", "facts"),
    TerminalColumn("last_engaged_at", "last", from_width=70),
    TerminalColumn("spark", "12 weeks", from_width=60),
    TerminalColumn("muted", "", from_width=50),
    TerminalColumn("signs", "made of", most=32, from_width=110),
    TerminalColumn("entity_id", "id", from_width=100),
)


@click.command(
    epilog="""\b
Examples:
  cairn interests
  cairn interests --as-of 2026-03-01 --limit 5
  cairn interests --json"""
)
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@parameters(At, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, limit: int, namespace: str | None, as_of: datetime | None, as_json: bool
) -> None:
    """What you care about, by what you did and said; the most first."""
    state = options.state_of(ctx)
    named, reader, waiting = listed(state, namespace, ATTITUDES)
    if reader is not None and as_of is not None:
        reader = open_reader(state, named, as_of)
    found = page("interests", reader, limit) if reader else None
    if as_json:
        emit_json(plain(found, named, waiting))
        return
    shown = rows(found)
    top = max((abs(value) for row in shown for value in row["curve"]), default=0.0)
    if found and shown:
        print_table([_shown(row, top) for row in shown], _COLUMNS)
        say(f"{len(shown):,} of {found.total:,}", style="dim")
    elif not waiting:
        advise("No sign yet of what you care about: `cairn like TOPIC` gives one.")
    say_pending(waiting)


def _shown(row: dict[str, Any], top: float) -> dict[str, Any]:
    kinds = dict.fromkeys(sign["engagement_type"].replace("_", " ") for sign in row["signs"])
    return row | {
        "spark": sparkline([value / top for value in row["curve"]]) if top else "",
        "muted": "muted" if row["muted"] else "",
        "signs": ", ".join(kinds),
    }
