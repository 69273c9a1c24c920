"""`cairn runs`."""

from typing import Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.commands.run.dead_letters import check_known
from cairn.serving.cli.terminal import TerminalColumn, advise, emit_json, print_table, say

COLUMNS = (
    TerminalColumn("begun", "begun (UTC)"),
    TerminalColumn("namespace"),
    TerminalColumn("job", from_width=110),
    TerminalColumn("asked_by", "asked by", from_width=90),
    TerminalColumn("result"),
    TerminalColumn("seconds"),
    TerminalColumn("why", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn runs
  cairn runs --failed
  cairn runs --namespace harbor --limit 5 --json

Asked by: a command, the sensor that sees new logs, the nightly schedule, a backfill, or somebody in
Dagster's UI. A run that found nothing new is none: `cairn run` looks before it begins one."""
)
@options.namespace(options.EACH_NAMESPACE)
@click.option("--failed", is_flag=True, help="Only those that failed or were cancelled.")
@options.limit(20)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, namespace: str | None, failed: bool, limit: int, as_json: bool
) -> None:
    """List what Dagster ran: when, how long it took, and why it failed."""
    state = options.state_of(ctx)
    if namespace is not None:
        check_known(state, namespace)
    from cairn.pipelines.planning.instance import instance_of
    from cairn.pipelines.planning.run_history import recorded_runs
    from cairn.serving.runtime.services import ui_address

    with instance_of(state.home) as instance:
        found = recorded_runs(instance, namespace, failed=failed, limit=limit)
    ui = ui_address(state.home)
    rows: list[dict[str, Any]] = [
        one._asdict() | {"url": f"{ui}/runs/{one.run_id}" if ui else None} for one in found
    ]
    if as_json:
        emit_json({"runs": rows})
        return
    if not rows:
        say("No run failed." if failed else "Nothing was run yet: `cairn run` makes the first.")
        return
    print_table(
        [
            {
                "begun": f"{one.created_at:%Y-%m-%d %H:%M:%S}", "namespace": one.namespace or "",
                "job": one.job, "asked_by": one.asked_by, "result": one.status,
                "seconds": "" if one.seconds is None else f"{one.seconds:.1f}",
                "why": one.reason or "",
            }
            for one in found
        ],
        COLUMNS,
    )  # fmt: skip
    advise(f"Each of them: {ui}/runs" if ui else "Each of them, step by step: `cairn ui`")
