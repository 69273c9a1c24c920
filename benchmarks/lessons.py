"""What a conversation costs on its way to lessons: time, with a stubbed model, and tokens."""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.knowledge.dialogue.turns import CONVERSATION, readable
from cairn.knowledge.learnings.draft import decode
from cairn.knowledge.learnings.llm.extraction import asked_learnings
from cairn.knowledge.learnings.scoring import judged
from cairn.knowledge.learnings.stages import learning_candidates, learnings
from cairn.knowledge.learnings.value_score import values
from cairn.knowledge.llm.client import Answer, Ask
from cairn.knowledge.llm.prompts import LEARNING_CATEGORIES
from cairn.knowledge.llm.prompts.learnings.categories import Categories, Category, FoundCategory
from cairn.knowledge.schema.policy import Policy
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.llm.dry_run import DryRunModel

if TYPE_CHECKING:
    from cairn.resources.context import State

KINDS: tuple[Category, ...] = ("bug_fix", "decision")
CONCURRENCY = 4
DELAY = 0.05


class Stub(DryRunModel):
    """A model that adds up what it is asked, and finds one lesson of each of some categories.

    Its answers are the prompts' own examples, without the names that only examples have.
    """

    def __init__(self, kinds: Sequence[Category], folder: Path, delay: float = 0.0) -> None:
        super().__init__("openai/stub", Answers(folder / "answers.sqlite"))
        self._kinds = kinds
        self._delay = delay

    def answers(self, asks: Sequence[Ask]) -> list[Answer]:
        """Answers after the time that as many calls take, CONCURRENCY of them at once."""
        super().answers(asks)
        time.sleep(self._delay * math.ceil(len(asks) / CONCURRENCY))
        return [Answer("done", self._said(ask)) for ask in asks]

    def _said(self, ask: Ask) -> Any:
        if ask.prompt is LEARNING_CATEGORIES:
            return Categories(
                categories=[FoundCategory(category=kind, confidence=0.9) for kind in self._kinds]
            )
        text = ask.prompt.examples[0].answer.model_dump_json()
        for name in ask.prompt.canaries:
            text = text.replace(name, "the tool").replace(name.lower(), "tool")
        return ask.prompt.output.model_validate_json(text)


def measured(raw_logs: pl.DataFrame, state: "State") -> dict[str, Any]:
    """Seconds and tokens of each conversation that is worth reading, and of its steps.

    `p95` has the 95th percentile over conversations of `value`, of `scoring` (one draft), and of
    `conversation`: rules, a stubbed model that takes DELAY for each call and finds a lesson in two
    categories, and scoring. `duplicates` is the whole stage, as it runs when a conversation is
    added. `tokens` are means over conversations, by the number of categories found in each.

    Raises:
        ValueError: no conversation is worth reading.
    """
    policy = state.policy
    seconds: dict[str, list[float]] = {"value": [], "scoring": [], "conversation": []}
    tokens: dict[int, tuple[int, int, int]] = dict.fromkeys(range(len(KINDS) + 1), (0, 0, 0))
    made: list[pl.DataFrame] = []
    with TemporaryDirectory() as folder:
        for rows in raw_logs.partition_by(CONVERSATION):
            begin = time.perf_counter()
            scored = values(readable(rows))
            seconds["value"].append(time.perf_counter() - begin)
            if scored.is_empty() or scored["value"][0] < policy.min_conversation_value:
                continue
            begin = time.perf_counter()
            by_rules = learning_candidates(rows, policy)
            by_model = _asked(rows, Stub(KINDS, Path(folder), DELAY), policy)
            seconds["conversation"].append(time.perf_counter() - begin)
            made += [by_rules, by_model]
            for draft in (each for text in made[-1]["drafts"] for each in decode(text)):
                begin = time.perf_counter()
                judged(draft, policy)
                seconds["scoring"].append(time.perf_counter() - begin)
            for found, (asked, read, written) in tokens.items():
                stub = Stub(KINDS[:found], Path(folder))
                _asked(rows, stub, policy)
                tokens[found] = (asked + stub.calls, read + stub.tokens_in,
                                 written + stub.tokens_out)  # fmt: skip
    if not made:
        raise ValueError("no conversation is worth reading: measure on more sessions")
    candidates = pl.concat(made)
    learnings(candidates.head(2), state.embedder, policy)  # loads the embedder
    begin = time.perf_counter()
    stored = learnings(candidates, state.embedder, policy)
    duplicates = time.perf_counter() - begin
    count = len(seconds["conversation"])
    return {
        "conversations": len(seconds["value"]),
        "asked": count,
        "drafts": len(seconds["scoring"]),
        "stored": stored.height,
        "p95": {name: _p95(each) for name, each in seconds.items()},
        "duplicates": duplicates,
        "tokens": [
            {
                "categories": found,
                "calls": asked / count,
                "in": read / count,
                "out": written / count,
            }
            for found, (asked, read, written) in tokens.items()
        ],
    }


def _asked(rows: pl.DataFrame, stub: Stub, policy: Policy) -> pl.DataFrame:
    return asked_learnings(rows, rows.select(CONVERSATION).unique(), stub, policy).candidates


def _p95(seconds: Sequence[float]) -> float:
    return sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]
