"""`cairn metrics`."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.terminal import TerminalColumn, console, emit_json, print_table, say
from cairn.serving.models.parameters import At
from cairn.serving.read.reader import open_reader

if TYPE_CHECKING:
    from cairn.knowledge.quality.measures import Measure

GATES = (
    TerminalColumn("stage"),
    TerminalColumn("gate"),
    TerminalColumn("rows_in", "came"),
    TerminalColumn("rejected"),
    TerminalColumn("passed"),
)
OTHERS = (
    TerminalColumn("measure"),
    TerminalColumn("value"),
    TerminalColumn("goal", from_width=110, most=36),
    TerminalColumn("about", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn metrics
  cairn metrics --as-of 2026-03-01
  cairn metrics --json

What was not measured has no number, and says why. A running `cairn serve` tells the same to
Prometheus at /metrics."""
)
@options.namespace(options.ONE_NAMESPACE)
@parameters(At, "as_of")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, namespace: str | None, as_of: datetime | None, as_json: bool
) -> None:
    """Measures: what passes each gate, what becomes of statements, what is used, paid and waits."""
    from cairn.serving.status.measures import present_measures, published_measures

    reader = open_reader(options.state_of(ctx), namespace, as_of)
    found = [*published_measures(reader), *present_measures(reader)]
    if as_json:
        emit_json({"namespace": reader.namespace, "as_of": reader.as_of, "measures": found})
        return
    say("Gates", style="bold")
    print_table(_gates(found), GATES, indent=2)
    console().print()
    say("Measures", style="bold")
    rows = [_row(one) for one in found if "gate" not in one.labels]
    print_table(rows, OTHERS, indent=2)


def _gates(found: "Sequence[Measure]") -> list[dict[str, Any]]:
    """A row for each gate."""
    gates: dict[tuple[str, str], dict[str, Any]] = {}
    for one in found:
        if "gate" in one.labels:
            place = one.labels["stage"], one.labels["gate"]
            row = gates.setdefault(place, {"stage": place[0], "gate": place[1]})
            row[one.name.removeprefix("gate_")] = one.value
    for row in gates.values():
        rate = row.get("pass_rate")
        row["passed"] = "" if rate is None else f"{rate:.1%}"
    # Fewer and fewer come: so those of a stage stand in their order.
    return sorted(gates.values(), key=lambda row: (row["stage"], -row["rows_in"]))


def _row(one: "Measure") -> dict[str, Any]:
    of = ", ".join(one.labels.values())
    missed = " (missed)" if one.met is False else ""
    return {
        "measure": f"{one.name} {of}".strip(),
        "value": "" if one.value is None else _number(one),
        "goal": f"{one.goal}{missed}" if one.goal else "",
        "about": f"{one.about} Not measured: {one.why}." if one.why else one.about,
    }


def _number(one: "Measure") -> str:
    value = one.value or 0
    if one.name.endswith("_share"):
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
