"""`cairn interests`."""

from datetime import datetime
from typing import Any

import click

from serving import options
from serving.interests import interests, total
from serving.reader import open_reader
from serving.terminal import Column, emit_json, print_table, say, sparkline

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
    reader = open_reader(options.state_of(ctx), namespace, as_of)
    page = interests(reader, limit)
    every = total(reader)
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "total": every,
                "interests": page.rows,
            }
        )
        return
    top = max((abs(value) for row in page.rows for value in row["curve"]), default=0.0)
    print_table([_shown(row, top) for row in page.rows], _COLUMNS)
    say(f"{len(page.rows):,} of {every:,}", style="dim")


def _shown(row: dict[str, Any], top: float) -> dict[str, Any]:
    kinds = dict.fromkeys(sign["engagement_type"].replace("_", " ") for sign in row["made_of"])
    return row | {
        "spark": sparkline([value / top for value in row["curve"]]) if top else "",
        "muted": "muted" if row["muted"] else "",
        "signs": ", ".join(kinds),
    }
