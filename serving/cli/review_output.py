"""What waits for a person, as the terminal shows it, and how each is decided on."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cairn.serving.cli.terminal import at_home, console, say, say_value
from cairn.serving.query.review.entities import MAY_BE_ONE
from cairn.serving.query.review.pairs import SEEM, pairs
from cairn.serving.query.review.quarantine import WHY
from cairn.serving.read.display import count, one_line

if TYPE_CHECKING:
    from cairn.resources.context import State

KEYS = {
    "m": "merge", "k": "keep both", "l": "retract the first", "r": "retract the second",
    "s": "skip", "q": "quit",
}  # fmt: skip
"""What each key decides about a pair."""


def _say_command(command: str) -> None:
    """A command to be copied as it stands: of the home that is looked at."""
    say(at_home(f"`{command}`").strip("`"), style="dim", indent=4)


def print_pair(row: dict[str, Any]) -> None:
    """Both texts, how alike they are, what differs, and the commands that decide."""
    _print_texts(row)
    for command in row["decide"]:
        _say_command(command)
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


def print_entities(row: dict[str, Any]) -> None:
    """Both names, why they may be one, and the commands that decide."""
    for side in ("left", "right"):
        say(f"{row[f'{side}_id']}  {one_line(row[side])}", style="yellow", indent=2)
    beside = f"; beside both: {one_line(', '.join(row['beside']))}" if row["beside"] else ""
    say(f"{MAY_BE_ONE[row['rule']]}{beside}; in {row['namespace']}", indent=4)
    if row["model_verdict"]:
        why = f"; not followed ({row['rejected_by']})" if row["rejected_by"] else ""
        say(f"a model says {row['model_verdict']}: {one_line(row['reason'])}{why}", indent=4)
    for command in row["decide"]:
        _say_command(command)
    console().print()


def print_unresolved(row: dict[str, Any]) -> None:
    """A decision in words, and why it is not applied."""
    say(one_line(row["text"]), style="yellow", indent=2)
    for label, value in (
        ("why", row["unresolved"]), ("decided at", row["decided_at"]),
        ("because", row["reason"]), ("record", row["decision_id"]),
    ):  # fmt: skip
        say_value(label, value, indent=4)
    _say_command(f"cairn undo {row['decision_id']}")
    console().print()


def print_held(row: dict[str, Any]) -> None:
    """What is held, who said it, and the order that stands in it."""
    say(one_line(row["content"]), style="yellow", indent=2)
    said_by = row["origin"] and " ".join(filter(None, (row["origin"], row["name"])))
    for label, value in (
        ("words", row["quote"]), ("said by", said_by), ("at", row["occurred_at"]),
        ("namespace", row["namespace"]), ("conversation", row["conversation_id"]),
        ("record", row["record_id"]), ("prompt", row["prompt"]),
        ("quarantined", WHY.get(row["reason"], row["reason"])),
        ("the order", row["order"]),
    ):  # fmt: skip
        say_value(label, value, indent=4)


def print_struck(row: dict[str, Any]) -> None:
    """One fact that would be retracted."""
    say(one_line(row["content"]), style="yellow", indent=2)
    say_value("would be", row["cause"], indent=4)
    say_value("fact", f"{row['id']} in {row['namespace']}", indent=4)


def print_at_once(row: dict[str, Any]) -> None:
    """Two statements of which one at most can hold."""
    say(one_line(row["content"]), style="yellow", indent=2)
    say(one_line(row["other"]), style="yellow", indent=2)
    say_value("said at once", row["known_from"], indent=4)
    say_value("facts", f"{row['fact_id']}, {row['other_id']} in {row['namespace']}", indent=4)


def print_slot(row: dict[str, Any]) -> None:
    """A proposal, with the setting that takes it up."""
    say(row["slot"], style="yellow", indent=2)
    for example in row["examples"]:
        say(one_line(example, 200), style="dim", indent=4)
    say_value(
        "why",
        f"{count(row['values'], 'value')} of {row['entities']} entities followed each other in"
        f" {count(row['conversations'], 'conversation')}; by chance {row['chance']:.1%}",
        indent=4,
    )
    say_value("to take it up", f"policy.single_valued = {row['setting']}", indent=4)


def print_operation(row: dict[str, Any]) -> None:
    """The pattern, how often it was run, and the line that accepts it."""
    say(one_line(row["pattern"]), style="yellow", indent=2)
    for label, value in (
        ("commands", f"{row['commands']:,} in {row['conversations']:,} conversations"),
        ("namespace", row["namespace"]), ("facts", " ".join(row["example_ids"])),
        ("accept", f"learned_operations = [\"{row['pattern']}={row['name']}\"]"),
    ):  # fmt: skip
        say_value(label, value, indent=4)


class _Taken(NamedTuple):
    """A decision that was taken on a pair, and the facts that it retracts."""

    place: int
    decision_id: str
    namespace: str
    retracted: tuple[str, ...]


def decide_on(state: "State", namespace: str | None, limit: int) -> None:
    """Asks about one pair after the other; each answer is noted at once, and can be undone."""
    from cairn.knowledge.ingest.inbox_events.decisions import KEEP_APART, MERGE, RETRACT, UNDO
    from cairn.serving.status.pending import NEXT_RUN
    from cairn.serving.write.deciding import WantedDecision, decide

    rows = pairs(state, namespace).head(limit).to_dicts()
    taken: list[_Taken] = []
    place = -1
    while (place := place + 1) < len(rows):
        row = rows[place]
        ids = [row["left_id"], row["right_id"]]
        if any(id_ in one.retracted for one in taken for id_ in ids):
            continue
        answer = _answer(row, can_undo=bool(taken))
        if answer == "q":
            break
        if answer == "s":
            continue
        if answer == "u":
            last = taken.pop()
            decide(state, WantedDecision(UNDO, [last.decision_id]), last.namespace)
            place = last.place - 1  # that pair is asked about again
            continue
        decision, about = {
            "m": (MERGE, ids), "k": (KEEP_APART, ids),
            "l": (RETRACT, ids[:1]), "r": (RETRACT, ids[1:]),
        }[answer]  # fmt: skip
        noted = decide(state, WantedDecision(decision, about), row["namespace"]).told
        retracted = tuple(about) if decision == RETRACT else ()
        taken.append(_Taken(place, noted["decision_id"], row["namespace"], retracted))
    told = f"{count(len(taken), 'decision')} noted; applied {NEXT_RUN}"
    say(told if taken else "Nothing decided.")


def _answer(row: dict[str, Any], *, can_undo: bool) -> str:
    """The key that a person presses about a pair."""
    _print_texts(row)
    keys = KEYS | ({"u": "undo the last"} if can_undo else {})
    shown = ", ".join(f"{key} {what}" for key, what in keys.items())
    answer = click.prompt(f"  {shown}", type=click.Choice(list(keys)), show_choices=False)
    console().print()
    return answer


SHOWN: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "pairs": print_pair,
    "entities": print_entities,
    "unresolved": print_unresolved,
    "retractions": print_struck,
    "at_once": print_at_once,
    "slots": print_slot,
    "operations": print_operation,
}
"""Prints one of a kind; what is held in quarantine is told alike."""


def print_row(kind: str, row: dict[str, Any]) -> None:
    """One of what waits, and how it is dismissed if it can be."""
    SHOWN.get(kind, print_held)(row)
    if row["review_id"]:
        _say_command(f"cairn dismiss {row['review_id']}")
        console().print()
