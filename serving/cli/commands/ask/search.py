"""`cairn search`."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TextIO

import click

from serving.cli import options
from serving.cli.terminal import emit_json, say
from serving.read.reader import open_reader

if TYPE_CHECKING:
    from serving.read.reader import Reader
    from serving.retrieval.search import Answer


@click.command(
    epilog="""\b
Examples:
  cairn search "backup fails"
  cairn search "what broke in March"                 (of those days)
  cairn search "checkout test" --type learnings --json
  cairn search "which port" --entity lantern-shop --source claude_code
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
@click.option(
    "--type",
    "search_type",
    type=click.Choice(["facts", "episodes", "learnings", "entities", "both", "all"]),
    default="all",
    show_default=True,
    help="What to find; both = facts and episodes.",
)
@click.option("--entity", help="Only facts about this entity: its name, an alias or its id.")
@click.option("--predicate", help="Only facts of this predicate.")
@click.option("--category", help="Only learnings of this category.")
@click.option("--source", help="Only what comes from this kind of logs, such as claude_code.")
@click.option("--status", help="Only facts of this status, such as merged_into.")
@options.days
@options.confidence("--min-confidence", "Least confidence at --as-of. [0.3]")
@options.limit(5)
@options.namespace(options.ONE_NAMESPACE)
@options.as_of
@options.true_at
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
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    as_json: bool,
) -> None:
    """Find facts, episodes and learnings, each with where it came from.

    They stand in an element by which they are known again, wherever they are pasted.
    """
    from resources.vector_index.protocol import Filters
    from serving.read.id_lookup import UnknownId, entities_called
    from serving.retrieval.open_memory import Memory
    from serving.retrieval.search import answer, served

    if (query is None) == (queries is None):
        raise click.UsageError("give a query, or --file with one in each line")
    state = options.state_of(ctx)
    # One answer reads just the rows that it needs; many, each table once.
    reader = (
        open_reader(state, namespace, as_of, true_at)
        if queries is None
        else Memory(state).reader(namespace, as_of, true_at)
    )
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

    def answered(query: str) -> "Answer":
        try:
            return served(reader, answer(reader, query, search_type, limit, min_confidence, only))
        except ValueError as error:
            raise click.ClickException(str(error)) from None

    if queries is not None:
        found = [(text, answered(text)) for text in _queries(queries)]
        if as_json:
            emit_json([{"query": text, "results": its.results} for text, its in found])
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
                "said": its.said,
                "from_day": its.from_day or from_day,
                "to_day": its.to_day or to_day,
                "results": its.results,
            }
        )
        return
    _print(reader, its)


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


def _print(reader: "Reader", its: "Answer") -> None:
    from knowledge.llm.fence import CLOSING, opening
    from serving.cli.report import print_found

    if its.said:
        say(f"“{its.said}” read as {its.from_day or 'the beginning'} to {its.to_day or 'today'}")
    if not its.results:
        say(f"Nothing about that in namespace {reader.namespace}.")
        return
    for line in opening(reader.namespace, reader.manifest.generation).splitlines():
        say(line, style="dim")
    for result in its.results:
        print_found(result)
    say(CLOSING, style="dim")
