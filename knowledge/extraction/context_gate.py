"""The semantic gate of names that a model proposes: each is judged with what was said of it.

A bare name has too few words to be compared with a text, so the gate stands behind the facts.
Compared are the name with its evidence, a statement about it, and the name with its context, a
sentence that names it in the chunk that the statement was drawn from. The best pair counts, so a
name that passed still does when its conversation grows. Whole messages are no measure: one that
speaks of five things is like none of them, and half of what it names would be refused. Nor are bare
sentences, of which a statement in other words is too far (docs/extraction.md has the figures).

What a search brought fits itself, advertisements and all. So a name that stands in results alone is
also judged by what was asked: a statement about it must have something to do with that.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from cairn.knowledge.extraction.llm_units import conversation_of
from cairn.knowledge.extraction.validation import Proposal
from cairn.knowledge.llm.chunks import Line, Lines
from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.nlp.spans import occurring, places_of_name
from cairn.knowledge.nlp.text import sentences
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

OFF_CONTEXT = "off_context"
"""Reason of names that fit nowhere, and of facts about them."""

SURELY_ASKED = 0.55
"""Least similarity of a sentence of the results that stands for what was asked."""

Topic = tuple[str, str, str]
"""Namespace, conversation and key (see proposals.Known) of a topic."""


class _Compared(NamedTuple):
    """A topic with what is said of it, and a sentence that names it."""

    topic: Topic
    evidence: str
    context: str


class _AboutTopics(NamedTuple):
    """What was accepted of topics."""

    names: dict[Topic, str]
    said_of: dict[tuple[str, str], set[tuple[Topic, str]]]
    """Topics and statements about them, of each chunk."""

    def in_chunk(self, lines: Lines) -> set[tuple[Topic, str]]:
        """Topics and statements of one chunk."""
        return self.said_of.get((lines[0].namespace, lines[0].chunk_id), set())

    def names_in(self, lines: Lines) -> set[str]:
        """Names of its topics."""
        return {self.names[topic] for topic, _ in self.in_chunk(lines)}


def judged_in_context(
    proposals: Sequence[Proposal],
    chunks: Iterable[Lines],
    by_rules: Collection[Topic],
    embedder: Embedder,
    policy: Policy,
) -> list[Proposal]:
    """Proposals, of which those of topics that fit nowhere are refused as `off_context`.

    Refused are the name, wherever its conversation has it, and what was said of it, unless a rule
    found the name too: then the name is still to be judged as that rule's
    (knowledge/resolution/gating.py). A name of which nothing was accepted has no evidence, and is
    left to the gate for those.

    Args:
        proposals: Names and facts of whole conversations, judged as to form and quote.
        chunks: What the model was shown.
        by_rules: Topics that rules found.
        embedder: Gives vectors and calibration.
        policy: min_name_similarity, min_asked_similarity.
    """
    chunks = list(chunks)
    told = _told(proposals)
    scores = _scores(_in_context(told, chunks), embedder)
    off = {topic for topic, score in scores.items() if score < policy.min_name_similarity}
    scores = _scores(_with_asked(told, chunks, embedder), embedder)
    off |= {topic for topic, score in scores.items() if score < policy.min_asked_similarity}

    def refused(one: Proposal) -> bool:
        topic = _topic(one)
        kept = one.kind != "entity" and topic in by_rules
        return one.reason is None and one.about.type == "topic" and topic in off and not kept

    return [one._replace(reason=OFF_CONTEXT) if refused(one) else one for one in proposals]


def _topic(one: Proposal) -> Topic:
    return (*conversation_of(one.line), one.about.key)


def _told(proposals: Sequence[Proposal]) -> _AboutTopics:
    """Topics that were proposed and of which something was accepted, and what that is.

    As everywhere, a statement is about its own subject and about each topic that it names.
    """
    accepted = [one for one in proposals if one.reason is None]
    names: dict[Topic, str] = {}
    for one in accepted:
        if one.kind == "entity" and one.about.type == "topic":
            names[_topic(one)] = min(one.about.name, names.get(_topic(one), one.about.name))
    told = [one for one in accepted if one.kind == "fact"]
    said_of: dict[tuple[str, str], set[tuple[Topic, str]]] = {}
    for one, there in zip(
        told, occurring([one.content for one in told], set(names.values())), strict=True
    ):
        conversation = conversation_of(one.line)
        keys = {canonical(name, "topic") for name in there}
        keys |= {one.about.key} if one.about.type == "topic" else set()
        topics = {(*conversation, key) for key in keys} & names.keys()
        of_chunk = said_of.setdefault((one.line.namespace, one.line.chunk_id), set())
        of_chunk |= {(topic, one.content) for topic in topics}
    return _AboutTopics(names, said_of)


def _in_context(told: _AboutTopics, chunks: Iterable[Lines]) -> list[_Compared]:
    """Statements about topics, and the sentences that name these, name before each."""
    return [
        _Compared(topic, f"{name}. {statement}", f"{name}. {sentence}")
        for lines in chunks
        for places in [_naming(lines, told.names_in(lines))]
        for topic, statement in told.in_chunk(lines)
        for name in [told.names[topic]]
        for sentence in places.get(name, ())
    ]


def _with_asked(told: _AboutTopics, chunks: Iterable[Lines], embedder: Embedder) -> list[_Compared]:
    """Statements about topics that only results of searches name, and what was asked there.

    A sentence of the results that is like what was asked, and does not name the topic, stands
    for it: "Brewline makes espresso, too".
    """
    found: list[_Compared] = []
    named: set[Topic] = set()
    for lines in chunks:
        results = [line for line in lines if line.origin == "external"]
        asked = _sentences(line for line in lines if line.origin == "human")
        names = told.names_in(lines)
        elsewhere = _naming([line for line in lines if line not in results], names)
        in_results = _naming(results, names) if asked else {}
        like = _like(_sentences(results), asked, embedder) if in_results else []
        for topic, statement in told.in_chunk(lines):
            name = told.names[topic]
            if name in elsewhere or name not in in_results:
                named.add(topic)
            own = in_results.get(name, set())
            texts = [*asked, *(sentence for sentence in like if sentence not in own)]
            found += (_Compared(topic, statement, text) for text in texts)
    return [pair for pair in found if pair.topic not in named]


def _sentences(lines: Iterable[Line]) -> list[str]:
    return [line.text[start:end] for line in lines for start, end in sentences(line.text)]


def _like(results: Sequence[str], asked: Sequence[str], embedder: Embedder) -> list[str]:
    """Sentences of results that are surely about what was asked."""
    both = [(one, other) for one in range(len(results)) for other in range(len(asked))]
    rows, columns = np.array(both, dtype=np.int64).reshape(-1, 2).T
    similarity = pair_similarity(
        embedder.embed(results), embedder.embed(asked), rows, columns, embedder
    )
    near = set(rows[similarity >= SURELY_ASKED].tolist())
    return [sentence for at, sentence in enumerate(results) if at in near]


def _naming(lines: Sequence[Line], names: Collection[str]) -> dict[str, set[str]]:
    """For each name the sentences of some lines that it stands in."""
    found: dict[str, set[str]] = {}
    texts = [line.text for line in lines]
    for text, there in zip(texts, occurring(texts, names), strict=True):
        spans = sentences(text) if there else []
        for name in there:
            for start, end in places_of_name(name, text):
                # A name may go over the end of a line, which ends a sentence.
                touched = [span for span in spans if span[0] < end and start < span[1]]
                found.setdefault(name, set()).add(text[touched[0][0] : touched[-1][1]])
    return found


def _scores(pairs: Sequence[_Compared], embedder: Embedder) -> dict[Topic, float]:
    """Similarity of each topic at its best pair."""
    if not pairs:
        return {}
    texts = sorted({text for pair in pairs for text in (pair.evidence, pair.context)})
    row = {text: number for number, text in enumerate(texts)}
    left = np.array([row[pair.evidence] for pair in pairs], dtype=np.int64)
    right = np.array([row[pair.context] for pair in pairs], dtype=np.int64)
    vectors = embedder.embed(texts)
    best: dict[Topic, float] = {}
    similarity = pair_similarity(vectors, vectors, left, right, embedder).tolist()
    for pair, score in zip(pairs, similarity, strict=True):
        best[pair.topic] = max(score, best.get(pair.topic, score))
    return best
