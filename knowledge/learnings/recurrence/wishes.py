"""What a person wants, or refuses, in two conversations: best practices and anti-patterns."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.sentences import capitalised, headline, stands_alone
from cairn.knowledge.dialogue.shortcuts.commands import weakenings
from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import labelled
from cairn.knowledge.learnings.quotes import shorten
from cairn.knowledge.learnings.recurrence.occurrences import (
    ASKED,
    FEWEST_ASKED,
    LONGEST_REQUEST,
    REFUSED,
    Occurrence,
    Request,
    asked_at,
    at_work_on,
    each_conversation,
    lesson,
    occurrences,
    requests_around,
    told,
)
from cairn.knowledge.learnings.rules.statements import REASON
from cairn.knowledge.learnings.scoring import DraftGrounds
from cairn.knowledge.nlp.text import words
from cairn.knowledge.practices.tasks import task_of

FEWEST_WORDS = 4
_FILLER_LIST = "please always we you i the a an our your also just really ok so then"
_FILLERS = frozenset(_FILLER_LIST.split())
"""Words with which and without which the same is wanted."""
_LEAD = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|please|but|and|also|so|yes|no|remember|important|note)\b[,:!. ]+)*"
    r"(?:(?:from now on|going forward|in (?:the )?future|in general|generally|as a rule)\b[,: ]*)?"
)
_POINTS = re.compile(
    r"(?i)\b(?:these|those|this|that) (?:issue|error|bug|test|file|line|change|one|way|task|step"
    r"|branch|commit|pr|time|session)s?\b"
    r"|\b(?:do|did|doing|like|than|with|for|of) (?:it|this|that)\b"
)
_REFUSAL = re.compile(
    r"Does not want (?:`(?P<run>[^`]+)`|editing (?P<edit>\S+)): (?P<why>.+)", re.DOTALL
)
_OF_AGENT = re.compile(r"^[A-Z][A-Za-z]+$|^\w+__\S+$|\b_\w+$")
"""Names of an agent's tools, which are no commands."""


def practices(reads: Frames, requests: Mapping[str, list[Request]]) -> Iterator[tuple[str, Draft]]:
    """What a person wants done, or left, that they said in two conversations."""
    said: defaultdict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for row in told(reads, ASKED):
        text = capitalised(_LEAD.sub("", row["words"]).strip())
        if len(words(text)) >= FEWEST_WORDS and stands_alone(text) and not _POINTS.search(text):
            key = tuple(word for word in words(text) if word not in _FILLERS)
            said[key].append((text, row))
    for _, same in sorted(said.items()):
        seen = _anew(occurrences([row for _, row in same], requests), requests)
        if len(seen) < FEWEST_ASKED:
            continue
        first = {record for one in seen[:1] for record in one.records}
        text = min(kept for kept, row in same if row["record_id"] in first)
        asked = [
            f'"{shorten(request, LONGEST_REQUEST)}"'
            for one in seen[:FEWEST_ASKED]
            for request in requests_around(one, requests)
        ]
        content = labelled(
            ("Practice", text),
            ("Said", "; ".join(dict.fromkeys(asked))),
            ("Why", f"A person asked for it again in another session{at_work_on(seen)}."),
        )
        grounds = DraftGrounds(
            steps="`" in text, guidance=True, changed=False, parts=2 + bool(REASON.search(text)),
            stands_alone=True, linked=len(seen), proofs=len(seen),
        )  # fmt: skip
        names = {one.project for one in seen if len(one.project) > 3}
        base = lesson("best_practice", headline(text), content, grounds, names)
        yield from each_conversation(base, seen, FEWEST_ASKED, PERSON, "directive_repeated")


def _anew(seen: Sequence[Occurrence], requests: Mapping[str, list[Request]]) -> list[Occurrence]:
    """Without conversations of a day in which a request is tried once more, word for word.

    Who sends it again wants nothing for the second time; a request that is the wish and nothing
    else is said again.
    """
    kept: dict[object, Occurrence] = {}
    for one in seen:
        asked = asked_at(requests.get(one.conversation, ()), one.at)
        said = one.quotes[0].text if one.quotes else ""
        more = asked and len(asked.text) > 2 * len(said)
        kept.setdefault((one.at.date(), asked.text) if asked and more else one.conversation, one)
    return list(kept.values())


def refusals(reads: Frames, requests: Mapping[str, list[Request]]) -> Iterator[tuple[str, Draft]]:
    """What a person did not allow in two conversations, why, and what they let pass instead."""
    refused: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in told(reads, REFUSED):
        given = _REFUSAL.fullmatch(row["words"])
        if given:
            name = f"run `{given['run']}`" if given["run"] else f"edit `{given['edit']}`"
            refused[name].append({**row, "why": given["why"].rstrip(" .")})
        elif row["predicate"] == "refused_call" and not _OF_AGENT.search(row["words"]):
            refused[f"run `{row['words']}`"].append({**row, "why": ""})
    for name, rows in sorted(refused.items()):
        seen = occurrences(rows, requests)
        if len(seen) < FEWEST_ASKED:
            continue
        call = name.removeprefix("run ").strip("`")
        if len(seen) < _let_run(reads["command_runs"], call, {one.conversation for one in seen}):
            continue
        reasons = sorted((row["at"], row["why"]) for row in rows if row["why"])
        why = next((reason for _, reason in reasons), "")
        better = _let_pass(reads["command_runs"], call, seen)
        if not (why or better):
            continue
        order = f"Do not {name}"
        content = labelled(
            ("Problem", f"A person did not allow an agent to {name}{at_work_on(seen)}."),
            ("Why", capitalised(why) + "." if why else ""),
            ("Better", f"Run `{better}`, which they let pass." if better else ""),
            ("Seen", "It was refused again in another session."),
        )
        grounds = DraftGrounds(
            steps=bool(better), guidance=True, changed=False, parts=1 + bool(why) + bool(better),
            stands_alone=True, linked=len(seen), proofs=len(seen),
        )  # fmt: skip
        base = lesson(
            "anti_pattern", headline(f"{order}: {why}" if why else order), content, grounds, ()
        )
        yield from each_conversation(base, seen, FEWEST_ASKED, PERSON, "refused_again")


def _let_run(runs: pl.DataFrame, call: str, refused_in: Collection[str]) -> int:
    """Other conversations in which a call was let run: what is mostly allowed is no wrong."""
    there = runs.filter(pl.col("command") == call)["conversation_id"].unique()
    return len(set(there) - set(refused_in))


def _let_pass(runs: pl.DataFrame, refused: str, seen: Sequence[Occurrence]) -> str:
    """The first command for the same task that passed after a refusal; empty if none did."""
    task = task_of(refused.split())
    if task is None:
        return ""
    places = pl.DataFrame(
        [(one.conversation, one.at) for one in seen],
        schema={"conversation_id": pl.String, "since": runs.schema["occurred_at"]},
        orient="row",
    )
    later = (
        runs.filter(pl.col("passed"), pl.col("task") == task[0])
        .join(places, on="conversation_id")
        .filter(pl.col("occurred_at") > pl.col("since"), pl.col("command") != refused)
        .sort("occurred_at", "conversation_id", "seq", "place")
    )
    return next((line for line in later["command"] if not weakenings(line)), "")
