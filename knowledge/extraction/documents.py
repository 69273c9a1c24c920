"""Structuring: what people ingest becomes candidates, with how each piece is kept and found.

Items of knowledge in layers state what they state. Free text is taken apart by a language model if
one is set, and kept sentence by sentence if none is. Whatever it says, it is data.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.trust import AGENT
from cairn.knowledge.engine.extractors import Extractor, by_prompts
from cairn.knowledge.extraction.llm_units import Extraction, extraction, extractor
from cairn.knowledge.extraction.validation import (
    KnownName,
    Proposal,
    candidate_id,
    has_canary,
    located,
    unfit,
)
from cairn.knowledge.ingest.inbox_events import documents
from cairn.knowledge.ingest.inbox_events.imported import IMPORTED, memory_of
from cairn.knowledge.llm.batches import AskedLines, asked, records_of
from cairn.knowledge.llm.chunks import LINE_SCHEMA, Line, Lines, chunks, pieces, shown
from cairn.knowledge.llm.client import Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.llm.prompts import STRUCTURE
from cairn.knowledge.llm.prompts.structure import Profile, Structured
from cairn.knowledge.nlp.spans import asks, place_of_name
from cairn.knowledge.nlp.text import sentences
from cairn.knowledge.schema.fact_types import FROM_ELSEWHERE, INFO_TYPES, LOADED
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY
from cairn.knowledge.schema.tables import CHECK_INS, PIECES

STRUCTURING = Extractor(
    "structuring",
    "model",
    1,
    "What people ingest: items of knowledge, and text as a language model, or none, takes apart.",
    ("chunk_tokens", "model_confidence", "own_statement_confidence", "check_ins"),
)

BY_ITEM = f"{LOADED}{STRUCTURING.version}"
BY_IMPORT = f"{FROM_ELSEWHERE}{STRUCTURING.version}"
BY_SENTENCE = f"{STRUCTURING.name}/notes@{STRUCTURING.version}"

ASSET = "candidates"

IMPORTED_CONFIDENCE = 0.5
"""What an imported statement begins with: as much as an agent's own word may have at most."""

LONGEST_PIECE = 4000
"""Characters of what a piece says."""

SHORTEST_NOTE = 8
"""Bytes of a sentence that is kept as a note."""

_MARK = re.compile(r"(?:(?:[-*+•>]|\d{1,3}[.)])\s+)*(?:\[[ xX]\]\s+)?")
FENCE = re.compile(r"^\s*(?:```|~~~)")
"""How a line begins that begins or ends code."""
_HEADING_LINE = re.compile(r"(?m)^#{1,6}\s+(.+?)\s*#*$")
_HEADING = re.compile(r"^(?:#{1,6}\s|[=\-*_~|\s]+$)")


class Structuring(NamedTuple):
    """What became of all that was ingested: candidates, PIECES and CHECK_INS."""

    extraction: Extraction
    pieces: pl.DataFrame
    check_ins: pl.DataFrame


@dataclass(frozen=True)
class KeptProposal:
    """A proposal, and how the piece that it is is kept; no `info_type` if it is none."""

    proposal: Proposal
    piece_id: str | None = None
    info_type: str | None = None
    tags: tuple[str, ...] = ()
    embedding_text: str | None = None


def in_force(model: ModelInForce | None) -> Extractor:
    """Structuring by a model, or by none: what it gave before is made anew when that changes."""
    return STRUCTURING if model is None else by_prompts(STRUCTURING, (STRUCTURE,), model)


def structuring(raw_logs: pl.DataFrame, model: LanguageModel | None, policy: Policy) -> Structuring:
    """Candidates of what people ingested.

    `raw_logs` has whole conversations, in any order. Without a model, each sentence of free text is
    a note.

    Returns:
        Candidates of mode `given`. What was loaded has confidence 1; what was imported has the
        trust of an agent's word. The outcomes are of the stage `structuring`.
    """
    kinds = [documents.DOCUMENT, documents.ITEM, IMPORTED]
    told = raw_logs.filter(pl.col("kind").is_in(kinds))
    inputs = dict(told.select("record_id", "tool_input").iter_rows())
    every = [
        kept
        for kind, taken in ((documents.ITEM, _loaded), (IMPORTED, _imported))
        for line in _items(told, kind)
        for kept in taken(line, inputs[line.record_id])
    ]
    parts = pieces(chunks(told, pl.col("kind") == documents.DOCUMENT, policy, within="record_id"))
    settled: list[AskedLines] = []
    check_ins: list[dict[str, object]] = []
    if model is None:
        for lines in parts:
            found = _notes(lines, _about(inputs[lines[0].record_id]), policy)
            every += found
            check_ins.append(_check_in(lines, found, BY_SENTENCE))
    else:
        prompt = model.prompts.version(STRUCTURE)
        settled = asked(parts, partial(_ask, prompt), model)
        label = extractor(STRUCTURING, prompt, model.model)
        for one in settled:
            answer = one.answer
            found = []
            if isinstance(answer.value, Structured):
                about = _about(inputs[one.lines[0].record_id])
                found = list(_structured(answer.value, one.lines, about, label, policy))
            every += found
            if answer.outcome != "pending":
                said = None if answer.value is None else answer.value.model_dump_json()
                check_ins.append(_check_in(one.lines, found, label, said, answer.reason))
    proposals = [kept.proposal for kept in every]
    found = extraction(STRUCTURING.name, raw_logs, proposals, settled)
    elsewhere = pl.when(extractor=BY_IMPORT).then(pl.lit(AGENT)).otherwise("trust").alias("trust")
    return Structuring(
        found._replace(candidates=found.candidates.with_columns(elsewhere)),
        PIECES.frame(_pieces(every)),
        CHECK_INS.frame(check_ins if policy.check_ins else []),
    )


def _items(told: pl.DataFrame, kind: str) -> Iterator[Line]:
    rows = told.filter(pl.col("kind") == kind).sort("namespace", "conversation_id", "seq")
    lines = rows.with_columns(chunk_id=pl.lit(""), number=pl.lit(1), offset=pl.lit(0))
    for row in lines.select(LINE_SCHEMA.names()).iter_rows():
        yield Line(*row)


def _loaded(line: Line, tool_input: str | None) -> Iterator[KeptProposal]:
    """What an item states, with both ends of an edge."""
    item = documents.item_of(tool_input)
    if item is None or line.text != item.words:
        return
    about = _known(item.about) if item.about else KnownName(NOBODY, "person")
    for one in documents.stated(item):
        end = one.start + len(one.words)
        reason = _unfit(one.content, one.words, about.name) or _held(one.words, "human")
        if not item.knowledge_type:
            yield KeptProposal(_entity(line, about, one.start, end, reason))
            if item.to:
                yield KeptProposal(_entity(line, _known(item.to), one.start, end, reason))
        if one.predicate:
            fact = Proposal(
                line, "fact", one.predicate, about, one.object, one.content, one.words, one.start,
                end, 1.0, BY_ITEM, reason,
            )  # fmt: skip
            info_type = item.info_type or INFO_TYPES.get(item.knowledge_type or "", "context")
            yield (
                KeptProposal(fact, item.piece_id, info_type, item.tags, item.embedding_text)
                if item.knowledge_type
                else KeptProposal(fact)
            )


def _imported(line: Line, tool_input: str | None) -> Iterator[KeptProposal]:
    """What another program remembered: a note, whatever it says and whoever said it there."""
    memory = memory_of(tool_input)
    about = _known(memory.about) if memory.about else KnownName(NOBODY, "person")
    note = " ".join(line.text.split())
    reason = _unfit(note, note, about.name) or ("question" if asks(note) else None)

    def proposed(kind: str, predicate: str, value: str, content: str) -> Proposal:
        return Proposal(
            line, kind, predicate, about, value, content, line.text, 0, len(line.text),
            IMPORTED_CONFIDENCE, BY_IMPORT, reason or _held(line.text, "external"),
        )  # fmt: skip

    if memory.about:
        yield KeptProposal(proposed("entity", "is", about.name, f"{about.name} is a {about.type}"))
    found_by = f"{memory.heading}: {note}" if memory.heading else None
    fact = proposed("fact", "note", note, note)
    yield KeptProposal(fact, memory.memory_id, "context", memory.tags, embedding_text=found_by)


def _entity(line: Line, about: KnownName, start: int, end: int, reason: str | None) -> Proposal:
    return Proposal(
        line, "entity", "is", about, about.name, f"{about.name} is a {about.type}",
        line.text[start:end], start, end, 1.0, BY_ITEM, reason,
    )  # fmt: skip


def _known(named: documents.NamedInText | Profile) -> KnownName:
    return KnownName(" ".join(named.name.split()), named.type)


def _about(tool_input: str | None) -> KnownName | None:
    """The entity that a document is about, if who gave it said so."""
    item = documents.item_of(tool_input)
    return _known(item.about) if item and item.about else None


def _notes(lines: Lines, about: KnownName | None, policy: Policy) -> list[KeptProposal]:
    """Each sentence of a text as a note; no headings, no code."""
    found: list[KeptProposal] = []
    for line in lines:
        for start, end in _sentences(line.text):
            words = line.text[start:end]
            note = " ".join(words.split())
            reason = _unfit(note, note) or ("question" if asks(words) else None)
            fact = Proposal(
                line, "fact", "note", about or KnownName(NOBODY, "person"), note, note, words,
                start, end, policy.own_statement_confidence, BY_SENTENCE,
                reason or _held(words, "external"),
            )  # fmt: skip
            found.append(KeptProposal(fact, info_type="context"))
    return found


def note_sentences(text: str) -> Iterator[tuple[str | None, str]]:
    """Sentences of a text that may be notes, each with the heading that it stands under."""
    headings = list(_HEADING_LINE.finditer(text))
    above = 0
    for start, end in _sentences(text):
        while above < len(headings) and headings[above].start() < start:
            above += 1
        heading = headings[above - 1][1].strip() if above else None
        yield heading, " ".join(text[start:end].split())


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of sentences, without the marks of lists; headings, rules and code are left out."""
    code = False
    for first, end in sentences(text):
        if FENCE.match(text[first:end]):
            code = not code
            continue
        mark = _MARK.match(text, first, end)
        start = mark.end() if mark else first
        words = text[start:end]
        if not code and not _HEADING.match(words) and len(words.encode()) >= SHORTEST_NOTE:
            yield start, end


def _ask(prompt: Prompt[Structured], lines: Lines) -> Ask:
    return Ask(prompt, lines[0].namespace, shown(lines), records_of(lines), ASSET)


def _structured(
    answer: Structured, lines: Lines, about: KnownName | None, label: str, policy: Policy
) -> Iterator[KeptProposal]:
    """What a model found in a text, each thing at its place, with what refuses it."""
    known = {one.key: one for one in map(_known, answer.metadata)}
    nobody = about or KnownName(NOBODY, "person")

    def judged(
        predicate: str, who: KnownName | None, value: str, content: str, quote: str, *words: str
    ) -> Proposal:
        content = " ".join(content.split())
        line, found = located(quote, lines[0].number, lines)
        start, end = found or (None, None)
        reason = _unfit(content, quote, who.name if who else "", value, *words)
        if reason != "canary" and who is None:
            reason = "not_given"
        if reason is None and found is None:
            reason = "quote_not_found"
        if reason is None and asks(line.text[start:end]):
            reason = "question"
        reason = reason or _held(f"{content}\n{quote}", "external")
        quoted = line.text[start:end] if found else quote
        return Proposal(
            line, "fact", predicate, who or nobody, " ".join(value.split()), content, quoted, start,
            end, policy.model_confidence, label, reason,
        )  # fmt: skip

    for profile in answer.metadata:
        who = known[_known(profile).key]
        yield KeptProposal(_name(who, lines, label, policy))
        for one in profile.properties:
            content = documents.property_words(who.name, one.name, one.value)
            predicate = documents.predicate_of(one.name)
            yield KeptProposal(judged(predicate, who, one.value, content, one.quote))
    for piece in answer.pieces:
        who = known.get(KnownName(piece.about, "topic").key) if piece.about else nobody
        tags = tuple(dict.fromkeys(tag.strip() for tag in piece.tags[:5] if tag.strip()))
        own = (piece.info_type or "").strip().lower()
        info_type = own or INFO_TYPES.get(piece.knowledge_type, "context")
        fact = judged(
            piece.knowledge_type, who, piece.content, piece.content, piece.quote, own, *tags
        )
        yield KeptProposal(fact, info_type=info_type, tags=tags)
    for link in answer.graph:
        ends = [known.get(KnownName(name, "topic").key) for name in (link.source, link.target)]
        who = ends[0] if all(ends) else None
        target = ends[1].name if ends[1] else link.target
        predicate = documents.predicate_of(link.relation)
        yield KeptProposal(judged(predicate, who, target, link.statement, link.quote))


def _name(who: KnownName, lines: Lines, label: str, policy: Policy) -> Proposal:
    """A name that a model found, where it first stands."""
    line = next((line for line in lines if place_of_name(who.name, line.text)), lines[0])
    start, end = place_of_name(who.name, line.text) or (None, None)
    reason = "canary" if has_canary(who.name) else None if end else "not_in_quote"
    return Proposal(
        line, "entity", "is", who, who.name, f"{who.name} is a {who.type}",
        line.text[start:end] if end else who.name, start, end, policy.model_confidence, label,
        reason or _held(who.name, "external"),
    )  # fmt: skip


def _unfit(content: str, quote: str, *names: str) -> str | None:
    return unfit(content, quote, *names, longest=LONGEST_PIECE)


def _held(text: str, origin: str) -> str | None:
    return QUARANTINED_ORDERS if gives_orders(text, origin) else None


def _pieces(every: Iterable[KeptProposal]) -> list[dict[str, object]]:
    kept_as = {
        candidate_id(kept.proposal): kept
        for kept in every
        if kept.info_type and kept.proposal.reason is None
    }
    return [
        {
            "candidate_id": id_,
            "namespace": kept.proposal.line.namespace,
            "day": kept.proposal.line.day,
            "conversation_id": kept.proposal.line.conversation_id,
            "record_id": kept.proposal.line.record_id,
            "piece_id": kept.piece_id,
            "info_type": kept.info_type,
            "tags": list(kept.tags),
            "embedding_text": kept.embedding_text,
            "extractor": kept.proposal.extractor,
        }
        for id_, kept in sorted(kept_as.items(), key=lambda item: item[0])
    ]


def _check_in(
    lines: Lines,
    found: Sequence[KeptProposal],
    label: str,
    answer: str | None = None,
    reason: str | None = None,
) -> dict[str, object]:
    line = lines[0]
    made = [kept.proposal for kept in found]
    return {
        "check_in_id": "i_" + digest(line.namespace, line.record_id, line.offset, label),
        "namespace": line.namespace,
        "day": line.day,
        "conversation_id": line.conversation_id,
        "record_id": line.record_id,
        "start": line.offset,
        "given": "".join(line.text for line in lines),
        "answer": answer,
        "outcome": "failed" if reason else "done",
        "reason": reason,
        "loaded": sorted({candidate_id(one) for one in made if one.reason is None}),
        "rejected": sorted(one.reason for one in made if one.reason is not None),
        "extractor": label,
    }
