"""`cairn review`."""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import polars as pl

from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.review.entities import entity_pairs, print_entities
from cairn.serving.cli.review.operations import operations, print_operation
from cairn.serving.cli.review.pairs import (
    decide_on,
    pairs,
    print_pair,
    print_unresolved,
    unresolved,
)
from cairn.serving.cli.review.values import (
    at_once,
    print_at_once,
    print_slot,
    print_struck,
    slots,
    struck,
)
from cairn.serving.cli.terminal import console, emit_json, say, say_value
from cairn.serving.read.display import one_line
from cairn.serving.status.pending import as_rows, pending

if TYPE_CHECKING:
    from cairn.resources.context import State

WHY = {"instructions": "it gives orders to a model, or stands in a message that does"}
"""Why something is held, by the reason that its row has."""

_COLUMNS = (
    "namespace", "id", "kind", "content", "quote", "origin", "conversation_id", "record_id",
    "occurred_at", "extractor", "reason",
)  # fmt: skip


class ReviewKind(NamedTuple):
    """One kind of what is held, under a heading of its own."""

    name: str
    heading: str
    rows: Callable[["State", str | None], pl.DataFrame]
    """Rows of one namespace or of all."""
    show: Callable[[dict[str, Any]], None]
    """Prints one of them."""


@click.command(
    epilog="""\b
Examples:
  cairn review
  cairn review --decide              (one pair after the other, by a key)
  cairn review --namespace me --json
  cairn show r_3f2a90c1              (the whole message that one stands in)

Two facts that are alike wait where rules cannot tell whether they say the same: `cairn merge`,
`keep-apart`, `retract` and `correct` decide; and so do entities whose names may be of one thing.
Decisions that cannot be applied, since what they
meant is gone, are listed too.

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
    found = {kind: kind.rows(state, namespace) for kind in KINDS}
    total = sum(rows.height for rows in found.values())
    names = namespaces(state.home) if namespace is None else [namespace]
    waiting = [one for name in names for one in pending(state, name, DECISION_TYPES)]
    if as_json:
        emit_json(
            {
                "total": total,
                "items": {
                    kind.name: {"total": rows.height, "rows": rows.head(limit).to_dicts()}
                    for kind, rows in found.items()
                },
                "waiting": as_rows(waiting),
            }
        )
        return
    if not total:
        say(
            "Nothing is in quarantine: nothing that was said or proposed gives orders to a language"
            " model, no value is unclear, no two facts or entities wait to be told apart, and no"
            " command without a kind comes again."
        )
        say_pending(waiting)
        return
    for kind, rows in found.items():
        if rows.height:
            say(f"{kind.heading}: {rows.height:,}", style="bold")
            for row in rows.head(limit).iter_rows(named=True):
                kind.show(row)
    page = sum(min(limit, rows.height) for rows in found.values())
    console().print(f"{page:,} of {total:,}; `cairn show RECORD` has the message", style="dim")
    say_pending(waiting)


def _print(row: dict[str, Any]) -> None:
    say(one_line(row["content"]), style="yellow", indent=2)
    said_by = row["origin"] and " ".join(filter(None, (row["origin"], row["name"])))
    for label, value in (
        ("words", row["quote"]), ("said by", said_by), ("at", row["occurred_at"]),
        ("namespace", row["namespace"]), ("conversation", row["conversation_id"]),
        ("record", row["record_id"]), ("prompt", row["prompt"]),
        ("quarantined", WHY.get(row["reason"], row["reason"])),
        ("the order", row["order"]),
    ):  # fmt: skip
        say_value(label, value, indent=4)
    console().print()


def _proposals(state: "State", namespace: str | None, *, by_rules: bool = False) -> pl.DataFrame:
    """Names and facts that a model proposed, or that rules found."""
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
    from cairn.knowledge.schema.tables import KNOWN_ONLY_CANDIDATES, REJECTED_FACTS, THEME_FACTS

    tables = (
        REJECTED_FACTS,
        KNOWN_ONLY_CANDIDATES,
        THEME_FACTS,
    )  # columns of candidates, and reason
    rows = pl.concat(
        state.warehouse.read(table, namespace=namespace)
        .filter(pl.col("reason") == QUARANTINED_ORDERS, (pl.col("mode") == "rule") == by_rules)
        .rename({"candidate_id": "id"})
        .select(_COLUMNS)
        for table in tables
    )
    return _told(state, rows.collect(), namespace)


def _lessons(state: "State", namespace: str | None) -> pl.DataFrame:
    """Drafts of lessons, each by the first message that it rests on."""
    from cairn.knowledge.learnings.draft import decode
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
    from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, REJECTED_FACTS

    columns = ["namespace", "conversation_id", "drafts"]
    kept = (
        state.warehouse.read(LEARNING_CANDIDATES, namespace=namespace)
        .filter(pl.col("drafts").str.contains(f'"refused":"{QUARANTINED_ORDERS}"', literal=True))
        .select(columns)
        .collect()
    )
    rows = [
        {
            "namespace": owner,
            "kind": draft.category,
            "content": f"{draft.title}\n{draft.content}",
            "quote": quote.text if quote else None,
            "conversation_id": conversation,
            "record_id": quote.record_id if quote else None,
            "occurred_at": draft.occurred_at,
            "extractor": draft.extractor,
            "reason": draft.refused,
        }
        for owner, conversation, drafts in kept.iter_rows()
        for draft in decode(drafts)
        if draft.refused == QUARANTINED_ORDERS
        for quote in [next(iter(draft.quotes), None)]
    ]
    types = {name: REJECTED_FACTS.schema.get(name, pl.String) for name in _COLUMNS}
    return _told(state, pl.DataFrame(rows, schema=types), namespace)


def _lines(state: "State", namespace: str | None) -> pl.DataFrame:
    """Lines that are left out of episodes, and commands that nothing comes of."""
    from cairn.knowledge.ingest.sessions import in_episodes
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, order_spans, orders_among
    from cairn.knowledge.schema.tables import EPISODES, RAW_LOGS

    episodes = state.warehouse.read(EPISODES, namespace=namespace)
    if "quarantined" not in episodes.collect_schema():  # of a version before this
        episodes = episodes.with_columns(quarantined=pl.lit(0))
    quarantined = episodes.filter(pl.col("quarantined") > 0).select(
        "namespace", "episode_id", "quarantined"
    )
    logs = (
        state.warehouse.read(RAW_LOGS, namespace=namespace)
        .filter(in_episodes() | (pl.col("kind") == "command"))
        .join(quarantined, on=["namespace", "episode_id"], how="left")
        .filter(pl.col("quarantined").is_not_null() | (pl.col("kind") == "command"))
        .collect()
    )
    logs = logs.filter(orders_among(logs["text"]))
    content = [
        "\n".join(text[start:end].strip() for start, end in order_spans(text, origin))
        for text, origin in logs.select("text", "origin").iter_rows()
    ]
    rows = logs.with_columns(
        pl.Series("content", content, dtype=pl.String),
        id="record_id",
        quote=pl.lit(None, pl.String),
        extractor=pl.lit("episodes"),
        reason=pl.lit(QUARANTINED_ORDERS),
    ).filter(pl.col("content") != "")
    return _told(state, rows.select(_COLUMNS), namespace)


def _told(state: "State", rows: pl.DataFrame, namespace: str | None) -> pl.DataFrame:
    """Held rows by time, with who said it, by which prompt it was found, and what the order is."""
    from cairn.knowledge.llm.prompt_injection import orders
    from cairn.knowledge.schema.tables import RAW_LOGS

    place = ["namespace", "record_id"]
    columns = [*place, "origin", "name", "text"]
    said = state.warehouse.read(RAW_LOGS, namespace=namespace).select(columns)
    found = (
        rows.lazy()
        .join(said, on=place, how="left", suffix="_said")
        .with_columns(
            origin=pl.coalesce("origin", "origin_said"),
            prompt=pl.col("extractor").str.extract(r"/([^@]+)@"),
        )
        .sort("namespace", "occurred_at", "record_id", "content", "extractor", nulls_last=True)
        .collect()
    )
    words = [
        next((order for text in texts if text and (order := orders(text, origin or ""))), None)
        for origin, *texts in found.select("origin", "content", "quote", "text").iter_rows()
    ]
    order = pl.Series("order", words, dtype=pl.String)
    return found.with_columns(order).select(*_COLUMNS[:-2], "name", "prompt", "reason", "order")


KINDS = (
    ReviewKind("pairs", "Facts that are alike", pairs, print_pair),
    ReviewKind("entities", "Entities that may be one", entity_pairs, print_entities),
    ReviewKind("unresolved", "Decisions that cannot be applied", unresolved, print_unresolved),
    ReviewKind("proposals", "Names and facts", _proposals, _print),
    ReviewKind("lessons", "Lessons", _lessons, _print),
    ReviewKind("by_rules", "Found by rules", partial(_proposals, by_rules=True), _print),
    ReviewKind("lines", "Lines that are left out of episodes", _lines, _print),
    ReviewKind("retractions", "Not published: it would be retracted", struck, print_struck),
    ReviewKind("at_once", "Two values at once, of what holds one", at_once, print_at_once),
    ReviewKind("slots", "Slots that seem to hold one value at a time", slots, print_slot),
    ReviewKind("operations", "Proposed operation types", operations, print_operation),
)
