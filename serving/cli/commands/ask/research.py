"""`cairn research`."""

from typing import TYPE_CHECKING

import click
import polars as pl

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.resources.context import State

DUE = (
    TerminalColumn("rank", "#"),
    TerminalColumn("mode"),
    TerminalColumn("query", wide=True),
    TerminalColumn("due_at", "due"),
    TerminalColumn("priority", from_width=96),
    TerminalColumn("reason", from_width=80, most=48),
)
DONE = (
    TerminalColumn("at"),
    TerminalColumn("trigger", from_width=80),
    TerminalColumn("query", wide=True),
    TerminalColumn("outcome"),
    TerminalColumn("results"),
    TerminalColumn("error", from_width=96),
)
WHY = {
    "switched_off": "until a search provider is set",
    "before_switch": "for what was only named before searches were switched on",
    "muted": "for what you muted",
    "disliked": "for what you dislike",
    "faint": "for what you care about too little by now",
    "no_interval": "since --every is no time such as 3d",
    "forgotten": "since what they brought was forgotten",
    "unknown": "of which nobody knows whether they were made",
    "failed": "since they failed for good",
}
"""Why searches are held, in words."""

NOT_STARTED = "until the first searches are made: `cairn research --run` does it at once"
"""What holds those that are `switched_off` once a provider is set."""

OPEN = (
    TerminalColumn("effect_id", "id"),
    TerminalColumn("blocked_by", "blocked by"),
    TerminalColumn("query", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn research
  cairn research --run          (makes the searches that are due, now)
  cairn research --again s_3f9a (tries one again of which nobody knows what became)
  cairn research --json

Searches are made at night, and by the daemon when nothing else is to be done; no other command
makes any."""
)
@click.option("--run", "now", is_flag=True, help="Make the searches that are due.")
@click.option("--again", metavar="ID", help="Try a search again that is held.")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    now: bool,
    again: str | None,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """What is to be searched for, what was, and what is not known."""
    from cairn.serving.cli.report import say_pending
    from cairn.serving.query.research import NO_PROVIDER, NOTHING, SEARCHES_WAIT, report, wait
    from cairn.serving.read.reader import open_reader
    from cairn.serving.status.pending import NEXT_RUN, RESEARCH, as_rows, listed
    from cairn.serving.write.research import again as try_again

    if now and again:
        raise click.UsageError("--run and --again do not go together", ctx)
    state = options.state_of(ctx)
    if now:
        _run(state)
    if again:
        reader = open_reader(state, namespace)
        tried = try_again(reader, again)
        if as_json:
            emit_json({"namespace": reader.namespace, **tried._asdict()})
        else:
            said = f"To be tried again: {tried.query}; applied {NEXT_RUN}"
            say(said if tried.new else "That was said before.")
        return
    namespace, reader, waiting = listed(state, namespace, RESEARCH)
    free, blocked, made = report(reader) if reader else NOTHING
    open_ = blocked.filter(pl.col("blocked_by").is_in(["unknown", "failed"])).to_dicts()
    if as_json:
        emit_json(
            {
                "namespace": namespace,
                "provider": state.settings.search_provider,
                "due": free.head(limit).to_dicts(),
                "blocked": blocked.head(limit).to_dicts(),
                "done": made[:limit],
                "waiting": as_rows(waiting),
            }
        )
        return
    say(f"To be searched for: {count(free.height, 'search', 'searches')}", style="bold")
    if free.height:
        print_table(free.head(limit).to_dicts(), DUE, indent=2)
    provider = state.settings.search_provider
    words = WHY if provider is None else WHY | {"switched_off": NOT_STARTED}
    for why, number in blocked.group_by("blocked_by").len().sort("blocked_by").iter_rows():
        say(f"Blocked: {count(number, 'search', 'searches')}, {words.get(why, why)}", indent=2)
    if open_:
        advise("Not known, or failed: `cairn research --again ID`", style="bold")
        print_table(open_[:limit], OPEN, indent=2)
    say(f"Made: {count(len(made), 'search', 'searches')}", style="bold")
    if made:
        print_table(made[:limit], DONE, indent=2)
    say_pending(waiting)
    if provider is None:
        say(NO_PROVIDER)
    elif wait(state):
        say(SEARCHES_WAIT)


def _run(state: "State") -> None:
    from cairn.resources.web.search_provider import search_provider

    if search_provider(state.settings) is None:
        raise click.ClickException(
            "no search provider is set: CAIRN_SEARCH_PROVIDER, such as searxng or folder:PATH"
        )
    from cairn.pipelines.runner import RunFailed, run_searches

    try:
        run_searches(state)
    except RunFailed as error:
        raise click.ClickException(f"{error}; what was published before stays") from error
