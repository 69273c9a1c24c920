"""`cairn intake`."""

import os

import click

from cairn.serving.cli import options


@click.command(
    epilog="""\b
Examples:
  cairn intake

Hooks of connected agents (`cairn connect`) queue the transcript of each session that ends, and
start this by themselves, at most once a minute. Each transcript becomes a source: a session that
goes on later is taken in again by any `cairn run`. All tables are checked once a day."""
)
@click.option("--started", is_flag=True, hidden=True, help="By a hook, which holds the lock.")
@click.pass_context
def command(ctx: click.Context, started: bool) -> None:
    """Take in the transcripts that agents queued."""
    from cairn.resources.home.home import check_writable
    from cairn.resources.hook_queue import forget_sessions, intake_lock, queued
    from cairn.serving.cli.commands.run.run import execute

    if started:
        os.chdir("/")  # it may outlive the folder that a session ended in
    state = options.state_of(ctx)
    check_writable(state.home)
    with intake_lock(state.home, inherited=started) as locked:
        if not locked:
            raise click.ClickException("another intake is under way; it takes what is queued too")
        forget_sessions(state.home)
        taken = 0
        while waiting := queued(state.home):
            for why in waiting.register():
                click.echo(f"cairn: {why}", err=True)
            execute(state, report=False, daily=True)
            waiting.done()
            taken += len(waiting.entries)
        if not taken:
            click.echo("Nothing is queued.")
