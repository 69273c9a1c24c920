"""`cairn learnings`."""

import click
import polars as pl

from serving import options
from serving.reader import NothingPublished, open_reader
from serving.terminal import console, emit_json, one_line


@click.command(
    epilog="""\b
Examples:
  cairn learnings
  cairn learnings --category bug_fix --min-confidence 0.8 --json"""
)
@click.option(
    "--category",
    type=click.Choice(
        ["pattern", "best_practice", "anti_pattern", "bug_fix", "optimization", "tool_usage",
         "workflow", "decision"]
    ),
    help="Only this category.",
)  # fmt: skip
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Least confidence.")
@options.limit(10)
@options.namespace
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    category: str | None,
    min_confidence: float | None,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """List reusable lessons, the surest first, with their quotes."""
    try:
        reader = open_reader(options.state_of(ctx), namespace)
    except NothingPublished as error:
        raise click.ClickException(str(error)) from None
    found = reader.learnings()
    if category is not None:
        found = found.filter(pl.col("category") == category)
    if min_confidence is not None:
        found = found.filter(pl.col("confidence") >= min_confidence)
    rows = found.collect()
    shown = rows.head(limit)
    if as_json:
        emit_json(
            {
                "namespace": reader.namespace,
                "total": rows.height,
                "learnings": shown.drop("simhash").to_dicts(),
            }
        )
        return
    out = console()
    for row in shown.iter_rows(named=True):
        out.print(f"[bold]{row['confidence']:.2f}[/]  [cyan]{row['category']}[/]  ", end="")
        out.print(one_line(row["title"]), style="bold", markup=False)
        for line in row["content"].splitlines():
            out.print(f"      {one_line(line)}", markup=False)
        out.print(f"      {row['learning_id']}  {', '.join(row['tags'])}\n", style="dim")
    out.print(f"{shown.height:,} of {rows.height:,}", style="dim")
