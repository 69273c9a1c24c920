"""`cairn stale`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.report import shown_dollars
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.pipelines.planning.stale import ExtractorChange

COLUMNS = (
    TerminalColumn("name"),
    TerminalColumn("kind"),
    TerminalColumn("change"),
    TerminalColumn("days"),
    TerminalColumn("conversations", "convs"),
    TerminalColumn("rows"),
    TerminalColumn("calls"),
    TerminalColumn("tokens", from_width=110),
    TerminalColumn("dollars", from_width=110),
)


@click.command(
    epilog="""\b
Examples:
  cairn stale
  cairn stale --json

`cairn run` redoes what is stale; `cairn backfill --stale --from DAY --to DAY` does so in part. A
language model is asked again only within a budget, or where `cairn backfill --stale` is told to."""
)
@options.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show what a changed rule, prompt, adapter or setting would redo, and what is simply new."""
    state = options.state_of(ctx)
    state.home.dagster_environment()
    from cairn.pipelines.planning.stale import staleness
    from cairn.pipelines.runner import plan

    found = staleness(state)
    planned = plan(state)
    if as_json:
        emit_json(
            {
                "changes": found.changes,
                "stale_days": found.stale_days,
                "new": {
                    "days": found.new_days,
                    "conversations": found.new_conversations,
                    "files": planned.files,
                },
            }
        )
        return
    if found.changes:
        asked = any(change.calls for change in found.changes)
        columns = COLUMNS if asked else COLUMNS[:-3]
        rows = [asdict(change) for change in found.changes if not _silent(change)]
        for row in rows:
            known = row["dollars"] is not None
            row["dollars"] = shown_dollars(row["dollars"]) if known else "unknown"
        if rows:
            print_table(rows, columns)
        if silent := [change.name for change in found.changes if _silent(change)]:
            say(f"Changed too, with nothing of their own to redo: {', '.join(silent)}.")
        if asked:
            say(f"Asked of the language model: {in_words(found.changes)}; as far as is known before"
                " it answers, since the names found tell what facts are asked about.")  # fmt: skip
        advise(f"{count(len(found.stale_days), 'day')} would be redone by `cairn run`.")
        if asked and not state.asks_again:
            advise("No budget is set: `cairn run` asks nothing again, earlier answers stand in;"
                   " `cairn backfill --stale` asks, and a budget lets each run ask.")  # fmt: skip
    else:
        say("Nothing is stale: all that is there was made by the rules and settings in force.")
    if found.new_days or planned.files:
        say(
            f"New, apart from that: {count(planned.files, 'file')} to take in,"
            f" {count(len(found.new_days), 'day')} with"
            f" {count(found.new_conversations, 'conversation')} to do."
        )


def _silent(change: "ExtractorChange") -> bool:
    """Whether it redoes nothing by itself: a prompt, whose stage has what follows."""
    return not (change.days or change.conversations or change.rows or change.calls)


def in_words(changes: "Sequence[ExtractorChange]") -> str:
    """All that the language model would be asked, and for how much."""
    calls, tokens = sum(change.calls for change in changes), sum(one.tokens for one in changes)
    costs = [change.dollars for change in changes if change.calls]
    known = [cost for cost in costs if cost is not None]
    price = f"about {shown_dollars(sum(known))} dollars" if known else "for a price not known"
    more = ", and more whose price is not known" if 0 < len(known) < len(costs) else ""
    return f"{count(calls, 'call')}: {tokens:,} tokens, {price}{more}"
