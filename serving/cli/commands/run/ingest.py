"""`cairn ingest`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.knowledge.ingest.inbox_events.documents import NamedInText
    from cairn.resources.context import State
    from cairn.serving.write.documents import Given

SKIPPED = (TerminalColumn("where", most=40), TerminalColumn("why", wide=True))
SECTIONS = {"metadata", "pieces", "graph"}
PLURALS = {"document": "texts"}


@click.command(
    epilog="""\b
Examples:
  cairn ingest notes.md
  cairn ingest knowledge.json                (metadata, pieces, graph)
  pbpaste | cairn ingest - --title "letter of the landlord"
  cairn ingest router.txt --about tern --type host

\b
The next run makes knowledge of it: at once with `cairn run`, else by the daemon. Free text is
taken apart by the language model if one is set, and kept sentence by sentence if none is;
`cairn check-ins` shows what became of it. JSON is an object with one or more of
  metadata  {id: {entity_type, properties}}
  pieces    [{content, knowledge_type, info_type, tags, entity_id, embedding_text, piece_id}]
  graph     {nodes: [{node_id, node_type, label}],
             edges: [{source_id, target_id, edge_type, properties: {piece_id, description}}]}
What is not right is left out and listed; the rest loads. Given again, nothing is there twice."""
)
@click.argument("file", metavar="FILE|-", type=options.GivenPath(path_type=Path, allow_dash=True))
@click.option("--title", default="", metavar="TEXT", help="What a text is; its file, if unset.")
@click.option("--about", metavar="NAME", help="Whom or what a text is about.")
@click.option(
    "--type",
    "type_",
    default="topic",
    show_default=True,
    type=click.Choice(["project", "host", "path", "tool", "package", "system", "person", "topic"]),
    help="What that is.",
)
@click.option("--text", "as_text", is_flag=True, help="Read JSON as text, too.")
@click.option("--redact", is_flag=True, help="Take a text that holds secrets without them.")
@click.option("--dry-run", is_flag=True, help="Show what would be taken in; store nothing.")
@options.namespace("Whose it is; that of the only one there is, if unset.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    title: str,
    about: str | None,
    type_: str,
    *,
    as_text: bool,
    redact: bool,
    dry_run: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Take in a text, or knowledge that is in layers already.

    Content that is empty or holds a secret is refused. Text is data: no order in it is followed.
    """
    from cairn.knowledge.ingest.inbox_events.documents import NamedInText
    from cairn.serving.read.namespaces import told_to
    from cairn.serving.write.documents import DocumentRefused, ingest

    state = options.state_of(ctx)
    try:
        content = _read(file)
        named = NamedInText(about.strip(), type_) if about else None
        given = _given(state, content, file, title, named, as_text=as_text, redact=redact)
        owner = told_to(state, namespace)
        done = None if dry_run or not given.events else ingest(state, owner, given)
    except DocumentRefused as refused:
        raise click.ClickException(f"{_called(file)} is not taken in: {refused}") from None
    items: dict[str, int] = {}
    for form, _ in given.events:
        items[form] = items.get(form, 0) + 1
    if as_json:
        emit_json(
            {
                "namespace": owner,
                "items": items,
                "new": done.new if done else 0,
                "event_ids": done.ids if done else (),
                "forgotten": done.forgotten if done else 0,
                "skipped": [one._asdict() for one in given.skipped],
            }
        )
    else:
        told = ", ".join(
            count(number, form, PLURALS.get(form, f"{form}s")).replace("document", "text")
            for form, number in items.items()
        )
        if given.skipped:
            say(f"{count(len(given.skipped), 'item is', 'items are')} left out:")
            print_table([one._asdict() for one in given.skipped], SKIPPED)
        if dry_run:
            say(f"Would take in for namespace {owner}: {told or 'nothing'}.")
        elif done:
            known = len(done.ids) - done.new
            say(f"Taken in for namespace {owner}: {told}.")
            if done.forgotten:
                told_of = count(done.forgotten, "item was", "items were")
                say(f"{told_of} forgotten here, and left out.")
            if known:
                was = "All of it was" if not done.new else f"{known} of these were"
                say(f"{was} there already.")
            if done.new:
                advise("The next run makes knowledge of it: `cairn run`.")
    if not given.events:
        raise click.ClickException(f"{_called(file)} holds nothing that can be taken in")


def _called(file: Path) -> str:
    return "the text" if str(file) == "-" else str(file)


def _read(file: Path) -> str:
    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.ClickException(
            f"{_called(file)} is no UTF-8 text (byte {error.start:,})"
        ) from None
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None


def _given(
    state: "State",
    content: str,
    file: Path,
    title: str,
    about: "NamedInText | None",
    *,
    as_text: bool,
    redact: bool,
) -> "Given":
    from cairn.serving.knowledge_layers.loading import checked
    from cairn.serving.write.documents import layers_given, redacted, text_given

    if not as_text and (layers := _layers(content, file)) is not None:
        return layers_given(state, checked(layers))
    name = title or ("" if str(file) == "-" else file.name)
    return text_given(
        state, redacted(state, content) if redact else content, title=name, about=about
    )


def _layers(content: str, file: Path) -> dict[str, object] | None:
    """Knowledge in layers, if the content is that; None if it is text.

    Raises:
        click.ClickException: it is JSON, and no knowledge in layers.
    """
    named = file.suffix.lower() == ".json"
    if not named and not content.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        if not named:
            return None
        raise click.ClickException(f"{file} is no valid JSON: {error}") from None
    if isinstance(found, dict) and SECTIONS & found.keys():
        return found
    raise click.ClickException(
        f"{_called(file)} is JSON without metadata, pieces or graph; to read it as text: --text"
    )
