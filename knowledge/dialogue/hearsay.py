"""Hearsay: whether an agent says something by itself, a page said it first, or a person agrees.

All is read off one conversation. A statement that stood in text from outside before has the trust
of that text. A person who assents in their next message lends it theirs, and what was changed on
the strength of it and then seen to work bears it out, if most of it is about that change. Else it
is the agent's own.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from cairn.knowledge.dialogue.assent import (
    SIGNED,
    approves,
    assented_by_sign,
    says_so,
    works,
)
from cairn.knowledge.dialogue.borne_out import Solved, solved_in, stems_of, weighty
from cairn.knowledge.dialogue.sentences import HEDGED
from cairn.knowledge.dialogue.tool_calls import ToolStep, shell_command, steps
from cairn.knowledge.dialogue.trust import OUTCOME, OUTSIDE, PERSON
from cairn.knowledge.dialogue.turns import CONVERSATION, Turn, conversations
from cairn.knowledge.schema.predicates import NAME_PREDICATES

LONGEST_ASSENTED = 800
"""Characters of a message that one word of assent is meant for: who nods at more nods at no one
sentence of it."""

FEWEST_WORDS = 2
FEWEST_OF_TOOL = 4
"""Words of weight that a statement shares with what stood before: in a page, in a tool's output."""

SHARE, SHARE_OF_TOOL = 0.7, 0.8
"""… and the share of its own that these are, close together."""

_FETCHES = re.compile(
    r"(?i)^mcp|fetch|brows|crawl|scrap|https?\b|url|\bweb|web_|playwright|puppeteer|navigate"
)
_FETCHES_BY = re.compile(
    r"\b(?:curl|wget|lynx|w3m|links|httpie|https?|xh|aria2c)\s|\b(?:gh|glab|hub)\s+(?:api|issue|pr|release|gist|run)\b"
    r"|\b(?:npm|pnpm|yarn)\s+(?:view|info|show)\b|https?://"
)
"""Tools and commands whose output others wrote."""

_REMEDY = re.compile(
    r"(?i)\b(?:fix(?:ed|es)?|solution|solved?|resolved?|caused?|culprit"
    r"|(?:problem|issue|reason|error) (?:is|was)"
    r"|(?:fail|broke|crash|hang|hung|free[z]|froze|stuck|stop)\w*\b.*\b(?:because|due to|since))\b"
)
"""What a statement speaks of that a person's word that it works can bear out."""

_ACTING = ("agent", "tool", "external")


@dataclass(frozen=True)
class _Text:
    """Text from outside, in lower case; `fetched`: others wrote it, beyond doubt."""

    seq: int
    fetched: bool
    text: str

    @cached_property
    def stems(self) -> list[str]:
        """Stems of its words of weight, in order."""
        return list(stems_of(self.text))


class Hearsay:
    """What one conversation says of the trust of what its agents say.

    Args:
        turns: All rows of the conversation, in order, whatever their origin.
        liked: Records that a person's reaction assents to.
    """

    def __init__(self, turns: Sequence[Turn], liked: Collection[str] = ()) -> None:
        self.turns = turns
        self._liked = liked

    def trust(self, turn: Turn, *texts: str) -> str | None:
        """The trust of a statement, where it is not that of who speaks.

        Args:
            turn: The message that it stands in.
            texts: The statement, and its quote where that has other words.

        Returns:
            person, outcome or outside; None if the speaker's own word is all there is.
        """
        if turn.origin != "agent":
            return None
        if self.assented(turn, *texts):
            return PERSON
        stood = self.stood(turn, *texts)
        if stood is not True and any(self._borne_out(turn, text) for text in texts):
            return OUTCOME
        if stood is not None:
            return OUTSIDE
        remedy = any(_REMEDY.search(text) and not HEDGED.search(text) for text in texts)
        return OUTCOME if remedy and any(map(works, self._answered(turn))) else None

    def assented(self, turn: Turn, *texts: str) -> bool:
        """Whether a person said, right after a short message, that what it says is so.

        Args:
            turn: The message.
            texts: The statement in it.
        """
        return any(says_so(answer, turn.text, *texts) for answer in self._answered(turn))

    def approved(self, turn: Turn, decision: str) -> bool:
        """Whether a person said, right after a short message, that it is to be done so.

        Args:
            turn: The message.
            decision: What it says is to be done.
        """
        return any(approves(answer, turn.text, decision) for answer in self._answered(turn))

    def _answered(self, turn: Turn) -> Iterator[str]:
        """What a person answered to a short message, by a sign or in words."""
        if len(turn.text) > LONGEST_ASSENTED:
            return
        if turn.record_id in self._liked:
            yield SIGNED
        if answer := self._answers.get(turn.record_id):
            yield answer.text

    def stood(self, turn: Turn, *texts: str) -> bool | None:
        """Whether a statement stood in text from outside before it was said.

        Returns:
            True if others wrote that text, False if a tool put it out; None if it did not stand.
        """
        found: bool | None = None
        for sought in filter(None, map(weighty, texts)):
            for heard in self._outside:
                if heard.seq >= turn.seq:
                    break
                if (heard.fetched or found is None) and _stands(sought, heard):
                    found = bool(found) or heard.fetched
                if found:
                    return True
        return found

    def done(self, evidence: Sequence[Turn]) -> list[ToolStep]:
        """All steps from the first to the last of some records."""
        places = [turn.seq for turn in evidence]
        return [
            step for step in self.steps if places and min(places) <= step.call.seq <= max(places)
        ]

    def works(self, evidence: Sequence[Turn]) -> bool:
        """Whether what was run worked in the end, from the first of some records on.

        What counts are commands like those among the records, else checks, up to the next message
        of a person after the last of them.
        """
        first, last = evidence[0].seq, evidence[-1].seq
        asked = (t.seq for t in self.turns if t.kind == "message" and t.origin == "human")
        end = next((seq for seq in asked if seq > last), self.turns[-1].seq + 1)
        linked = {turn.record_id for turn in evidence}
        keys = {
            action.key
            for step in self.steps
            if linked & {step.call.record_id, step.result.record_id if step.result else ""}
            for action in step.actions
        }
        ran = [
            step
            for step in self.steps
            if first <= step.call.seq < end and step.kind == "run" and step.worked is not None
        ]
        telling = [
            step
            for step in ran
            if any(action.key in keys if keys else action.checks for action in step.actions)
        ]
        return bool(telling) and bool(telling[-1].worked)

    def _borne_out(self, turn: Turn, text: str) -> bool:
        if HEDGED.search(text):
            return False
        return any(one.bears_out(text) for one in self._solved if one.begin < turn.seq < one.end)

    @cached_property
    def steps(self) -> list[ToolStep]:
        """Calls with their results, in order."""
        return steps([turn for turn in self.turns if turn.origin in _ACTING])

    @cached_property
    def _answers(self) -> dict[str, Turn]:
        """For the last message of an agent before a person's, that person's message."""
        found: dict[str, Turn] = {}
        last: Turn | None = None
        for turn in self.turns:
            if turn.kind != "message" or turn.sidechain:
                continue
            if turn.origin == "agent" and turn.text.strip():
                last = turn
            elif turn.origin == "human":
                if last is not None:
                    found[last.record_id] = turn
                last = None
        return found

    @cached_property
    def _outside(self) -> list[_Text]:
        """Text from outside, in order; not what the agent itself wrote into a file."""
        calls = {turn.call_id: turn for turn in self.turns if turn.kind == "tool_call"}
        found: list[_Text] = []
        for turn in self.turns:
            if turn.origin in ("external", "recalled"):
                found.append(_Text(turn.seq, fetched=True, text=turn.text.lower()))
            elif turn.kind == "tool_result" and turn.origin == "tool":
                call = calls.get(turn.call_id) if turn.call_id else None
                fetched = _fetches(turn, call)
                if fetched or call is None or not _writes(call):
                    found.append(_Text(turn.seq, fetched, turn.text.lower()))
        return [one for one in found if one.text]

    @cached_property
    def _solved(self) -> list[Solved]:
        return [
            solved
            for side in (False, True)
            for solved in solved_in(
                [step for step in self.steps if step.call.sidechain == side],
                [turn for turn in self.turns if turn.sidechain == side],
            )
        ]


def _writes(call: Turn) -> bool:
    """Whether a call only shows again what the agent itself wrote."""
    inputs = call.input
    return bool(
        {"new_string", "old_string", "content", "file_text", "patch", "edits"} & set(inputs)
    )


def _fetches(result: Turn, call: Turn | None) -> bool:
    name = result.tool_name or (call.tool_name if call else None) or ""
    line = shell_command(call.input) if call else ""
    return bool(_FETCHES.search(name)) or bool(line and _FETCHES_BY.search(line))


def _stands(sought: frozenset[str], heard: _Text) -> bool:
    """Whether most words of a statement stand close together in a text, its numbers all of them."""
    fewest = FEWEST_WORDS if heard.fetched else FEWEST_OF_TOOL
    if len(sought) < fewest:
        return False
    share = SHARE if heard.fetched else SHARE_OF_TOOL
    wanted = max(fewest, -int(-share * len(sought) // 1))
    # Stems begin like their words, mostly: a quick look spares nearly every text the rest.
    there = sum(one[: max(3, len(one) - 2)] in heard.text for one in sought)
    if there < wanted:
        return False
    numbers = {one for one in sought if any(map(str.isdigit, one))}
    return _densest(sought, numbers, heard.stems) >= wanted


def _densest(sought: frozenset[str], numbers: Collection[str], stems: Sequence[str]) -> int:
    """Most words of a statement within a stretch of a text thrice as long, numbers included."""
    width = 3 * len(sought) + 3
    places = [(at, one) for at, one in enumerate(stems) if one in sought]
    best = first = 0
    counts: dict[str, int] = {}
    for at, one in places:
        counts[one] = counts.get(one, 0) + 1
        while places[first][0] <= at - width:
            gone = places[first][1]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        if len(counts) > best and all(number in counts for number in numbers):
            best = len(counts)
    return best


def heard(raw_logs: pl.DataFrame, wanted: pl.DataFrame) -> dict[tuple[str, str], Hearsay]:
    """Hearsay of some conversations, by namespace and conversation.

    Args:
        raw_logs: Rows of RAW_LOGS, whole conversations, in any order.
        wanted: namespace and conversation_id.
    """
    logs = raw_logs.join(wanted.select(CONVERSATION).unique(), on=CONVERSATION, how="semi")
    liked = frozenset(assented_by_sign(logs))
    rows = logs.sort(*CONVERSATION, "seq", "record_id")
    return {(name, own): Hearsay(turns, liked) for name, own, turns in conversations(rows)}


def with_trust(candidates: pl.DataFrame, raw_logs: pl.DataFrame) -> pl.DataFrame:
    """CANDIDATES rows, with `trust` where a conversation says more than who spoke.

    Args:
        candidates: Rows of CANDIDATES.
        raw_logs: Rows of RAW_LOGS, the whole conversations that they are of.
    """
    said = candidates.filter(
        pl.col("kind") != "entity",
        pl.col("origin") == "agent",
        ~pl.col("predicate").is_in(NAME_PREDICATES),
    )
    if said.is_empty():
        return candidates
    known = heard(raw_logs, said)
    found: list[tuple[str, str, str]] = []
    columns = [*CONVERSATION, "record_id", "candidate_id", "object", "quote"]
    for key, own in said.select(columns).group_by(CONVERSATION, maintain_order=True):
        hearsay = known.get((str(key[0]), str(key[1])))
        turns = {turn.record_id: turn for turn in hearsay.turns} if hearsay else {}
        for _, _, record, candidate, told, quote in own.iter_rows():
            texts = (told,) if told == quote else (told, quote)
            if hearsay and record in turns and (trust := hearsay.trust(turns[record], *texts)):
                found.append((str(key[0]), candidate, trust))
    trusts = pl.DataFrame(
        found, schema=dict.fromkeys(("namespace", "candidate_id", "told"), pl.String), orient="row"
    )
    joined = candidates.join(
        trusts, on=["namespace", "candidate_id"], how="left", maintain_order="left"
    )
    return joined.with_columns(trust=pl.coalesce("trust", "told")).drop("told")
