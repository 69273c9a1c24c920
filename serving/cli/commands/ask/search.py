"""`cairn search`."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TextIO

import click

from cairn.knowledge.schema.tables import CONVERSATIONS, MEMORY
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.known import require_known
from cairn.serving.cli.terminal import emit_json, say
from cairn.serving.models.parameters import SearchParameters
from cairn.serving.read.reader import open_reader

if TYPE_CHECKING:
    from cairn.serving.read.reader import Reader
    from cairn.serving.retrieval.search import SearchAnswer


@click.command(
    epilog="""\b
Examples:
  cairn search "backup fails"
  cairn search "what broke in March"                 (of those days)
  cairn search "checkout test" --type learnings --json
  cairn search "which port" --entity lantern-shop --source claude_code
  cairn search "docker compose" --events             (what was run and seen, too)
  cairn search "which port" --as-of 2026-02-20       (by what was known then)
  cairn search "which port" --true-at 2026-02-20     (by what is known of that day)
  cairn search --file questions.jsonl --json         (a line: {"query": "which port"})"""
)
@click.argument("query", required=False)
@click.option(
    "--file",
    "queries",
    type=click.File(encoding="utf-8"),
    help='Answer each line\'s {"query": …} instead; - for standard input.',
)
@parameters(
    SearchParameters,
    *("type", "entity", "predicate", "category", "source", "status", "from_day", "to_day"),
    *("min_confidence", "events"),
    type={"flags": ("--type", "search_type"), "default": "all"},
    from_day={"flags": ("--from", "from_day")},
    to_day={"flags": ("--to", "to_day")},
)
@options.limit(None, "policy.search_limit: 5")
@options.namespace(options.ONE_NAMESPACE)
@parameters(SearchParameters, "as_of", "true_at")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    query: str | None,
    queries: TextIO | None,
    search_type: str,
    entity: str | None,
    predicate: str | None,
    category: str | None,
    source: str | None,
    status: str | None,
    from_day: str | None,
    to_day: str | None,
    min_confidence: float | None,
    events: bool,
    limit: int | None,
    namespace: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    as_json: bool,
) -> None:
    """Find facts, episodes and learnings, each with where it came from.

    They stand in an element by which they are known again, wherever they are pasted.
    """
    from cairn.resources.vector_index.protocol import Filters
    from cairn.serving.read.id_lookup import UnknownId, entities_called
    from cairn.serving.retrieval.open_memory import Memory
    from cairn.serving.retrieval.search import answer, served

    if (query is None) == (queries is None):
        raise click.UsageError("give a query, or --file with one in each line")
    options.check_order(ctx, from_day, to_day)
    state = options.state_of(ctx)
    # One answer reads just the rows that it needs; many, each table once.
    reader = (
        open_reader(state, namespace, as_of, true_at)
        if queries is None
        else Memory(state).reader(namespace, as_of, true_at)
    )
    require_known("no fact has predicate", predicate, reader.table(MEMORY, ["predicate"]))
    require_known("no logs are of kind", source, reader.table(CONVERSATIONS, ["source"]))
    try:
        about = entities_called(reader, entity)["canonical_id"].to_list() if entity else None
    except UnknownId as error:
        raise click.ClickException(str(error)) from None
    only = Filters(
        entity_ids=about,
        predicates=[predicate] if predicate else None,
        categories=[category] if category else None,
        sources=[source] if source else None,
        statuses=[status] if status else None,
        from_day=from_day,
        to_day=to_day,
    )

    def answered(query: str) -> "SearchAnswer":
        try:
            ask = partial(
                answer, reader, query, search_type, limit, min_confidence, only, events=events
            )
            return served(reader, ask)
        except ValueError as error:
            raise click.ClickException(str(error)) from None

    if queries is not None:
        found = [(text, answered(text)) for text in _queries(queries)]
        if as_json:
            emit_json([{"query": text, **_told(its)} for text, its in found])
            return
        for text, its in found:
            say(text, style="bold")
            _print(reader, its)
        return
    its = answered(query or "")
    if as_json:
        emit_json(
            {
                "query": query,
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "time_expression": its.time_expression,
                "from_day": its.from_day or from_day,
                "to_day": its.to_day or to_day,
                **_told(its),
            }
        )
        return
    _print(reader, its)


def _told(its: "SearchAnswer") -> dict[str, object]:
    return {
        "reranked": its.reranked,
        "not_reranked": its.not_reranked,
        "results": its.results,
    }


def _queries(lines: TextIO) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            query = json.loads(line)["query"]
        except (ValueError, KeyError, TypeError):
            query = None
        if not isinstance(query, str) or not query.strip():
            raise click.ClickException(
                f'{lines.name}:{number}: no query; a line is like {{"query": "which port"}}'
            )
        yield query


def _print(reader: "Reader", its: "SearchAnswer") -> None:
    from cairn.serving.cli.report import print_found, recalled

    if its.time_expression:
        days = f"{its.from_day or 'the beginning'} to {its.to_day or 'today'}"
        say(f"“{its.time_expression}” read as {days}")
    if not its.results:
        say(f"Nothing about that in namespace {reader.namespace}.")
        return
    with recalled(reader):
        for result in its.results:
            print_found(result)
