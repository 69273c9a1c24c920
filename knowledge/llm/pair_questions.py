"""Pairs that share one question to a language model, each with a verdict of its own."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar, cast

from pydantic import BaseModel

from cairn.knowledge.llm.client import Ask


class NumberedVerdict(Protocol):
    """What is decided about the pair of a number, from 1."""

    @property
    def pair(self) -> int:
        """The number."""
        ...

    @property
    def verdict(self) -> str:
        """What is decided."""
        ...


class _Verdicts(Protocol):
    verdicts: list[Any]


Numbered = TypeVar("Numbered", bound=NumberedVerdict)


def together(asks: Sequence[Ask]) -> Ask:
    """One question about several pairs."""
    given = "\n\n".join(f"Pair {number}\n{ask.given}" for number, ask in enumerate(asks, 1))
    records = dict.fromkeys(record for ask in asks for record in ask.record_ids)
    return asks[0]._replace(given=given, record_ids=tuple(records), known_as=None)


def apart(answer: BaseModel, count: int) -> Sequence[BaseModel | None]:
    """An answer to each of the pairs, of an answer with `verdicts` about them all."""
    found = one_each(cast("_Verdicts", answer).verdicts, count)
    made = type(answer).model_validate
    return [one and made({"verdicts": [one.model_dump() | {"pair": 1}]}) for one in found]


def one_each(verdicts: Iterable[Numbered], count: int) -> list[Numbered | None]:
    """The verdict of each pair by its number, from 1; None where there is none, or two differ."""
    found: dict[int, list[Numbered]] = {}
    for one in verdicts:
        found.setdefault(one.pair, []).append(one)
    own = (found.get(number, []) for number in range(1, count + 1))
    return [each[0] if len({one.verdict for one in each}) == 1 else None for each in own]
