"""Full mode: names and facts that a model finds where a person set things off, and rules check.

Two passes over the chunks of each conversation. The first finds names, in what people said and
searched for; those that pass the structural filter, and those that rules found, are what the second
looks for facts about, in all that may be read. Then the semantic filter judges each new topic with
its facts. Nothing depends on other conversations or days, and no question on what comes later in
the same one.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import polars as pl

from cairn.knowledge.dialogue import trust
from cairn.knowledge.dialogue.hearsay import with_hearsay
from cairn.knowledge.engine.extractors import Extractor, by_prompts
from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.extraction.context_gate import judged_in_context
from cairn.knowledge.extraction.llm_commands import asked_commands
from cairn.knowledge.extraction.llm_units import (
    Extraction,
    asked_facts,
    conversation_of,
    extraction,
    extractor,
    facts_of,
)
from cairn.knowledge.extraction.rules import RULES
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.extraction.validation import KnownName, judged_names
from cairn.knowledge.llm.batches import AskedLines, asked, records_of
from cairn.knowledge.llm.chunks import READ_IN_FULL, Lines, chunks, pieces, shown
from cairn.knowledge.llm.client import Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import gives_orders
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.llm.prompts import COMMANDS, ENTITY_FACTS, NAMES
from cairn.knowledge.llm.prompts.names import Names
from cairn.knowledge.nlp.names import name_rejections
from cairn.knowledge.nlp.spans import occurring
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY, PERSON_TRIGGERS
from cairn.knowledge.vectors.model import Embedder

FULL_MODE = Extractor(
    "full_mode", "model", 6,
    "Names and facts that a language model finds where a person set things off.",
    ("chunk_tokens", "name_words", "model_confidence", "own_statement_confidence",
     "min_name_similarity", "min_asked_similarity", "embedder"),
    (f"trust@{trust.VERSION}",),
)  # fmt: skip

ASSET = "candidates"

NAMING = tuple(
    rule
    for rule in RULES
    if rule.kind == "entity" and not rule.whole and rule.name not in ("tool", "file")
)
"""Rules whose names facts are asked about. What an agent calls its tools is in no one's words; and
a name that depends on the whole conversation would ask anew about all of it whenever it grows."""

_TYPES = ("person", "project", "host", "system", "package", "tool", "topic")
"""Where a name has several types, the first of these counts."""


class Placed:
    """Names of each conversation, each with the `seq` of the record that it stands in."""

    def __init__(self, found: Iterable[tuple[tuple[str, str], int, KnownName]]) -> None:
        self._found: dict[tuple[str, str], list[tuple[int, KnownName]]] = {}
        for conversation, seq, known in found:
            self.add(conversation, seq, known)

    def add(self, conversation: tuple[str, str], seq: int, known: KnownName) -> None:
        """One more."""
        self._found.setdefault(conversation, []).append((seq, known))

    def until(self, lines: Lines) -> list[KnownName]:
        """Names that the conversation has up to the end of some lines."""
        last = max(line.seq for line in lines)
        return [one for seq, one in self._found.get(conversation_of(lines[0]), ()) if seq <= last]


def in_force(policy: Policy, model: ModelInForce) -> Extractor:
    """Full mode by a model: what decides its rows are also prompts, and the rules that name."""
    rules = [rule.extractor.fingerprint(policy) for rule in NAMING]
    return by_prompts(FULL_MODE, (NAMES, ENTITY_FACTS, COMMANDS), model, *rules)


def full_mode(
    raw_logs: pl.DataFrame, model: LanguageModel, embedder: Embedder, policy: Policy
) -> Extraction:
    """Names and facts of conversations, as a model finds them.

    `raw_logs` has whole conversations, in any order.

    Returns:
        Candidates of mode `full`: entities with predicate `is`, facts with predicate `states`, and
        what command lines give. The outcomes are of the stage `full_mode`.
    """
    every = pieces(chunks(raw_logs, READ_IN_FULL, policy))
    ruled = list(_named_by_rules(raw_logs, policy))
    placed = Placed(ruled)

    introducing = list(filter(None, map(_introducing, every)))
    named = [
        one
        for prompt in model.prompts.asked(NAMES)
        for one in asked(introducing, partial(_names_ask, prompt), model)
    ]
    proposals = [
        proposal
        for one in named
        if isinstance(one.answer.value, Names)
        for proposal in judged_names(
            one.answer.value.names,
            one.lines,
            _types(one.lines, placed),
            extractor(FULL_MODE, one.ask.prompt, model.model),
            policy,
        )
    ]
    for one in proposals:
        if one.reason is None:
            placed.add(conversation_of(one.line), one.line.seq, one.about)

    ready = _ready(every, named)
    given = dict(zip((piece[0].chunk_id for piece in ready), _given(ready, placed), strict=True))

    told = asked_facts(model, ENTITY_FACTS, ready, given, ASSET)
    proposals += facts_of(told, given, FULL_MODE, model.model, policy)

    topics = {(*conversation, one.key) for conversation, _, one in ruled if one.type == "topic"}
    proposals = judged_in_context(proposals, every, topics, embedder, policy)
    ran, commanded = asked_commands(raw_logs, model, policy, FULL_MODE, ASSET)
    made = extraction(FULL_MODE.name, raw_logs, [*proposals, *commanded], [*named, *told, *ran])
    return made._replace(candidates=with_hearsay(made.candidates, raw_logs))


def _introducing(lines: Lines) -> Lines:
    """Lines that may bring a name in: a person's, and results of a person's searches."""
    return tuple(
        line
        for line in lines
        if line.origin == "human" or (line.origin == "external" and line.trigger in PERSON_TRIGGERS)
    )


def _names_ask(prompt: Prompt[Names], lines: Lines) -> Ask:
    return Ask(prompt, lines[0].namespace, shown(lines), records_of(lines), ASSET)


def _named_by_rules(
    raw_logs: pl.DataFrame, policy: Policy
) -> Iterator[tuple[tuple[str, str], int, KnownName]]:
    """Names that rules found, without what is in the form of none."""
    found = candidates(raw_logs, policy, NAMING).candidates.join(
        raw_logs.select("namespace", "record_id", "seq"), on=["namespace", "record_id"]
    )
    forms = name_rejections(found["entity_name"], found["entity_type"], policy.name_words)
    found = found.filter(forms.is_null())
    columns = ["namespace", "conversation_id", "seq", "entity_name", "entity_type"]
    for namespace, conversation, seq, name, type_ in found.select(columns).iter_rows():
        yield (namespace, conversation), seq, KnownName(" ".join(name.split()), type_)


def _about(lines: Lines) -> list[KnownName]:
    """Whom and what lines are about without saying so: the speakers, the project."""
    speakers = {
        KnownName(" ".join((line.name or "").split()) or NOBODY, "person")
        for line in lines
        if line.origin == "human"
    }
    roots = {line.project for line in lines if line.project}
    roots = {root for root in roots if not gives_orders(root, "human")}
    projects = {KnownName(project_name(root), "project") for root in roots}
    return [*sorted(speakers), *sorted(one for one in projects if one.name)]


def _typed(names: Iterable[KnownName]) -> dict[str, KnownName]:
    """Names by key, each with the first of its types."""
    by_type = sorted(names, key=lambda one: (-_TYPES.index(one.type), one.name))
    return {one.key: one for one in by_type}


def _types(lines: Lines, placed: Placed) -> dict[str, str]:
    """Type by key of the names that rules found up to the end of some lines."""
    known = _typed([*placed.until(lines), *_about(lines)])
    return {key: one.type for key, one in known.items() if one.name != NOBODY}


def _given(every: Sequence[Lines], placed: Placed) -> list[list[KnownName]]:
    """For each chunk, the names that facts are looked for about: those that occur in it."""
    known = [_typed(placed.until(lines)) for lines in every]
    names = {one.name for of_chunk in known for one in of_chunk.values()}
    texts = ["\n".join(line.text for line in lines) for lines in every]
    given: list[list[KnownName]] = []
    for lines, of_chunk, occur in zip(every, known, occurring(texts, names), strict=True):
        about = _typed(_about(lines))
        there = set(occur)
        found = {key: one for key, one in of_chunk.items() if one.name in there} | about
        given.append(sorted(found.values(), key=lambda one: (one.key not in about, one)))
    return given


def _ready(every: Sequence[Lines], named: Iterable[AskedLines]) -> list[Lines]:
    """Chunks to ask about facts: with someone's words, and all names before their end known."""
    since: dict[tuple[str, str], int] = {}
    for one in named:
        if one.answer.outcome == "pending":
            conversation = conversation_of(one.lines[0])
            since[conversation] = min(one.lines[0].seq, since.get(conversation, one.lines[0].seq))
    return [
        lines
        for lines in every
        if any(line.origin != "tool" for line in lines)
        and all(line.seq < since.get(conversation_of(line), line.seq + 1) for line in lines)
    ]
