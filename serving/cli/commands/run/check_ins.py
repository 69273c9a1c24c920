"""`cairn check-ins`."""

from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    emit_json,
    print_table,
    say,
    say_value,
)
from cairn.serving.read.display import count
from cairn.serving.status.pending import TEXTS, as_rows, listed

if TYPE_CHECKING:
    from cairn.serving.read.reader import Reader

COLUMNS = (
    TerminalColumn("check_in_id", "id"),
    TerminalColumn("at", from_width=80),
    TerminalColumn("title", most=30),
    TerminalColumn("outcome"),
    TerminalColumn("loaded"),
    TerminalColumn("rejected"),
    TerminalColumn("given", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn check-ins
  cairn check-ins i_3f9a
  cairn check-ins --json

One for each text that was taken in, or part of a long one. Nothing is kept where the setting
`policy.check_ins` is off."""
)
@click.argument("check_in", required=False, metavar="ID")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, check_in: str | None, limit: int, namespace: str | None, *, as_json: bool
) -> None:
    """What was given, what the model answered, and what was made of it."""
    from cairn.knowledge.schema.tables import CHECK_INS, RAW_LOGS

    namespace, reader, waiting = listed(options.state_of(ctx), namespace, TEXTS)
    if reader is None:
        if as_json:
            emit_json({"namespace": namespace, "check_ins": [], "waiting": as_rows(waiting)})
        else:
            say_pending(waiting)
        return
    rows = reader.table(CHECK_INS).join(
        reader.table(RAW_LOGS, ["record_id", "name", "occurred_at"]), on="record_id", how="left"
    )
    rows = rows.rename({"name": "title", "occurred_at": "at"})
    if check_in:
        rows = rows.filter(pl.col("check_in_id").str.starts_with(check_in))
    # The latest text first, its parts in their order.
    found = rows.sort("at", "record_id", "start", descending=[True, False, False]).collect()
    if check_in and found.height != 1:
        what = f"{found.height} check-ins begin with" if found.height else "no check-in begins with"
        raise click.ClickException(f"{what} {check_in}; see `cairn check-ins`")
    if check_in:
        _show(reader, found.row(0, named=True), as_json=as_json)
    elif as_json:
        page = found.head(limit).to_dicts()
        emit_json({"namespace": namespace, "check_ins": page, "waiting": as_rows(waiting)})
    elif found.height:
        short = found.with_columns(
            pl.col("loaded").list.len(), pl.col("rejected").list.len(), pl.col("at").dt.date()
        )
        print_table(short.head(limit).to_dicts(), COLUMNS)
        if found.height > limit:
            say(f"{found.height - limit} more: --limit")
    elif not waiting:
        advise("No text was taken in yet: `cairn ingest FILE`.")
    if not (check_in or as_json):
        say_pending(waiting)


def _show(reader: "Reader", row: dict[str, Any], *, as_json: bool) -> None:
    from cairn.knowledge.schema.tables import CANDIDATES

    made = (
        reader.table(CANDIDATES, ["candidate_id", "kind", "predicate", "content", "quote"])
        .filter(pl.col("candidate_id").is_in(row["loaded"]))
        .sort("kind", "content")
        .collect()
        .to_dicts()
    )
    if as_json:
        emit_json({"namespace": reader.namespace, **row, "made": made})
        return
    for label in ("check_in_id", "at", "title", "record_id", "extractor", "outcome", "reason"):
        if row[label] is not None:
            say_value(label, row[label])
    say("Given:")
    say(row["given"], indent=2)
    if row["answer"]:
        say("Answered:")
        say(row["answer"], indent=2)
    say(f"Made of it: {count(len(made), 'candidate')}")
    for one in made:
        say(f"{one['predicate']}: {one['content']}", indent=2)
    for reason in row["rejected"]:
        say(f"refused: {reason}", indent=2)
