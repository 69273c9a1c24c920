"""`cairn show`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import click
from rich.text import Text

from cairn.knowledge.ingest.inbox_events.decisions import CORRECT
from cairn.serving.cli import options
from cairn.serving.cli.asked import parameters
from cairn.serving.cli.commands.ask.utility import OFFER_COLUMNS, OUTCOMES, row_of
from cairn.serving.cli.report import say_pending
from cairn.serving.cli.terminal import (
    TerminalColumn,
    bar,
    console,
    emit_json,
    print_table,
    say,
    say_value,
    shown,
    sparkline,
)
from cairn.serving.cli.work_output import print_fix, print_practice, print_project_fact
from cairn.serving.models.parameters import AlsoEvents
from cairn.serving.query.explain import explain
from cairn.serving.query.utility import offers_of
from cairn.serving.read.display import count, one_line
from cairn.serving.read.id_lookup import Thing, find
from cairn.serving.status.pending import as_rows, pending

MOST_IDS = 9
"""What a fact is derived from, at most; JSON has all."""

BAR = 10
"""Cells of a full bar."""

HISTORY_COLUMNS = (
    TerminalColumn("occurred_at", "when"),
    TerminalColumn("cause"),
    TerminalColumn("decayed", "before"),
    TerminalColumn("confidence", "after"),
    TerminalColumn("bar", "", from_width=80),
    TerminalColumn("where", "by", wide=True),
)
FACT_COLUMNS = (
    TerminalColumn("fact_id", "id"),
    TerminalColumn("effective", "conf"),
    TerminalColumn("entity", most=16, from_width=90),
    TerminalColumn("predicate", from_width=110),
    TerminalColumn("content", "fact", wide=True),
)
VALUE_COLUMNS = (
    TerminalColumn("mark", ""),
    TerminalColumn("valid_from", "from"),
    TerminalColumn("valid_to", "until"),
    TerminalColumn("content", "value", wide=True),
    TerminalColumn("how", "ended by", from_width=90),
    TerminalColumn("known_from", "known from", from_width=110),
)
MERGE_COLUMNS = (
    TerminalColumn("entity_id", "id"),
    TerminalColumn("display_name", "name"),
    TerminalColumn("rule"),
    TerminalColumn("reason", "why", wide=True),
    TerminalColumn("decided_at", "when", from_width=90),
)
EPISODE_COLUMNS = (
    TerminalColumn("episode_id", "id"),
    TerminalColumn("started_at", "when", from_width=90),
    TerminalColumn("request", wide=True),
)


@click.command(
    epilog="""\b
Examples:
  cairn show f_1c0ad2398567ecbb
  cairn show l_7bd6           (the beginning of an id is enough)
  cairn show f_1c0ad2398567ecbb --as-of 2026-02-20 --json
  cairn show e_a4160f63031a50c7 --events
  cairn show w_95f1bee0          (a practice: its runs, how many passed)"""
)
@click.argument("id_", metavar="ID")
@parameters(AlsoEvents, "events")
@options.namespace(options.ANY_NAMESPACE)
@parameters(AlsoEvents, "as_of", "true_at")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    id_: str,
    events: bool,
    namespace: str | None,
    as_of: datetime | None,
    true_at: datetime | None,
    as_json: bool,
) -> None:
    """Explain anything that has an id.

    A fact, entity, learning, theme, topic, conversation, episode, record; and of what a brief
    tells a practice (w_…), what ended an error (ef_…), what is counted of a project (p_…).
    """
    thing = find(options.state_of(ctx), id_, namespace)
    if as_of is not None or true_at is not None:
        then = as_of is not None
        moment = as_of or thing.reader.as_of
        reader = replace(thing.reader, as_of=moment, true_at=true_at, then=then)
        thing = Thing(reader, thing.kind, thing.id)
    found = explain(thing, events=events)
    state, namespace = thing.reader.state, thing.reader.namespace
    waiting = [one for one in pending(state, namespace) if thing.id in one.ids]
    offered = offers_of(thing.reader, thing.id)
    if as_json:
        emit_json(found | {"offers": offered, "waiting": as_rows(waiting)})
        return
    out = console()
    out.print(
        Text.assemble((found["kind"], "cyan"), f"  {found['id']}  ", (found["namespace"], "dim"))
    )
    PRINTED[found["kind"]](found)
    if offered:
        say("Offered to agents", style="bold")
        print_table([row_of(row, OUTCOMES[row["outcome"]]) for row in offered], OFFER_COLUMNS)
    say_pending(waiting)


def _heading(text: str) -> None:
    console().print()
    console().print(text, style="bold", markup=False)


def _at(place: dict[str, Any] | None) -> None:
    if place and place.get("file"):
        line = f"    {place['file']}:{place['line']}"
        console().print(line, style="dim", markup=False, soft_wrap=True)


def _list_facts(facts: list[dict[str, Any]], title: str) -> None:
    if facts:
        _heading(title)
        print_table(facts, FACT_COLUMNS, indent=2)


def _list_learnings(learnings: list[dict[str, Any]]) -> None:
    if learnings:
        _heading("Learnings")
        for row in learnings:
            say(f"{row['learning_id']}  {row['category']}: {row['title']}", indent=2)


def _list_decisions(decisions: list[dict[str, Any]]) -> None:
    """What people decided, with the record that holds it, and whether it holds still."""
    if not decisions:
        return
    _heading("A person decided")
    for row in decisions:
        say(f"{shown(row['decided_at'])}  {row['decision'].replace('_', ' ')}"
            f"  {row['decision_id']}", indent=2)  # fmt: skip
        say(one_line(row["text"], 300), style="dim", indent=4)
        for label, value in (
            ("because", row["reason"] if row["decision"] == CORRECT else None),
            ("superseded by", row["superseded_by"]), ("not applied", row["unresolved"]),
        ):  # fmt: skip
            say_value(label, value, indent=4)


def _fact(found: dict[str, Any]) -> None:
    row = found["fact"]
    say(one_line(row["content"]), style="bold", indent=2)
    say_value("about", f"{row['entity']} ({row['entity_type']}, {row['entity_id']})")
    say_value("predicate", row["predicate"])
    say_value("object", row["object"])
    say_value("status", row["status"])
    say_value(
        "confidence",
        f"{row['effective']:.2f} as of {shown(found['as_of'])};"
        f" {row['confidence']:.2f} at its last event, {shown(row['last_event_at'])};"
        f" {row['base_confidence']:.2f} by the rule",
    )
    say_value("trust", row.get("trust"))
    say_value(
        "support",
        f"{count(row['source_count'], 'record')} in"
        f" {count(row['conversation_count'], 'conversation')}",
    )
    drawn = row["derived_from"]
    more = [f"{len(drawn) - MOST_IDS:,} more"] if len(drawn) > MOST_IDS else []
    say_value("derived from", [*drawn[:MOST_IDS], *more])
    say_value("rule", f"{found['rule']['name']}: {found['rule']['about'] or ''}")
    if found["topic"] and found["topic"]["cluster_id"]:
        say_value("topic", f"{found['topic']['label']} ({found['topic']['cluster_id']})")
    say_value("holds from", row["valid_from"])
    say_value("holds until", row["valid_to"])
    if row["merged_into"]:
        retracted = row["status"] == "retracted"
        say_value("replaced by" if retracted else "merged into", row["merged_into"])
    _list_facts(found["merged_from"], "Merged into it")
    _list_facts(found["corrected"], "In the place of")
    for merge in found["merges"]:
        say_value("merge", f"{merge['merge_id']}: {merge['decision']}, {merge['reason']}")
    _list_decisions(found["decisions"])
    _list_values(found["values"], row["fact_id"])
    history = found["history"]
    if history:
        _heading("Confidence")
        _draw(found["curve"])
        rows = [
            each | {"where": _who(each), "bar": bar(each["confidence"], BAR)} for each in history
        ]
        print_table(rows, HISTORY_COLUMNS, indent=2)
    _heading(f"Sources ({len(found['sources'])} of {row['source_count']:,})")
    for source in found["sources"]:
        say(f"{shown(source['occurred_at'])}  {source['origin']}  {source['record_id']}", indent=2)
        if source["quote"]:
            say(f"“{one_line(source['quote'], 200)}”", indent=4)
        message = one_line(source["message"] or "", 240)
        if message and message != one_line(source["quote"] or ""):
            say(message, style="dim", indent=4)
        _at(source)
    if found["drawn_from"]:
        _heading("Drawn from these episodes")
        print_table(found["drawn_from"], EPISODE_COLUMNS, indent=2)


def _list_values(values: list[dict[str, Any]], fact_id: str) -> None:
    """What held one after the other, this fact marked."""
    if not values:
        return
    rows = [
        each
        | {
            "mark": "▶" if each["fact_id"] == fact_id else "",
            "how": each["ended_by"] or ("its own words" if each["valid_to"] else None),
        }
        for each in values
    ]
    slot = values[0]["slot"]
    _heading("One value at a time" if slot else "When it holds")
    print_table(rows, VALUE_COLUMNS, indent=2)
    say_value("slot", slot)
    if beside := sorted({other for each in values for other in each["parallel_with"]}):
        say_value("at once with", beside)


def _draw(curve: list[dict[str, Any]]) -> None:
    """How sure a fact was from its first event to now: it fades between what bears it out."""
    if len(curve) > 1:
        first, last = (f"{curve[end]['at']:%Y-%m-%d}" for end in (0, -1))
        line = sparkline([point["confidence"] for point in curve])
        say(line, style="cyan", indent=2)
        say(f"{first}{last:>{len(line) - len(first)}}", style="dim", indent=2)


def _who(update: dict[str, Any]) -> str:
    """What moved a confidence, in words."""
    if update["kind"] is None:
        return "its first source"
    if update["kind"] == "feedback":
        return f"a person confirmed it, {update['source_id']}"
    if update["kind"] == "episode":
        return f"a similar episode ({update['similarity']:.2f}), {update['source_id']}"
    return f"{update['kind']}, {update['source_id']}"


def _entity(found: dict[str, Any]) -> None:
    row = found["entity"]
    say(f"{row['display_name']} ({row['type']})", style="bold", indent=2)
    say_value("name", row["name"])
    say_value("also", row["aliases"])
    say_value("seen", f"{shown(row['first_seen'])} to {shown(row['last_seen'])}")
    say_value("mentions", row["mentions"])
    say_value("facts", ", ".join(f"{n} {name}" for name, n in found["predicates"].items()))
    for merge in found["merged_into"]:
        canonical = f"{merge['display_name']} ({merge['canonical_id']})"
        say_value("merged into", f"{canonical}: {merge['rule']}, {merge['reason']}")
    if found["merged_from"]:
        _heading("Merged into it")
        print_table(found["merged_from"], MERGE_COLUMNS, indent=2)
    _heading(f"Introduced by {row['introduced_by']}")
    if found["introduced_by"]:
        say(one_line(found["introduced_by"]["text"] or "", 300), indent=4)
        _at(found["introduced_by"])
    _list_decisions(found["decisions"])
    _list_facts(found["facts"], "Facts")


def _learning(found: dict[str, Any]) -> None:
    row = found["learning"]
    say(f"{row['category']}: {one_line(row['title'])}", style="bold", indent=2)
    for line in row["content"].splitlines():
        if line.strip():
            say(one_line(line), indent=4)
    say_value("confidence", row["confidence"])
    say_value("factors", ", ".join(f"{name} {value:.2f}" for name, value in row["factors"].items()))
    say_value("signals", row["signals"])
    say_value("tags", row["tags"])
    say_value("rule", row["extractor"])
    conversation = found["conversation"]
    if conversation:
        say_value("conversation", f"{row['conversation_id']}, {conversation['day']}")
        say(one_line(conversation["title"] or "", 200), style="dim", indent=16)
    _heading("Quotes")
    for quote in row["quotes"]:
        say(f"{quote['role']}: “{one_line(quote['text'])}”", indent=2)
        _at(quote)
    _heading(f"Found {count(len(row['runs']), 'time')}")
    for each in row["runs"]:
        sources = count(len(each["sources"]), "source")
        say(f"{shown(each['occurred_at'])}  {each['confidence']:.2f}  {sources}", indent=2)
    if row["feedback"]:
        _heading("Rated")
    for each in row["feedback"]:
        how = "up" if each["weight"] > 0 else "down"
        say(f"{shown(each['occurred_at'])}  {how}, then {each['confidence']:.2f}", indent=2)
    if found["versions"]:
        _heading(f"Versions ({len(found['versions'])})")
    for each in found["versions"]:
        mark = "▶" if each["stored"] else " "
        made_at = each["made_at"][:16].replace("T", " ")
        say(f"{mark} {made_at}  {each['extractor']}  {each['model']}", style="dim", indent=2)
        say(one_line(each["title"]), indent=4)
        if not each["stored"]:
            for line in each["content"].splitlines():
                say(one_line(line), style="dim", indent=6)


def _record(found: dict[str, Any]) -> None:
    row = found["record"]
    say_value("what", " ".join(filter(None, [row["origin"], row["kind"], row["tool_name"]])))
    say_value("when", row["occurred_at"])
    say_value("conversation", row["conversation_id"])
    say_value("project", row["project"])
    _at({"file": row["source_file"], "line": row["source_line"]})
    episode = found["episode"]
    if episode:
        _heading(
            f"Episode: {count(episode['records'], 'record')},"
            f" {count(episode['tool_calls'], 'tool call')}, {count(episode['errors'], 'error')}"
        )
        say(one_line(episode["request"], 800), indent=2)
        if episode["answer"]:
            say(f"→ {one_line(episode['answer'], 800)}", indent=2)
    _heading("In its conversation")
    for near in found["neighbours"]:
        here = near["record_id"] == row["record_id"]
        who = " ".join(filter(None, [near["origin"], near["kind"], near["tool_name"]]))
        text = one_line(near["text"] or near["tool_input"] or "", 1000 if here else 160)
        mark = "▶" if here else " "
        say(f"{mark} {near['seq']:>4}  {who}: {text}", style="" if here else "dim", indent=2)
    _list_facts(found["facts"], "Facts drawn from it")
    _list_learnings(found["learnings"])


def _theme(found: dict[str, Any]) -> None:
    row = found["theme"]
    say(row["label"], style="bold", indent=2)
    say_value("terms", row["terms"])
    say_value("episodes", f"{row['size']:,} in {count(row['conversation_count'], 'conversation')}")
    say_value("persistence", f"{row['persistence']:.2f}")
    say_value("last seen", row["last_seen"])
    _heading("Episodes, the most typical first")
    print_table(found["episodes"], EPISODE_COLUMNS, indent=2)


def _cluster(found: dict[str, Any]) -> None:
    say(found["label"] or "", style="bold", indent=2)
    say_value("facts", found["size"])
    say_value("persistence", f"{found['persistence']:.2f}")
    say_value("medoid", found["medoid_id"])
    _list_facts(found["facts"], "Facts")


def _conversation(found: dict[str, Any]) -> None:
    row = found["conversation"]
    say(one_line(row["title"] or "", 300), style="bold", indent=2)
    say_value("source", row["source"])
    say_value("project", row["project"])
    say_value("when", f"{shown(row['started_at'])} to {shown(row['ended_at'])} (day {row['day']})")
    say_value(
        "holds",
        f"{count(row['records'], 'record')}, {count(row['messages'], 'message')}"
        f" ({row['human_messages']:,} by people), {count(row['tool_calls'], 'tool call')},"
        f" {count(row['errors'], 'error')}",
    )
    for judged in found["judged"]:
        by = "a model" if "/" in judged["extractor"] else "rules"
        say_value("lessons", f"{judged['outcome']} by {by}, value {judged['value']:.2f}"
              + (f": {judged['details']}" if judged["details"] else ""))  # fmt: skip
    for file in found["files"]:
        console().print(f"    {file}", style="dim", markup=False, soft_wrap=True)
    if found["episodes"]:
        _heading("Episodes")
        print_table(found["episodes"], EPISODE_COLUMNS, indent=2)
    _list_facts(found["facts"], "Facts")
    _list_learnings(found["learnings"])


def _plain(found: dict[str, Any]) -> None:
    """A row with its columns, and the facts that it is about."""
    for name, value in found[found["kind"]].items():
        if name != "namespace":
            say_value(name.replace("_", " "), value, width=17)
    place = found.get("place") or found.get("source")
    if place:
        say(one_line(place["text"] or "", 300), style="dim", indent=4)
        _at(place)
    _list_facts(found["facts"], "Facts")


PRINTED: dict[str, Callable[[dict[str, Any]], None]] = {
    "fact": _fact,
    "entity": _entity,
    "learning": _learning,
    "theme": _theme,
    "cluster": _cluster,
    "conversation": _conversation,
    "record": _record,
    "candidate": _plain,
    "merge": _plain,
    "evidence": _plain,
    "practice": print_practice,
    "fix": print_fix,
    "project_fact": print_project_fact,
}
