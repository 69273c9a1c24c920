"""What must hold of each table, as suites of expectations made from the tables' declarations."""

from collections.abc import Callable, Iterator, Sequence
from itertools import starmap

import polars as pl

from cairn.knowledge.engine.work import OUTCOMES
from cairn.knowledge.extraction.rules import Record, field_text
from cairn.knowledge.extraction.rules.rule import RECORD_COLUMNS
from cairn.knowledge.llm.prompts import CANARIES
from cairn.knowledge.quality.invariants import QUOTED, REFERENCES, UNIT_RANGES, quoted
from cairn.knowledge.redaction import VERSION as REDACTION
from cairn.knowledge.redaction import redactor
from cairn.knowledge.redaction.detectors import RULES as REDACTIONS
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import TABLES, Table
from cairn.knowledge.schema.tables.table import JSON_COLUMNS, TEXTS
from cairn.pipelines.checks.expectation_check import (
    Batch,
    ReadTable,
    Suite,
    expect,
    holds,
    stretches,
)
from cairn.pipelines.checks.reconciliation import BALANCES, Counts

MOST_DUPLICATES = 0.05
ROWS_AT_ONCE = 20_000
"""Rows of a table that is not by day in which secrets are looked for at once."""


def suites() -> list[Suite]:
    """All suites, in the order of the tables."""
    found: list[Suite] = []
    for table in TABLES.values():
        found.append(_unique_key(table))
        if references := [each for each in REFERENCES if _owner(each) == table.name]:
            found.append(_references(table, references))
        if columns := [column for name, column in UNIT_RANGES if name == table.name]:
            found.append(_ranges(table, columns))
        if table.name in BALANCES:
            found.append(_balance(table, *BALANCES[table.name]))
        if table.name in _QUOTES:
            found.append(_quotes(table, *_QUOTES[table.name]))
        if table.name == "work":
            found.append(_outcomes())
        if columns := table.words:
            found.append(_no_secret(table, columns))
        if table.name in _MODELLED:
            found.append(_no_canary(table, _MODELLED[table.name]))
        if table.name in _STATEMENTS:
            found.append(_duplicates(table, _STATEMENTS[table.name]))
    return found


def _unique_key(table: Table) -> Suite:
    key = list(table.key)

    def batches(read: ReadTable) -> Iterator[Batch]:
        present = [expect(f"{name} is there", "ExpectColumnValuesToNotBeNull", column=name)
                   for name in key]  # fmt: skip
        rule = f"{', '.join(key)} never twice"
        unique = (
            expect(rule, "ExpectColumnValuesToBeUnique", column=key[0])
            if len(key) == 1
            else expect(rule, "ExpectCompoundColumnsToBeUnique", column_list=key)
        )
        yield Batch(read(table.name, *key).collect(), [*present, unique])

    about = f"No two rows have the same {', '.join(key)}."
    return Suite(table.name, "unique_key", about, (table.name,), str(key), batches)


def _owner(reference: tuple[str, str, str, str]) -> str:
    """The later one of the two tables: only then both are made."""
    order = list(TABLES)
    return max(reference[0], reference[2], key=order.index)


def _references(table: Table, references: Sequence[tuple[str, str, str, str]]) -> Suite:
    def batches(read: ReadTable) -> Iterator[Batch]:
        for name in dict.fromkeys(each[0] for each in references):
            own = [each[1:] for each in references if each[0] == name]
            columns = list(dict.fromkeys(column for column, _, _ in own))
            rows = read(name, "namespace", *columns).collect().with_row_index("row")
            held: dict[str, pl.Series] = {}
            for column, target, target_column in own:
                values = rows.select("row", "namespace", column)
                if TABLES[name].columns[column].type.is_nested():
                    values = values.explode(column)
                there = read(target, "namespace", target_column).collect()
                missing = values.drop_nulls(column).join(
                    there, left_on=["namespace", column],
                    right_on=["namespace", target_column], how="anti",
                )  # fmt: skip
                rule = f"{name}.{column} is in {target}.{target_column}"
                held[rule] = ~rows["row"].is_in(missing["row"].implode())
            yield holds(pl.DataFrame(held, schema=dict.fromkeys(held, pl.Boolean)))

    return Suite(
        table.name,
        "references",
        "; ".join(f"{a}.{b} is in {c}.{d}" for a, b, c, d in references) + ".",
        tuple(dict.fromkeys(name for each in references for name in (each[0], each[2]))),
        str(references),
        batches,
    )


def _ranges(table: Table, columns: Sequence[str]) -> Suite:
    def batches(read: ReadTable) -> Iterator[Batch]:
        # A number that is none (NaN) is empty to pandas.
        rules = [expect(f"{name} is a number", "ExpectColumnValuesToNotBeNull", column=name)
                 for name in columns]  # fmt: skip
        rules += [
            expect(f"{name} lies within 0 and 1", "ExpectColumnValuesToBeBetween", column=name,
                    min_value=0, max_value=1)
            for name in columns
        ]  # fmt: skip
        yield Batch(read(table.name, *columns).collect(), rules)

    about = f"{', '.join(columns)}: within 0 and 1."
    return Suite(table.name, "range", about, (table.name,), str(columns), batches)


def _balance(table: Table, reads: tuple[str, ...], about: str, counts: Counts) -> Suite:
    def batches(read: ReadTable) -> Iterator[Batch]:
        frame = counts(read).select("counted", "expected").fill_null(0).collect()
        pair = {"column_A": "counted", "column_B": "expected"}
        yield Batch(frame, [expect("counts add up", "ExpectColumnPairValuesToBeEqual", **pair)])

    return Suite(table.name, "balance", about, reads, about, batches)


def _outcomes() -> Suite:
    def batches(read: ReadTable) -> Iterator[Batch]:
        rule = f"outcome is one of {', '.join(OUTCOMES)}"
        kind = "ExpectColumnValuesToBeInSet"
        expectation = expect(rule, kind, column="outcome", value_set=list(OUTCOMES))
        yield Batch(read("work", "outcome").collect(), [expectation])

    about = "Each unit of work is exactly one of done, empty, rejected and failed."
    return Suite("work", "outcomes", about, ("work",), str(OUTCOMES), batches)


def _quotes(
    table: Table, reads: tuple[str, ...], found: Callable[[ReadTable], Iterator[pl.DataFrame]]
) -> Suite:
    """`found` gives frames with `quote stands in its source`, a row per quote."""

    def batches(read: ReadTable) -> Iterator[Batch]:
        yield holds(pl.concat([*found(read)]))

    about = "Each quote stands in its source, at the place that it names."
    return Suite(table.name, "quotes", about, reads, about, batches)


_FOUND = "quote stands in its source"


def _record_quotes(table: str) -> Callable[[ReadTable], Iterator[pl.DataFrame]]:
    def found(read: ReadTable) -> Iterator[pl.DataFrame]:
        yield pl.DataFrame(schema={_FOUND: pl.Boolean})
        for days in stretches(read, table):
            quotes = quoted(read(table, days=days)).select(
                "namespace", "record_id", "quote", "quote_field", "quote_start", "quote_end"
            )
            source = read("raw_logs", "namespace", *RECORD_COLUMNS, days=days)
            joined = quotes.join(source, on=["namespace", "record_id"], how="left").collect()
            places = joined.select("quote", "quote_field", "quote_start", "quote_end")
            records = joined.select(RECORD_COLUMNS)
            held = [
                (field_text(field, record) or "")[start:end] == quote
                for (quote, field, start, end), record in zip(
                    places.iter_rows(), starmap(Record, records.iter_rows()), strict=True
                )
            ]
            yield pl.DataFrame({_FOUND: held}, schema={_FOUND: pl.Boolean})

    return found


def _theme_quotes(read: ReadTable) -> Iterator[pl.DataFrame]:
    episode = ["namespace", "episode_id"]
    length = pl.col("quote_end") - pl.col("quote_start")
    yield (
        quoted(read("theme_facts"))
        .join(read("episodes", *episode, "request"), on=episode, how="left")
        .select(
            (pl.col("request").str.slice("quote_start", length) == pl.col("quote")).alias(_FOUND)
        )
        .collect()
    )


def _learning_quotes(read: ReadTable) -> Iterator[pl.DataFrame]:
    quotes = (
        read("learnings", "namespace", "quotes")
        .explode("quotes")
        .drop_nulls("quotes")
        .select("namespace", pl.col("quotes").struct.unnest())
        .rename({"text": "quote"})
    )
    texts = read("raw_logs", "namespace", "record_id", "text")
    place = pl.col("text").str.slice("start", pl.col("quote").str.len_chars())
    yield (
        quotes.join(texts, on=["namespace", "record_id"], how="left")
        .select((place == pl.col("quote")).fill_null(value=False).alias(_FOUND))
        .collect()
    )


_QUOTES: dict[str, tuple[tuple[str, ...], Callable[[ReadTable], Iterator[pl.DataFrame]]]] = {
    "candidates": (("candidates", "raw_logs"), _record_quotes("candidates")),
    "known_only_candidates": (
        ("known_only_candidates", "raw_logs"),
        _record_quotes("known_only_candidates"),
    ),
    "theme_facts": (("theme_facts", "episodes"), _theme_quotes),
    "learnings": (("learnings", "raw_logs"), _learning_quotes),
}


_PATTERNS = digest(REDACTION, *(f"{rule.name}={rule.exact}{rule.each}" for rule in REDACTIONS))
"""What secrets look like: when that changes, they are looked for anew."""


def _no_secret(table: Table, columns: Sequence[str]) -> Suite:
    def clean(texts: pl.Series) -> pl.Series:
        if texts.dtype == TEXTS:
            texts = texts.list.join("\n")
        return ~redactor().secrets_in(texts, as_json=texts.name in JSON_COLUMNS)

    rules = {name: f"no secret in {name}" for name in columns}

    def batches(read: ReadTable) -> Iterator[Batch]:
        held = [pl.DataFrame(schema=dict.fromkeys(rules.values(), pl.Boolean))]
        for rows in _parts(read, table, columns):
            part = rows.collect()
            held.append(part.select(clean(part[name]).alias(rule) for name, rule in rules.items()))
        yield holds(pl.concat(held))

    about = f"Nothing that looks like a secret in {', '.join(columns)}."
    return Suite(table.name, "no_secret", about, (table.name,), f"{columns}{_PATTERNS}", batches)


def _parts(read: ReadTable, table: Table, columns: Sequence[str]) -> Iterator[pl.LazyFrame]:
    """The texts of a table, so many at once that their memory is bounded."""
    if table.by_day:
        yield from (read(table.name, *columns, days=days) for days in stretches(read, table.name))
        return
    rows = read(table.name, table.key[0]).select(pl.len()).collect().item()
    for first in range(0, rows, ROWS_AT_ONCE):
        yield read(table.name, *columns).slice(first, ROWS_AT_ONCE)


_MODELLED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(QUOTED, ("entity_name", "content")),
    "learnings": ("title", "content"),
}
"""Tables that hold what models said."""


def _no_canary(table: Table, columns: Sequence[str]) -> Suite:
    """What has a name of a prompt's example was copied from the prompt, not found in a log."""
    rule = "no name of a prompt's examples"
    names = sorted(CANARIES)

    def batches(read: ReadTable) -> Iterator[Batch]:
        by_model = pl.col("extractor").str.contains("/", literal=True)
        made = quoted(read(table.name)).filter(by_model)
        has = pl.any_horizontal(
            pl.col(name).str.contains_any(names, ascii_case_insensitive=True) for name in columns
        )
        yield holds(made.select((~has).alias(rule)).collect())

    about = f"No {' or '.join(columns)} that a model gave has a name of its prompt's examples."
    return Suite(table.name, "no_canary", about, (table.name,), f"{columns}{names}", batches)


def _duplicates(table: Table, statement: Sequence[str]) -> Suite:
    """Statements are compared by digest: lower case, white space and punctuation aside."""

    def batches(read: ReadTable) -> Iterator[Batch]:
        plain = [
            pl.col(name).str.to_lowercase().str.replace_all(r"[\W_]+", " ").str.strip_chars()
            for name in statement
        ]
        frame = read(table.name, *statement).select(
            statement=pl.concat_str(*plain, separator="\n").hash(seed=0).cast(pl.String)
        )
        rule = f"fewer than {MOST_DUPLICATES:.0%} say the same as another"
        kind = "ExpectColumnProportionOfUniqueValuesToBeBetween"
        rows = frame.collect()
        # Of no rows there is no proportion.
        expectations = [expect(rule, kind, column="statement", min_value=1 - MOST_DUPLICATES)]
        yield Batch(rows, expectations if rows.height else [])

    about = f"Fewer than {MOST_DUPLICATES:.0%} of the rows say the same as another one."
    return Suite(
        table.name, "duplicates", about, (table.name,), str(statement), batches, blocking=False
    )


_STATEMENTS: dict[str, tuple[str, ...]] = {
    "facts": ("namespace", "entity_id", "predicate", "content"),
    "learnings": ("namespace", "category", "title"),
}
