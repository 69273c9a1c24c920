"""`cairn search`."""

from datetime import datetime

import click

from serving import options
from serving.reader import open_reader
from serving.terminal import emit_json, say


@click.command(
    epilog="""\b
Examples:
  cairn search "backup fails"
  cairn search "checkout test" --type learnings --json
  cairn search "which port" --as-of 2026-02-20       (by what was known then)
  cairn search "which port" --true-at 2026-02-20     (by what is known of that day)"""
)
@click.argument("query")
@click.option(
    "--type",
    "search_type",
    type=click.Choice(["facts", "episodes", "learnings", "entities", "both", "all"]),
    default="all",
    show_default=True,
    help="What to find; both = facts and episodes.",
)
@options.confidence("--min-confidence", "Least confidence at --as-of. [0.3]")
@options.limit(5)
@options.namespace(options.ONE_NAMESPACE)
@options.as_of
@options.true_at
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    query: str,
    search_type: str,
    min_confidence: float | None,
    limit: int,
    namespace: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    as_json: bool,
) -> None:
    """Find facts, episodes and learnings, each with where it came from."""
    from serving.report import print_found
    from serving.search import search_memory

    reader = open_reader(options.state_of(ctx), namespace, as_of, true_at)
    try:
        found = search_memory(reader, query, search_type, limit, min_confidence)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        emit_json(
            {
                "query": query,
                "namespace": reader.namespace,
                "as_of": reader.as_of,
                "results": found,
            }
        )
        return
    if not found:
        say(f"Nothing about that in namespace {reader.namespace}.")
    for result in found:
        print_found(result)
