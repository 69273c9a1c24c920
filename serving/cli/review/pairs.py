"""What `cairn review` asks a person: which alike facts are one, and what decisions found nothing.

What was decided since the last run is noted in the inbox, and waits no more.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from cairn.knowledge.consolidation.standing import IN_FORCE
from cairn.serving.cli.terminal import console, say, say_value
from cairn.serving.read.display import count, one_line

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.read.reader import Reader

SEEM = {
    "same": "say the same, but are not sure enough to be merged by rule",
    "opposite": "deny each other",
    "value": "give one thing different values",
    "unsure": "may say the same",
}
"""How two facts that are alike stand to each other, by the verdict on their words."""

KEYS = "m merge, k keep both, l retract the first, r retract the second, s skip, q quit"

_PAIRS = pl.Schema(
    {
        "namespace": pl.String(), "left_id": pl.String(), "right_id": pl.String(),
        "left": pl.String(), "right": pl.String(), "left_confidence": pl.Float64(),
        "right_confidence": pl.Float64(), "entity": pl.String(), "similarity": pl.Float64(),
        "verdict": pl.String(), "difference": pl.String(), "model_verdict": pl.String(),
        "reason": pl.String(), "rejected_by": pl.String(), "decide": pl.List(pl.String()),
    }
)  # fmt: skip


def pairs(state: "State", namespace: str | None) -> pl.DataFrame:
    """Facts that are alike and hold side by side: rules could not make them one. Surest first.

    Returns:
        namespace, left_id, right_id, left, right (what they say), left_confidence,
        right_confidence, entity, similarity, verdict, difference, decide (commands); and `said`,
        `reason`, `refused` of what a model said and rules do not follow. The same two sentences
        about several entities stand there once.
    """
    found = [_pairs_of(reader) for reader in _readers(state, namespace)]
    return pl.concat(found or [pl.DataFrame(schema=_PAIRS)])


def _pairs_of(reader: "Reader") -> pl.DataFrame:
    from cairn.knowledge.ingest.inbox_events.decisions import CORRECT, RETRACT
    from cairn.serving.query.pending_pairs import waiting_pairs

    facts = (
        reader.memory()
        .filter(pl.col("status").is_in(IN_FORCE), pl.col("valid_to").is_null())
        .select("fact_id", "content", "effective", "entity")
        .collect()
    )
    found = waiting_pairs(reader.table, reader.state.policy)
    for side in ("left", "right"):
        found = found.join(
            facts.rename({
                "fact_id": f"{side}_id", "content": side, "effective": f"{side}_confidence",
                "entity": f"{side}_entity",
            }),
            on=f"{side}_id",
        )  # fmt: skip
    noted = list(_noted(reader))
    settled = {frozenset((left, right)) for _, ids in noted for left in ids for right in ids}
    gone = {id_ for decision, ids in noted if decision in (RETRACT, CORRECT) for id_ in ids}
    waits = [
        frozenset(pair) not in settled and not gone & set(pair)
        for pair in found.select("left_id", "right_id").iter_rows()
    ]
    return (
        found.filter(pl.Series(waits, dtype=pl.Boolean))
        .with_columns(
            worth=pl.col("left_confidence") + pl.col("right_confidence"),
            texts=pl.concat_list("left", "right").list.sort(),
            entity="left_entity",
            decide=pl.concat_list(
                pl.concat_str(pl.lit(f"cairn {verb}"), "left_id", "right_id", separator=" ")
                for verb in ("merge", "keep-apart")
            ),
        )
        .sort("worth", "similarity", "left_id", "right_id", descending=[True, True, False, False])
        .unique("texts", keep="first", maintain_order=True)
        .select(_PAIRS.names())
        .cast(_PAIRS)
    )


def print_pair(row: dict[str, Any]) -> None:
    """Both texts, how alike they are, what differs, and the commands that decide."""
    _print_texts(row)
    for command in row["decide"]:
        say(command, style="dim", indent=4)
    console().print()


def _print_texts(row: dict[str, Any]) -> None:
    for side in ("left", "right"):
        sure = f"{row[f'{side}_confidence']:.2f}"
        say(f"{row[f'{side}_id']}  {sure}  {one_line(row[side])}", style="yellow", indent=2)
    differ = f"; {row['difference']} differs" if row["difference"] else ""
    about = f"of {row['entity']} in {row['namespace']}"
    say(f"{SEEM[row['verdict']]}: {row['similarity']:.2f} alike{differ}; {about}", indent=4)
    if row["model_verdict"]:
        said = f"a model says {row['model_verdict']}: {one_line(row['reason'])}"
        say(f"{said}; not followed ({row['rejected_by']})", indent=4)


def unresolved(state: "State", namespace: str | None) -> pl.DataFrame:
    """Decisions of which something cannot be applied, and why; the latest first."""
    from cairn.knowledge.schema.tables import DECISIONS

    columns = ["namespace", "decision_id", "decision", "text", "reason", "unresolved", "decided_at"]
    return (
        state.warehouse.read(DECISIONS, namespace=namespace)
        .filter(pl.col("unresolved").is_not_null())
        .select(columns)
        .sort("decided_at", "decision_id", descending=[True, False])
        .collect()
    )


def print_unresolved(row: dict[str, Any]) -> None:
    """A decision in words, and why it is not applied."""
    say(one_line(row["text"]), style="yellow", indent=2)
    for label, value in (
        ("why", row["unresolved"]), ("decided at", row["decided_at"]),
        ("because", row["reason"]), ("record", row["decision_id"]),
    ):  # fmt: skip
        say_value(label, value, indent=4)
    console().print()


def decide_on(state: "State", namespace: str | None, limit: int) -> None:
    """Asks about one pair after the other; each answer is noted at once."""
    from cairn.knowledge.ingest.inbox_events.decisions import FACT, KEEP_APART, MERGE, RETRACT
    from cairn.serving.status.pending import NEXT_RUN
    from cairn.serving.write.decisions import chosen, note, united

    by_name = {reader.namespace: reader for reader in _readers(state, namespace)}
    decided = 0
    gone: set[str] = set()
    for row in pairs(state, namespace).head(limit).to_dicts():
        ids = [row["left_id"], row["right_id"]]
        if gone & set(ids):
            continue
        _print_texts(row)
        answer = click.prompt(f"  {KEYS}", type=click.Choice(list("mklrsq")), show_choices=False)
        console().print()
        choice = chosen(by_name[row["namespace"]], FACT, ids)
        match answer:
            case "m":
                note(choice, MERGE, choice.named)
            case "k":
                note(choice, KEEP_APART, choice.named)
            case "l" | "r":
                taken = choice.named["lr".index(answer)]
                note(choice, RETRACT, united(choice, taken.id))
                gone.add(taken.id)
            case "q":
                break
            case _:
                continue
        decided += 1
    noted = f"{count(decided, 'decision')} noted; applied {NEXT_RUN}"
    say(noted if decided else "Nothing decided.")


def _readers(state: "State", namespace: str | None) -> "list[Reader]":
    from cairn.resources.warehouse.publication import namespaces
    from cairn.serving.read.reader import open_reader

    known = namespaces(state.home)
    return [open_reader(state, name) for name in known if namespace in (None, name)]


def _noted(reader: "Reader") -> Iterator[tuple[str, list[str]]]:
    """Decisions that were noted since the last run: each with the ids that it names."""
    from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES, meant_of
    from cairn.knowledge.schema.identity import record_id
    from cairn.knowledge.schema.tables import DECISIONS

    known = set(reader.table(DECISIONS, ["decision_id"]).collect()["decision_id"])
    folder = reader.state.home.inbox / reader.namespace
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            event = _event(line)
            if event.get("type") not in DECISION_TYPES:
                continue
            if record_id(reader.namespace, event.get("event_id")) not in known:
                yield str(event["type"]), [each.id for each in meant_of(event.get("meant"))]


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
