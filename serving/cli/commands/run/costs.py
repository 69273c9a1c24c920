"""`cairn costs`."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import click
import polars as pl

from cairn.knowledge.llm.costs import BY, costs
from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.report import shown_dollars, spent
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table, say
from cairn.serving.read.display import count

COLUMNS = (
    TerminalColumn("calls"),
    TerminalColumn("failed", from_width=145),
    TerminalColumn("tokens_in", "in"),
    TerminalColumn("tokens_out", "out"),
    TerminalColumn("tokens_cached", "cached", from_width=145),
    TerminalColumn("dollars"),
)
_GROUPED = {
    "asset": TerminalColumn("asset", from_width=125),
    "prompt": TerminalColumn("prompt"),
    "fingerprint": TerminalColumn("fingerprint", from_width=160),
    "model": TerminalColumn("model", wide=True, from_width=100),
    "day": TerminalColumn("day"),
}
"""Narrower terminals add up without it, unless it is asked for."""


def _columns(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if name not in BY:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(BY)}", ctx, param)
    return list(dict.fromkeys(names))


@click.command(
    epilog="""\b
Examples:
  cairn costs
  cairn costs --by day --since 2026-03-01
  cairn costs --by asset,model --json

A price that is not known is no 0: such calls are counted, and left out of the dollars."""
)
@click.option(
    "--by", "by", metavar="COLUMNS", callback=_columns,
    help=f"Which of {', '.join(BY)} to add up by, with commas between. [all that fit]",
)  # fmt: skip
@options.since
@options.limit(50)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    by: list[str] | None,
    since: datetime | None,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Show what calls to the language model cost, the newest day first."""
    state = options.state_of(ctx)
    if by is None:
        width = None if as_json else console().width
        by = [name for name in BY if width is None or width >= _GROUPED[name].from_width]
    calls = state.answers.ledger()
    if namespace is not None:
        if namespace not in calls["namespace"]:
            check_known(state, namespace)
        calls = calls.filter(pl.col("namespace") == namespace)
    if since is not None:
        calls = calls.filter(pl.col("called_at") >= since)
    rows = costs(calls, by)
    total = costs(calls).row(0, named=True)
    page = rows.head(limit)
    if as_json:
        emit_json({"by": by, "total": total, "groups": rows.height, "costs": page.to_dicts()})
        return
    if not total["calls"]:
        say(f"No call to a language model was paid{_in_vain(total)}.")
        return
    print_table(
        ({**row, "dollars": _dollars(row)} for row in page.iter_rows(named=True)),
        (*(replace(_GROUPED[name], from_width=0) for name in by), *COLUMNS),
    )
    say(f"{spent(total)}.")
    console().print(f"{page.height:,} of {rows.height:,} rows", style="dim")


def _in_vain(total: dict[str, Any]) -> str:
    missing = total["unanswered"]
    return f": {count(missing, 'call')} without an answer, see `cairn doctor`" if missing else ""


def _dollars(row: dict[str, Any]) -> str:
    """Dollars of a group as a cell, and how many of its calls are not in them."""
    if row["dollars"] is None:
        return "unknown"
    more = f" and {count(row['unpriced'], 'call')} unknown" if row["unpriced"] else ""
    return shown_dollars(row["dollars"]) + more
