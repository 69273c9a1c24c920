"""What the semantic gate refuses, on names that were labelled by hand.

Then the share of names of pages that a search brought: those about what was asked, and those of
advertisements between them.

The labelled set has three parts. What is compared was chosen on the first two; the statements of
the second are farther from the words of their source. The third was written afterwards.

Run `.venv/bin/python -m benchmarks.names`.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from cairn.knowledge.extraction.context_gate import OFF_CONTEXT, judged_in_context
from cairn.knowledge.extraction.validation import KnownName, Proposal
from cairn.knowledge.llm.chunks import Line, Lines
from cairn.knowledge.nlp.names import name_rejections
from cairn.knowledge.nlp.spans import place_of_name
from cairn.knowledge.nlp.text import sentences
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import pair_similarity

LABELLED = Path(__file__).parents[1] / "tests" / "knowledge" / "labelled" / "names_in_context.jsonl"
JUNK = ("generic", "role", "fragment", "unfounded", "leaked")


IN_RESULTS = LABELLED.with_name("names_in_results.jsonl")


class Labelled(NamedTuple):
    """A name, what a model might say of it, and whether it is one to keep."""

    part: int
    kind: str
    name: str
    facts: tuple[str, ...]
    at: int
    """Which of the lines names it."""
    lines: Lines

    @property
    def good(self) -> bool:
        """Whether a person would keep it."""
        return self.kind not in (*JUNK, "advertised")

    @property
    def message(self) -> str:
        """The message that names it."""
        return self.lines[self.at].text

    @property
    def chunk(self) -> str:
        """All messages."""
        return "\n".join(line.text for line in self.lines)

    @property
    def sentence(self) -> str:
        """The first sentence that names it."""
        found = place_of_name(self.name, self.message)
        at = found[0] if found else 0
        return next(self.message[a:b] for a, b in sentences(self.message) if a <= at < b)

    @property
    def said(self) -> str:
        """The name and the statements."""
        return f"{self.name}. {' '.join(self.facts)}"


def labelled() -> list[Labelled]:
    """The names that come to the gate: those whose form is that of a name."""
    rows: list[Labelled] = []
    for text in LABELLED.read_text(encoding="utf-8").splitlines():
        talk = json.loads(text)
        for one in talk["names"]:
            lines = _lines(f"c{len(rows)}", talk["messages"])
            facts = tuple(one["facts"])
            name, at = one["name"], one["message"] - 1
            rows.append(Labelled(talk["set"], one["kind"], name, facts, at, lines))
    names = pl.Series([row.name for row in rows])
    types = pl.repeat("topic", len(rows), eager=True)
    forms = name_rejections(names, types, Policy().name_words)
    return [row for row, form in zip(rows, forms, strict=True) if form is None]


def labelled_in_results() -> list[Labelled]:
    """Names of pages that a search brought, each page with all its sentences."""
    rows: list[Labelled] = []
    for text in IN_RESULTS.read_text(encoding="utf-8").splitlines():
        search = json.loads(text)
        page = " ".join(one["fact"] for one in search["names"])
        for one in search["names"]:
            lines = _lines(f"s{len(rows)}", [("human", search["query"]), ("external", page)])
            kind = "asked" if one["good"] else "advertised"
            rows.append(Labelled(search["set"], kind, one["name"], (one["fact"],), 1, lines))
    return rows


def _lines(conversation: str, messages: Sequence[Sequence[str]]) -> Lines:
    def line(number: int, origin: str, text: str) -> Line:
        record = f"{conversation}_{number}"
        return Line(
            "n", "2026-03-01", conversation, conversation, f"k_{conversation}", number, record, 0,
            number, "message", origin, "user_message", None, None, None, text,
        )  # fmt: skip

    return tuple(line(number, *message) for number, message in enumerate(messages, 1))


def refused(rows: Sequence[Labelled], embedder: Embedder, policy: Policy) -> list[bool]:
    """Whether the gate refuses each name, through the code that full mode has it by."""
    proposals = [one for row in rows for one in _proposals(row)]
    judged = judged_in_context(proposals, [row.lines for row in rows], (), embedder, policy)
    off = {one.line.conversation_id for one in judged if one.reason == OFF_CONTEXT}
    return [row.lines[0].conversation_id in off for row in rows]


def _proposals(row: Labelled) -> list[Proposal]:
    start, end = place_of_name(row.name, row.message) or (0, 0)
    name = Proposal(
        row.lines[row.at], "entity", "is", KnownName(row.name, "topic"), row.name, row.name,
        row.message[start:end], start, end, 0.6, "labelled@1",
    )  # fmt: skip
    told = [
        name._replace(kind="fact", predicate="states", object=statement, content=statement)
        for statement in row.facts
    ]
    return [name, *told]


WAYS: dict[str, Callable[[Labelled], tuple[str, str]]] = {
    "name, with the message": lambda row: (row.name, row.message),
    "name and its sentence, with the message": lambda row: (
        f"{row.name}. {row.sentence}",
        row.message,
    ),
    "name and statements, with the message": lambda row: (row.said, row.message),
    "name and statements, with the chunk": lambda row: (row.said, row.chunk),
    "name and statements, with its sentence": lambda row: (row.said, row.sentence),
}
"""Other ways to compare."""


def shares(
    rows: Sequence[Labelled], embedder: Embedder, policy: Policy
) -> dict[str, dict[str, float]]:
    """For each way of comparing the share refused: of all, of the good, of each kind of junk."""
    index = np.arange(len(rows))
    found: dict[str, list[bool]] = {}
    for name, texts in WAYS.items():
        left, right = zip(*map(texts, rows), strict=True)
        vectors, others = embedder.embed(left), embedder.embed(right)
        scores = pair_similarity(vectors, others, index, index, embedder)
        found[name] = (scores < policy.min_name_similarity).tolist()
    found["the gate"] = refused(rows, embedder, policy)
    return {name: _shares(rows, fell) for name, fell in found.items()}


def _shares(rows: Sequence[Labelled], fell: Sequence[bool]) -> dict[str, float]:
    groups: dict[str, list[bool]] = {"all": list(fell), "good": []}
    for row, one in zip(rows, fell, strict=True):
        groups.setdefault("good" if row.good else row.kind, []).append(one)
    return {name: sum(group) / max(len(group), 1) for name, group in groups.items()}


def main() -> None:
    from cairn.resources.embedders.choice import load_embedder

    policy, rows = Policy(), labelled()
    embedder = load_embedder(policy.embedder)
    for parts in ((1,), (2,), (3,), (1, 2, 3)):
        own = [row for row in rows if row.part in parts]
        kinds = Counter("good" if row.good else row.kind for row in own)
        print(f"part {', '.join(map(str, parts))}: {len(own)} names", dict(kinds))
        for way, by_kind in shares(own, embedder, policy).items():
            print(f"  {way:42}", {name: f"{share:.0%}" for name, share in by_kind.items()})

    for part in (1, 2, 3):
        searched = [row for row in labelled_in_results() if row.part == part]
        by_kind = _shares(searched, refused(searched, embedder, policy))
        print(f"results, part {part}: {len(searched)}", {n: f"{s:.0%}" for n, s in by_kind.items()})


if __name__ == "__main__":
    main()
