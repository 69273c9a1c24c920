"""`cairn stale`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.report import shown_dollars
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count, one_line

if TYPE_CHECKING:
    from cairn.pipelines.planning.stale import ExtractorChange, Staleness
    from cairn.resources.context import State

ASKED = (
    TerminalColumn("calls"),
    TerminalColumn("tokens", from_width=110),
    TerminalColumn("dollars", from_width=110),
)
"""What a language model would be asked."""

COLUMNS = (
    TerminalColumn("name"),
    TerminalColumn("kind"),
    TerminalColumn("change"),
    TerminalColumn("days"),
    TerminalColumn("conversations", "convs"),
    TerminalColumn("rows"),
)
OF_NAMESPACES = (TerminalColumn("namespace"), TerminalColumn("days"), TerminalColumn("rows"))


@click.command(
    epilog="""\b
Examples:
  cairn stale
  cairn stale --namespace harbor
  cairn stale --json
  cairn stale --rows       (which statements would differ: made on a copy, in some seconds)

`cairn run` redoes what is stale; `cairn backfill --stale --from DAY --to DAY` does so in part. A
language model is asked again only within a budget, or where `cairn backfill --stale` is told to."""
)
@options.namespace(options.EACH_NAMESPACE)
@click.option("--rows", "with_rows", is_flag=True, help="Which statements would differ, too.")
@options.limit(20)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, namespace: str | None, with_rows: bool, limit: int, as_json: bool
) -> None:
    """Show what a changed rule, prompt, adapter or setting would redo, and what is simply new."""
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
        state = state.of(namespace)
    state.home.dagster_environment()
    from cairn.pipelines.planning.stale import by_namespace, together
    from cairn.pipelines.runner import plan

    each = by_namespace(state)
    found = together(each.values())
    files = plan(state).files
    rows = {
        name: _rows(state, name, limit) for name, own in each.items() if own.changes and with_rows
    }
    if as_json:
        emit_json({**_as_json(found), "new": {**_new(found), "files": files},
                   "namespaces": {name: _as_json(own) | {"new": _new(own)}
                                  | ({"rows": rows.get(name)} if with_rows else {})
                                  for name, own in each.items()}})  # fmt: skip
        return
    if found.changes:
        _tell(found, each)
        calls = any(change.calls for change in found.changes)
        if calls and not state.asks_again:
            never = state.settings.auto_backfill == "never"
            why = "auto_backfill is never" if never else "No budget is set"
            more = "" if never else ", and a budget, or auto_backfill, lets each run ask"
            advise(f"{why}: `cairn run` asks nothing again, earlier answers stand in;"
                   f" `cairn backfill --stale` asks{more}.")  # fmt: skip
        for name, own in rows.items():
            _tell_rows(name, own)
    else:
        say("Nothing is stale: all that is there was made by the rules and settings in force.")
    if found.new_days or files:
        say(
            f"New, apart from that: {count(files, 'file')} to take in,"
            f" {count(len(found.new_days), 'day')} with"
            f" {count(found.new_conversations, 'conversation')} to do."
        )


def _rows(state: "State", namespace: str, limit: int) -> dict[str, Any]:
    """What the rules and settings in force would make otherwise, as `cairn query changes` tells."""
    from cairn.pipelines.copies import run_on_copy
    from cairn.serving.query.changes import COMPARED, differing, summed_up

    with run_on_copy(state, namespace, "stale --rows") as run:
        found = {
            one.kind: differing(one, run.before[one.table.name], run.after[one.table.name])
            for one in COMPARED
        }
    return summed_up(found, limit)


def _tell_rows(namespace: str, found: Mapping[str, Any]) -> None:
    """What would differ in a namespace: how much, and the first of it."""
    totals = [
        f"{count(number, *KINDS[kind])} {change}"
        for kind, changes in found["totals"].items()
        for change, number in changes.items()
    ]
    say("")
    say(f"In {namespace}, by rules and settings: {', '.join(totals) or 'no statement differs'}.")
    for one in found["items"]:
        before, after = one["before"], one["after"]
        say(
            f"{SIGNS[one['change']]} {one['kind']}  {one_line((after or before)['text'])}", indent=2
        )
        if before and after:
            say(f"{before['status']} {before['confidence']:.2f} → "
                f"{after['status']} {after['confidence']:.2f}", style="dim", indent=4)  # fmt: skip


SIGNS = {"appeared": "+", "gone": "-", "changed": "~"}
KINDS = {"learning": ("lesson",), "fact": ("fact",), "entity": ("entity", "entities")}
"""What each kind is called, and many of it."""


def _as_json(found: "Staleness") -> dict[str, Any]:
    return {"changes": found.changes, "stale_days": found.stale_days}


def _new(found: "Staleness") -> dict[str, Any]:
    return {"days": found.new_days, "conversations": found.new_conversations}


def _tell(found: "Staleness", each: "Mapping[str, Staleness]") -> None:
    """What is stale by what changed, and by namespace, where that is so in several."""
    asked = ASKED if any(change.calls for change in found.changes) else ()
    if rows := [_row(change) for change in found.changes if not _silent(change)]:
        print_table(rows, (*COLUMNS, *asked))
    if silent := [change.name for change in found.changes if _silent(change)]:
        say(f"Changed too, with nothing of their own to redo: {', '.join(silent)}.")
    stale = {name: own for name, own in each.items() if own.changes}
    if len(stale) > 1:
        say("")
        print_table(
            [_total(own) | {"namespace": name} for name, own in stale.items()],
            (*OF_NAMESPACES, *asked),
        )
    if asked:
        say(f"Asked of the language model: {in_words(found.changes)}; as far as is known before"
            " it answers, since the names found tell what facts are asked about.")  # fmt: skip
    advise(f"{count(len(found.stale_days), 'day')} would be redone by `cairn run`.")


def _total(own: "Staleness") -> dict[str, Any]:
    """All that a namespace would redo, and be asked about it."""
    from cairn.pipelines.planning.stale import in_all

    return _row(in_all(own.changes)) | {"days": len(own.stale_days)}


def _row(change: "ExtractorChange") -> dict[str, Any]:
    dollars = "unknown" if change.dollars is None else shown_dollars(change.dollars)
    return asdict(change) | {"dollars": dollars}


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
