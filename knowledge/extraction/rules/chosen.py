"""What a person chose of options that an agent gave, and what they did not choose.

Options stand in a tool that asks, or in a list of an agent's message ("Option B: …"). How to go on
with the work at hand is no choice that holds, nor is a way around a check.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from textwrap import shorten
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.overruled import (
    NOT_CHOSEN,
    RECOMMENDED,
    overruled,
    parts_of_choice,
    read_alone,
)
from cairn.knowledge.dialogue.shortcuts.shortcuts import in_words
from cairn.knowledge.dialogue.trust import PERSON
from cairn.knowledge.extraction.rules.rule import (
    CALLS,
    SAID,
    Record,
    Rule,
    RuleMatch,
    rule,
)
from cairn.knowledge.nlp.markup import in_plain_letters
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.nlp.vocabulary import stem
from cairn.knowledge.schema.policy import Policy

_ASKING_TOOLS = r"(?i)^(?:AskUserQuestion|ask_user_question|request_user_input|ask_user)$"
_ANSWERED = r"^(?:User has answered your questions?|The user answered)"
_FEWEST_OPTIONS, _MOST_SHOWN = 2, 3
_LONGEST_TITLE = 90
_LONGEST_QUESTION = 220

_FOR_NOW = lazy_pattern(
    r"""\b(?:proceed|continue|next|first|start(?:\ (?:with|on))?|begin|now|ready|commit|push|merge|rebase|go\ ahead
      |look(?:s)?\ (?:good|right|ok)|approve|plan|priorit\w+|focus|blocks?|blocked|failing|failed|do\ you\ want\ me|want\ me\ to
      |would\ you\ like|should\ i\ (?!(?:use|name|call|keep|store|support|treat|prefer)\b)|today|for\ the\ day|right\ away
      |does\ (?:this|the)\ (?:\w+\ )?(?:design|plan|approach|draft|proposal)|needs?\ (?:rework|changes|another)
      |which\ (?:\w+\ )?(?:task|issue|bead|item|finding|bug|pr|branch|session|ticket|comment|file|story|stories|epic|phase|step|part)s?\b
      |this\ (?:time|session|pr|branch|commit)|(?:these|those|this|the)\ (?:[\w-]+\ )?(?:fixups?|prs?|commits?|changes|split|worktree)
      |(?:fewer|more)\ prs)\b""",
    re.VERBOSE,
)
"""Questions on the work at hand, in lower case."""

_FOR_NOW_ELSEWHERE = lazy_pattern(
    "머지|커밋|푸시|승인|진행할|계속할|マージ|コミット|プッシュ|承認|進め|続け|合并|提交|推送|继续|批准"
)
"""The same in Korean, Japanese and Chinese: to merge, commit, push, approve, go on."""

_FOR_NOW_ONLY = lazy_pattern(
    r"\bthis (?:time|session|once)\b|\bfor now\b|\b(?:new|separate) task\b"
)
"""Answers that hold no longer than the work at hand."""

_OF_THE_TALK = lazy_pattern(
    r"""\b(?:more|further|other|any)\ (?:\w+\ ){0,2}questions?\b | \b(?:any|some)thing\ else\b
      | \bare\ we\ (?:all\ )?(?:done|finished|through|set)\b | \bmove\ on\b
      | \b(?:we|us|you|i|to)\ (?:all\ |also\ |first\ |want\ to\ |like\ to\ |need\ to\ )?
        (?:discuss|talk\ (?:about|through)|go\ (?:over|through|deeper)|dig\ (?:in|deeper)|dive\ (?:in|deeper)
          |clarify|elaborate|explore|cover|revisit)\b""",
    re.VERBOSE,
)
"""Questions on the talk itself: what it should be about, or whether it is over."""

_WORK = lazy_pattern(
    r"(?:reset|clear|investigate|merge|quick|fix|check|look|run|commit|push|review|debug|continue|leave|wait|start|stop"
    r"|delete|skip|show|explain|all|both|none|neither|other|custom|something|yes|no|nothing|manual|i'll|let)\b"
)
"""How an option begins that is a step of work, or says nothing of itself."""

_OF_THE_MOMENT = lazy_pattern(
    r"""\b(?:isn't|aren't|not|doesn't|won't|cannot|can't|couldn't|unable\ to)\ (?:\w+ly\ )?(?:respond|work|exist
        |connect|reach|find|found|start|load|run|available|reachable|installed|there)(?:ing)?\b
      |\bhow\ (?:should|shall|do|can)\ (?:i|we)\ (?:access|reach|connect|fix|resolve|solve|address|recover|unblock
        |test|verify|debug|deal\ with|get|handle\ (?:this|that|it|these|those|the\ \w+\ (?:error|failure|conflict)s?))\b
      |^(?:what|which|when|who|where|how)\b[^?]*\b(?:was|were|did)\b
      |\bwhich\ (?:fix|workaround)\b|\bwhen\ should\ (?:this|the)\b[^?]*\b(?:happen|start|begin)\b
      |\bdo\ you\ (?:believe|think|suspect|mean|see|observe|expect|remember|know)\b
      |(?:^|[.?!:]\ )(?:(?:is|are|does|do)\ [^.?]*\b(?:exists?|already|currently|at\ the\ moment)\b[^.?]*\?
        |(?:where|what|which|who)\ (?:is|are)\ (?:the|your|our)\ (?:existing|current|actual)\b)|\bi\ need\ to\ know\b
      |^(?:create|remove|delete|add|run|close|open|update|publish|unpublish|release|deploy|start|install|write
        |generate|apply|make|implement|archive|complete|approve|accept|replace|move|rename)\ [^?]{3,}\?$""",
    re.VERBOSE,
)
"""Questions on what is the matter, on what is or was there, or on one act that is to be allowed."""

_LONGEST_ANSWER = 12
"""Words of an answer; a longer one is a request of its own."""

_LEFT_OPEN = lazy_pattern(
    r"(?:(?:i'll )?(?:let )?(?:you|(?:the )?agent|claude)(?: can)? (?:decide|choose|pick)s?|up to you|your (?:call|choice)|whatever|either|any of|no preference|not sure|close, but|not quite|let me)\b"
)
"""How an answer begins that leaves the choice to who asked."""

_NO_ANSWER = lazy_pattern(
    r"""(?:what|why|how|where|who|which|when)\ (?:[\w-]+\ )?(?:is|are|do|does|did|would|will|can|could|about|if)\b
      | (?:is|are|does|do|can|could|would|will|should|did)\ (?:it|that|this|there|we|you|i|they|the)\b
      | (?:(?:it|that|this|they|one|there)\ (?:is\ |are\ )?)?(?:already|exists?|currently)\b""",
    re.VERBOSE,
)
"""How an answer begins that asks back, or tells what there is."""

_YES_OR_NO = lazy_pattern(r"(?:yes|no|yep|nope)\b")
_OF_OURS = lazy_pattern(r"^(?:[^,?]{1,60}, )?(?:should|shall|must|do|may|can|will)\ (?!i\b|you\b)")
"""How a question begins to which yes or no is a choice: what we, or the thing, should do. Other such
answers allow one act, or tell how things are at the moment."""

_VAGUE = lazy_pattern(r"(?:custom|other|none|something|neither|skip|not sure|i'll|let me|decide)\b")
_FORCED = lazy_pattern(r"(?i)--(?:no-verify|force|skip)\b|\bforce[- ]push|\bbypass")
_FEW_WORDS = 2
_TELLS_LITTLE = frozenset(
    words(
        "given based approach option options way style direction design strategy solution variant one"
        " tradeoffs trade-offs trade offs comparison prefer preferred like best better resonates vision"
        " hybrid both simple minimal full balanced mixed standard custom yes no all"
    )
)
"""Words of a question, or of a label, by which nobody else knows what was chosen."""

_LONGEST_HEADER = 40
_OF_ASKING = frozenset(
    words(
        "action next step steps scope confirm confirmation question questions choice choose decision"
        " priority plan method type mode feature task goal format answer preference topic name naming"
    )
)
"""Words of a header that say that something is asked, not of what."""

_NUMBERED_LABEL = lazy_pattern(
    r"(?i)(?:option|approach|variant|plan|alternative)\s+(?:[a-z]|\d+)\b"
)
_ASIDE = lazy_pattern(r"\s*\([^()]*\)\s*$")

_OPTION = lazy_pattern(
    r"^\s*(?:[-*•]\s+|\#{1,5}\s+)?(?:\*\*|__)?option\s+(?P<key>[a-f]|\d)\b(?:\*\*|__)?\s*[.):—–-]+\s*(?P<told>\S.*)$",
    re.IGNORECASE,
)
_TITLE_END = lazy_pattern(r"(?:\*\*|__)|(?<=\w)[.:]\s|\s(?:—|–|-|→|->)\s")
_PICK = lazy_pattern(
    r"""^\W*(?:(?:yes|yeah|ok|okay|sure|good|great|hm+|thanks),?\ )*
    (?:(?:i\ (?:\w+ly\ )?(?:like|prefer|choose|pick|want|vote\ for|would\ (?:go\ with|take|prefer|choose))|i'd\ (?:go\ with|take|prefer|choose)|let's|let\ us
      |please|we'll|we)\ )*(?P<verb>(?:go|stick)\ (?:with|for)|use|take|do|pick|choose|implement|like|prefer)?\ ?
    (?:the\ )?(?P<named>option\ |number\ |\#|approach\ )?(?P<key>[a-f]|\d|first|second|third|fourth|last)(?P<one>\ (?:one|option|approach))?
    (?P<rest>\W*$|\ please\W*$|[,.!;:]\s.*$|\ (?:-|–|—|because|since|but|as|then|and)\s.*$)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBERED = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}


def _answers(result: Record, call: Record) -> Iterator[RuleMatch]:
    """What was answered to the questions of a tool."""
    questions = call.inputs.get("questions")
    for asked in questions if isinstance(questions, list) else ():
        if not isinstance(asked, dict) or not isinstance(text := asked.get("question"), str):
            continue
        begin = result.text.find(f'"{text}"="')
        start = begin + len(text) + 4
        end = -1 if begin < 0 else result.text.find('"', start)
        if end <= start:
            continue
        answer = result.text[start:end].strip()
        kept = _as_choice(" ".join(text.split()), answer, _options(asked), asked.get("header"))
        if kept:
            yield RuleMatch(kept, start, end)


def _options(asked: Mapping[str, Any]) -> dict[str, str]:
    """The options of which one is to be chosen: label -> what it says of itself."""
    given = asked.get("options")
    named = {
        label: about if isinstance(about := one.get("description"), str) else ""
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict) and isinstance(label := one.get("label"), str)
    }
    return {} if asked.get("multiSelect") else named


def _as_choice(
    question: str, answer: str, given: Mapping[str, str], header: object = None
) -> str | None:
    """Question, answer and what was not chosen, in a sentence; None if it holds for now only."""
    # What explains a question behind its mark would stand between it and its answer.
    asked, mark, _ = _ASIDE.sub("", question).rpartition("?")
    if not mark or len(question) > _LONGEST_QUESTION or not lasts(question, answer):
        return None
    asked = read_alone(asked + mark)
    others = [one for one in given if one != answer] if answer in given else []
    label = RECOMMENDED.sub("", answer)
    told = f"{topic(header, question)}{asked} {label}"
    return f"{told}{meaning(asked, label, given.get(answer, ''))}{_not_chosen(others)}"


def topic(header: object, question: str) -> str:
    """What the header of a question says of what it is about, where the question does not.

    Empty, or the header with a colon and a space behind it.
    """
    if not isinstance(header, str) or len(header) > _LONGEST_HEADER:
        return ""
    told = {stem(word) for word in words(question.lower())}
    says = any(
        word not in _TELLS_LITTLE | _OF_ASKING and stem(word) not in told
        for word in words(header.lower())
    )
    return f"{' '.join(header.split())}: " if says else ""


def meaning(question: str, label: str, about: str) -> str:
    """What an option says of itself, where neither the question nor its label tells what it is.

    Empty, or what it says with a colon and a space before it.
    """
    said = {word for word in words(f"{question} {label}") if word not in STOP_WORDS}
    if not about or (len(said - _TELLS_LITTLE) > _FEW_WORDS and not _NUMBERED_LABEL.match(label)):
        return ""
    start, end = next(iter(sentences(about)), (0, len(about)))
    return f": {shorten(about[start:end].rstrip('.'), _LONGEST_TITLE, placeholder='…')}"


def lasts(question: str, answer: str) -> bool:
    """Whether an answer is a choice that holds: neither for now only, nor a way around a check."""
    asked = _ASIDE.sub("", question).lower()
    if (
        not answer
        or _FOR_NOW_ONLY.search(answer.lower())
        or _goes_around(answer)
        or len(answer.split()) > _LONGEST_ANSWER
    ):
        return False
    if left_open(answer) or answer.endswith("?") or _NO_ANSWER.match(answer.lower()):
        return False
    if _passes(asked):
        return False
    return not _YES_OR_NO.match(answer.lower()) or _OF_OURS.match(asked) is not None


def _passes(question: str) -> bool:
    """Whether a question, in lower case, is on the work at hand, the talk or the moment."""
    passing = (_FOR_NOW, _FOR_NOW_ELSEWHERE, _OF_THE_TALK, _OF_THE_MOMENT)
    return any(form.search(question) for form in passing)


def left_open(answer: str) -> bool:
    """Whether an answer, or an option, leaves the choice to who asked."""
    return _LEFT_OPEN.match(answer.lower()) is not None


def _goes_around(told: str) -> bool:
    """Whether what was chosen is a way around a check."""
    return in_words(told) is not None or _FORCED.search(told) is not None


def _not_chosen(others: Sequence[str]) -> str:
    shown = [
        RECOMMENDED.sub("", one)
        for one in others
        if not _VAGUE.match(one.lower()) and not left_open(one)
    ]
    return f"{NOT_CHOSEN}{' or '.join(shown[:_MOST_SHOWN])}" if shown else ""


def options(text: str) -> dict[str, str]:
    """Options of a message by their key in lower case, with their titles; none if it is no list."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if one := _option(line):
            told = one["told"].lstrip("*_ ")
            end = _TITLE_END.search(told)
            title = told[: end.start()] if end else told
            found.setdefault(one["key"].lower(), title.strip(" *_:.—–-")[:_LONGEST_TITLE])
    return found if len(found) >= _FEWEST_OPTIONS else {}


def _option(line: str) -> re.Match[str] | None:
    return _OPTION.match(line) if len(line) < 1_000 else None


def _asked_above(text: str) -> str:
    """The last question close above the options of a message, if it says what they are about."""
    above = takewhile(lambda line: not _option(line), text.splitlines())
    told = [line.strip("#>*_ ") for line in above if line.strip()]
    for line in reversed(told[-_CLOSE_ABOVE:]):
        asked = [line[start:end] for start, end in sentences(line) if line[:end].endswith("?")]
        if asked:
            return read_alone(asked[-1]) if _says_of_what(asked[-1]) else ""
    return ""


def _says_of_what(question: str) -> bool:
    """Whether a question tells somebody else what is to be chosen, and holds for longer."""
    plain = question.lower()
    about = [word for word in words(plain) if word not in STOP_WORDS | _TELLS_LITTLE]
    return (
        len(about) >= _FEW_WORDS
        and len(question) <= _LONGEST_QUESTION
        and not (_passes(plain) or _POINTS.search(plain))
    )


_CLOSE_ABOVE = 3
"""Lines with words above the options among which a question is theirs."""
_POINTS = lazy_pattern(r"\b(?:this|that|it|these|those|they|them|here|above|below)\b")


def _told_of(text: str, title: str) -> str:
    """What a message says of an option below its heading, behind a colon; else nothing."""
    above, _, below = text.partition(title)
    heading = _OPTION_HEADING.match(above.rpartition("\n")[2] + title + below.partition("\n")[0])
    lines = [line.strip() for line in below.splitlines()[1:] if line.strip()]
    if not heading or not lines or _NO_PROSE.match(lines[0]):
        return ""
    start, end = next(iter(sentences(lines[0])), (0, len(lines[0])))
    told = in_plain_letters(lines[0][start:end]).rstrip(".:")
    return f": {shorten(told, _LONGEST_TITLE, placeholder='…')}"


_OPTION_HEADING = lazy_pattern(r"\s*(?:\#{1,5}\s.*|(?:\*\*|__).*(?:\*\*|__)\s*)$")
"""A line that is a heading, or emphasised as a whole."""
_NO_PROSE = lazy_pattern(r"[-*•|>`#~+\d]|(?i:option|pros?|cons?|recommend)\b")


def picked(answer: str, given: Mapping[str, str]) -> str | None:
    """The key of the option that an answer picks; None if it picks none."""
    told = _PICK.match(answer.lower().replace("’", "'")[:200])
    if told is None or answer.rstrip().endswith("?"):
        return None
    key, alone = told["key"], told["rest"].strip(" .!") in ("", "please")
    if key in _NUMBERED:
        at = _NUMBERED[key]
        return list(given)[at] if at < len(given) and (told["one"] or alone) else None
    # A letter by itself is an article.
    sure = told["named"] or told["one"] or alone or (told["verb"] and key != "a")
    return key if key in given and sure else None


def _chosen_in_words(records: Sequence[Record], at: int) -> RuleMatch | None:
    """What a person picked of the options of the agent's message before."""
    given = options(records[at - 1].text) if at and records[at - 1].origin == "agent" else {}
    text = records[at].words
    if not given or not (key := picked(text.strip(), given)):
        return None
    title = given[key]
    if _WORK.match(title.lower()) or _FOR_NOW_ONLY.search(title.lower()) or _goes_around(title):
        return None
    others = _not_chosen([one for other, one in given.items() if other != key])
    start = len(text) - len(text.lstrip())
    offered = records[at - 1].text
    told = f"{_asked_above(offered) or 'Chose'} {title}{_told_of(offered, title)}{others}"
    return RuleMatch(told, start, len(text.rstrip()), record=at)


def _chooses(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    """Choices in order; one that a later answer or word of the person ends is an event."""
    typed = [(at, each.words) for at, each in enumerate(records) if each.origin == "human"]
    made = list(_choices(records))
    last = {_question(one.object): one for one in made}
    for one in made:
        later = (words for at, words in typed if at > one.record)
        ended = last[_question(one.object)] is not one or overruled(one.object, later)
        yield one._replace(predicate="asks") if ended else one


def _question(told: str) -> str:
    """What was asked, for an answer to the same; without a question the whole."""
    return " ".join(parts_of_choice(told).question.casefold().split()) or told


def _choices(records: Sequence[Record]) -> Iterator[RuleMatch]:
    calls: dict[str, Record] = {}
    said: list[int] = []
    for at, record in enumerate(records):
        if record.kind == "tool_call":
            if record.call_id:
                calls[record.call_id] = record
        elif record.kind == "tool_result":
            call = calls.get(record.call_id or "")
            for one in _answers(record, call) if call else ():
                yield one._replace(record=at, trust=PERSON)
        else:
            said.append(at)
    told = [records[at] for at in said]
    for place, record in enumerate(told):
        if record.origin == "human" and (found := _chosen_in_words(told, place)):
            yield found._replace(record=said[place])


_ASKS = CALLS & pl.col("tool_name").str.contains(_ASKING_TOOLS)
_ANSWERS = (pl.col("kind") == "tool_result") & pl.col("text").str.contains(_ANSWERED)

RULES: tuple[Rule, ...] = (
    rule(
        "chooses",
        11,
        "What a person chose of the options that an agent gave, and what they did not.",
        predicate="decides",
        confidence=0.8,
        reads=_ASKS | _ANSWERS | SAID,
        find=_chooses,
        whole=True,
    ),
)
