"""`cairn schedule`."""

import click

from cairn.serving.cli import options
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say

MOST = 1_000
COLUMNS = (
    TerminalColumn("topic", most=40),
    TerminalColumn("due_at", "next search"),
    TerminalColumn("reason", from_width=80),
    TerminalColumn("blocked_by", "blocked by"),
)


@click.command(
    epilog="""\b
Examples:
  cairn schedule "Rust releases" --every week
  cairn schedule "Rust releases" --every 3d    (takes the place of the one before)
  cairn schedule "Rust releases" --stop
  cairn schedule                               (what recurs, and when next)

Times are counted from when it was asked for; what was missed is not made up for."""
)
@click.argument("topic", nargs=-1, metavar="[TOPIC]")
@click.option("--every", metavar="TIME", help="12h, 3d, week, `2 weeks`, month.")
@click.option("--stop", is_flag=True, help="Search for it no more.")
@options.namespace(options.ONE_NAMESPACE)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    topic: tuple[str, ...],
    every: str | None,
    stop: bool,
    namespace: str | None,
    as_json: bool,
) -> None:
    """Have a topic searched for again and again."""
    from cairn.serving.cli.pages import page, plain, rows
    from cairn.serving.cli.report import say_pending
    from cairn.serving.query.research import NO_PROVIDER
    from cairn.serving.read.namespaces import told_to
    from cairn.serving.status.pending import NEXT_RUN, SCHEDULES
    from cairn.serving.status.pending import listed as noted
    from cairn.serving.write.research import schedule

    if topic and (every is None) != stop:
        raise click.UsageError("give --every TIME, or --stop", ctx)
    if not topic and (every or stop):
        raise click.UsageError("give a topic", ctx)
    state = options.state_of(ctx)
    off = not state.searches
    if topic:
        told = schedule(state, told_to(state, namespace), " ".join(topic), every)
        if as_json:
            emit_json(told | {"provider": not off})
            return
        what = f"every {every}" if every else "no more"
        advise(
            f"Noted for namespace {told['namespace']}: {told['topic']}, {what}; applied {NEXT_RUN}"
        )
    else:
        namespace, reader, waiting = noted(state, namespace, SCHEDULES)
        listed = page("schedules", reader, MOST) if reader else None
        if as_json:
            emit_json(plain(listed, namespace, waiting))
            return
        found = rows(listed)
        if found:
            print_table(found, COLUMNS)
        say_pending(waiting)
        if not (found or waiting):
            advise("Nothing recurs: `cairn schedule TOPIC --every 3d`.")
            return
    if off and not stop:
        say(NO_PROVIDER)
