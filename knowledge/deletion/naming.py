"""Whether a text names something, by any of its names: patterns for whole columns.

A text is looked at as it is stored, which may be JSON, and JSON in it: so an escape ends a word as
what it stands for would, and a letter may stand as its number.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from cairn.knowledge.interests.mentions import spellings
from cairn.knowledge.nlp.names import canonical
from cairn.knowledge.schema.tables import RECORDS, Table

RECORD_TEXTS = ("payload", "thread", "native_id", "source_file")
"""Columns of RECORDS that hold words of a source; all that is made of a line stands in them."""

_ENDS = r"\\[abfnrtv]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]*m"
"""What ends in a letter or digit and belongs to no word: escapes, and colours of a terminal."""

_SPACE = r"(?:\s|\\+[nrt]|%20|\+)+"
_SLASH = r"[/\\]+"
_LETTER = r"\p{L}\p{N}\p{M}"
_WORD = rf"{_LETTER}_"
_HOME = r"(?:~|/(?:home|Users)/[^/\s\"\\]+|/root|[A-Za-z]:[\\/]+Users[\\/]+[^/\s\"\\]+)"
_HOME_DASHED = r"-(?:(?:home|Users)-[^/\s\"\\-]+|root)"
_IS_HOME = re.compile(r"~(?=[/\\]|$)")
_UNSPACED = ("CJK ", "HIRAGANA ", "KATAKANA ", "THAI ", "LAO ", "KHMER ", "MYANMAR ")
"""Names of letters of writings that put nothing between words."""


class ForgottenName(NamedTuple):
    """One name of something."""

    type: str
    """Type of an entity: it says what is part of a word, and whether case counts."""
    text: str


def names_of(entities: pl.DataFrame, ids: Iterable[str]) -> list[ForgottenName]:
    """All names of these entities and of those that are one with them."""
    mine = pl.col("entity_id").is_in(list(ids)) | pl.col("canonical_id").is_in(list(ids))
    one = entities.join(entities.filter(mine), on=["namespace", "canonical_id"], how="semi")
    called = spellings(one).join(one, on=["namespace", "entity_id"]).select("type", "spelling")
    return [ForgottenName(*row) for row in called.unique().sort("type", "spelling").iter_rows()]


def name_of(text: str) -> ForgottenName:
    """A name that somebody typed, of which nothing else is known."""
    place = re.match(r"~?/|\.{1,2}/|[A-Za-z]:\\", text)
    return ForgottenName("path" if place else "topic", text)


def pattern(names: Iterable[ForgottenName]) -> str | None:
    """The regular expression (of polars, for NFKC text) of a text that holds one of these names.

    Names stand as whole words, in any case and over any white space; names of hosts, tools,
    packages and projects as whole tokens (`api` is not in `api-gateway` or `api.example`); paths in
    their case, with what lies below them, and as coding agents write them in names of folders.

    Returns:
        None if none of them says anything.
    """
    parts = {part for name in names for part in _parts(name)}
    return "|".join(sorted(parts)) or None


def naming(column: str | pl.Expr, pattern: str) -> pl.Expr:
    """Whether each text matches a `pattern`; false where there is none."""
    text = pl.col(column) if isinstance(column, str) else column
    return text.str.normalize("NFKC").str.contains(pattern).fill_null(value=False)


def rows_naming(table: Table, rows: pl.LazyFrame, pattern: str) -> pl.LazyFrame:
    """Rows of a table in which some words match a `pattern`."""
    columns = RECORD_TEXTS if table is RECORDS else table.words
    held = [naming(_as_text(name, table.schema[name]), pattern) for name in columns]
    return rows.filter(pl.any_horizontal(held) if held else pl.lit(value=False))


def _as_text(name: str, type_: pl.DataType) -> pl.Expr:
    return pl.col(name).list.join("\n", ignore_nulls=True) if type_.is_nested() else pl.col(name)


def _parts(name: ForgottenName) -> list[str]:
    text = canonical(name.text, name.type)
    if not text:
        return []
    if name.type == "path" or (name.type == "project" and "/" in text):
        return _of_place(text, cased=name.type == "path")
    if name.type in {"host", "tool", "package", "project"}:
        own = r"\.~/" if text[0] in ".~/" else ""
        before = rf"(?:^|[^{_WORD}.-]|{_ENDS})" if not own else rf"(?:^|[^{_WORD}]|{_ENDS})"
        return [f"(?i:{before}{_spelt(text, name.type)}{_token_ends(_WORD)})"]
    before = "" if _unspaced(text[0]) else rf"(?:^|[^{_LETTER}]|{_ENDS})"
    # C is not in C++, nor in C#.
    more = "+#" if len(text) == 1 else ""
    after = rf"(?:$|[^{_LETTER}{more}])"
    if _unspaced(text[-1]) or not text[-1].isalnum():
        after = ""
    return [f"(?i:{before}{_spelt(text)}{after})"]


def _of_place(text: str, *, cased: bool) -> list[str]:
    """A path, or a project that is one: whole, or the beginning of a longer one."""
    home = _IS_HOME.match(text) is not None
    rest = text[1:] if home else text
    absolute = home or rest[:1] in "/\\" or rest[1:2] == ":"
    before = rf"(?:^|[^{_WORD}.~{'' if absolute else '/'}-]|{_ENDS}|\./)"
    # A line beside what grep found is told as path-number-line.
    after = f"(?:-[0-9]+-|{_token_ends(_WORD)})"
    found = [f"{before}{_HOME if home else ''}{_spelt(rest)}{after}"]
    if absolute and len(rest) > 1:
        # As Claude Code names the folders of its sessions.
        dashed = re.sub(r"[^A-Za-z0-9]", "-", rest)
        found.append(rf"{_HOME_DASHED if home else ''}{dashed}(?:$|[\\/\"\s])")
    return [f"(?{'-' if cased else ''}i:{each})" for each in found]


def _token_ends(part: str) -> str:
    """What may follow a token: a mark that ends a sentence, but no more of a longer one."""
    return rf"(?:$|[^{part}.-]|[.-]+(?:$|[^{part}]))"


def _spelt(text: str, type_: str = "") -> str:
    """A name, as it may be written in text or in JSON."""
    if type_ == "package":
        return r"[-_.]+".join(_spelt(part) for part in text.split("-"))
    found = "".join(_SPACE if char.isspace() else _letter(char) for char in text)
    return found.replace("ss", "(?:ss|ß)")


def _letter(char: str) -> str:
    if char in "/\\":
        return _SLASH
    if char == '"':
        return r"\\*\""
    if char.isascii():
        return pl.escape_regex(char)
    cases = dict.fromkeys((char, char.lower(), char.upper()))
    numbers = [json.dumps(case)[1:-1].replace("\\", r"\\+") for case in cases]
    return f"(?:{pl.escape_regex(char)}|(?i:{'|'.join(numbers)}))"


def _unspaced(char: str) -> bool:
    return unicodedata.name(char, "").startswith(_UNSPACED)
