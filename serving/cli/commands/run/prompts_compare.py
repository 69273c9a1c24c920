"""`cairn prompts compare`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.prompt_trial import (
    ReadFiles,
    read_files,
    tables_of,
    told_unanswered,
    unanswered,
)
from cairn.serving.cli.report import shown_dollars
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.knowledge.llm.experiments import Trial
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.resources.context import State
    from cairn.resources.llm.language_model import LitellmModel

ALONE = (
    TerminalColumn("what"),
    TerminalColumn("about", most=18),
    TerminalColumn("content", "proposed", wide=True),
    TerminalColumn("confidence", "conf"),
    TerminalColumn("rejected", most=24),
)
BOTH = (
    TerminalColumn("what"),
    TerminalColumn("about", most=18),
    TerminalColumn("before", wide=True),
    TerminalColumn("after", wide=True),
)
SIDES = (
    TerminalColumn("version"),
    TerminalColumn("accepted"),
    TerminalColumn("rejected"),
    TerminalColumn("questions", from_width=100),
    TerminalColumn("calls"),
    TerminalColumn("tokens_in", "in"),
    TerminalColumn("tokens_out", "out"),
    TerminalColumn("dollars"),
)


@click.command(
    "compare",
    short_help="What another version gains and loses, and its cost.",
    epilog="""\b
Examples:
  cairn prompts show names --toml > /tmp/names.toml      (and edit it)
  cairn prompts compare names /tmp/names.toml session.jsonl
  cairn prompts compare names@cairn names session.jsonl
  cairn prompts compare /tmp/x.py /tmp/y.py day1.jsonl day2.jsonl --json

A and B are a prompt's name, for the version in force; its name with @cairn, for the one that
ships; or the path of a file with a version of it: TOML, as in prompts_dir, or Python that defines
it under the same `name`. Python is run: only name files that you would run.

Each version is asked, in the place of the one in force, all that `cairn dry-run` would ask about
the files; later questions follow from its answers. Answers are kept, so that comparing again costs
only what has changed. Nothing else is stored.""",
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)  # fmt: skip
@options.limit(20)
@options.namespace("Whose logs these are; that of the source that holds a FILE, if unset.")
@options.as_json
@click.pass_context
def compare(
    ctx: click.Context,
    a: str,
    b: str,
    files: tuple[Path, ...],
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Show what version B of a prompt gains, loses and changes against A, and what both cost."""
    from cairn.knowledge.llm.experiments import compared, unread
    from cairn.serving.cli.prompt_file import versions

    state = options.state_of(ctx)
    in_force = state.settings.prompts
    before, after = versions(a, b, in_force)
    model = state.language_model
    if model is None:
        raise click.ClickException("no language model is set (CAIRN_MODEL)")
    read = read_files(state, files, namespace)
    sides = {"a": before, "b": after}
    made = {key: _asked(state, model, prompt, read) for key, prompt in sides.items()}
    told = {key: _side(state, prompt, *made[key]) for key, prompt in sides.items()}
    extra = {key: unread(p.output, in_force.by_name[p.name].output) for key, p in sides.items()}
    changes = compared(made["a"][0], made["b"][0])
    if as_json:
        emit_json(
            {
                "prompt": before.name,
                "model": model.model,
                "a": {"from": a, "unread_fields": extra["a"], **told["a"]},
                "b": {"from": b, "unread_fields": extra["b"], **told["b"]},
                "gained": changes.gained.to_dicts(),
                "lost": changes.lost.to_dicts(),
                "changed": changes.changed.to_dicts(),
                "paid_now": model.spent._asdict(),
            }
        )
        return
    for title, frame in (("Gained", changes.gained), ("Lost", changes.lost)):
        say(f"{title}: {_counts(frame)}", style="bold")
        if frame.height:
            shown = frame.with_columns(rejected="reason").head(limit)
            print_table(shown.iter_rows(named=True), ALONE, indent=2)
    say(f"Changed: {changes.changed.height:,}", style="bold")
    if changes.changed.height:
        rows = [_change(row) for row in changes.changed.head(limit).iter_rows(named=True)]
        print_table(rows, BOTH, indent=2)
    say(f"Rows of {model.model}, and what its answers took", style="bold")
    print_table([_line(key, told[key]) for key in sides], SIDES, indent=2)
    for note in _notes(before, sides, told, extra):
        say(note, style="yellow")
    paid = model.spent
    console().print(f"{count(paid.calls, 'call')} paid now; the others were kept.", style="dim")


def _asked(
    state: "State", model: "LitellmModel", prompt: "Prompt[Any]", read: ReadFiles
) -> "tuple[pl.DataFrame, Trial]":
    """What the files give with a version of a prompt, and what was asked for that."""
    from cairn.knowledge.assembly.trace import proposed
    from cairn.knowledge.llm.experiments import Trial, without_canaries

    trial = Trial(model, prompt)
    rows = proposed(tables_of(state, read.records, trial), state.policy)
    return without_canaries(rows, prompt), trial


def _side(
    state: "State", prompt: "Prompt[Any]", rows: pl.DataFrame, trial: "Trial"
) -> dict[str, Any]:
    """How much one version gave and took: in all, since others' questions follow from it."""
    by_model = rows.filter(pl.col("extractor").str.contains("/", literal=True))
    reasons = by_model.drop_nulls("reason").group_by("reason").len().sort("reason")
    own = [key for key, (ask, _) in trial.answered.items() if ask.prompt.name == prompt.name]
    return {
        "version": prompt.fingerprint(trial.model),
        "accepted": by_model["reason"].null_count(),
        "rejected": int(reasons["len"].sum()),
        "reasons": dict(reasons.iter_rows()),
        **_cost(state, list(trial.answered)),
        "own": _cost(state, own),
        "unanswered": unanswered(trial.answered.values()),
    }


def _cost(state: "State", keys: list[str]) -> dict[str, Any]:
    """What the answers under some keys took, whenever they were paid.

    Tokens are null if none is known, dollars if a price is not.
    """
    kept = [one for one in state.answers.read(keys).values() if one.text is not None]
    unpriced = sum(one.attempts for one in kept if one.cost is None)
    return {
        "questions": len(keys),
        "calls": sum(one.attempts for one in kept),
        "tokens_in": _sum([one.tokens_in for one in kept]),
        "tokens_out": _sum([one.tokens_out for one in kept]),
        "dollars": None if unpriced else sum(one.cost or 0.0 for one in kept),
        "unpriced": unpriced,
    }


def _sum(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known or not numbers else None


def _counts(frame: pl.DataFrame) -> str:
    refused = frame.height - frame["reason"].null_count()
    return f"{frame.height:,}" + (f", of which {refused:,} refused" if refused else "")


def _change(row: Mapping[str, Any]) -> dict[str, Any]:
    """A changed row as two cells: what differs, with the statement if that does."""
    return {**row, "before": _cell(row, ""), "after": _cell(row, "_after")}


def _cell(row: Mapping[str, Any], side: str) -> str:
    parts = [row[f"content{side}"]]
    if row["text"] != row["text_after"]:
        parts.append(row[f"text{side}"])
    if row["confidence"] != row["confidence_after"]:
        parts.append(f"({row[f'confidence{side}']:.2f})")
    if row["reason"] != row["reason_after"]:
        reason = row[f"reason{side}"]
        parts.append("[accepted]" if reason is None else f"[refused: {reason}]")
    return " ".join(parts)


def _line(key: str, side: Mapping[str, Any]) -> dict[str, Any]:
    dollars = "price not known" if side["dollars"] is None else shown_dollars(side["dollars"])
    return {**side, "version": f"{key.upper()} {side['version']}", "dollars": dollars}


def _notes(
    prompt: "Prompt[Any]",
    sides: "Mapping[str, Prompt[Any]]",
    told: Mapping[str, Mapping[str, Any]],
    extra: Mapping[str, list[str]],
) -> list[str]:
    notes: list[str] = []
    if told["a"]["version"] == told["b"]["version"]:
        notes.append("A and B are the same version.")
    if not any(told[key]["own"]["questions"] for key in sides):
        notes.append(f"{prompt.name} is not asked about these files.")
    for key in sides:
        notes += [f"{key.upper()}: {line}" for line in told_unanswered(told[key]["unanswered"])]
        if extra[key]:
            notes.append(f"{key.upper()}: nothing reads {', '.join(extra[key])} of its answers.")
    return notes
