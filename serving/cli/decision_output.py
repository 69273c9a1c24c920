"""What a decision is about, as the terminal shows it."""

from collections.abc import Sequence

from cairn.knowledge.ingest.inbox_events.decisions import DECISION, ENTITY, FACT, IN_REVIEW
from cairn.serving.cli.deciding import Decided
from cairn.serving.cli.terminal import TerminalColumn, advise, console, emit_json, print_table, say
from cairn.serving.read.display import one_line
from cairn.serving.status.pending import NEXT_RUN
from cairn.serving.write.deciding import WantedDecision, decide

COLUMNS = (
    TerminalColumn("id"),
    TerminalColumn("confidence", "conf"),
    TerminalColumn("status", from_width=110),
    TerminalColumn("text", "what it says", wide=True),
)
OF_OTHERS = tuple(column for column in COLUMNS if column.name != "confidence")
_KINDS = {FACT: "Facts", ENTITY: "Entities", DECISION: "Decisions", IN_REVIEW: "What waited"}


def take_down(
    decided: Decided,
    decision: str,
    ids: Sequence[str],
    *,
    text: str | None = None,
    into: str | None = None,
) -> None:
    """Notes a decision, and says what will happen to what, when, and how to undo it."""
    wanted = WantedDecision(decision, ids, text, into, decided.reason)
    told, named, will = decide(decided.state, wanted, decided.namespace)
    if decided.as_json:
        emit_json(told)
        return
    kind = _KINDS[told["target_type"]]
    say(f"{kind} of {told['namespace']}, {will}:", style="bold")
    rows = [{**each._asdict(), "text": one_line(each.text)} for each in named]
    print_table(rows, COLUMNS if told["target_type"] in (FACT, ENTITY) else OF_OTHERS, indent=2)
    console().print()
    advise(f"Noted as {told['decision_id']}; applied {NEXT_RUN}")
    advise(f"To undo that: `cairn undo {told['decision_id']}`", style="dim")
