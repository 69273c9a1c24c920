"""`cairn export`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.serving.exchange.pack import PreparedPack
    from cairn.serving.read.reader import Reader

LEFT_OUT = (
    TerminalColumn("why"),
    TerminalColumn("count"),
    TerminalColumn("for example", wide=True),
)
GOES = (
    TerminalColumn("kind"),
    TerminalColumn("last_seen", from_width=90),
    TerminalColumn("text", wide=True),
)
MOST_LISTED = 60
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
  cairn export --to ~/vault/cairn --format markdown
  cairn export --to ~/tables --format parquet
  cairn export --project lantern --share --dry-run
  cairn export --project lantern --share --to lantern-pack.json

\b
JSONL is for another home of Cairn: `cairn import FOLDER` there, then `cairn run`, and all that is
known here is known there, with the same ids, decisions and quotes. A language model is not asked
again. It holds your logs, redacted as they are stored: keep it like them.

\b
A pack (--share) is one file about one project, for a colleague: its commands, conventions, errors
with what ended them, facts and lessons. What names a person, a host, an address or a secret is left
out, paths of home folders are cut; it is shown first, and you are asked."""
)
@click.option(
    "--to",
    "target",
    metavar="FOLDER|FILE",
    type=options.GivenPath(path_type=Path),
    help="Where to: a new folder, or an empty one; of a pack, a file. [PROJECT-pack.json]",
)
@click.option("--project", metavar="NAME", help="Of a pack: the project that it is about.")
@click.option("--share", is_flag=True, help="Write a pack of a project, for others.")
@click.option("--yes", is_flag=True, help="Of a pack: do not ask.")
@click.option("--dry-run", is_flag=True, help="Of a pack: show what would go; write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown", "parquet"]),
    default="jsonl",
    show_default=True,
    help="For another home, for people (Obsidian), for other programs.",
)
@click.option("--replace", is_flag=True, help="Replace an older export of the same namespace.")
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    target: Path | None,
    project: str | None,
    form: str,
    *,
    share: bool,
    yes: bool,
    dry_run: bool,
    replace: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Write what a namespace holds as files.

    It writes what is published. What was forgotten is in no file.
    """
    from cairn.serving.exchange.folder import ExchangeError
    from cairn.serving.read.reader import open_reader

    if share != (project is not None):
        raise click.UsageError("a pack needs both --project NAME and --share", ctx)
    if not share and (yes or dry_run):
        raise click.UsageError("--yes and --dry-run belong to --share", ctx)
    if not share and target is None:
        raise click.UsageError("say where to: --to FOLDER", ctx)
    reader = open_reader(options.state_of(ctx), namespace)
    try:
        if project is not None:
            _share(reader, project, target, yes=yes, dry_run=dry_run, as_json=as_json)
        elif target is not None:
            _write(reader, target, form, replace=replace, as_json=as_json)
    except ExchangeError as refused:
        raise click.ClickException(str(refused)) from None


def _write(reader: "Reader", target: Path, form: str, *, replace: bool, as_json: bool) -> None:
    """Writes a whole namespace."""
    from cairn.serving.exchange.exporting import export_jsonl
    from cairn.serving.exchange.markdown import export_markdown
    from cairn.serving.exchange.parquet import export_parquet

    def tell(text: str) -> None:
        click.echo(text, err=True)

    export = {"jsonl": export_jsonl, "markdown": export_markdown, "parquet": export_parquet}[form]
    done = export(reader, target, replace=replace, tell=tell)
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
    print_table(files[:MOST_LISTED], COLUMNS)
    if len(files) > MOST_LISTED:
        say(f"… and {count(len(files) - MOST_LISTED, 'file')} more.")
    say(f"Namespace {manifest.namespace} is in {done.folder}.")
    for what, number in manifest.left_out.items():
        told = count(number, what.removesuffix("s"), what)
        say(f"Left out: {told}, which mean nothing elsewhere.")
    if form == "jsonl":
        say(f"In another home: `cairn import {done.folder}`.")


def _share(
    reader: "Reader",
    project: str,
    target: Path | None,
    *,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Shows what would leave, asks, and writes it."""
    from cairn.serving.exchange.pack import prepare_pack, write_pack

    found = prepare_pack(reader, project)
    name = found.pack.project
    file = (target or Path(f"{name.replace('/', '-')}-pack.json")).absolute()
    if as_json and not (yes or dry_run):
        raise click.UsageError("with --json, say --yes or --dry-run")
    if not as_json:
        _show(found)
    if not (yes or dry_run):
        if not sys.stdin.isatty():
            raise click.UsageError(f"this writes {file} for others to read: add --yes")
        click.confirm(f"Write {file}?", abort=True, err=True)
    if not dry_run:
        write_pack(found, file)
    if as_json:
        emit_json(
            {
                "project": name,
                "file": None if dry_run else file,
                "statements": [msgspec.to_builtins(one) for one in found.pack.statements],
                "left_out": found.reasons,
                "changed": found.changed,
            }
        )
    elif dry_run:
        say("Nothing was written.")
    else:
        say(f"{count(len(found.pack.statements), 'statement')} of {name} are in {file}.")
        say(f"A colleague takes them in with `cairn import {file.name}`.")


def _show(found: "PreparedPack") -> None:
    if found.left_out:
        say(f"Left out: {count(len(found.left_out), 'statement')}.")
        examples: dict[str, str] = {}
        for one in found.left_out:
            examples.setdefault(one.why, one.text)
        rows = [
            {"why": f"names {why}", "count": number, "for example": examples[why]}
            for why, number in found.reasons.items()
        ]
        print_table(rows, LEFT_OUT)
    if found.changed:
        say(f"Paths were cut in {count(found.changed, 'statement')}.")
    say(f"Goes: {', '.join(count(number, kind) for kind, number in found.kinds.items())}.")
    print_table(map(msgspec.to_builtins, found.pack.statements), GOES)
