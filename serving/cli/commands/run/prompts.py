"""`cairn prompts`."""

from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.commands.run.prompts_compare import compare
from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say

if TYPE_CHECKING:
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.knowledge.schema.tables import Table
    from cairn.resources.context import State

COLUMNS = (
    TerminalColumn("prompt"),
    TerminalColumn("origin", from_width=100),
    TerminalColumn("version"),
    TerminalColumn("in_force"),
    TerminalColumn("rows"),
    TerminalColumn("rejected"),
    TerminalColumn("max_tokens", "longest", from_width=100),
    TerminalColumn("temperature", from_width=140),
    TerminalColumn("about", wide=True, from_width=140),
)
LABEL = r"[^/@\s,;]+/[^/@\s,;]+@[0-9a-f]+"
"""Stage, prompt and fingerprint, as rows carry them."""


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  cairn prompts
  cairn prompts --json
  cairn prompts show entity_facts
  cairn prompts compare entity_facts /tmp/x.py session.jsonl""",
)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(ctx: click.Context, namespace: str | None, as_json: bool) -> None:
    """List what is asked of the language model, and how many rows each version made."""
    if ctx.invoked_subcommand is not None:
        return
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    model, made = state.settings.model, _made(state, namespace)
    in_force = state.settings.prompts.by_name
    found = [_prompt(prompt, model, made.pop(name, {})) for name, prompt in in_force.items()]
    found += [_gone(name, versions) for name, versions in sorted(made.items())]
    if as_json:
        emit_json({"model": model, "prompts": found})
        return
    print_table([row for prompt in found for row in _lines(prompt)], COLUMNS)
    if model is None:
        say("No language model is set (CAIRN_MODEL): nothing is asked, and prompts have no"
            " version, since the model is a part of it.")  # fmt: skip
    else:
        say(f"Versions in force are those of {model}.")


@command.command(
    "show",
    epilog="""\b
Examples:
  cairn prompts show names
  cairn prompts show names --toml > names.toml
  cairn prompts show entity_facts --json""",
)
@click.argument("name")
@click.option("--toml", is_flag=True, help="As a file that you can edit, for `prompts_dir`.")
@options.as_json
@click.pass_context
def show(ctx: click.Context, name: str, toml: bool, as_json: bool) -> None:
    """Print a prompt as it is sent, before the data that follow it."""
    settings = options.state_of(ctx).settings
    prompts, model = settings.prompts.by_name, settings.model
    if name not in prompts:
        raise click.ClickException(f"no prompt is called {name!r}; there are: {', '.join(prompts)}")
    prompt = prompts[name]
    if as_json:
        emit_json({"model": model, **_facts(prompt, model), "system": prompt.system})
    elif toml:
        from cairn.resources.home.prompt_files import as_toml

        click.echo(as_toml(prompt), nl=False)
    else:
        click.echo(prompt.system)


command.add_command(compare)

Versions = dict[str, dict[str, int]]
"""Rows and refusals by fingerprint."""


def _refusal(table: "Table") -> pl.Expr:
    """Why a row was refused; null if it was not. Of pairs of facts, `reason` is the model's own."""
    named = next(
        (name for name in ("rejected_by", "rejected", "reason") if name in table.columns), None
    )
    return pl.col(named) if named else pl.lit(None)


def _made(state: "State", namespace: str | None) -> dict[str, Versions]:
    """How many rows each version of each prompt made, by what the rows say of themselves.

    A row that several prompts took part in counts for each.
    """
    from cairn.knowledge.schema.tables import (
        CANDIDATES,
        CONTRADICTION_VERDICTS,
        ENTITY_VERDICTS,
        KNOWN_ONLY_CANDIDATES,
        LEARNING_CANDIDATES,
        MERGE_VERDICTS,
        REJECTED_FACTS,
        THEME_FACTS,
    )

    tables = (
        CANDIDATES, LEARNING_CANDIDATES, KNOWN_ONLY_CANDIDATES, THEME_FACTS, REJECTED_FACTS,
        CONTRADICTION_VERDICTS, MERGE_VERDICTS, ENTITY_VERDICTS,
    )  # fmt: skip
    refused = pl.when(pl.col("reason").is_null()).then(pl.lit("rows")).otherwise(pl.lit("rejected"))
    frames = [
        state.warehouse.read(table, namespace=namespace)
        .with_columns(reason=_refusal(table))
        .group_by("extractor", column=refused)
        .len("number")
        for table in tables
    ]
    found = (
        pl.concat(frames)
        .with_columns(label=pl.col("extractor").str.extract_all(LABEL).list.unique())
        .explode("label", empty_as_null=False)
        .with_columns(
            prompt=pl.col("label").str.extract(r"/(.+)@"),
            version=pl.col("label").str.extract(r"@(.+)$"),
        )
        .group_by("prompt", "version", "column")
        .agg(pl.col("number").sum().cast(pl.Int64))
        .sort("prompt", "version", "column")
        .collect()
    )
    made: dict[str, Versions] = {}
    for prompt, version, column, number in found.iter_rows():
        counts = made.setdefault(prompt, {}).setdefault(version, {"rows": 0, "rejected": 0})
        counts[column] = number
    return made


def _facts(prompt: "Prompt[Any]", model: str | None) -> dict[str, Any]:
    from cairn.knowledge.llm.prompts import PROMPTS

    return {
        "prompt": prompt.name,
        "origin": "cairn" if PROMPTS.get(prompt.name) == prompt else "prompts_dir",
        "beside": prompt.beside,
        "about": prompt.about,
        "version": None if model is None else prompt.fingerprint(model),
        "parameters": dict(prompt.parameters),
    }


def _prompt(prompt: "Prompt[Any]", model: str | None, made: Versions) -> dict[str, Any]:
    """A prompt in force with its versions: the one in force first."""
    facts = _facts(prompt, model)
    version = facts["version"]
    now = {} if version is None else {version: made.get(version, {"rows": 0, "rejected": 0})}
    return {**facts, "versions": _versions({**now, **made}, version)}


def _gone(name: str, made: Versions) -> dict[str, Any]:
    """A prompt that is no more, but has left rows."""
    return {
        **dict.fromkeys(("origin", "beside", "about", "version", "parameters")), "prompt": name,
        "versions": _versions(made, None),
    }  # fmt: skip


def _versions(made: Versions, version: str | None) -> list[dict[str, Any]]:
    return [{"version": v, "in_force": v == version, **counts} for v, counts in made.items()]


def _lines(prompt: dict[str, Any]) -> list[dict[str, Any]]:
    """A prompt as lines of a table, one per version."""
    head = {name: prompt[name] for name in ("prompt", "origin", "about")}
    head |= prompt["parameters"] or {}
    lines: list[dict[str, Any]] = prompt["versions"] or [{}]
    if prompt["version"] is None and prompt["parameters"] is not None and prompt["versions"]:
        lines = [{}, *lines]  # the prompt in force, whose version is not known
    return [{**(head if place == 0 else {}), **line} for place, line in enumerate(lines)]
