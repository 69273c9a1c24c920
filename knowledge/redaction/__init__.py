"""Secrets leave before the first write: `[redacted:rule]` stands in the place of each.

A prefilter of one RE2 alternation reads raw bytes at a gigabyte a second or so; only what it
suspects is decoded and examined by the rules.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec
import polars as pl
import re2

from knowledge.redaction import judge
from knowledge.redaction.judge import Found
from knowledge.redaction.rules import RULES, Follow, Rule

# Escaped ASCII that no encoder escapes by habit: `\u0070assword` must not pass unseen. Quotes, `&`,
# `<` and `>` are escaped by habit, and the hints know them.
_ODD_ESCAPE = r"\\u00(?:2[013-589a-fA-F]|3[0-9abdfABDF]|[4-7][0-9a-fA-F])"
_NAMED_PAIR = r"(?i:\"(?:name|key)\"\s*:\s*\"[\w.-]*(?:passw|pwd|secret|token|key|auth)[\w-]*\")"
_MARK = b"[redacted:"
_ROUNDS = 4
_LIST_TEXT = 20_000


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _options(*, capture: bool) -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are: no text is invalid
    options.never_capture = not capture
    options.max_mem = 64 << 20  # else a full state cache sends a search to the slow path
    options.log_errors = False
    return options


class _Finder:
    """A rule made ready to run over bytes."""

    def __init__(self, rank: int, rule: Rule) -> None:
        self.rank = rank
        self.rule = rule
        self.pattern: Any = re2.compile(rule.exact.encode(), _options(capture=True))
        names = {_text(name): number for name, number in self.pattern.groupindex.items()}
        self.values = [number for name, number in names.items() if name[0] == "s" and name != "sep"]
        self.key = names.get("key")
        self.separator = names.get("sep")

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Byte spans of secrets, left to right; a refused match is searched again from its value."""
        at = 0
        while match := self.pattern.search(data, at):
            start, end = next(s for n in self.values if (s := match.span(n)) != (-1, -1))
            begin = match.start()
            own = data[max(0, begin - len(_MARK)) : begin].endswith(_MARK)
            if not own and start < end and self.rule.judge(self._found(match, data[start:end])):
                yield start, end
                at = max(end, at + 1)
            else:
                at = max(start, begin + 1, at + 1)

    def _found(self, match: Any, value: bytes) -> Found:
        key = match.group(self.key) if self.key else b""
        separator = match.group(self.separator) if self.separator else b""
        return Found(
            key.decode("latin-1"), (separator or b"").decode("latin-1"), value.decode("latin-1")
        )


class Redactor:
    """Finds and replaces secrets; with `personal`, also e-mail, phone, card and IBAN."""

    def __init__(self, personal: bool = False) -> None:
        self._finders = [
            _Finder(rank, rule) for rank, rule in enumerate(RULES) if personal or not rule.personal
        ]
        quick = _options(capture=False)
        hints: list[str] = []
        self._groups: list[tuple[Any, list[_Finder]]] = []
        for follow in Follow:
            group = [finder for finder in self._finders if finder.rule.follow is follow]
            openings = "|".join(dict.fromkeys(finder.rule.opening for finder in group))
            hints.append(f"(?:{openings}){follow.value}")
            self._groups.append((re2.compile(hints[-1].encode(), quick), group))
        hints += [_ODD_ESCAPE, _NAMED_PAIR]
        self._prefilter: Any = re2.compile("|".join(hints).encode(), quick)

    def suspects(self, data: bytes) -> list[tuple[int, int]]:
        """Byte spans, left to right, that may hold a secret.

        Args:
            data: Raw bytes of a file of JSON, or of text.

        Returns:
            Spans of the prefilter's hits. A line without any holds nothing that the rules find.
        """
        return [match.span() for match in self._prefilter.finditer(data)]

    def redact_text(self, text: str) -> tuple[str, list[str]]:
        """The text with each secret replaced, and the names of the rules that did, in order."""
        data = text.encode("utf-8", "surrogatepass")
        names: list[str] = []
        for _ in range(_ROUNDS):
            spans = self._spans(data)
            if not spans:
                break
            data = _replaced(data, spans)
            names += [name for _, _, name in spans]
        return (data.decode("utf-8", "surrogatepass"), names) if names else (text, names)

    def redact_json(self, payload: bytes) -> tuple[bytes, int]:
        """One JSON value with every secret in it replaced, at any depth, and how many.

        The same bytes come back when nothing was found. What is not JSON is redacted as text.
        """
        try:
            value = msgspec.json.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            text, names = self.redact_text(payload.decode("latin-1"))
            return (text.encode("latin-1"), len(names)) if names else (payload, 0)
        count = [0]
        value = self._value(value, "", count)
        return (msgspec.json.encode(value), count[0]) if count[0] else (payload, 0)

    def has_secret(self, text: str) -> bool:
        """Whether `redact_text` would change this text."""
        return bool(self._spans(text.encode("utf-8", "surrogatepass")))

    def secrets_in(self, series: pl.Series) -> pl.Series:
        """For each text of a series, whether it holds a secret; null counts as none."""
        return series.map_elements(
            self.has_secret, return_dtype=pl.Boolean, skip_nulls=True
        ).fill_null(value=False)

    def _spans(self, data: bytes) -> list[tuple[int, int, str]]:
        """Secrets as (start, end, rule); overlapping finds become one, of the foremost rule."""
        if not self._prefilter.search(data):
            return []
        found: list[tuple[int, int, int]] = []
        for hint, finders in self._groups:
            if hint.search(data):
                found += [(*span, finder.rank) for finder in finders for span in finder.spans(data)]
        merged: list[tuple[int, int, int]] = []
        for start, end, rank in sorted(found):
            if merged and start < merged[-1][1]:
                first, last, before = merged[-1]
                merged[-1] = (first, max(last, end), min(before, rank))
            else:
                merged.append((start, end, rank))
        return [(start, end, RULES[rank].name) for start, end, rank in merged]

    def _value(self, value: Any, key: str, count: list[int]) -> Any:
        """A decoded JSON value, redacted; `key` is the name under which it stands."""
        if isinstance(value, str):
            name = _keyed(key, value) if key else None
            if name:
                count[0] += 1
                return f"[redacted:{name}]"
            text, names = self.redact_text(value)
            count[0] += len(names)
            return text
        if isinstance(value, dict):
            named = value.get("name") or value.get("key")
            return {
                self._value(k, "", count): self._value(
                    v, named if k == "value" and isinstance(named, str) else k, count
                )
                for k, v in value.items()
            }
        if isinstance(value, list):
            items = self._listed(value, count)
            return [self._value(item, key.removesuffix("s"), count) for item in items]
        if isinstance(value, int) and not isinstance(value, bool) and key:
            if value > 999 and judge.password_key(key) and not key.endswith("pass"):
                count[0] += 1
                return "[redacted:password]"
        return value

    def _listed(self, items: list[Any], count: list[int]) -> list[Any]:
        """A list of strings read as the words of one command: `["mysql", "-pkiwi77"]`."""
        if len(items) < 2 or not all(isinstance(item, str) for item in items):
            return items
        words = [item.encode("utf-8", "surrogatepass") for item in items]
        if sum(map(len, words)) > _LIST_TEXT:
            return items
        line = b" ".join(words)
        spans = self._spans(line)
        if not spans:
            return items
        count[0] += len(spans)
        result: list[str] = []
        at = 0
        for word in words:
            inside = [
                (max(start - at, 0), min(end - at, len(word)), name)
                for start, end, name in spans
                if start < at + len(word) and end > at
            ]
            result.append(_replaced(word, inside).decode("utf-8", "surrogatepass"))
            at += len(word) + 1
        return result


def _keyed(key: str, value: str) -> str | None:
    """The rule by which a string is secret for the name it stands under."""
    found = Found(key, ":", value)
    if judge.password_quoted(found):
        return "password"
    if judge.token_value(found):
        return "token"
    return None


def _replaced(data: bytes, spans: list[tuple[int, int, str]]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, name in spans:
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end += 1  # never cut a character in two
        parts += [data[at:start], f"[redacted:{name}]".encode()]
        at = end
    return b"".join([*parts, data[at:]])


@lru_cache
def redactor(personal: bool = False) -> Redactor:
    """The redactor, made once; `personal` adds e-mail, phone, card and IBAN."""
    return Redactor(personal)
