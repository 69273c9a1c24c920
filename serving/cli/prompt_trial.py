"""What files would give, without storing it: tables made of them alone."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import polars as pl

from cairn.serving.query.reasons import in_words

if TYPE_CHECKING:
    from cairn.knowledge.llm.client import Answer, Ask, LanguageModel
    from cairn.resources.context import State


class ReadFiles(NamedTuple):
    """Records of files, and the lines in them that are none."""

    records: pl.DataFrame
    unreadable: pl.DataFrame


def read_files(state: "State", files: Sequence[Path], namespace: str | None = None) -> ReadFiles:
    """Records of files, as intake would take them in.

    They are of the namespace and timezone of the source that holds them, unless told.

    Raises:
        ClickException: a file is of no kind that an adapter reads, or has no record.
    """
    from cairn.knowledge.ingest.records import read_records
    from cairn.knowledge.redaction import redactor
    from cairn.resources.home.sources import list_sources

    sources = list_sources(state.home)
    reads: list[ReadFiles] = []
    for file in files:
        place = file.expanduser().resolve()
        source = next((one for one in sources if place.is_relative_to(one.path)), None)
        read = read_records(
            place.read_bytes(),
            namespace=namespace or (source.namespace if source else "default"),
            source_file=str(place),
            timezone=source.timezone if source else state.settings.timezone,
            seen_at=datetime.now(UTC),
            redactor=redactor(state.policy.redact_personal),
        )
        if read.refused:
            raise click.ClickException(f"{file}: {read.refused}")
        if read.records.is_empty():
            raise click.ClickException(f"{file}: there is no record in it")
        reads.append(ReadFiles(read.records, read.dead_letters))
    records = pl.concat(read.records for read in reads)
    return ReadFiles(
        records.unique(["namespace", "record_key"], keep="first", maintain_order=True),
        pl.concat(read.unreadable for read in reads).unique(["namespace", "dead_letter_id"]),
    )


def tables_of(
    state: "State", records: pl.DataFrame, model: "LanguageModel | None"
) -> dict[str, pl.DataFrame]:
    """All tables, made of some records alone; conversations count as finished.

    Of what the home knows, only which names people brought in, and when, tells on them.
    """
    from cairn.knowledge.assembly.build import build
    from cairn.knowledge.engine.stage import StageContext
    from cairn.knowledge.schema.tables import INTRODUCTIONS

    introduced = state.warehouse.read(INTRODUCTIONS).collect()
    return build(records, StageContext(state.policy, state.embedder, model), introduced=introduced)


def unanswered(answered: "Iterable[tuple[Ask, Answer]]") -> list[dict[str, Any]]:
    """How many questions have no answer, by prompt and why."""
    counts: dict[tuple[str, str, str], int] = {}
    for ask, answer in answered:
        if answer.outcome != "done":
            key = (ask.prompt.name, answer.outcome, answer.reason or "")
            counts[key] = counts.get(key, 0) + 1
    return [
        {"prompt": prompt, "outcome": outcome, "reason": reason, "questions": number}
        for (prompt, outcome, reason), number in sorted(counts.items())
    ]


def told_unanswered(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The same as sentences."""
    return [
        f"{row['prompt']}: {row['questions']:,} without an answer,"
        f" {'waits' if row['outcome'] == 'pending' else 'failed'}: {in_words(row['reason'])}"
        for row in rows
    ]
