"""`cairn notifications`."""

from typing import TYPE_CHECKING, Any

import click

from cairn.resources.home.home import check_writable
from cairn.serving.cli import options
from cairn.serving.cli.terminal import (
    TerminalColumn,
    advise,
    emit_json,
    print_table,
    say,
    say_value,
)
from cairn.serving.read.display import count

if TYPE_CHECKING:
    from cairn.resources.context import State

_COLUMNS = (
    TerminalColumn("status"),
    TerminalColumn("at"),
    TerminalColumn("text", wide=True),
    TerminalColumn("reason", from_width=80, most=48),
    TerminalColumn("notification_id", "id", from_width=100),
)


@click.command(
    epilog="""\b
Examples:
  cairn notifications
  cairn notifications --send             (tells what is due, now)
  cairn notifications --like 3f9a        (what you were told was welcome)
  cairn notifications --dislike 3f9a     (it was not)
  cairn notifications --again 3f9a       (sends one again that failed, or may have)
  cairn notifications --json

The daemon tells them at their pace: at once, then after 1, 2, 4, 8 … minutes, until you do
something. No other command tells anything."""
)
@click.option("--send", is_flag=True, help="Tell what is due.")
@click.option("--again", metavar="ID", help="Send one again that failed, or may have.")
@click.option("--like", metavar="ID", help="Say that one was welcome.")
@click.option("--dislike", metavar="ID", help="Say that it was not.")
@options.limit(20)
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    send: bool,
    again: str | None,
    like: str | None,
    dislike: str | None,
    limit: int,
    namespace: str | None,
    as_json: bool,
) -> None:
    """What you were told unasked, what you will be, and what is blocked."""
    from cairn.serving.cli.pages import page, rows
    from cairn.serving.cli.report import say_pending
    from cairn.serving.query.notifications import counts
    from cairn.serving.read.reader import open_reader
    from cairn.serving.status.pending import NEXT_RUN, NOTICES, pending
    from cairn.serving.write.notifications import Unnotified, react
    from cairn.serving.write.notifications import again as try_again

    if sum(map(bool, (send, again, like, dislike))) > 1:
        raise click.UsageError("--send, --again, --like and --dislike: one of them", ctx)
    state = options.state_of(ctx)
    if send:
        _send(state)
    reader = open_reader(state, namespace)
    try:
        if again:
            tried = try_again(reader, again)
            told = {"namespace": reader.namespace, **tried._asdict()}
            _say(told, f"To be sent again: {tried.text}; applied {NEXT_RUN}", as_json)
            return
        if chosen := like or dislike:
            event = react(reader, chosen, "like" if like else "dislike")
            told = {"namespace": reader.namespace, "event_id": event.event_id}
            _say(told, f"Noted; applied {NEXT_RUN}", as_json)
            return
    except Unnotified as unknown:
        raise click.ClickException(str(unknown)) from None
    found, every = page("notifications", reader, limit), counts(reader)
    waiting = pending(state, reader.namespace, NOTICES)
    if as_json:
        emit_json(found.model_dump(mode="json") | {"counts": every})
        return
    if not every:
        advise("Nothing was told, and nothing is to be: see `cairn research`.")
        say_pending(waiting)
        return
    print_table([_shown(row) for row in rows(found)], _COLUMNS)
    for kind, number in every.items():
        say_value(kind.replace("_", " "), count(number, "notification"))
    say_pending(waiting)


def _say(told: dict[str, Any], words: str, as_json: bool) -> None:
    if as_json:
        emit_json(told)
    else:
        say(words)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"at": row["sent_at"] or row["due_at"] or row["found_at"]}


def _send(state: "State") -> None:
    from cairn.pipelines.runner import RunFailed, run_notifications

    check_writable(state.home)
    try:
        run_notifications(state)
    except RunFailed as error:
        raise click.ClickException(f"{error}; what was published before stays") from error
