"""`cairn stale`."""

from dataclasses import asdict

import click

from serving import options
from serving.terminal import Column, count, emit_json, print_table, say

COLUMNS = (
    Column("name"),
    Column("kind"),
    Column("change"),
    Column("days"),
    Column("conversations", "convs"),
    Column("rows"),
    Column("calls"),
    Column("tokens", from_width=90),
    Column("dollars", from_width=90),
)


@click.command(
    epilog="""\b
Examples:
  cairn stale
  cairn stale --json

`cairn run` redoes what is stale; `cairn backfill --stale --from DAY --to DAY` does so in part."""
)
@options.as_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show what a changed rule, adapter, stage or setting would redo, and what is simply new."""
    state = options.state_of(ctx)
    state.home.dagster_environment()
    from pipelines.run import plan
    from pipelines.stale import staleness

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
        columns = COLUMNS if asked else COLUMNS[:-2]
        rows = [asdict(change) for change in found.changes]
        for row in rows:
            row["dollars"] = "price not known" if row["dollars"] is None else row["dollars"]
        print_table(rows, columns)
        if asked:
            say("Calls as far as is known: what facts are asked about is told by the names found.")
        say(f"{count(len(found.stale_days), 'day')} would be redone by `cairn run`.")
    else:
        say("Nothing is stale: all that is there was made by the rules and settings in force.")
    if found.new_days or planned.files:
        say(
            f"New, apart from that: {count(planned.files, 'file')} to take in,"
            f" {count(len(found.new_days), 'day')} with"
            f" {count(found.new_conversations, 'conversation')} to do."
        )
