"""`cairn interests`."""

from datetime import datetime
from typing import Any

import click

from serving.cli import options
from serving.cli.report import say_pending
from serving.cli.terminal import Column, advise, emit_json, print_table, say, sparkline
from serving.query.interests import interests, total
from serving.read.reader import open_reader
from serving.status.pending import ATTITUDES, as_rows, listed

_COLUMNS = (
    Column("rank", "#"),
    Column("score"),
    Column("display_name", "name", wide=True),
    Column("type", from_width=90),
    Column("active_facts", "facts"),
    Column("last_engaged_at", "last", from_width=70),
    Column("spark", "12 weeks", from_width=60),
    Column("muted", "", from_width=50),
    Column("signs", "made of", most=32, from_width=110),
    Column("entity_id", "id", from_width=100),
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
@options.as_of
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """What you care about, by what you did and said; the most first."""
    state = options.state_of(ctx)
    named, reader, waiting = listed(state, namespace, ATTITUDES)
    if reader is not None and as_of is not None:
        reader = open_reader(state, named, as_of)
    rows = interests(reader, limit).rows if reader else []
    every = total(reader) if reader else 0
    if as_json:
        emit_json(
            {
                "namespace": named,
                "as_of": reader and reader.as_of,
                "total": every,
                "interests": rows,
                "waiting": as_rows(waiting),
            }
        )
        return
    top = max((abs(value) for row in rows for value in row["curve"]), default=0.0)
    if rows:
        print_table([_shown(row, top) for row in rows], _COLUMNS)
        say(f"{len(rows):,} of {every:,}", style="dim")
    elif not waiting:
        advise("No sign yet of what you care about: `cairn like TOPIC` gives one.")
    say_pending(waiting)


def _shown(row: dict[str, Any], top: float) -> dict[str, Any]:
    kinds = dict.fromkeys(sign["engagement_type"].replace("_", " ") for sign in row["made_of"])
    return row | {
        "spark": sparkline([value / top for value in row["curve"]]) if top else "",
        "muted": "muted" if row["muted"] else "",
        "signs": ", ".join(kinds),
    }
