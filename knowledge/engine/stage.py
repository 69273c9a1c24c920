"""What a stage is: tables in, tables out, one pure function between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import polars as pl

from cairn.knowledge.engine.diff import Change, LazyFrames
from cairn.knowledge.engine.extractors import Extractor, by_prompts
from cairn.knowledge.llm.client import LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_set import ModelInForce
from cairn.knowledge.schema.failures import FAILURE_SCHEMA
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import Table
from cairn.knowledge.vectors.model import Embedder

Rows = TypeVar("Rows", pl.DataFrame, pl.LazyFrame)

Frames = Mapping[str, pl.DataFrame]
"""Frames by name of their table."""

Changes = Mapping[str, Change]
"""What came and went in each table that a stage reads."""


class StageContext(NamedTuple):
    """What stages decide with; without a language model rules alone make every table."""

    policy: Policy
    embedder: Embedder
    model: LanguageModel | None = None


class Count(NamedTuple):
    """What became of the units of a stage; each is exactly one of the four."""

    done: int = 0
    empty: int = 0
    rejected: int = 0
    failed: int = 0


class StageResult(NamedTuple):
    """What a stage made: its tables by name, and what a language model left undone.

    `lost` are messages that no answer could be had about
    (FAILURE_SCHEMA). Where answers are `pending`, the stage is owed
    still; what is there may be written.
    """

    tables: dict[str, pl.DataFrame]
    lost: pl.DataFrame = pl.DataFrame(schema=FAILURE_SCHEMA)
    pending: bool = False


IncrementalUpdate = Callable[[Changes, LazyFrames, LazyFrames, StageContext], dict[str, Change]]
"""From changes, what is stored and what is read: what comes to each table of a stage and goes."""


@dataclass(frozen=True)
class ConversationStage:
    """A stage over whole conversations, each read by itself, by rules alone.

    `run` gives frames of `writes` by name. Its name is that of the first of them.
    """

    extractor: Extractor
    writes: tuple[Table, ...]
    run: Callable[[pl.DataFrame], dict[str, pl.DataFrame]]

    @property
    def name(self) -> str:
        """Name of the stage and of its asset."""
        return self.writes[0].name


def stage_of(name: str, version: int, about: str, *policy: str) -> Extractor:
    """What decides the rows of a stage: its version, and the settings that it uses."""
    return Extractor(name, "stage", version, about, policy)


def all_done(reads: Frames, _: StageResult) -> Count:
    """Every row of the first table read was used."""
    return Count(done=next(iter(reads.values())).height)


def all_made(_: Frames, made: StageResult) -> Count:
    """Every row of the first table made counts."""
    return Count(done=next(iter(made.tables.values())).height)


@dataclass(frozen=True)
class Stage:
    """A stage over whole tables. `run` gets and gives frames of one namespace.

    One that asks a language model names its `prompts`: with a model, they too decide its rows.

    A `nightly` one asks once a night, in one question: what waits for it makes no run of its own.
    Without a model it makes nothing.

    `count` tells what became of the rows of the first table in `reads`. An incremental stage, which
    updates just what a change touches, has `after`: from the change, what is stored, and what it
    reads as it is now, it gives what `run` would: `after(difference(a, b), run(a), b) == run(b)`,
    of the tables. One that need not even read all of them has `update_incremental` instead: of the
    same, unread, it gives what comes to its tables and what goes, and `with_change` by that they
    are as of `run`.

    A `sample_check` one takes so long to rebuild, and cannot be looked at in part, that its check
    does so on few nights where there is much.

    `only` names, for tables of `reads`, the rows that count, and `columns` those that are read, of
    `writes` too: others are not looked at either when it is asked whether anything changed.
    """

    extractor: Extractor
    reads: tuple[Table, ...]
    writes: tuple[Table, ...]
    run: Callable[[Frames, StageContext], StageResult]
    count: Callable[[Frames, StageResult], Count] = all_done
    after: Callable[[Changes, Frames, Frames, StageContext], dict[str, pl.DataFrame]] | None = None
    update_incremental: IncrementalUpdate | None = None
    only: Mapping[str, pl.Expr] = field(default_factory=dict[str, pl.Expr])
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    prompts: tuple[Prompt[Any], ...] = ()
    nightly: bool = False
    sample_check: bool = False

    @property
    def is_incremental(self) -> bool:
        """Whether it can update just what a change touches."""
        return self.after is not None or self.update_incremental is not None

    @property
    def name(self) -> str:
        """Name of the stage and of its asset."""
        return self.extractor.name

    def counted(self, table: str, rows: Rows) -> Rows:
        """Rows of a table that it reads, without those that do not count."""
        return rows.filter(self.only[table]) if table in self.only else rows

    def in_force(self, model: ModelInForce | None) -> Extractor:
        """What decides its rows, with this language model or with none."""
        return by_prompts(self.extractor, self.prompts, model) if model else self.extractor
