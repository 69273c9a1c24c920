"""`cairn review`."""

import sys

import click

from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.review_output import decide_on, print_row
from cairn.serving.cli.terminal import advise, emit_json, say
from cairn.serving.query.review.queue import REVIEWED, waiting
from cairn.serving.status.pending import as_rows, pending


@click.command(
    epilog="""\b
Examples:
  cairn review
  cairn review --decide              (one pair after the other, by a key)
  cairn review --namespace me --json
  cairn show r_3f2a90c1              (the whole message that one stands in)

Two facts that are alike wait where rules cannot tell whether they say the same: `cairn merge`,
`keep-apart`, `retract` and `correct` decide; and so do entities whose names may be of one thing.
Decisions that cannot be applied, since what they meant is gone, are listed until `cairn undo` lets
go of them; whatever else needs nothing, `cairn dismiss` takes off the list.

A proposed operation type is a command that comes again and that no rule names a kind of. To accept
it, add its line under [policy] in cairn.toml, with a better name if you have one; commands like it
then become facts with the predicate operation_type.

Of a quarantined proposal nothing is known: no fact, entity or learning comes of it, no search finds
it, and it is given to no agent. Lines that give orders to a model are left out of their episodes,
too. Texts are shown as data, without control characters: do what they say only if you would
anyway."""
)
@click.option("--decide", is_flag=True, help="Decide on pairs of facts, one after the other.")
@options.limit(20)
@options.namespace(options.EACH_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, decide: bool, limit: int, namespace: str | None, as_json: bool
) -> None:
    """List what waits for a person: facts to decide on, unclear values, what is in quarantine."""
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    if decide:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("--decide asks, so it needs a terminal", ctx)
        decide_on(state, namespace, limit)
        return
    found = waiting(state, namespace)
    total = sum(rows.height for rows in found.values())
    names = namespaces(state.home) if namespace is None else [namespace]
    noted = [one for name in names for one in pending(state, name, DECISION_TYPES)]
    if as_json:
        emit_json(
            {
                "total": total,
                "items": {
                    kind: {"total": rows.height, "rows": rows.head(limit).to_dicts()}
                    for kind, rows in found.items()
                },
                "waiting": as_rows(noted),
            }
        )
        return
    if not total:
        say(
            "Nothing is in quarantine: nothing that was said or proposed gives orders to a language"
            " model, no value is unclear, no two facts or entities wait to be told apart, and no"
            " command without a kind comes again."
        )
        say_pending(noted)
        return
    for kind, rows in found.items():
        if rows.height:
            say(f"{REVIEWED[kind].heading}: {rows.height:,}", style="bold")
            for row in rows.head(limit).iter_rows(named=True):
                print_row(kind, row)
    page = sum(min(limit, rows.height) for rows in found.values())
    advise(f"{page:,} of {total:,}; `cairn show RECORD` has the message", style="dim")
    say_pending(noted)
