"""`cairn export`."""

from pathlib import Path

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say
from cairn.serving.read.display import count

COLUMNS = (
    TerminalColumn("file"),
    TerminalColumn("rows"),
    TerminalColumn("bytes"),
)


@click.command(
    epilog="""\b
Examples:
  cairn export --to ~/cairn-export
  cairn export --to ~/cairn-export --replace
  cairn export --to /media/stick/ada --namespace ada

\b
JSONL is for another home of Cairn: `cairn import FOLDER` there, then `cairn run`, and all that is
known here is known there, with the same ids, decisions and quotes. A language model is not asked
again. It holds your logs, redacted as they are stored: keep it like them."""
)
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to: a new folder, or an empty one.",
)
@click.option("--replace", is_flag=True, help="Replace an older export of the same namespace.")
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, target: Path, *, replace: bool, namespace: str | None, as_json: bool
) -> None:
    """Write what a namespace holds as files.

    It writes what is published. What was forgotten is in no file.
    """
    from cairn.serving.exchange.exporting import export_jsonl
    from cairn.serving.exchange.folder import ExchangeError
    from cairn.serving.read.reader import open_reader

    state = options.state_of(ctx)
    reader = open_reader(state, namespace)

    def tell(text: str) -> None:
        click.echo(text, err=True)

    try:
        done = export_jsonl(reader, target, replace=replace, tell=tell)
    except ExchangeError as refused:
        raise click.ClickException(str(refused)) from None
    manifest = done.manifest
    files = [
        {"file": name, "rows": one.rows, "bytes": one.size} for name, one in manifest.files.items()
    ]
    if as_json:
        emit_json(
            {
                "namespace": manifest.namespace,
                "folder": done.folder,
                "format": manifest.kind,
                "files": files,
                "left_out": manifest.left_out,
            }
        )
        return
    print_table(files, COLUMNS)
    say(f"Namespace {manifest.namespace} is in {done.folder}.")
    for what, number in manifest.left_out.items():
        told = count(number, what.removesuffix("s"), what)
        say(f"Left out: {told}, which mean nothing elsewhere.")
    say(f"In another home: `cairn import {done.folder}`.")
