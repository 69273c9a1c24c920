"""`cairn config`."""

import click

from cairn.serving.cli.terminal import TerminalColumn, emit_json, print_table, say

COLUMNS = (
    TerminalColumn("name"),
    TerminalColumn("value", wide=True),
    TerminalColumn("source", "set by", most=30),
)


@click.command(
    epilog="""\b
Examples:
  cairn config
  cairn config policy
  CAIRN_POLICY__SEARCH_LIMIT=10 cairn config search_limit

Set them as CAIRN_* variables (a dot is two underscores), or in cairn.toml here or in the home."""
)
@click.argument("part", default="")
@click.option("--set", "only_set", is_flag=True, help="Only what is not a default.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout, nothing else.")
def command(part: str, only_set: bool, as_json: bool) -> None:
    """Show settings in force, and where each comes from; PART of a name narrows them."""
    from cairn.knowledge.nlp.text import suggestion
    from cairn.resources.home.settings import explain

    found = [setting._asdict() for setting in explain()]
    rows = [row for row in found if part in row["name"]]
    if not rows:
        meant = suggestion(part, [row["name"] for row in found])
        raise click.ClickException(f"no setting is called {part!r}{meant}")
    if only_set:
        rows = [row for row in rows if row["source"] != "default"]
    if as_json:
        emit_json({"settings": rows})
        return
    if not rows:
        say("All settings are the defaults.")
        return
    print_table(rows, COLUMNS)
    if len(rows) == 1:
        say(rows[0]["description"])
