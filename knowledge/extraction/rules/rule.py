"""What a rule is: data, and a small function from one record to what it finds there."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import msgspec
import polars as pl

from cairn.knowledge.dialogue import trust, typed
from cairn.knowledge.dialogue.sentences import LONGEST_TYPED
from cairn.knowledge.dialogue.tool_calls import EDIT_TOOLS
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction import identified
from cairn.knowledge.llm import prompt_injection
from cairn.knowledge.nlp.shell.parser import Command, commands, script_among, started, unreadable
from cairn.knowledge.schema.policy import Policy


class RuleMatch(NamedTuple):
    """One thing found, and the place of its words.

    `field` is `text`, another text column of raw_logs (`tool_name`, `project`, `name`), or
    `tool_input.<key>`; `start` and `end` are code points in it. `record` is the place of its
    record among those that the rule was given. `about` (name and type), `predicate` and
    `confidence` are given where the record, not the rule, says them; `trust` where it is not that
    of who wrote the record.
    """

    object: str
    start: int
    end: int
    field: str = "text"
    record: int = 0
    type: str | None = None
    about: tuple[str, str] | None = None
    predicate: str | None = None
    confidence: float | None = None
    trust: str | None = None


class Record(NamedTuple):
    """What a rule sees of a row of raw_logs."""

    record_id: str
    kind: str
    origin: str
    text: str
    name: str | None
    tool_name: str | None
    tool_input: str | None
    project: str | None
    call_id: str | None = None
    is_error: bool = False
    cwd: str | None = None
    typed: str | None = None
    """What the person typed of the text, blanks for the rest; None where that is all."""

    @property
    def words(self) -> str:
        """The text without what a person did not type, of the same length."""
        return self.text if self.typed is None else self.typed

    @property
    def inputs(self) -> dict[str, Any]:
        """The input of the tool; empty if there is none or it is no JSON object."""
        return decoded(self.tool_input) if self.tool_input else {}


RECORD_COLUMNS = Record._fields[: Record._fields.index("typed")]
"""Columns of raw_logs that make a record; what was typed of it is found by its conversation."""

Find = Callable[[Sequence[Record], Policy], Iterable[RuleMatch]]


@dataclass(frozen=True)
class RuleExample:
    """A line for the reference: what is read, and the objects that are found in it."""

    text: str
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule.

    `reads` says, on a frame of raw_logs, which rows it can find something in: a filter that only
    saves time is part of it. `find` gets one record, or all of a conversation that `reads` lets
    through, in order, when `whole` is set. `kind` is fact or entity; `type` the type of the
    entities that it finds; `content` makes a sentence of entity and object ({words}: the object
    without underscores), and none makes the object itself the sentence.
    """

    extractor: Extractor
    kind: str
    predicate: str
    confidence: float
    reads: pl.Expr
    find: Find
    content: str | None = None
    type: str | None = None
    whole: bool = False
    examples: tuple[RuleExample, ...] = ()

    @property
    def name(self) -> str:
        """Name of the rule."""
        return self.extractor.name


def rule(
    name: str,
    version: int,
    about: str,
    *,
    confidence: float,
    reads: pl.Expr,
    find: Find,
    predicate: str | None = None,
    content: str | None = None,
    type: str | None = None,  # noqa: A002  (the word that the table uses)
    whole: bool = False,
    policy: tuple[str, ...] = (),
    examples: tuple[RuleExample, ...] = (),
) -> Rule:
    """A rule for facts, or for entities when it has a `type` or the predicate `is`."""
    kind = "entity" if predicate == "is" else "fact"
    return Rule(
        Extractor(
            name,
            "rule",
            version,
            about,
            policy,
            (
                f"identified@{identified.VERSION}",
                f"injection@{prompt_injection.VERSION}",
                f"trust@{trust.VERSION}",
                f"typed@{typed.VERSION}",
            ),
        ),
        kind,
        predicate or name,
        confidence,
        reads,
        find,
        content,
        type,
        whole,
        examples,
    )


def each(find: Callable[[Record, Policy], Iterable[RuleMatch]]) -> Find:
    """A find of records one by one."""

    def over(records: Sequence[Record], policy: Policy) -> Iterator[RuleMatch]:
        for index, record in enumerate(records):
            for found in find(record, policy):
                yield found._replace(record=index) if index else found

    return over


CALLS = pl.col("kind") == "tool_call"
EDITS = CALLS & pl.col("tool_name").str.contains(EDIT_TOOLS.pattern)
SAID = pl.col("kind").is_in(["message", "note"]) & pl.col("origin").is_in(["human", "agent"])
SAID_BY_PERSON = pl.col("kind").is_in(["message", "note"]) & (pl.col("origin") == "human")
"""Messages that were said: never recalled, system or external text, nor a tool's output."""

_WORDS_TYPED = pl.col("typed").str.replace_all(r"\s+", " ")
"""Null where all was typed."""
BY_OWN_HAND = (
    (pl.col("origin") != "human")
    | (pl.col("text").str.len_chars() <= LONGEST_TYPED)
    | (_WORDS_TYPED.str.len_chars() <= LONGEST_TYPED).fill_null(value=False)
    | ~(pl.col("origin") == "agent").any().over("namespace", "conversation_id")
)
"""Not of a person's message that is too long to have been typed to an agent: a report, a plan, a
page. What they want done they may well paste; what it tells of things is not their word."""

SHELL_KEYS = ("command", "cmd", "script")
SHELL_TOOLS = (
    r"(?i)^(bash|shell|sh|zsh|local_shell(_call)?|run_shell_command|execute_bash|exec_command|terminal"
    r"|shell_command|run_terminal_cmd|run_command|execute_command|container\.exec|run_in_terminal)$"
)
RUNS_COMMAND = CALLS & pl.col("tool_name").str.contains(SHELL_TOOLS)


class ShellInput(NamedTuple):
    """What a shell tool was given: a script, or the words that a program is started with.

    A script stands in `field`; words stand in `field`.0, `field`.1 and so on, and `text` is all of
    them with a space between.
    """

    text: str
    field: str
    words: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """Its simple commands; their places count in `text`."""
        return started(self.words) if self.words else commands(self.text)

    @property
    def shown(self) -> str:
        """The line as one types it."""
        return shlex.join(self.words) if self.words else self.text

    @property
    def unreadable(self) -> bool:
        """Whether the grammar could not read all of it."""
        return not self.words and unreadable(self.text)

    def found(self, name: str, start: int, end: int) -> RuleMatch:
        """What stands at a place of `text`; of several words, the first is quoted."""
        field = self.field
        for index, word in enumerate(self.words):
            if start < len(word):
                end, field = min(end, len(word)), f"{field}.{index}"
                break
            start, end = start - len(word) - 1, end - len(word) - 1
        return RuleMatch(name, start, end, field)


def command_line(record: Record) -> ShellInput | None:
    """The command line of a call of a shell tool; none if it has none."""
    inputs = record.inputs
    for key in SHELL_KEYS:
        match inputs.get(key):
            case str() as text if text.strip():
                return ShellInput(text, f"tool_input.{key}")
            case [str() as first, *_] as words if first.strip() and _are_words(words):
                return _listed(tuple(words), f"tool_input.{key}")
            case _:
                pass
    return None


def _are_words(listed: Sequence[Any]) -> TypeGuard[Sequence[str]]:
    return all(isinstance(word, str) for word in listed)


def _listed(words: tuple[str, ...], field: str) -> ShellInput:
    at = script_among(words)
    if at is not None and words[at].strip():
        return ShellInput(words[at], f"{field}.{at}")
    return ShellInput(" ".join(words), field, words)


@lru_cache(maxsize=16_384)
def decoded(tool_input: str) -> dict[str, Any]:
    """A tool's input as an object; empty if it is no JSON object. Not to be changed."""
    try:
        value = msgspec.json.decode(tool_input)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def field_text(field: str, record: Record) -> str | None:
    """The text of a `quote_field`: what a quote's offsets count in; None if there is none.

    The field is `text`, `tool_name`, `project` or `name`, or `tool_input.<key>`; what stands within
    a list or an object follows behind a dot.
    """
    match field:
        case "text":
            return record.text
        case "tool_name":
            return record.tool_name
        case "project":
            return record.project
        case "name":
            return record.name
        case _:
            value: Any = {"tool_input": record.inputs}
    for key in field.split("."):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value if isinstance(value, str) else None
