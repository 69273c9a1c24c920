"""What a decision is about, as the terminal shows it."""

from collections.abc import Sequence
from typing import Any

from knowledge.ingest.inbox_events.decisions import FACT
from serving.cli.terminal import Column, advise, console, emit_json, print_table, say
from serving.read.display import one_line
from serving.status.pending import NEXT_RUN
from serving.write.decisions import Named

COLUMNS = (
    Column("id"),
    Column("confidence", "conf"),
    Column("status", from_width=110),
    Column("text", "what it says", wide=True),
)


def tell(
    told: dict[str, Any], named: Sequence[Named], will: str, otherwise: str, *, as_json: bool
) -> None:
    """Says what will happen to what, when, and how to decide otherwise."""
    if as_json:
        emit_json(told)
        return
    kind = "Facts" if told["thing"] == FACT else "Entities"
    say(f"{kind} of {told['namespace']}, {will}:", style="bold")
    rows = [{**each._asdict(), "text": one_line(each.text)} for each in named]
    print_table(rows, COLUMNS, indent=2)
    console().print()
    advise(f"Noted as {told['decision_id']}; applied {NEXT_RUN}")
    advise(f"To decide otherwise: `{otherwise}`", style="dim")
