"""`cairn learnings`."""

import click
import polars as pl

from cairn.knowledge.schema.tables import LEARNINGS
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.pages import page, rows
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.terminal import console, emit_json, say
from cairn.serving.models.parameters import LearningParameters
from cairn.serving.query.learning_versions import versions_of
from cairn.serving.read.display import count, one_line
from cairn.serving.read.reader import open_reader
from cairn.serving.status.pending import RATINGS, as_rows, pending


@click.command(
    epilog="""\b
Examples:
  cairn learnings
  cairn learnings --category bug_fix --min-confidence 0.8 --json"""
)
@parameters(LearningParameters, "category", "min_confidence", min_confidence={"default": None})
@options.limit(10)
@options.namespace(options.ONE_NAMESPACE)
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
    """List reusable lessons, the surest first."""
    reader = open_reader(options.state_of(ctx), namespace)
    found = page("learnings", reader, limit, category=category, min_confidence=min_confidence)
    ids = pl.Series([one.learning_id for one in found.items], dtype=pl.String)
    told = versions_of(reader, reader.rows(LEARNINGS, "learning_id", ids))
    earlier = {
        learning_id: sum(not version["stored"] for version in versions)
        for learning_id, versions in told.items()
    }
    waiting = pending(reader.state, reader.namespace, RATINGS)
    if as_json:
        listed = found.model_dump(mode="json")
        for row in listed["items"]:
            row["versions"] = told.get(row["learning_id"], [])
        emit_json(listed | {"waiting": as_rows(waiting)})
        return
    if not found.total:
        narrow = " of that kind" if category or min_confidence else ""
        say(f"No learning{narrow} in {reader.namespace}.")
        return
    out = console()
    for row in rows(found):
        out.print(f"[bold]{row['confidence']:.2f}[/]  [cyan]{row['category']}[/]", end="")
        out.print(f"  {row['learning_id']}", style="dim", markup=False)
        say(one_line(row["title"]), style="bold", indent=6)
        for line in row["content"].splitlines():
            if line.strip() and one_line(line) != one_line(row["title"]):
                say(one_line(line), indent=6)
        say(", ".join(row["tags"]), style="dim", indent=6)
        if others := earlier.get(row["learning_id"]):
            say(count(others, "other version"), style="dim", indent=6)
        out.print()
    shown = f"{len(found.items):,} of {found.total:,}"
    out.print(f"{shown}; `cairn show ID` has the quotes", style="dim")
    say_pending(waiting)
