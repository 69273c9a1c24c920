"""The semantic gate of names that a model proposes: each is judged with what was said of it.

A bare name has too few words to be compared with a text, so the gate stands behind the facts.
Compared are the name with its evidence, a statement about it, and the name with its context, a
sentence that names it in the chunk that the statement was drawn from. The best pair counts, so a
name that passed still does when its conversation grows. Whole messages are no measure: one that
speaks of five things is like none of them, and half of what it names would be refused. Nor are bare
sentences, of which a statement in other words is too far (docs/extraction.md has the figures).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cairn.knowledge.extraction.llm_units import conversation_of
from cairn.knowledge.extraction.validation import Proposal
from cairn.knowledge.llm.chunks import Lines
from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.nlp.spans import occurring, places_of_name
from cairn.knowledge.nlp.text import sentences
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

OFF_CONTEXT = "off_context"
"""Reason of names that fit nowhere, and of facts about them."""

Topic = tuple[str, str, str]
"""Namespace, conversation and key (see proposals.Known) of a topic."""


class _Compared(NamedTuple):
    """A topic with what is said of it, and a sentence that names it."""

    topic: Topic
    evidence: str
    context: str


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
        policy: min_name_similarity.
    """
    scores = _scores(list(_pairs(proposals, chunks)), embedder)
    off = {topic for topic, score in scores.items() if score < policy.min_name_similarity}

    def refused(one: Proposal) -> bool:
        topic = _topic(one)
        kept = one.kind != "entity" and topic in by_rules
        return one.reason is None and one.about.type == "topic" and topic in off and not kept

    return [one._replace(reason=OFF_CONTEXT) if refused(one) else one for one in proposals]


def _topic(one: Proposal) -> Topic:
    return (*conversation_of(one.line), one.about.key)


def _pairs(proposals: Sequence[Proposal], chunks: Iterable[Lines]) -> Iterator[_Compared]:
    """What is compared, for each topic that was proposed and of which something was accepted.

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

    for lines in chunks:
        said = said_of.get((lines[0].namespace, lines[0].chunk_id), set())
        places = _naming(lines, {names[topic] for topic, _ in said})
        for topic, statement in said:
            name = names[topic]
            for sentence in places.get(name, ()):
                yield _Compared(topic, f"{name}. {statement}", f"{name}. {sentence}")


def _naming(lines: Lines, names: Collection[str]) -> dict[str, set[str]]:
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
