"""`cairn forget`."""

from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    import polars as pl

    from cairn.resources.context import State
    from cairn.serving.write.deletion import Target

_COLUMNS = (TerminalColumn("effect"), TerminalColumn("table"), TerminalColumn("rows"))
_PLACES = (TerminalColumn("place"), TerminalColumn("rows"), TerminalColumn("the first", wide=True))
_ROWS = (
    TerminalColumn("effect"),
    TerminalColumn("table"),
    TerminalColumn("id"),
    TerminalColumn("text", wide=True),
)
_SHOWN = 20


@click.command(
    epilog="""\b
Examples:
  cairn forget f_1c0ad2398567ecbb --dry-run
  cairn forget f_1c0ad2398567ecbb
  cairn forget r_5d2f --purge           (old versions of the tables, too)
  cairn forget "Project Heron" --namespace work
  cairn forget "Project Heron" --everywhere --purge
  cairn forget work --yes               (a whole namespace)

What is forgotten is the lines that it rests on, with all that came only from them. What had other
evidence stays, and what they had struck out stands again. A source that still holds a line does
not bring it back. Of an entity, the lines that only mention it stay, and are counted; --everywhere
takes each line that has any of its names, or any words. There is no way to take it back: look at
--dry-run first."""
)
@click.argument("what", metavar="ENTITY|FACT|RECORD|CONVERSATION|NAMESPACE")
@click.option("--dry-run", is_flag=True, help="Only the receipt: on a copy, nothing is changed.")
@click.option("--everywhere", is_flag=True, help="Every line that names an entity, or words.")
@click.option("--purge", is_flag=True, help="Also old table versions and free pages, at once.")
@click.option("--yes", is_flag=True, help="Do not ask, where it is a namespace or everywhere.")
@options.namespace(options.ANY_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    what: str,
    dry_run: bool,
    everywhere: bool,
    purge: bool,
    yes: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Take something away for good, with all that rests on it alone."""
    from cairn.knowledge.deletion.tombstones import NAMESPACE
    from cairn.serving.write.deletion import target

    if dry_run and purge:
        raise click.UsageError("--dry-run changes nothing: leave --purge out", ctx)
    state = options.state_of(ctx)
    wanted = target(state, what, namespace, everywhere=everywhere)
    if wanted.target_type == NAMESPACE and not (dry_run or yes):
        confirm(f"all of the namespace {wanted.id}", as_json=as_json)
    execute(state, wanted, dry_run=dry_run, purge=purge, yes=yes, as_json=as_json)


def execute(
    state: "State",
    wanted: "Target",
    *,
    dry_run: bool,
    purge: bool = False,
    yes: bool = False,
    as_json: bool = False,
) -> None:
    """Forgets something, or shows what would go, and tells the receipt.

    Raises:
        click.exceptions.Exit: with 1 if readers may see it still.
        click.Abort: it is not to go everywhere, once it is told how many lines that are.
    """
    from cairn.serving.write.deletion import reach

    reached = reach(state, wanted)
    if wanted.everywhere and not (dry_run or yes):
        confirm(f"{count(reached.lines, 'line')} of {wanted.namespace}", as_json=as_json)
    from cairn.pipelines import deletion
    from cairn.pipelines.runner import RunFailed
    from cairn.serving.cli.progress import Display

    if dry_run:
        done = deletion.dry_run(state, reached.event, reached.pattern)
    else:
        display = Display()
        try:
            with display.shown():
                done = deletion.forget(
                    state, reached.event, reached.pattern, purged=purge, listener=display.listener()
                )
        except RunFailed as error:
            raise click.ClickException(
                f"{error}; it is noted, and `cairn run` goes on from there"
            ) from error
    told: dict[str, Any] = {
        **wanted._asdict(), "dry_run": dry_run, "purged": purge,
        "lines_removed": reached.lines, "lines_still_naming": reached.still,
        "names": sorted({name.text for name in reached.names}), "watched": list(reached.watched),
    }  # fmt: skip
    waiting = {each.namespace: list(each.reasons) for each in done.not_yet}
    told |= {} if dry_run else {"event_id": done.event_id}
    told["named"] = [place._asdict() for place in done.named]
    told |= {} if dry_run else {"not_yet": waiting}
    _tell(told, done.rows, as_json=as_json)
    for name, reasons in waiting.items():
        why = "; ".join(reasons)
        click.echo(f"cairn: readers of {name} may see it still: {why}", err=True)
    if waiting:
        raise click.exceptions.Exit(1)


def confirm(what: str, *, as_json: bool) -> None:
    """Asks whether something is to be forgotten; a script must have said so.

    Raises:
        click.UsageError: there is nobody to ask.
        click.Abort: it is not.
    """
    if as_json:
        raise click.UsageError(f"this forgets {what}: add --yes")
    click.confirm(f"Forget {what}, for good?", abort=True, err=True)


def _tell(told: dict[str, Any], rows: "pl.DataFrame", *, as_json: bool) -> None:
    from cairn.knowledge.deletion.receipt import KEPT, REVIVED, counts

    found = counts(rows)
    if as_json:
        emit_json(told | {"counts": found, "rows": rows.to_dicts()})
        return
    name = (
        told["id"] if told["target_type"] == "namespace" else f"{told['id']} of {told['namespace']}"
    )
    done = "Would be forgotten" if told["dry_run"] else "Forgotten"
    wide = ", everywhere" if told["everywhere"] else ""
    say(
        f"{done}: {told['target_type']} {name}{wide}, {count(told['lines_removed'], 'line')}",
        style="bold",
    )
    if rows.is_empty():
        say("Nothing rests on it any more.", indent=2)
    else:
        print_table(
            (
                {"effect": effect, "table": table, "rows": number}
                for effect, tables in found.items()
                for table, number in tables.items()
            ),
            _COLUMNS,
            indent=2,
        )
    stays = rows.filter(rows["effect"].is_in([KEPT, REVIVED]))
    if stays.height:
        say("Stays, by other evidence or because nothing strikes it out now:")
        print_table(stays.head(_SHOWN).to_dicts(), _ROWS, indent=2)
    if stays.height > _SHOWN:
        say(f"… and {count(stays.height - _SHOWN, 'row')} more: --json lists all", style="dim")
    if told["named"]:
        still = count(told["lines_still_naming"], "line")
        say(f"Named still ({', '.join(told['names'])}), in {still} and what is made of them:")
        shown = ({"place": each["where"], "rows": each["rows"], "the first": ", ".join(each["ids"])}
                 for each in told["named"])  # fmt: skip
        print_table(shown, _PLACES, indent=2)
        if not told["everywhere"]:
            say("--everywhere takes those lines, too.", style="dim")
    if told["watched"]:
        advise("Watched still; what they say from now on comes in, unless `cairn sources remove`:")
        for path in told["watched"]:
            say(path, indent=2)
    if told["dry_run"]:
        say("Nothing was changed.", style="dim")
    elif not told["purged"]:
        say("Old versions of the tables go with the nights of the next week, or now by --purge of"
            " anything.", style="dim")  # fmt: skip
