"""`cairn dead-letters`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from serving import options
from serving.terminal import console, count, emit_json, say

if TYPE_CHECKING:
    from resources.state import State


@click.command(
    "dead-letters",
    epilog="""\b
Examples:
  cairn dead-letters
  cairn dead-letters --retry     (after a file was mended, or an adapter was)""",
)
@click.option("--retry", is_flag=True, help="Read those files, and do that work, again.")
@options.limit(50)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, retry: bool, limit: int, namespace: str | None, as_json: bool
) -> None:
    """List what could not be read or done, with its place and why."""
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    if retry:
        _retry(state, namespace, as_json=as_json)
        return
    rows = letters(state, namespace)
    page = rows[:limit]
    if as_json:
        emit_json({"total": len(rows), "dead_letters": page})
        return
    if not rows:
        say("No dead letters: everything was read and done.")
        return
    out = console()
    for row in page:
        place = (row["source_file"], row["source_line"], row["source_offset"])
        told = ":".join(str(part) for part in place if part is not None)
        out.print(told, markup=False, soft_wrap=True)
        say(f"{row['stage']}: {row['reason']}", style="yellow", indent=2)
    out.print(
        f"{len(page):,} of {len(rows):,}; `cairn dead-letters --retry` tries again", style="dim"
    )


def check_known(state: "State", namespace: str) -> None:
    """Refuses a namespace from which nothing was ever read.

    Raises:
        ClickException: there is nothing of it.
    """
    from knowledge.tables import SOURCE_FILES
    from resources.publication import namespaces

    files = state.warehouse.read(SOURCE_FILES, columns=["namespace"]).unique().collect()
    if namespace not in {*files["namespace"], *namespaces(state.home)}:
        raise click.ClickException(f"nothing is there for namespace {namespace!r}")


def letters(state: "State", namespace: str | None = None) -> list[dict[str, Any]]:
    """Dead letters, refused files and failed units, sorted by place (file:line:byte offset)."""
    from knowledge.tables import DEAD_LETTERS, SOURCE_FILES, WORK

    columns = [
        "namespace", "stage", "source_file", "source_line", "source_offset", "unit", "reason",
    ]  # fmt: skip
    files = state.warehouse.read(SOURCE_FILES).filter(
        pl.col("outcome").is_in(["refused", "failed"])
    )
    failed = state.warehouse.read(WORK).filter(pl.col("outcome") == "failed")
    found = pl.concat(
        [
            state.warehouse.read(DEAD_LETTERS).select(columns),
            files.select(
                "namespace",
                pl.lit("records").alias("stage"),
                pl.col("path").alias("source_file"),
                pl.lit(1, pl.Int64).alias("source_line"),
                pl.lit(0, pl.Int64).alias("source_offset"),
                pl.lit(None, pl.String).alias("unit"),
                "reason",
            ),
            failed.select(
                "namespace",
                "stage",
                pl.col("unit").alias("source_file"),
                pl.lit(None, pl.Int64).alias("source_line"),
                pl.lit(None, pl.Int64).alias("source_offset"),
                "unit",
                pl.format("failed {} times", "attempts").alias("reason"),
            ),
        ]
    )
    if namespace is not None:
        found = found.filter(pl.col("namespace") == namespace)
    order = ["namespace", "source_file", "source_line", "source_offset", "stage"]
    return found.sort(order).collect().to_dicts()


def _retry(state: "State", namespace: str | None, *, as_json: bool) -> None:
    state.home.dagster_environment()
    from pipelines.again import forget_failures
    from serving.commands.run import execute

    forget_answers(state, namespace)
    again, gone = forget_failures(state, namespace)
    for path in gone:
        click.echo(f"cairn: {Path(path)} is gone: its dead letters stay", err=True)
    if not again and not as_json:
        say("Nothing to try again.")
        return
    click.echo(f"{count(again, 'thing')} to try again", err=True)
    execute(state, as_json=as_json)


def forget_answers(state: "State", namespace: str | None) -> None:
    """Forgets failed answers about conversations that failed, so that the model is asked again.

    Other failed answers stay: what was asked in halves instead is not paid once more.
    """
    from knowledge.tables import RAW_LOGS, WORK

    failed = state.warehouse.read(WORK).filter(pl.col("outcome") == "failed")
    if namespace is not None:
        failed = failed.filter(pl.col("namespace") == namespace)
    on = ["namespace", "conversation_id"]
    records = (
        state.warehouse.read(RAW_LOGS, columns=[*on, "record_id"])
        .join(failed.select("namespace", conversation_id="unit").unique(), on=on, how="semi")
        .group_by("namespace")
        .agg("record_id")
        .collect()
    )
    for owner, record_ids in records.iter_rows():
        state.answers.clear_failed(owner, record_ids)
