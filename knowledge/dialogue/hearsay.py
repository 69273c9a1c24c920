"""Hearsay: whether an agent says something by itself, a page said it first, or a person agrees.

All is read off one conversation. A statement that stood in text from outside before has the trust
of that text. A person who assents in their next message lends it theirs, and what was changed on
the strength of it and then seen to work bears it out, if most of it is about that change. Else it
is the agent's own.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import polars as pl

from cairn.knowledge.dialogue.assent import (
    SIGNED,
    approves,
    assented_by_sign,
    opening_of,
    says_so,
    works,
)
from cairn.knowledge.dialogue.background import settled
from cairn.knowledge.dialogue.borne_out import Solved, solved_in, weighty
from cairn.knowledge.dialogue.fault_words import DENIES, TAKES_BACK
from cairn.knowledge.dialogue.passing import (
    gives_in,
    guesses,
    no_help,
    no_matter,
    otherwise,
    plans,
    tells_of_its_moment,
)
from cairn.knowledge.dialogue.sentences import HEDGED, LONGEST_TYPED
from cairn.knowledge.dialogue.shown import SHARE, OutsideText, names_of, outside, shown, stands
from cairn.knowledge.dialogue.tool_calls import ToolStep, steps
from cairn.knowledge.dialogue.trust import OUTCOME, OUTSIDE, PASTED, PERSON, RETRACTED, VAGUE
from cairn.knowledge.dialogue.turns import CONVERSATION, Turn, conversations
from cairn.knowledge.schema.predicates import NAME_PREDICATES, PROVABLE_PREDICATES, WISH_PREDICATES

LONGEST_ASSENTED = 800
"""Characters of a message that one word of assent is meant for: who nods at more nods at no one
sentence of it."""

_REMEDY = re.compile(
    r"(?i)\b(?:fix(?:ed|es)?|solution|solved?|resolved?|caused?|culprit"
    r"|(?:problem|issue|reason|error) (?:is|was)"
    r"|(?:fail|broke|crash|hang|hung|free[z]|froze|stuck|stop)\w*\b.*\b(?:because|due to|since))\b"
)
"""What a statement speaks of that a person's word that it works can bear out."""

_ACTING = ("agent", "tool", "external")


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

    def word(self, turn: Turn, end: int, *texts: str) -> str | None:
        """`trust`, and how far the word of who speaks goes where it is all there is.

        Args:
            turn: The message.
            end: Where the quote of the statement ends in it.
            texts: The statement, and its quote where that has other words.

        Returns:
            Beside what `trust` returns, retracted or vague of an agent's message.
        """
        found = self.trust(turn, *texts)
        if turn.origin != "agent" or found == PERSON:
            return found
        if self._retracted(turn, end, *texts):
            return RETRACTED
        if found is None and (guesses(texts[0]) or self._shown.isdisjoint(names_of(texts[0]))):
            return VAGUE
        return found

    def _retracted(self, turn: Turn, end: int, *texts: str) -> bool:
        """Whether who said something at once says otherwise, or the person who answers does."""
        own = self._next(turn, turn.origin)
        if no_matter(_behind(turn, end)) or gives_in(own) or no_help(own):
            return True
        sought = frozenset[str]().union(*map(weighty, texts))
        if any(sought & weighty(sentence) for sentence in otherwise(own)):
            return True
        answer = self._answers.get(turn.record_id)
        opening = opening_of(answer.text) if answer else ""
        return bool(DENIES.search(opening) or TAKES_BACK.search(opening))

    def assented(self, turn: Turn, *texts: str) -> bool:
        """Whether a person said, right after a short message, that what it says is so."""
        return any(says_so(answer, turn.text, *texts) for answer in self._answered(turn))

    def approved(self, turn: Turn, decision: str) -> bool:
        """Whether a person said, right after a short message, that it is to be done so."""
        return any(approves(answer, turn.text, decision) for answer in self._answered(turn))

    def _answered(self, turn: Turn) -> Iterator[str]:
        """What a person answered to a short message, by a sign or in words."""
        if len(turn.text) > LONGEST_ASSENTED:
            return
        if turn.record_id in self._liked:
            yield SIGNED
        if answer := self._answers.get(turn.record_id):
            yield answer.text

    def passing(self, turn: Turn, text: str, end: int) -> bool:
        """Whether what happened is of no use later, as far as its conversation shows.

        It tells of its moment alone; its speaker says at once what comes next; it is gone by the
        time that a check works; or it is taken back by whoever said it, or by the person. `end` is
        where the quote of the statement ends in the message.
        """
        if tells_of_its_moment(text):
            return True
        rest = _behind(turn, end)
        own = self._next(turn, turn.origin)
        if plans(rest or own) or gives_in(own):
            return True
        opening = opening_of(self._next(turn, "human")) if turn.origin == "agent" else ""
        if DENIES.search(opening) or TAKES_BACK.search(opening):
            return True
        sought = weighty(text)
        return any(
            one.end > turn.seq and len(sought & one.words) >= SHARE * len(sought)
            for one in self._solved
        )

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
                if (heard.fetched or found is None) and stands(sought, heard):
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

    def _next(self, turn: Turn, origin: str) -> str:
        """The next message of somebody behind a record; empty if there is none."""
        said = self._said.get(origin, [])
        at = bisect_right(said, turn.seq, key=lambda each: each.seq)
        return said[at].text if at < len(said) else ""

    @cached_property
    def _said(self) -> dict[str, list[Turn]]:
        """Messages by who speaks, in order."""
        found: dict[str, list[Turn]] = {}
        for turn in self.turns:
            if turn.kind == "message" and turn.text.strip():
                found.setdefault(turn.origin, []).append(turn)
        return found

    @cached_property
    def steps(self) -> list[ToolStep]:
        """Calls with their results, in order."""
        return settled(steps([turn for turn in self.turns if turn.origin in _ACTING]))

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
    def _outside(self) -> list[OutsideText]:
        return outside(self.turns)

    @cached_property
    def _shown(self) -> frozenset[str]:
        return shown(self.turns)

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


def _behind(turn: Turn, end: int) -> str:
    """What stands behind a quote in its message."""
    return turn.text[end:].lstrip(" \t\r\n.!:;,)*_`\"'”’")


def heard(raw_logs: pl.DataFrame, wanted: pl.DataFrame) -> dict[tuple[str, str], Hearsay]:
    """Hearsay of some conversations, by namespace and conversation.

    `raw_logs` has whole conversations, in any order; `wanted` has namespace and conversation_id.
    """
    logs = raw_logs.join(wanted.select(CONVERSATION).unique(), on=CONVERSATION, how="semi")
    liked = frozenset(assented_by_sign(logs))
    rows = logs.sort(*CONVERSATION, "seq", "record_id")
    return {(name, own): Hearsay(turns, liked) for name, own, turns in conversations(rows)}


def _too_long_to_be_typed(raw_logs: pl.DataFrame) -> pl.Series:
    """Records of people's messages that are reports or pasted in, for the most part."""
    told = (pl.col("kind") == "message") & (pl.col("origin") == "human")
    long = pl.col("text").str.len_chars() > LONGEST_TYPED
    return raw_logs.filter(told & long)["record_id"]


LONGEST_TWICE = 7
"""Words of a sentence of which nobody writes another twice, word for word, among other lines."""


def _put_in(candidates: pl.DataFrame, raw_logs: pl.DataFrame) -> pl.Series:
    """Whether what a person seems to tell may be what a program wrote: long, among other lines.

    Such a sentence that comes back word for word was pasted again, and proves nothing. What a
    person wants they may well paste, and mean it each time.
    """
    lines = pl.col("text").str.strip_chars().str.contains("\n", literal=True)
    several = raw_logs.filter(lines, pl.col("origin") == "human")["record_id"]
    told = (pl.col("origin") == "human") & ~pl.col("predicate").is_in(WISH_PREDICATES)
    long = pl.col("quote").str.count_matches(r"\S+") > LONGEST_TWICE
    among = pl.col("record_id").is_in(several.implode())
    pasted = (pl.col("trust") == PASTED).fill_null(value=False)
    return candidates.select(found=pasted | (told & long & among))["found"]


def with_hearsay(candidates: pl.DataFrame, raw_logs: pl.DataFrame) -> pl.DataFrame:
    """CANDIDATES rows with what their conversations say of them.

    That is `trust`, where it is not that of who spoke, and of events that may become knowledge
    whether they are `passing`. `raw_logs` has the whole conversations that they are of.
    """
    provable = pl.col("predicate").is_in(PROVABLE_PREDICATES)
    claimed = ~pl.col("predicate").is_in(NAME_PREDICATES)
    own = (pl.col("origin") == "agent") & claimed
    typed = (pl.col("origin") == "human") & pl.col("mode").is_in(["rule", "full"]) & claimed
    long = _too_long_to_be_typed(raw_logs)
    pasted = typed & pl.col("record_id").is_in(long.implode()) & pl.col("trust").is_null()
    candidates = candidates.with_columns(
        trust=pl.when(pasted).then(pl.lit(PASTED)).otherwise("trust")
    )
    candidates = candidates.with_columns(
        passing=pl.when(provable & _put_in(candidates, raw_logs))
        .then(pl.lit(value=True))
        .otherwise("passing")
    )
    said = candidates.filter(pl.col("kind") != "entity", own | provable)
    if said.is_empty():
        return candidates
    known = heard(raw_logs, said)
    found: list[tuple[str, str, str | None, bool | None]] = []
    columns = [*CONVERSATION, "record_id", "candidate_id", "object", "quote", "quote_end"]
    rows = said.select(*columns, provable.alias("provable")).group_by(
        CONVERSATION, maintain_order=True
    )
    for (namespace, conversation), mine in rows:
        hearsay = known.get((str(namespace), str(conversation)))
        turns = {turn.record_id: turn for turn in hearsay.turns} if hearsay else {}
        for _, _, record, candidate, told, quote, end, may_prove in mine.iter_rows():
            if hearsay and record in turns:
                texts = (told,) if told == quote else (told, quote)
                passing = hearsay.passing(turns[record], told, end or 0) if may_prove else None
                trust = hearsay.word(turns[record], end or 0, *texts)
                found.append((str(namespace), candidate, trust, passing))
    schema = {"namespace": pl.String, "candidate_id": pl.String, "heard": pl.String,
              "passes": pl.Boolean}  # fmt: skip
    joined = candidates.join(
        pl.DataFrame(found, schema=schema, orient="row"),
        on=["namespace", "candidate_id"], how="left", maintain_order="left",
    )  # fmt: skip
    return joined.with_columns(
        trust=pl.coalesce("trust", "heard"), passing=pl.coalesce("passing", "passes")
    ).drop("heard", "passes")
