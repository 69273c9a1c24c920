"""`cairn keys`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say

if TYPE_CHECKING:
    from cairn.resources.home.api_keys import AccessKey

COLUMNS = (
    TerminalColumn("key_id", "id"),
    TerminalColumn("name", wide=True),
    TerminalColumn("namespaces"),
    TerminalColumn("read_only"),
    TerminalColumn("created_at", "made"),
)


@click.group(
    "keys",
    epilog="""\b
Examples:
  cairn keys add --namespace work --read-only --name "the wiki's bot"
  cairn keys list
  cairn keys remove k_1f09a7c2

With a key in the list, `cairn serve` answers whoever has one, about its namespaces alone.""",
)
def command() -> None:
    """Make, list and remove keys of the HTTP API."""


@command.command(
    "add",
    epilog="""\b
Examples:
  cairn keys add --namespace work
  cairn keys add --namespace work --namespace home --read-only""",
)
@click.option(
    "--namespace",
    "namespaces",
    required=True,
    multiple=True,
    metavar="NAME",
    help="What it opens; may be given several times.",
)
@click.option("--read-only", is_flag=True, help="Reads, and sends no events.")
@click.option("--name", default="", metavar="TEXT", help="What it is for.")
@options.as_json
@click.pass_context
def add(
    ctx: click.Context, namespaces: tuple[str, ...], read_only: bool, name: str, as_json: bool
) -> None:
    """Make a key. It is shown once: only its digest is kept."""
    from cairn.resources.home.api_keys import add_key

    try:
        secret, key = add_key(
            options.state_of(ctx).home, namespaces, read_only=read_only, name=name
        )
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param_hint="--namespace") from None
    if as_json:
        emit_json({"key": secret} | _told(key))
        return
    click.echo(secret)
    kind = "read-only key" if read_only else "key"
    click.echo(
        f"{key.key_id}, a {kind} for {', '.join(key.namespaces)}. Keep it now: it is not shown "
        f'again.\nUse it as the header "Authorization: Bearer {secret[:10]}…".',
        err=True,
    )


@command.command("list")
@options.as_json
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List keys: what each opens, never the key."""
    from cairn.resources.home.api_keys import list_keys

    found = [_told(key) for key in list_keys(options.state_of(ctx).home)]
    if as_json:
        emit_json({"keys": found})
    elif found:
        print_table(found, COLUMNS)
    else:
        advise("There is no key: `cairn serve` listens on this machine alone, and asks for none.")


@command.command("remove")
@click.argument("key_id", metavar="ID")
@options.as_json
@click.pass_context
def remove(ctx: click.Context, key_id: str, as_json: bool) -> None:
    """Remove a key; it opens nothing from now on, in servers that run too."""
    from cairn.resources.home.api_keys import remove_key

    key = remove_key(options.state_of(ctx).home, key_id)
    if as_json:
        emit_json(_told(key))
    else:
        say(f"{key.key_id} opens nothing any more.")


def _told(key: "AccessKey") -> dict[str, Any]:
    told = asdict(key)
    del told["sha256"]
    return told | {"namespaces": list(key.namespaces)}
