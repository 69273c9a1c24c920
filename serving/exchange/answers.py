"""Answers of a language model as lines of an export: an import asks and pays nothing again."""

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from cairn.knowledge.redaction import redactor
from cairn.resources.context import State
from cairn.resources.llm.answer_cache import CachedAnswer


class ExportedAnswer(msgspec.Struct, kw_only=True):
    """An answer as it is kept, with the records that it saw."""

    key: str
    namespace: str
    asset: str
    prompt: str
    fingerprint: str
    model: str
    outcome: Literal["done", "failed"]
    reason: str | None
    text: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost: float | None
    seconds: float
    attempts: int
    made_at: str
    record_ids: list[str]


class TakenAnswers(NamedTuple):
    """What became of the answers of an import."""

    new: int = 0
    known: int = 0
    elsewhere: int = 0
    """Of another namespace: their keys are of the question there, and answer none here."""
    forgotten: int = 0
    refused: int = 0
    """Lines that are no answer."""


_ANSWER = msgspec.json.Decoder(ExportedAnswer)


def answer_lines(state: State, namespace: str) -> Iterator[bytes]:
    """Answers of a namespace that are no longer waited for, one a line, by key."""
    for kept, record_ids in state.answers.kept(namespace):
        answer = ExportedAnswer(**kept._asdict(), record_ids=sorted(record_ids))
        yield msgspec.json.encode(answer) + b"\n"


def take_answers(
    state: State,
    namespace: str,
    lines: Iterable[bytes],
    forgotten: tuple[Collection[str], Collection[str]],
    *,
    dry_run: bool,
) -> TakenAnswers:
    """Keeps the answers of an export where none stands, without secrets.

    Args:
        state: Where they are kept.
        namespace: Whose they become; answers of another one are left.
        lines: Lines of an export.
        forgotten: Records, and keys of answers, that were forgotten here.
        dry_run: Whether nothing is kept.
    """
    clean = redactor(state.policy.redact_personal)
    new: dict[str, tuple[CachedAnswer, tuple[str, ...]]] = {}
    elsewhere = lost = refused = 0
    records, keys = map(frozenset, forgotten)
    for line in lines:
        try:
            found = _ANSWER.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError):
            refused += bool(line.strip())
            continue
        if found.namespace != namespace:
            elsewhere += 1
        elif found.key in keys or not records.isdisjoint(found.record_ids):
            lost += 1
        else:
            told = {name: getattr(found, name) for name in CachedAnswer._fields}
            for name in ("reason", "text"):
                told[name] = told[name] and clean.redact_text(told[name])[0]
            new[found.key] = CachedAnswer(**told), tuple(found.record_ids)
    there = state.answers.read(new)
    taken = [one for key, one in new.items() if one[0].replaces(there.get(key))]
    if taken and not dry_run:
        state.answers.take_over("", taken, ())
    return TakenAnswers(len(taken), len(new) - len(taken), elsewhere, lost, refused)
