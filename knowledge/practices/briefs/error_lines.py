"""Lines of a brief on errors: what ended them, and those that come again and nothing ends."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

from collections.abc import Iterator

import polars as pl

from cairn.knowledge.failures.fixes import EDIT, REPLACED
from cairn.knowledge.failures.other_ways import REFUSED_OPTION
from cairn.knowledge.failures.plain_ends import OF_CALL, OF_GIT, OF_NEW_CODE
from cairn.knowledge.failures.signatures import is_generic
from cairn.knowledge.practices.briefs.line import ERROR, LONGEST, BriefLine, short

RECURRING = 3
"""Conversations in which an error came that nothing is known to end, for it to be told."""

_PROVEN = 2
"""Errors that a change of code ended, for it to be told early: it stays changed, and seldom helps elsewhere."""

_ONCE = pl.col("wins") < _PROVEN

_SAME_FIX = 2
"""Errors that one fix ended, of which each is told."""

_OF_RUNNER = (
    r"(?i)^(?:error: (?:script|recipe) .{1,80}(?:exited|failed)|command failed\b|(?:npm (?:ERR!|error) )?lifecycle"
    r"|.{0,20}\bELIFECYCLE\b|g?make(?:\[\d+\])?: \*\*\* .*Error \d+$|process (?:exited|completed) )"
)
"""What runners say of any script that failed: it tells nothing of why."""

_OF_SURROUNDINGS = (
    r"(?i)\bnot (?:found|set|defined|installed|available|running|permitted|allowed|supported|recognized)\b"
    r"|\bno such (?:file|command|option|service|container)|\bmissing\b|\bunrecognized\b|\bunsupported\b"
    r"|\bunknown (?:option|command|flag|argument|subcommand)|\b(?:invalid|illegal) option\b|\bdenied\b|\brefused\b"
    r"|\bcannot (?:connect|open|find)\b|\bcould not (?:connect|open|find|locate)\b|\bunable to\b|\bignored by\b"
    r"|\brequires?\b|\brequired\b|\bmust be\b|\balready in use\b|\bEADDRINUSE\b|\bEPERM\b|\bEACCES\b|\bexpired\b"
)
"""What is missing, refused or in use: that comes again, and who knows it goes around it."""

_OF_LINTERS = frozenset(
    {"markdownlint", "ruff", "eslint", "stylelint", "oxlint", "biome", "yamllint", "shellcheck"}
)
"""Families whose lines name a rule of the project, which holds for whatever is written next."""

_OF_CODE = _OF_LINTERS | frozenset(
    {"rustc", "go", "tsc", "mypy", "cc", "linker", "latex", "formatter", "vitest", "jest", "mocha",
     "esbuild", "elixir", "swift", "dart", "zig", "haskell", "cypress"}
)  # fmt: skip
"""Families of tools whose errors are those of the code that was just written."""


def proven_errors(signatures: pl.DataFrame) -> tuple[list[BriefLine], list[BriefLine]]:
    """Errors with what ended them, the best proven first; each error once.

    Args:
        signatures: ERROR_SIGNATURES of one project, whatever its checkouts.

    Returns:
        What holds elsewhere, and below it what a change of code ended a single time.
    """
    seldom = _ONCE & (pl.col("fix_kind") == EDIT)
    ended = what_ended(signatures)
    return list(_ended(ended.filter(~seldom))), list(_ended(ended.filter(seldom)))


def _ended(ended: pl.DataFrame) -> Iterator[BriefLine]:
    rows = (
        ended
        .sort(
            "rank", "conversations", "fix_last_seen", "fix_id",
            descending=[True, True, True, False], nulls_last=True,
        )
        .unique("signature_id", keep="first", maintain_order=True)
        .unique(["key_line", "fix"], keep="first", maintain_order=True)
        .with_columns(times=pl.int_range(pl.len()).over("fix"))
        .filter(pl.col("times") < _SAME_FIX)
    )  # fmt: skip
    for row in rows.iter_rows(named=True):
        yield BriefLine(
            row["fix_id"], ERROR, short(f"{_error(row['key_line'])} → {row['fix']}", 2 * LONGEST),
            row["wins"], row["conversations"], row["fix_last_seen"],
        )  # fmt: skip


def what_ended(signatures: pl.DataFrame) -> pl.DataFrame:
    """Rows of ERROR_SIGNATURES whose fix ended the error more often than not."""
    of_runner = (pl.col("fix_kind") == REPLACED) & pl.col("key_line").str.contains(_OF_RUNNER)
    says_itself = pl.col("key_line").str.contains(f"(?:{OF_CALL})|(?:{OF_GIT})")
    of_new_code = (pl.col("fix_kind") == EDIT) & pl.col("key_line").str.contains(OF_NEW_CODE)
    return signatures.filter(
        pl.col("fix").is_not_null(),
        pl.col("wins") > pl.col("losses"),
        ~(_ONCE & (of_runner | says_itself | of_new_code)),
    )


def recurring_errors(signatures: pl.DataFrame) -> Iterator[BriefLine]:
    """What came in RECURRING conversations and is not known to end: so it may come again.

    Of the surroundings it is told by one line that stayed; of linters by a rule, whatever else
    their line says: who knows it keeps it from the first.
    """
    of_linters = pl.col("tool_family").is_in(sorted(_OF_LINTERS))
    again = pl.when(of_linters).then("conversations").otherwise("same_line")
    stays = 2 * pl.col("ended") <= pl.col("failures")
    around = ~pl.col("tool_family").is_in(sorted(_OF_CODE)) & stays
    rows = (
        signatures.with_columns(again=again)
        .filter(
            pl.col("fix").is_null(),
            pl.col("again") >= RECURRING,
            of_linters | (around & pl.col("key_line").str.contains(_OF_SURROUNDINGS)),
        )
        .sort(
            of_linters, "again", "last_seen", "fix_id",
            descending=[False, True, True, False], nulls_last=True,
        )
    )  # fmt: skip
    for row in rows.iter_rows(named=True):
        if is_generic(row["signature"]):
            continue
        told = f"in {row['again']} sessions"
        if row["tool_family"] not in _OF_LINTERS and not REFUSED_OPTION.search(row["key_line"]):
            told += "; what ends it is not known"
        yield BriefLine(
            row["fix_id"], ERROR, short(f"{_error(row['key_line'])} → {told}", 2 * LONGEST),
            0, row["again"], row["last_seen"],
        )  # fmt: skip


def _error(key_line: str) -> str:
    return short(key_line, LONGEST * 5 // 8)
