"""`cairn dead-letters`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.terminal import advise, console, emit_json, say, say_value
from cairn.serving.query.dead_letters import letters, shown
from cairn.serving.query.reasons import in_words
from cairn.serving.read.display import count, one_line

if TYPE_CHECKING:
    from cairn.resources.context import State

SAID = 160
"""Most characters of a raw answer in the list; one letter alone shows it whole."""


@click.command(
    "dead-letters",
    epilog="""\b
Examples:
  cairn dead-letters
  cairn dead-letters full_mode/r_3f2a90c1/names     (one, with all that the model said)
  cairn dead-letters --retry     (after a file was mended, or an adapter was)

The line, and what a model said, are shown redacted, and without control characters.""",
)
@click.argument("letter", required=False, metavar="[LETTER]")
@click.option("--retry", is_flag=True, help="Read those files, and do that work, again.")
@options.limit(50)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    letter: str | None,
    retry: bool,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """List what could not be read or done, with its place, why, and what a model said instead."""
    if letter and retry:
        raise click.UsageError("--retry does all of them again, not one LETTER", ctx)
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    if retry:
        _retry(state, namespace, as_json=as_json)
        return
    rows = letters(state, namespace)
    if letter:
        _show(shown(state, _named(rows, letter)), as_json=as_json)
        return
    page = shown(state, rows[:limit])
    if as_json:
        emit_json({"total": len(rows), "dead_letters": page})
        return
    if not rows:
        say("No dead letters: everything was read and done.")
        return
    out = console()
    for row in page:
        out.print(f"{_place(row)}  {row['review_id']}", markup=False, soft_wrap=True)
        say(f"{row['stage']}: {in_words(row['reason'])}", style="yellow", indent=2)
        if row["line"]:
            say(one_line(row["line"], SAID), style="dim", indent=2)
        if row["model_output"]:
            say(f"said: {one_line(row['model_output'], SAID)}", indent=2)
            advise(
                f"all of it: `cairn dead-letters {row['dead_letter_id']}`", style="dim", indent=2
            )
    advise(
        f"{len(page):,} of {len(rows):,}; `cairn dead-letters --retry` tries again,"
        " `cairn dismiss ID` takes one off the list",
        style="dim",
    )


def _place(row: dict[str, Any]) -> str:
    place = (row["source_file"], row["source_line"], row["source_offset"])
    return one_line(":".join(str(part) for part in place if part is not None))


def _named(rows: list[dict[str, Any]], letter: str) -> list[dict[str, Any]]:
    """The letters of that id, one per namespace, or of the only id that begins so.

    Raises:
        ClickException: there is none, or ids of several begin so.
    """
    ids = {
        row["dead_letter_id"] for row in rows if (row["dead_letter_id"] or "").startswith(letter)
    }
    wanted = letter if letter in ids else next(iter(ids), None)
    if wanted is None:
        raise click.ClickException(f"no dead letter is called {letter!r}: see `cairn dead-letters`")
    if wanted != letter and len(ids) > 1:
        raise click.ClickException(f"{letter!r} begins {len(ids)} ids: give more of it")
    return [row for row in rows if row["dead_letter_id"] == wanted]


def _show(found: list[dict[str, Any]], *, as_json: bool) -> None:
    """Letters, each with all that is known of it."""
    if as_json:
        emit_json({"dead_letters": found})
        return
    for row in found:
        say(row["dead_letter_id"], style="bold")
        for label, value in (
            ("namespace", row["namespace"]), ("place", _place(row)), ("stage", row["stage"]),
            ("unit", row["unit"]), ("reason", in_words(row["reason"])), ("model", row["model"]),
            ("attempts", row["attempts"]), ("line", row["line"] and one_line(row["line"], 2_000)),
        ):  # fmt: skip
            say_value(label, value)
        if row["model_output"]:
            say("what the model said", style="bold")
            for line in row["model_output"].splitlines():
                say(one_line(line), indent=2)
        elif row["model"]:
            say("The model said nothing that was kept.")


def check_known(state: "State", namespace: str) -> None:
    """Refuses a namespace from which nothing was ever read.

    Raises:
        ClickException: there is nothing of it.
    """
    from cairn.knowledge.schema.tables import SOURCE_FILES
    from cairn.resources.warehouse.publication import namespaces

    files = state.warehouse.read(SOURCE_FILES, columns=["namespace"]).unique().collect()
    if namespace not in {*files["namespace"], *namespaces(state.home)}:
        raise click.ClickException(f"nothing is there for namespace {namespace!r}")


def _retry(state: "State", namespace: str | None, *, as_json: bool) -> None:
    from cairn.pipelines.checks.rebuild_equal import forget_failures
    from cairn.serving.cli.commands.run.run import execute

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

    A stage over whole tables fails as one; its letters name the conversations. Failed answers
    about others stay: what was asked in halves instead is not paid once more.
    """
    from cairn.knowledge.schema.tables import DEAD_LETTERS, RAW_LOGS, WORK

    units = state.warehouse.read(WORK).filter(pl.col("outcome") == "failed")
    letters = state.warehouse.read(DEAD_LETTERS).filter(pl.col("answer").is_not_null())
    on = ["namespace", "conversation_id"]
    failed = pl.concat(
        frame.select("namespace", conversation_id="unit") for frame in (units, letters)
    )
    if namespace is not None:
        failed = failed.filter(pl.col("namespace") == namespace)
    records = (
        state.warehouse.read(RAW_LOGS, columns=[*on, "record_id"])
        .join(failed.unique(), on=on, how="semi")
        .group_by("namespace")
        .agg("record_id")
        .collect()
    )
    for owner, record_ids in records.iter_rows():
        state.answers.clear_failed(owner, record_ids)
