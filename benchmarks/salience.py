"""Fits the weights of salience to messages whose worth is known, and measures them on others.

    python -m benchmarks salience [--json]

Those who wrote the messages of benchmarks/said/ did not know the rules. The weights are fitted to
the sets of FITTED, those of sessions and those of chats, and written beside the model; each other
set is held out: of how many of its messages that hold something a sentence is taken, and of those
that hold nothing.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.said import FITTED as SEEN
from benchmarks.said import NOTHING, SAID, Message, messages
from cairn.knowledge.extraction.rules.salient import salient
from cairn.knowledge.extraction.salience.model import (
    CHATS,
    KINDS,
    SESSIONS,
    Vocabulary,
    as_lines,
    known,
    salience,
    share,
    weights,
)
from cairn.knowledge.extraction.salience.ngrams import ngrams
from cairn.knowledge.schema.identity import digest

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

FITTED = {of: sorted(name for name in SEEN if name.startswith(of)) for of in (SESSIONS, CHATS)}
FEWEST_WORDS, FEWEST_PIECES = 5, 8
"""Messages that an n-gram must stand in to be known."""

KEPT = 6_000
"""N-grams that are kept: those that weigh most in a first fit."""

_SHRINKS = {SESSIONS: 1.0, CHATS: 3.0}
"""Inverse strength of the penalty on large weights: the best of 0.3, 1, 3 and 10 elsewhere."""

_RETOLD, _TIMES = "sessions_retold", 3
"""Sets that retell what people typed in life: each of their messages counts so often."""


class Columns(NamedTuple):
    """N-grams that are known, by their column."""

    words: dict[str, int]
    pieces: dict[str, int]

    @property
    def all(self) -> list[tuple[str, str]]:
        """Part and n-gram of each column."""
        return [("words", one) for one in self.words] + [("pieces", one) for one in self.pieces]


def frequent(told: Sequence[Message]) -> Columns:
    """The n-grams that stand in enough messages."""
    return _columns(
        *(
            [
                one
                for one, count in Counter(
                    one for message in told for one in ngrams(message.text)[part]
                ).items()
                if count >= fewest
            ]
            for part, fewest in enumerate((FEWEST_WORDS, FEWEST_PIECES))
        )
    )


def _columns(words: Sequence[str], pieces: Sequence[str]) -> Columns:
    ordered = sorted(words), sorted(pieces)
    return Columns(
        {one: at for at, one in enumerate(ordered[0])},
        {one: at + len(ordered[0]) for at, one in enumerate(ordered[1])},
    )


def matrix(told: Sequence[Message], columns: Columns) -> "csr_matrix[Any]":
    """A row per message, a column per known n-gram."""
    from scipy.sparse import csr_matrix

    values: list[float] = []
    places: list[int] = []
    ends = [0]
    for message in told:
        found = known(message.text, columns.words, columns.pieces)
        for own, at in ((found.words, columns.words), (found.pieces, columns.pieces)):
            values += [share(own)] * len(own)
            places += [at[one] for one in own]
        ends.append(len(values))
    return csr_matrix((values, places, ends), shape=(len(told), len(columns.all)))


def learnt(of: str) -> list[Message]:
    """The messages that weights are fitted to."""
    return [
        message
        for name in FITTED[of]
        for message in messages(name) * (_TIMES if name.startswith(_RETOLD) else 1)
    ]


def fitted(told: Sequence[Message], shrinks: float) -> Vocabulary:
    """Weights for holding anything; where that is of KINDS, for each of them among what does."""
    columns = frequent(told)
    holds = np.array([message.kind != NOTHING for message in told])
    first = _regression(shrinks).fit(matrix(told, columns), holds).coef_[0]
    heaviest = set(np.argsort(-np.abs(first), kind="stable")[:KEPT].tolist())
    columns = _columns(
        [one for one, at in columns.words.items() if at in heaviest],
        [one for one, at in columns.pieces.items() if at in heaviest],
    )
    rows = matrix(told, columns)
    anything = _regression(shrinks).fit(rows, holds)
    found, bias = [anything.coef_], [*anything.intercept_.tolist()]
    kinds = [message.kind for message in told if message.kind != NOTHING]
    if {*kinds} == {*KINDS}:
        each = _regression(shrinks, class_weight="balanced").fit(rows[holds], kinds)
        order = [list(each.classes_).index(kind) for kind in KINDS]
        found.append(each.coef_[order])
        bias += each.intercept_[order].tolist()
    own = np.vstack(found).T.tolist()
    return Vocabulary(
        {one: own[at] for one, at in columns.words.items()},
        {one: own[at] for one, at in columns.pieces.items()},
        bias,
    )


def _regression(shrinks: float, **more: Any) -> "LogisticRegression":
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=shrinks, max_iter=3_000, **more)


def source(of: str) -> str:
    """What names the messages that weights were fitted to."""
    files = (SAID.joinpath(f"{name}.tsv") for name in FITTED[of])
    return digest(*(file.read_text(encoding="utf-8") for file in files))


def measured() -> dict[str, dict[str, Any]]:
    """By held-out set: `auc`, and by kind its `messages`, and of how many something is `taken`."""
    from sklearn.metrics import roc_auc_score  # its import takes longer than the rest

    result: dict[str, dict[str, Any]] = {}
    for name in sorted(file.stem for file in SAID.glob("*.tsv")):
        of = name.partition("_")[0]
        if name in FITTED[of]:
            continue
        told = messages(name)
        scores = [salience(message.text, of) for message in told]
        whole = Counter(message.kind for message in told)
        taken = Counter(message.kind for message in told if salient(message.text, of))
        result[name] = {
            "auc": round(float(roc_auc_score([one.kind != NOTHING for one in told], scores)), 3),
            **{kind: {"messages": whole[kind], "taken": taken[kind]} for kind in sorted(whole)},
        }
    return result


def table(result: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Lines of Markdown."""
    yield "| held out | AUC | kind | messages | taken |"
    yield "| --- | ---: | --- | ---: | ---: |"
    for name, own in result.items():
        for kind in (*KINDS, "keep", NOTHING):
            if kind in own:
                told = "nothing to keep" if kind == NOTHING else kind
                counts = f"{own[kind]['messages']} | {own[kind]['taken']}"
                yield f"| {name} | {own['auc']} | {told} | {counts} |"


def main(arguments: Sequence[str]) -> None:
    """Fits, writes the weights, and prints what they find in the sets that are held out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks salience", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    given = parser.parse_args(arguments)
    for of in FITTED:
        found = fitted(learnt(of), _SHRINKS[of])
        weights(of).write_text("\n".join([source(of), *as_lines(found), ""]), encoding="utf-8")
    result = measured()
    print(json.dumps(result, indent=1) if given.json else "\n".join(table(result)))
