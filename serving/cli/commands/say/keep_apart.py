"""`cairn keep-apart`."""

import click

from cairn.serving.cli import options


@click.command(
    "keep-apart",
    epilog="""\b
Examples:
  cairn keep-apart f_1c0ad2398567ecbb f_98f82758aeefdd98
  cairn keep-apart f_1c0a f_98f8 --reason "two repositories"

They are never merged, and neither counts as denying the other.""",
)
@click.argument("ids", metavar="ID ID", nargs=2)
@options.reason
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    ids: tuple[str, str],
    reason: str | None,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Say that two facts, or two entities, are two, and both hold."""
    from cairn.knowledge.ingest.inbox_events.decisions import KEEP_APART
    from cairn.serving.cli.decision_output import tell
    from cairn.serving.write.decisions import choose, note

    choice = choose(options.state_of(ctx), ids, namespace)
    told = note(choice, KEEP_APART, choice.named, reason=reason)
    otherwise = f"cairn merge {' '.join(each.id for each in choice.named)}"
    tell(told, choice.named, "to be kept apart", otherwise, as_json=as_json)
