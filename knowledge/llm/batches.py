"""Questions about chunks: asked all at once, and in halves where an answer fails."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

import polars as pl

from cairn.knowledge.llm.chunks import Line, Lines
from cairn.knowledge.llm.client import Answer, Ask, LanguageModel
from cairn.knowledge.schema.failures import FAILURE_SCHEMA

Piece = TypeVar("Piece")
Part = TypeVar("Part")


class AskedLines(NamedTuple):
    """What became of a question about some lines; those of a failed one are of one message."""

    lines: Lines
    ask: Ask
    answer: Answer


def asked(
    pieces: Iterable[Lines], ask: Callable[[Lines], Ask | None], model: LanguageModel
) -> list[AskedLines]:
    """Asks about each piece; one whose answer fails is asked about in halves, down to a message.

    So a message that no model can answer about takes no other with it. Pieces that `ask` has no
    question about are left out.
    """
    return [AskedLines(*one) for one in in_halves(pieces, ask, _halves, model)]


def in_halves(
    pieces: Iterable[Piece],
    ask: Callable[[Piece], Ask | None],
    halves: Callable[[Piece], Sequence[Piece]],
    model: LanguageModel,
) -> list[tuple[Piece, Ask, Answer]]:
    """Asks about each piece, and about its halves where the answer fails, until there are none.

    Pieces that `ask` has no question about are left out.
    """
    settled: list[tuple[Piece, Ask, Answer]] = []
    waiting = list(pieces)
    while waiting:
        questions = [
            (piece, question._replace(divides=bool(halves(piece))))
            for piece in waiting
            if (question := ask(piece))
        ]
        waiting = []
        answers = model.answers([question for _, question in questions])
        for (piece, question), answer in zip(questions, answers, strict=True):
            if answer.outcome == "failed" and question.divides:
                waiting += halves(piece)
            else:
                settled.append((piece, question, answer))
    return settled


def halved(parts: Sequence[Part]) -> tuple[Sequence[Part], ...]:
    """Two halves, the first the longer one; none of one part."""
    middle = (len(parts) + 1) // 2
    return (parts[:middle], parts[middle:]) if len(parts) > 1 else ()


def records_of(lines: Lines) -> tuple[str, ...]:
    """Records that lines show, each once."""
    return tuple(dict.fromkeys(line.record_id for line in lines))


def failures(settled: Iterable[AskedLines]) -> pl.DataFrame:
    """The messages whose answers failed, as rows of FAILURE_SCHEMA."""
    rows = {
        (*_place(one.lines[0]), one.ask.prompt.name, one.answer.reason or "", one.answer.key)
        for one in settled
        if one.answer.outcome == "failed"
    }
    return pl.DataFrame(list(rows), schema=FAILURE_SCHEMA, orient="row").sort(pl.all())


def _halves(lines: Lines) -> tuple[Lines, ...]:
    """Two halves at a message's end; none of one message."""
    messages = [tuple(own) for _, own in groupby(lines, key=lambda line: line.record_id)]
    return tuple(tuple(line for message in half for line in message) for half in halved(messages))


def _place(line: Line) -> tuple[str, str, str, str]:
    return line.namespace, line.day, line.conversation_id, line.record_id
