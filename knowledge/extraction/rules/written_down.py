"""Rules that an agent was let write down where agents read them: in rule files, and memory files.

Such a line is meant for whoever comes next, and a person let it stand: it is weighed as an outcome
that was seen. What a later edit of its conversation takes out again was not let stand; what one
takes out that stood there before ends with it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.edits import edits_of
from cairn.knowledge.dialogue.sentences import capitalised
from cairn.knowledge.dialogue.tool_calls import NEW_TEXT, OLD_TEXT
from cairn.knowledge.dialogue.trust import OUTCOME
from cairn.knowledge.extraction.rules.directives import directives
from cairn.knowledge.extraction.rules.forms.directives import alone
from cairn.knowledge.extraction.rules.forms.notes import is_note, is_rule
from cairn.knowledge.extraction.rules.rule import CALLS, EDITS, Record, Rule, RuleMatch, rule
from cairn.knowledge.extraction.rules.statements import LONGEST_SENTENCE, statements
from cairn.knowledge.nlp.markup import FRONT_MATTER, blanked, unwrapped, without_markup
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import written_out
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY, WITHDRAWS

_RULE_FILE = lazy_pattern(
    r"""(?i)(?:^|/)(?:(?:claude|agents|gemini|qwen|conventions)(?:\.local)?\.md
          |\.(?:cursor|windsurf|cline)rules(?:/[^/]+)?
          |\.\w+/(?:rules|(?P<skill>skills))/(?:[^/]+/)*[^/]+\.mdc?
          |(?P<lessons>\.?(?:learnings?|lessons?(?:[-_]learned)?|gotchas))(?:/(?:[^/]+/)*[^/]+)?\.md
          |\.github/(?:copilot-instructions|instructions/[^/]+)\.md)$""",
    re.VERBOSE,
)
"""Files that agents read before they start, or before work of a kind."""
_MEMORY_FILE = lazy_pattern(
    r"(?i)/\.(?:claude|codex|gemini|qwen)/(?:[^/]+/)*memory/(?:(?P<index>memory)|[^/]+)\.md$"
)
"""Files that an agent keeps for itself: one that it reads at once, and one for each topic."""
_OF_ALL_PROJECTS = lazy_pattern(
    r"(?i)^(?:~|/root|/home/[^/]+|/users/[^/]+|[a-z]:/users/[^/]+)/\.\w+/[^/]+$"
)
"""A rule file in the home folder of who works."""
_NAMES_ONE = (
    r"(?i)(?:claude|agents|gemini|qwen|conventions|copilot-instructions|memory[^\"]*)(?:\.local)?\.mdc?"
    r"|rules|skills|learning|lesson|gotchas"
)

_OF_A_PERSON = re.compile(r"(?m)^[ \t]*type:\s*feedback\s*$")
_DESCRIBED = re.compile(r"(?m)^description:[ \t]*([\"']?)(?P<told>\S.*?)\1[ \t]*$")
"""How a memory begins that notes what a person put right, and its one sentence about it."""

_LABEL = lazy_pattern(
    r"(?i)^(?:important|critical|note|warning|caution|rule|takeaway|lesson)\s*(?:[:!—–-]\s*)+"
)
_NO_RULE = lazy_pattern(r"^\[[^\]]*\]\([^)]*\)|^when to\b|:$", re.IGNORECASE)
"""A line that leads to another file, or up to what is said below it."""
_FILLED_IN = lazy_pattern(r"<[A-Z][A-Z_-]{2,}>|<[a-z]+(?:[_-][a-z]+)+>|\{[a-z][\w-]+\}")
"""What a template leaves open."""
_TICKED = lazy_pattern(r"\[[ xX]\]\s*$")
_SAID_AHEAD = lazy_pattern(r"\w{2}[\"'`)*]*[.!?:…][\"'`)*]*\s+$")

_APPLIED = lazy_pattern(r"(?i)^how to apply:\s*(?:when\s*:)?")
_MANUAL = lazy_pattern(r"(?i)/skill\.md$")
"""How a skill is used stands here; what it is to be known in the files beside it."""

_STEPS = lazy_pattern(
    r":$(?<!rules:)(?<!conventions:)(?<!guidelines:)(?<!principles:)(?<!important:)(?<!note:)"
)
"""What leads to a list of what is done, or has to be ticked off, in a step."""

_SAVES = "save_memory"
_OF_A_NOTE = 0.7
"""Confidence of what is noted: the agent says so, and nobody else."""


class _WrittenLine(NamedTuple):
    """A line as it is kept, and where it stands in the text that an edit brought in.

    `sentence` is how it stands there; none of what heads a memory, which has one.
    """

    sentence: str
    text: str
    start: int
    end: int
    is_rule: bool = True


Reader = Callable[[str, Collection[str]], Iterator[_WrittenLine]]
"""What finds lines in a text of a file, but for given sentences."""


def _lines(
    text: str, but: Collection[str], *, opening: bool, notes: bool
) -> Iterator[_WrittenLine]:
    """Rules in a text, and notes.

    With `opening` those alone that begin their paragraph or item: what comes behind goes on.
    """
    text = _on_lines(text)
    for sentence in statements(text):
        ahead = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
        goes_on = _SAID_AHEAD.search(ahead) is not None
        if sentence.text in but or _STEPS.search(sentence.heading) or _TICKED.search(ahead):
            continue
        label = _LABEL.match(sentence.text)
        told = sentence.text[label.end() :] if label else sentence.text
        if _NO_RULE.search(told) or (opening and goes_on):
            continue
        plain = written_out(sentence.plain[-len(told) :]).text
        rule = is_rule(plain) or bool(directives(told))
        if rule or (notes and not goes_on and is_note(plain) and not _FILLED_IN.search(told)):
            yield _WrittenLine(sentence.text, capitalised(told), sentence.start, sentence.end, rule)


def _sentences(text: str | None) -> frozenset[str]:
    return frozenset(each.text for each in statements(_on_lines(text))) if text else frozenset()


@lru_cache(maxsize=4)
def _on_lines(text: str) -> str:
    """Markdown without what heads it and its code, each paragraph and item on one line.

    Both texts of an edit are asked for twice.
    """
    return unwrapped(without_markup(FRONT_MATTER.sub(lambda front: blanked(front[0]), text)))


def _of_memory(text: str, but: Collection[str], *, index: bool) -> Iterator[_WrittenLine]:
    """What an agent keeps for itself: of a topic, what a person put right; else rules and notes."""
    if front := FRONT_MATTER.match(text):
        yield from _put_right(text, front)
    elif index:
        yield from _lines(text, but, opening=True, notes=True)


def _put_right(text: str, front: re.Match[str]) -> Iterator[_WrittenLine]:
    """What a memory of a person's correction says that it is about, and how it is to be used."""
    described = _DESCRIBED.search(front["told"])
    if described is None or not _OF_A_PERSON.search(front["told"]):
        return
    if len(described["told"]) <= LONGEST_SENTENCE:
        start, end = (front.start("told") + place for place in described.span("told"))
        yield _WrittenLine("", described["told"], start, end)
    for sentence in statements(_on_lines(text)):
        told = _APPLIED.sub("", sentence.text)
        if told != sentence.text and alone(sentence.plain[-len(told) :]):
            yield _WrittenLine(sentence.text, capitalised(told), sentence.start, sentence.end)


def _reader(path: str) -> Reader | None:
    """What finds lines in a file for those who come next; None where it is no such file."""
    if remembers := _MEMORY_FILE.search(path):
        return partial(_of_memory, index=remembers["index"] is not None)
    if file := _RULE_FILE.search(path):
        skill, lessons = (file[name] is not None for name in ("skill", "lessons"))
        notes = skill and not _MANUAL.search(path)
        return partial(_lines, opening=skill or lessons, notes=notes)
    return None


def _saved(record: Record) -> Iterator[RuleMatch]:
    """What a call keeps for all sessions to come, as Gemini CLI does what it has to remember."""
    fact = record.inputs.get("fact")
    for sentence in statements(fact) if isinstance(fact, str) else ():
        match = RuleMatch(
            capitalised(sentence.text), sentence.start, sentence.end, "tool_input.fact",
            about=(NOBODY, "person"), trust=OUTCOME,
        )  # fmt: skip
        rule = is_rule(written_out(sentence.plain).text) or directives(sentence.text)
        yield match if rule else match._replace(predicate="states", confidence=_OF_A_NOTE)


def _place(
    record: Record, quote: str, likely: int, other: Collection[str]
) -> tuple[str, int] | None:
    """Field of a call that a text stands in, and where: at `likely`, but for patches.

    What the call names by `other` is not looked at.
    """
    texts = [*_texts("tool_input", record.inputs, other)]
    near = ((field, likely) for field, text in texts if text.startswith(quote, likely))
    far = ((field, at) for field, text in texts if (at := text.find(quote)) >= 0)
    return next(chain(near, far), None)


def _texts(field: str, value: object, other: Collection[str]) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield field, value
        case dict():
            for key in (key for key in value if key not in other):
                yield from _texts(f"{field}.{key}", value[key], other)
        case list():
            for key, inner in enumerate(value):
                yield from _texts(f"{field}.{key}", inner, other)
        case _:
            pass


def _match(
    line: _WrittenLine, text: str, record: Record, other: Collection[str]
) -> RuleMatch | None:
    """A line of a text with its place in the call; of a patch, its first line."""
    quote = text[line.start : line.end]
    for words in (quote, quote.split("\n", 1)[0]):
        if place := _place(record, words, line.start, other):
            field, start = place
            return RuleMatch(line.text, start, start + len(words), field, trust=OUTCOME)
    return None


def _written(records: Sequence[Record], _: Policy) -> Iterable[RuleMatch]:
    """What stands in the end, and what stood there before the session and was taken out."""
    found: dict[tuple[str, str], RuleMatch] = {}
    gone: dict[tuple[str, str], RuleMatch] = {}
    failed = {record.call_id for record in records if record.kind == "tool_result"}
    for at, record in enumerate(records):
        if record.kind != "tool_call" or (record.call_id and record.call_id in failed):
            continue
        if record.tool_name == _SAVES:
            found |= {(_SAVES, one.object): one._replace(record=at) for one in _saved(record)}
            continue
        for edit, _created in edits_of(record.inputs):
            path = edit.path.replace("\\", "/")
            read = _reader(path)
            if read is None:
                continue
            about = (NOBODY, "person") if _OF_ALL_PROJECTS.match(path) else None
            kept, taken = _sentences(edit.new), _sentences(edit.old)
            if edit.old is None:
                found = {key: one for key, one in found.items() if key[0] != path or key[1] in kept}
            for line in read(edit.old or "", kept):
                key = path, line.sentence
                if line.sentence in kept or found.pop(key, None) is not None:
                    continue
                if match := _match(line, edit.old or "", record, NEW_TEXT):
                    match = match._replace(predicate=WITHDRAWS, confidence=1.0)
                    gone[key] = match._replace(record=at, about=about)
            for line in read(edit.new, taken):
                if match := _match(line, edit.new, record, OLD_TEXT):
                    key = path, line.sentence
                    if not line.is_rule:
                        match = match._replace(predicate="states", confidence=_OF_A_NOTE)
                    found[key] = match._replace(record=at, about=about)
                    gone.pop(key, None)
    return [*found.values(), *gone.values()]


RULES: tuple[Rule, ...] = (
    rule(
        "written_down",
        5,
        "What an agent wrote into files that agents read first, and nobody refused or took out "
        "again: rules (`directs`), and in its memory and beside a skill also how things are "
        "(`states`, 0.7).",
        predicate="directs",
        confidence=0.8,
        reads=(EDITS & pl.col("tool_input").str.contains(_NAMES_ONE))
        | (CALLS & (pl.col("tool_name") == _SAVES))
        | ((pl.col("kind") == "tool_result") & pl.col("is_error")),
        find=_written,
        whole=True,
    ),
)
