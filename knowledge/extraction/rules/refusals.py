"""Calls that a person did not allow, why, and what they typed when they stopped an agent.

An agent notes a refusal as the result of the call. Its own notes stand there, in its words; no
program can write them but by printing them, so what a call of others printed is not read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.borne_out import weighty
from cairn.knowledge.dialogue.sentences import capitalised
from cairn.knowledge.dialogue.tool_calls import EDIT_TOOLS, PATH_INPUTS
from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.extraction.rules.directives import directives, plain_words
from cairn.knowledge.extraction.rules.forms.word_classes import COMMIT_ID
from cairn.knowledge.extraction.rules.rule import (
    CALLS,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleMatch,
    command_line,
    rule,
)
from cairn.knowledge.extraction.rules.statements import LONGEST_SENTENCE, parted, prose
from cairn.knowledge.ingest.speakers import STOPPED
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.shell.parser import Command
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy

_REFUSED = (
    r"^(?:Error: )?(?:The user doesn't want to (?:proceed with this tool use|take this action)"
    r"|(?:The )?[Uu]ser (?:rejected|denied|declined|cancelled) (?:the |this )?"
    r"(?:tool|command|edit|change))"
)
"""How results begin that say that a person did not allow the call."""

_SAID = lazy_pattern(
    r"\bthe user (?:said|provided the following reason[^:\n]{0,60}):\s*", re.IGNORECASE
)
_OF_OTHERS = lazy_pattern(r"(?i)^mcp|fetch|brows|\bweb|curl|wget")
"""Tools that print what others wrote."""

_QUIET = frozenset(
    {"cd", "echo", "export", "set", "source", "sleep", "true", "head", "tail", "cat"}
)
_LONGEST_CALL = 80
FEWEST_WORDS = 3

_SPEAKS_AGAINST = r"""not|no|never|don't|dont|doesn't|isn't|aren't|won't|can't|cannot|shouldn't
      |without|instead|rather|too|only|slow|slowly|long|dangerous|risky|unnecessary|unneeded|alone
      |stop|leave|manually|myself|by\ hand|break|breaks|breaking|overkill|useless|hate|avoid|skip
      |before\ (?:you|any|each|every|\w+ing)"""

_OBJECTS = lazy_pattern(rf"\b(?:{_SPEAKS_AGAINST}|wrong|wait|first)\b", re.VERBOSE)
"""What in a sentence speaks against something."""

_HOLDS = lazy_pattern(
    rf"""\b(?:{_SPEAKS_AGAINST}|(?:does|is|are|wo|ca|should)nt|hours?|minutes?|prefer|always|use|must
      |should|every|each|delet\w+|remov\w+|overwrit\w+|drops?|wipes?|kills?|los(?:es?|ing)|costs?)\b
      |^\W*(?:that|this|it)\b""",
    re.VERBOSE,
)
"""How a reason forbids, or tells the cost or what to do instead, so that it holds next time."""

_OF_NOW = lazy_pattern(
    rf"""\b(?:first|now|yet|already|let'?s|wait|actually|pause|later|today|still|again)\b
      |\bgoing\ to\b|https?://|\b{COMMIT_ID}
      |\bthis\ (?!repo|project|folder|directory|machine|codebase|kind|tool|command)\w""",
    re.VERBOSE,
)
"""How a reason speaks of the work as it stands."""

_NO_REASON = lazy_pattern(
    r"""^(?:sorry|continue|go\ on|proceed|ok|okay|yes|never\ mind|nevermind|wait|stop|hold\ on
          |hmm+|try\ again|again)\b\W*
        (?:continue|a\ (?:second|sec|moment|minute)|please|again)?\W*$
      | \b(?:do|doing|did)\ (?:that|this|so)\b | \bsome(?:where|thing|how)\b | \bright\ now\b
      """,
    re.VERBOSE,
)
_ASKS = lazy_pattern(
    r"(?:can|could|would|will|what|why|how|where|who|which|is|isn't|are|aren't|do|does|did|should"
    r"|shall)\b(?! not\b)"
)
_POINTS = lazy_pattern(r"\(|(?:it's|it is|that's|that is|they|these|those|i |i'm|we're)\b")
"""How a sentence begins that gives no reason that can be read alone."""

_TURNS = lazy_pattern(
    r"""^(?:no\b(?!\ (?:problem|worries|need))|nope\b|not\b|i\ (?:meant|said|asked)\b|instead\b
      |rather\b|only\b|wrong\b|you\ should\b
      |don't\b|do\ not\b|leave\b|stop\ \w+ing\b|use\b)""",
    re.VERBOSE,
)
"""How a sentence begins that turns an agent round."""

_EDITING = "editing "
_OF_FILE = lazy_pattern(
    r"""(?i)\b(?:leave|alone|generated|vendor(?:ed)?|read[ -]?only|by\ hand|manually|never|always
      |touch(?:ed|ing)?
      |(?:not|n't|n’t|stop)\ (?:to\ )?(?:edit|chang|modify)\w*|hands\ off|off[ -]limits)\b""",
    re.VERBOSE,
)
"""How a reason speaks of a file, so that it holds for the next edit, too."""


_A_TOOL = "the tool "
_GENERIC = lazy_pattern(
    r"(?:please\ )?(?:don't|do\ not|never|stop|avoid)\ (?:ever\ )?"
    r"(?:us(?:e|ing)|call(?:ing)?|creat(?:e|ing)"
    r"|open(?:ing)?|writ(?:e|ing)|post(?:ing)?|send(?:ing)?|brows(?:e|ing)|add(?:ing)?|start(?:ing)?"
    r"|spawn(?:ing)?|launch(?:ing)?|install(?:ing)?)\ "
    r"(?!the\b|this\b|that\b|these\b|those\b|it\b|them\b|your\b|my\b|his\b|her\b|an?\b|another\b"
    r"|any(?:thing|more)?\b|so\b|too\b|yet\b|now\b|again\b|just\b|\d)\w",
    re.VERBOSE,
)
"""How an order begins that leaves a kind of thing: it can be read without the call."""

_OF_THE_SESSION = lazy_pattern(r"(?i)output$|wait|^kill|plan|todo|^ask|question")
"""Tools that wait for the agent's own work, or speak of it: who stops one means that work."""
_HELPER = lazy_pattern(r"(?i)^task$|agent$")
_OF_HELPERS = lazy_pattern(
    r"(?i)\bsub-?agents?\b|\byourself\b|\bin parallel\b"
    r"|\b(?:no|an?|another|more|fewer|many|us(?:e|ing)|spawn(?:ing)?|launch(?:ing)?|start(?:ing)?)"
    r" (?:\w+ )?agents?\b"
)
"""Tools that give work to another agent, and how a reason speaks of that and not of the work."""


class _Refusal(NamedTuple):
    """A refused call, by its place among the records; and where its reason stands."""

    call: int
    reason: tuple[int, int, int] | None
    """Record, start and end; None if none was given."""


class _Reply(NamedTuple):
    """What a person typed when they stopped an agent: record, and where it begins."""

    record: int
    start: int


def _doings(line: Sequence[Command]) -> Command | None:
    """The first command of a line that does something, else its first."""
    named = [part for part in line if part.name]
    return next(
        (part for part in named if part.name not in _QUIET and not part.piped),
        named[0] if named else None,
    )


def stable_form(record: Record) -> str:
    """A call as it is the same elsewhere: its command without what is around it, or its file."""
    if line := command_line(record):
        part = _doings(line.commands)
        told = " ".join(word.text for word in part.words) if part else " ".join(line.shown.split())
        told = " ".join(told.split())
        return told if len(told) <= _LONGEST_CALL else told[: _LONGEST_CALL - 1].rstrip() + "…"
    return (record.tool_name or "").strip()


def _named(record: Record) -> str:
    """A refused call within a sentence."""
    if command_line(record):
        return f"`{stable_form(record)}`"
    path = next((v for key in PATH_INPUTS if isinstance(v := record.inputs.get(key), str)), "")
    if path and EDIT_TOOLS.search(record.tool_name or ""):
        root = f"{(record.project or '').rstrip('/')}/"
        inside = len(root) > 1 and path.startswith(root)
        return f"{_EDITING}{path.removeprefix(root) if inside else PurePosixPath(path).name}"
    return f"{_A_TOOL}{stable_form(record)}"


def _follow(
    records: Sequence[Record],
) -> tuple[list[_Refusal], list[_Reply]]:
    """Refused calls with their reasons, and what was typed right after a stop, in order."""
    calls: dict[str, int] = {}
    refused: list[_Refusal] = []
    replies: list[_Reply] = []
    open_calls: list[int] = []  # refused, and nothing was said since
    stopped = False
    for at, record in enumerate(records):
        if record.kind == "tool_call":
            if record.call_id:
                calls[record.call_id] = at
            stopped, open_calls = False, []
        elif record.kind == "tool_result":
            call = calls.get(record.call_id or "")
            if call is None:
                continue
            reason = _given(record, records[call])
            if reason:
                replies.append(_Reply(at, reason[0]))
                refused.append(_Refusal(call, _first(records, at, reason[0], objects=False)))
            else:
                open_calls.append(call)
        elif record.origin == "system":
            stopped = True
        elif stopped or open_calls:
            replies.append(_Reply(at, 0))
            why = _first(records, at, 0, objects=True)
            refused += [_Refusal(call, why) for call in open_calls]
            stopped, open_calls = False, []
    answered = {one.call for one in refused}
    silent = {
        calls[record.call_id]
        for record in records
        if record.kind == "tool_result" and record.call_id in calls
    }
    refused += [_Refusal(call, None) for call in sorted(silent - answered)]
    return refused, replies


def _given(result: Record, call: Record) -> tuple[int, int] | None:
    """Where the reason stands in a result; None if it gives none, or others may have written it."""
    line = command_line(call)
    if _OF_OTHERS.search(call.tool_name or "") or (line and _OF_OTHERS.search(line.shown)):
        return None
    said = _SAID.search(result.text)
    return (said.end(), len(result.text)) if said and result.text[said.end() :].strip() else None


@lru_cache(maxsize=1_024)
def _typed_sentences(text: str, start: int) -> tuple[tuple[int, int], ...]:
    told = text[start:]
    return tuple(
        (start + first, start + last)
        for one in prose(told)
        for first, last in parted(told, one.start, one.end)
        if last - first <= LONGEST_SENTENCE
    )


def _text(record: Record) -> str:
    return record.words if record.kind != "tool_result" else record.text


def _first(
    records: Sequence[Record], at: int, start: int, *, objects: bool
) -> tuple[int, int, int] | None:
    """The sentence that gives a reason, as record, start and end: the first that is no question.

    Where a person was not asked for one (`objects`), it is the very first, and speaks against it.
    """
    text = _text(records[at])
    for first, last in _typed_sentences(text, start):
        plain = text[first:last].lower().replace("’", "'").strip()
        told = words(plain)
        asked = plain.endswith("?") or _ASKS.match(plain) is not None
        if asked and not objects:
            continue
        if asked or _NO_REASON.search(plain) or _POINTS.match(plain):
            return None
        if len(told) < FEWEST_WORDS or STOP_WORDS.issuperset(told):
            return None
        if objects and not _OBJECTS.search(plain):
            return None
        return at, first, first + len(text[first:last].rstrip())
    return None


def _full_order(reason: str) -> bool:
    """Whether a reason tells for good what to leave, without the call that was refused."""
    return _GENERIC.match(plain_words(reason).text) is not None and bool(directives(reason))


_OF_RUNNING = lazy_pattern(
    r"""(?i)\b(?:run(?:s|ning)?|re-?run\w*|executed?|executing|tak(?:es?|ing)|slow(?:ly)?|hours?|minutes?
      |commands?|scripts?|manually|by\ hand|myself|danger\w*|risky|destructive|sudo|force\w*
      |permissions?|machine|without\ (?:asking|my)|production|prod)\b
      | ^\W*(?:no,?\ )?(?:(?:that|this|it)\b
        |not\ (?:on|in|at|for|to|against|from|with|before|until)\b)""",
    re.VERBOSE,
)
"""How a reason speaks of running something, or points at what would be run."""


def _of_command(reason: str, command: str) -> bool:
    """Whether a reason speaks of the command that was refused, and not of the work at large."""
    return _OF_RUNNING.search(reason) is not None or bool(weighty(reason) & weighty(command))


def _holds(reason: str) -> bool:
    """Whether a reason holds for the next call, too, and not for the work as it stands."""
    plain = reason.lower().replace("’", "'")
    return _HOLDS.search(plain) is not None and _OF_NOW.search(plain) is None


def _refuses(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    for refusal in _follow(records)[0]:
        if refusal.reason is None:
            continue
        at, start, end = refusal.reason
        reason = " ".join(_text(records[at])[start:end].split())
        record = records[refusal.call]
        named = _named(record)
        if named.startswith(_A_TOOL) and _full_order(reason):
            continue
        # Why an edit was not let through is mostly said of that edit, not of the file.
        of_edit = named.startswith(_EDITING) and not _OF_FILE.search(reason)
        tool = record.tool_name or ""
        of_work = _HELPER.search(tool) and not _OF_HELPERS.search(reason)
        line = command_line(record)
        of_session = line is None and (of_work or _OF_THE_SESSION.search(tool))
        elsewhere = line is not None and not _of_command(reason, line.shown)
        passing = not named.startswith(_EDITING) and not _holds(reason)
        once = "asks" if of_edit or of_session or elsewhere or passing else None
        told = f"Does not want {named}: {reason}"
        yield RuleMatch(told, start, end, record=at, trust=PERSON, predicate=once)


def _refused_calls(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    for refusal in _follow(records)[0]:
        record = records[refusal.call]
        if form := stable_form(record):
            tool = record.tool_name or ""
            yield RuleMatch(form, 0, len(tool), "tool_name", record=refusal.call)


def _redirects(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    for at, start in _follow(records)[1]:
        text, inside = _text(records[at]), records[at].kind == "tool_result"
        ordered = directives(text[start:]) if inside else ()
        for one in ordered or directives(text[start:]):
            # What is typed is read by the rules of directives, too; they do not see the refusal.
            if not inside and (one.standing or not _full_order(one.text)):
                continue
            yield RuleMatch(
                one.text, start + one.start, start + one.end, record=at, trust=PERSON,
                predicate="directs" if one.standing or _full_order(one.text) else "asks",
            )  # fmt: skip
        taken = {start + one.start for one in (ordered or directives(text[start:]))}
        for first, last in _typed_sentences(text, start):
            plain = text[first:last].lower().replace("’", "'")
            told = words(plain)
            turns = _TURNS.search(plain) and not _NO_REASON.search(plain)
            if not turns or plain.rstrip().endswith("?") or len(told) < FEWEST_WORDS:
                continue
            if any(first <= begin < last for begin in taken) or STOP_WORDS.issuperset(told):
                continue
            kept = " ".join(text[first:last].split())
            yield RuleMatch(capitalised(kept), first, last, record=at, trust=PERSON)


_RESULT_REFUSED = (pl.col("kind") == "tool_result") & pl.col("text").str.contains(_REFUSED)
_INTERRUPTED = (pl.col("origin") == "system") & pl.col("text").str.starts_with(STOPPED)
_SOME_REFUSAL = (_RESULT_REFUSED | _INTERRUPTED).any().over("namespace", "conversation_id")
_READS = _SOME_REFUSAL & (CALLS | _RESULT_REFUSED | _INTERRUPTED | SAID_BY_PERSON)

RULES: tuple[Rule, ...] = (
    rule(
        "refuses",
        9,
        "A call that a person did not allow, with the reason that they gave.",
        confidence=0.8,
        reads=_READS,
        find=_refuses,
        whole=True,
    ),
    rule(
        "refused_call",
        2,
        "A call that a person did not allow: its command, or its tool.",
        confidence=1.0,
        reads=_READS,
        find=_refused_calls,
        whole=True,
        content="{entity} was refused {object}",
    ),
    rule(
        "redirects",
        6,
        "What a person typed right after they stopped an agent, where it turns the agent round; "
        "and directives in the reason of a refusal.",
        predicate="asks",
        confidence=0.8,
        reads=_READS,
        find=_redirects,
        whole=True,
    ),
)
