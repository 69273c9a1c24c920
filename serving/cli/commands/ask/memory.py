"""`cairn memory`."""

from datetime import datetime

import click
import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.schema.fact_types import is_event
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.report import ENTITY_COLUMNS
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.models.parameters import AlsoEvents
from cairn.serving.query.interests import interest
from cairn.serving.read.display import count
from cairn.serving.read.reader import best_first, open_reader

_FACTS = (
    TerminalColumn("fact_id", "id"),
    TerminalColumn("effective", "confidence"),
    TerminalColumn("predicate", most=24),
    TerminalColumn("content", "what", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn memory             (what it knows about, the most first)
  cairn memory 3           (what it knows about the third)
  cairn memory 3 --events --json
  cairn memory 3 delete --dry-run   (what would go with it: see cairn forget)"""
)
@click.argument("number", type=click.IntRange(1), required=False)
@click.argument("verb", type=click.Choice(["delete"]), required=False)
@click.option("--dry-run", is_flag=True, help="Of delete: only the receipt.")
@click.option("--yes", is_flag=True, help="Of delete: do not ask.")
@parameters(AlsoEvents, "events")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@parameters(AlsoEvents, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    number: int | None,
    verb: str | None,
    dry_run: bool,
    yes: bool,
    events: bool,
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """What is known about whom: a numbered list, the facts about one of it, or to forget one."""
    if (dry_run or yes) and verb is None:
        raise click.UsageError("--dry-run and --yes belong to `memory N delete`", ctx)
    reader = open_reader(options.state_of(ctx), namespace, as_of)
    known = reader.top_entities().collect().with_row_index("number", 1)
    if number is None:
        page = known.head(limit)
        if as_json:
            emit_json(
                {"namespace": reader.namespace, "total": known.height, "memory": page.to_dicts()}
            )
            return
        print_table(page.iter_rows(named=True), (TerminalColumn("number", "#"), *ENTITY_COLUMNS))
        advise(f"{page.height:,} of {known.height:,}; `cairn memory N` tells what is known of one")
        return
    if number > known.height:
        raise click.ClickException(
            f"there is no number {number}: {count(known.height, 'entity', 'entities')} in memory"
        )
    entity = known.row(number - 1, named=True)
    if verb == "delete":
        from cairn.serving.cli.commands.say.forget import confirm, execute
        from cairn.serving.write.deletion import Target

        if not (dry_run or yes):
            name = f"{entity['display_name']} of {reader.namespace}"
            confirm(f"{name}, and what names it", as_json=as_json)
        wanted = Target(reader.namespace, "entity", entity["entity_id"])
        execute(reader.state, wanted, dry_run=dry_run, as_json=as_json)
        return
    held = pl.col("status").is_in(STANDING)
    plain = pl.lit(events) | ~is_event()
    facts = best_first(reader.about([entity["entity_id"]]).lazy().filter(held, plain)).collect()
    page = facts.head(limit)
    cared = interest(reader, entity["entity_id"])
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "entity": entity,
                "interest": cared,
                "total": facts.height,
                "facts": page.to_dicts(),
            }
        )
        return
    say(f"{entity['display_name']} ({entity['type']})  {entity['entity_id']}", style="bold")
    if cared:
        muted = ", muted" if cared["muted"] else ""
        say(f"interest {cared['score']:.2f}, number {cared['rank']:,}{muted}", indent=2)
    print_table(page.iter_rows(named=True), _FACTS, indent=2)
    say(f"{page.height:,} of {facts.height:,}", style="dim", indent=2)
