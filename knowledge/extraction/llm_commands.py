"""Command lines that the shell's grammar could not read, asked about: hosts, operations, files."""

from collections.abc import Iterator

import polars as pl

from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.candidates import about
from cairn.knowledge.extraction.llm_units import extractor
from cairn.knowledge.extraction.rules import RULES, Record
from cairn.knowledge.extraction.rules.rule import RECORD_COLUMNS, RUNS_COMMAND, command_line
from cairn.knowledge.extraction.validation import KnownName, Proposal, has_canary
from cairn.knowledge.llm.batches import AskedLines, asked, records_of
from cairn.knowledge.llm.chunks import ENRICHMENT, LINE_SCHEMA, Line, Lines
from cairn.knowledge.llm.client import Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts import COMMANDS
from cairn.knowledge.llm.prompts.commands import CommandLine
from cairn.knowledge.nlp.names import REDACTED_WHOLE, name_rejections
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import OBJECT_TYPES

LONGEST = 6_000
"""Characters of a line that are shown."""

_CONTENT = {rule.name: rule.content or "{object}" for rule in RULES}


def asked_commands(
    raw_logs: pl.DataFrame, model: LanguageModel, policy: Policy, stage: Extractor, asset: str
) -> tuple[list[AskedLines], list[Proposal]]:
    """What a model reads in the command lines that rules could not read, each by itself.

    Equal lines are one question. What it finds becomes what rules would have made of it: hosts as
    entities, and facts with the predicates connects_to_host, operation_type and mentions_path.
    """
    lines: list[Lines] = []
    fields: dict[str, tuple[str, KnownName]] = {}
    for line, field, subject in _unread(raw_logs):
        lines.append((line,))
        fields[line.chunk_id] = field, subject
    prompt = model.prompts.version(COMMANDS)
    label = extractor(stage, prompt, model.model)
    settled = asked(lines, lambda one: _ask(prompt, one, asset), model)
    found = [
        proposal
        for one in settled
        if isinstance(one.answer.value, CommandLine)
        for proposal in _proposals(
            one.answer.value, one.lines[0], *fields[one.lines[0].chunk_id], label, policy
        )
    ]
    return settled, found


def _ask(prompt: Prompt[CommandLine], lines: Lines, asset: str) -> Ask:
    return Ask(prompt, lines[0].namespace, lines[0].text, records_of(lines), asset)


def _unread(raw_logs: pl.DataFrame) -> Iterator[tuple[Line, str, KnownName]]:
    """Calls whose command line cannot be read, with its field and what they are about."""
    calls = (
        raw_logs.filter(
            RUNS_COMMAND
            & (pl.col("origin") == "agent")
            & (pl.col("trigger").fill_null("") != ENRICHMENT)
        )
        .sort("namespace", "conversation_id", "seq", "record_id")
        .with_columns(chunk_id="record_id", number=pl.lit(1), offset=pl.lit(0))
    )
    places = calls.select(LINE_SCHEMA.names()).cast(LINE_SCHEMA).iter_rows()
    records = calls.select(RECORD_COLUMNS).iter_rows()
    for place, fields in zip(places, records, strict=True):
        record = Record(*fields)
        ran = command_line(record)
        if ran is not None and ran.unreadable:
            line = Line(*place)._replace(text=ran.text[:LONGEST])
            yield line, ran.field, KnownName(*about(record))


def _proposals(
    answer: CommandLine, line: Line, field: str, subject: KnownName, label: str, policy: Policy
) -> Iterator[Proposal]:
    """What an answer holds, as proposals with what refuses them."""

    def proposal(
        predicate: str, value: str, words: str, about: KnownName | None = None
    ) -> Proposal:
        start = line.text.find(words) if words.strip() else -1
        type_ = "host" if predicate == "is" else OBJECT_TYPES.get(predicate)
        form = name_rejections(pl.Series([value]), pl.Series([type_]))[0] if type_ else None
        if has_canary(value, words):
            reason = "canary"
        elif start < 0:
            reason = "quote_not_found"
        elif pl.Series([words]).str.contains(REDACTED_WHOLE)[0]:
            reason = "redacted"
        else:
            reason = form
        content = _CONTENT["host" if predicate == "is" else predicate].format(
            entity=subject.name, object=value, words=value.replace("_", " ")
        )
        return Proposal(
            line,
            "entity" if predicate == "is" else "fact",
            predicate,
            about or subject,
            value,
            content,
            words,
            start if start >= 0 else None,
            start + len(words) if start >= 0 else None,
            policy.model_confidence,
            label,
            reason,
            field,
        )

    for host in answer.hosts:
        yield proposal("is", host, host, KnownName(host, "host"))
        yield proposal("connects_to_host", host, host)
    for operation in answer.operations:
        yield proposal("operation_type", operation.type, operation.words)
    for path in answer.files:
        yield proposal("mentions_path", path, path)
