"""Secrets leave before the first write: `[redacted:rule]` stands in the place of each.

A prefilter of one RE2 alternation reads raw bytes at some 700 MB a second; only what it
suspects is decoded and examined by the rules. docs/redaction.md says what is covered.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import msgspec
import polars as pl
import re2

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.cookies import is_cookie, is_own_cookie
from cairn.knowledge.redaction.detectors import RULES
from cairn.knowledge.redaction.patterns import ALSO, Follow, SecretRule, filled
from cairn.knowledge.redaction.scoring import SecretMatch

VERSION = 4
"""Rises when what is replaced changes: stored text is then searched again for secrets."""

_MARK = b"[redacted:"
_ROUNDS = 100
_MARGIN = 3
_LIST_TEXT = 20_000
_REACH = 32_768
_UNBROKEN = 2_048
_BREAKS = re.compile(rb"[\s\"'`]")
_JUDGED = 4_096
_TEXTS_AT_ONCE = 2_000
_BREAK = b"\n\0\n"  # between texts that are read as one: no rule reaches across

Span = tuple[int, int]


def _options(*, capture: bool) -> re2.Options:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are: no text is invalid
    options.never_capture = not capture
    options.max_mem = 64 << 20  # a full state cache would send a search to the slow path
    options.log_errors = False
    return options


class _Finder:
    """A rule made ready to run over bytes."""

    def __init__(self, rank: int, rule: SecretRule) -> None:
        self.rank = rank
        self.rule = rule

    @cached_property
    def _pattern(self) -> Any:
        return re2.compile(self.rule.exact.encode(), _options(capture=True))

    @cached_property
    def _groups(self) -> dict[str, int]:
        return {name.decode(): number for name, number in self._pattern.groupindex.items()}

    @cached_property
    def _values(self) -> list[int]:
        return [n for name, n in self._groups.items() if name[0] == "s" and name != "sep"]

    @cached_property
    def _each(self) -> Any:
        each = self.rule.each
        return re2.compile(filled(each).encode(), _options(capture=True)) if each else None

    def _spans_within(self, data: bytes, start: int, stop: int) -> Iterator[Span]:
        """Spans of secrets in a region that belongs to the rule."""
        while start < stop and (match := self._each.search(data, start, stop)):
            groups = self._each.groupindex
            begin, end = match.span(groups[b"s"])
            key = match.group(groups[b"key"]).decode("latin-1") if b"key" in groups else ""
            value = data[begin:end][:_JUDGED].decode("utf-8", "replace")
            if self.rule.judge(SecretMatch(key, "", value)):
                yield begin, end
            start = max(end, start + 1)

    def spans(self, data: bytes, start: int, stop: int) -> Iterator[Span]:
        """Spans of secrets, left to right; a refused match is searched again from its value."""
        at = start
        while at < stop:
            # A stretch at a time, each half in the one before: a long line costs its length only.
            limit = min(stop, at + _REACH)
            match = self._pattern.search(data, at, limit)
            if not match:
                at = limit if limit == stop else limit - _REACH // 2
                continue
            if self._each:
                begin, end = match.span(self._groups["rest"])
                yield from self._spans_within(data, begin, end)
                at = max(end, match.start() + 1)
                continue
            begin, end = next(span for n in self._values if (span := match.span(n)) != (-1, -1))
            first = match.start()
            # A rule's name within a mark left before is no key: `[redacted:password]: x`.
            marked = data[max(0, first - len(_MARK)) : first].endswith(_MARK)
            if begin < end and not marked and self.rule.judge(self._found(match, data[begin:end])):
                if end == limit < stop:  # a value that goes on
                    further = _BREAKS.search(data, end, stop)
                    end = further.start() if further else stop
                yield begin, end
                at = end
            elif end - begin > _UNBROKEN and not _BREAKS.search(data, begin, begin + _UNBROKEN):
                at = begin + _UNBROKEN  # else `password=password=…` costs the square of its length
            else:
                at = max(begin, first + 1)

    def _found(self, match: Any, value: bytes) -> SecretMatch:
        def text(name: str) -> str:
            group = match.group(self._groups[name]) if name in self._groups else None
            return (group or b"").decode("latin-1")

        return SecretMatch(text("key"), text("sep"), value[:_JUDGED].decode("utf-8", "replace"))


def _hints(finders: Iterable[_Finder]) -> Iterator[str]:
    """Patterns of which one hits wherever a rule could: openings with what may follow them.

    An opening stands once, with all its follows, and beside those that begin alike: the fewer
    states, the sooner the automaton is warm.
    """
    follows: dict[str, set[Follow]] = {}
    for finder in finders:
        for opening in finder.rule.openings:
            follows.setdefault(opening, set()).add(finder.rule.follow)
    alike: dict[tuple[Follow, ...], list[str]] = {}
    for opening, after in sorted(follows.items()):
        alike.setdefault(tuple(follow for follow in Follow if follow in after), []).append(opening)
    for after, openings in alike.items():
        yield f"(?:{'|'.join(openings)})(?:{'|'.join(follow.value for follow in after)})"


class Redactor:
    """Finds and replaces secrets; with `personal`, also e-mail, phone, card and IBAN."""

    def __init__(self, personal: bool = False) -> None:
        finders = [
            _Finder(rank, rule) for rank, rule in enumerate(RULES) if personal or not rule.personal
        ]
        quick = _options(capture=False)
        self._finders = finders
        self._which: Any = re2.Set.SearchSet(quick)
        for finder in finders:
            self._which.Add("|".join(_hints([finder])).encode())
        self._which.Compile()
        everything = "|".join([*_hints(finders), *ALSO])
        self._prefilter: Any = re2.compile(everything.encode(), quick)

    def suspects(self, data: bytes) -> list[Span]:
        """Byte spans, left to right, that may hold a secret; at most one begins on each line.

        Args:
            data: Raw bytes of a file of JSON, or of text.

        Returns:
            From a hit of the prefilter to the end of its line. A line that none touches holds
            nothing for the rules.
        """
        spans: list[Span] = []
        at = 0
        while match := self._prefilter.search(data, at):
            start, end = match.span()
            # The rest of the line is suspect already: many hits on a long one cost no more.
            at = data.find(b"\n", end)
            at = len(data) if at < 0 else at
            spans.append((start, at))
        return spans

    def redact_text(self, text: str) -> tuple[str, list[str]]:
        """The text with each secret replaced, and the names of the rules that did so."""
        data = text.encode("utf-8", "surrogatepass")
        names: list[str] = []
        for _ in range(_ROUNDS):  # until nothing is left to find, so that a second pass finds none
            spans = self.secrets(data)
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
            value = _decoded(payload)
            texts = list(_texts(value))
            data = [text.encode("utf-8", "surrogatepass") for text in texts]
            visit = _Visit(self, {texts[at] for at in self._hit(data)})
            value = visit.value(value, "")
            return (_encoded(value), visit.count) if visit.count else (payload, 0)
        except (ValueError, RecursionError):
            text, names = self.redact_text(payload.decode("latin-1"))
            return (text.encode("latin-1"), len(names)) if names else (payload, 0)

    def secrets_in(self, series: pl.Series, *, as_json: bool = False) -> pl.Series:
        """For each text of a series, whether it holds a secret; null holds none.

        Args:
            series: Texts.
            as_json: They are JSON values, redacted as such: a command within one value does not go
                on in the next.
        """
        held = [pl.Series(series.name, dtype=pl.Boolean)]
        for first in range(0, len(series), _TEXTS_AT_ONCE):  # bounds the memory of a long series
            texts = series.slice(first, _TEXTS_AT_ONCE).cast(pl.Binary)
            distinct: list[bytes] = texts.drop_nulls().unique().to_list()
            found = [
                distinct[at]
                for at in self._hit(distinct)
                if (self.redact_json(distinct[at])[1] if as_json else self.secrets(distinct[at]))
            ]
            held.append(texts.is_in(found).fill_null(value=False))
        return pl.concat(held)

    def _hit(self, data: list[bytes]) -> Iterator[int]:
        """Places of the texts that the prefilter hits, found in one pass over all."""
        starts = list(accumulate((len(one) + len(_BREAK) for one in data[:-1]), initial=0))
        last = -1
        for start, end in self.suspects(_BREAK.join(data)):
            first = max(bisect_right(starts, start) - 1, last + 1)
            last = max(bisect_left(starts, end) - 1, last)
            yield from range(first, last + 1)

    def secrets(self, data: bytes, *, all_rules: bool = False) -> list[tuple[int, int, str]]:
        """Secrets as (start, end, rule); overlapping finds become one, of the foremost rule.

        Args:
            data: A text.
            all_rules: Every rule reads all of it, whatever the prefilter says: slow, and the same.
        """
        found: list[tuple[int, int, int]] = []
        windows = [(0, len(data))] if all_rules else _windows(data, self.suspects(data))
        for start, stop in windows:
            which = range(len(self._finders))
            if not all_rules:  # none is found where only the structure of JSON was hit
                which = self._which.Match(data[start:stop]) or which
            for finder in which:
                spans = self._finders[finder].spans(data, start, stop)
                found += [(*span, self._finders[finder].rank) for span in spans]
        merged: list[tuple[int, int, int]] = []
        for start, end, rank in sorted(found):
            if merged and start < merged[-1][1]:
                first, last, before = merged[-1]
                merged[-1] = (first, max(last, end), min(before, rank))
            else:
                merged.append((start, end, rank))
        return [(start, end, RULES[rank].name) for start, end, rank in merged]


class _Visit:
    """One walk through a decoded JSON value, counting what it replaces."""

    def __init__(self, redactor: Redactor, doubtful: set[str]) -> None:
        self.redactor = redactor
        self.doubtful = doubtful
        self.count = 0

    def value(self, value: Any, key: str) -> Any:
        """A value, redacted; `key` is the name under which it stands."""
        if isinstance(value, str):
            return self._text(value) if _family(key) is None else self._named(key, value)
        if isinstance(value, dict):
            named = value.get("name") or value.get("key") or key
            named = named if isinstance(named, str) else key
            jar = _COOKIE if _holds_cookies(key, named, value) else ""
            return {
                self._text(k): self.value(v, jar + (named if k == "value" else k))
                for k, v in value.items()
            }
        if isinstance(value, list):
            return [self.value(item, key.removesuffix("s")) for item in self._words(value)]
        if isinstance(value, int) and value > 999 and _family(key) == "password":
            return self._replace("password")
        return value

    def _replace(self, name: str) -> str:
        self.count += 1
        return f"[redacted:{name}]"

    def _named(self, key: str, value: str) -> str:
        """A string under a secret's name: whole, or as a text after its name, as in a header."""
        family = str(_family(key))
        key = key.removeprefix(_COOKIE)
        if _JUDGES[family](SecretMatch(key, ":", value)):
            return self._replace(family)
        head = f"{key}: "
        text, names = self.redactor.redact_text(head + value)
        self.count += len(names)
        return text.removeprefix(head)

    def _text(self, text: str) -> str:
        if text not in self.doubtful:
            return text
        text, names = self.redactor.redact_text(text)
        self.count += len(names)
        return text

    def _words(self, items: list[Any]) -> list[Any]:
        """A list of strings read as the words of one command: `["mysql", "-pkiwi77"]`."""
        if len(items) < 2 or not all(isinstance(item, str) for item in items):
            return items
        words = [item.encode("utf-8", "surrogatepass") for item in items]
        if sum(map(len, words)) > _LIST_TEXT:
            return items
        for _ in range(_ROUNDS):
            spans = self.redactor.secrets(b" ".join(words))
            if not spans:
                break
            self.count += len(spans)
            words = list(_within(words, spans))
        result = [word.decode("utf-8", "surrogatepass") for word in words]
        self.doubtful.update(new for new, old in zip(result, items, strict=True) if new != old)
        return result


def _decoded(payload: bytes) -> Any:
    """A JSON value; lone surrogates and NaN, which msgspec refuses, are left to json."""
    try:
        return msgspec.json.decode(payload)
    except ValueError:
        return json.loads(payload)


def _encoded(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except ValueError:
        return json.dumps(value, separators=(",", ":")).encode()


_COOKIE = "cookie:"
_JARS = ("cookie", "cookies", "cookiejar", "cookie_jar")
_JUDGES = {
    "password": scoring.password_quoted,
    "token": scoring.token_value,
    "cookie": scoring.cookie_value,
}


def _holds_cookies(key: str, named: str, value: dict[str, Any]) -> bool:
    """Whether an object is a jar of cookies, or one as browsers and their drivers write it."""
    if key.lower().removeprefix(_COOKIE) in _JARS:
        return True
    return "value" in value and (
        "httpOnly" in value or "sameSite" in value or bool(is_own_cookie(named))
    )


@lru_cache(4096)
def _family(key: str) -> str | None:
    """Whether a name is one of a password, of a token or of a cookie that stands for a login."""
    if key.startswith(_COOKIE):
        key = key.removeprefix(_COOKIE)
        return "cookie" if is_cookie(key) else _family(key)
    if not scoring.is_name(key):
        return None
    if scoring.password_key(key):
        return "password"
    return "token" if scoring.token_key(key) else None


def _texts(value: Any) -> Iterator[str]:
    """Each string within a decoded JSON value, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _windows(data: bytes, hits: Iterable[Span]) -> list[Span]:
    """The lines that hits touch and a few around them: the rules need not read all the rest."""
    windows: list[Span] = []
    line_end = -1
    for first, last in hits:
        key = b"PRIVATE KEY" in data[first:last]
        if last <= line_end and not key:
            continue  # on the line of the hit before, whose window holds it
        start, stop = first, last
        for step in range(_MARGIN):
            start = max(data.rfind(b"\n", 0, start), 0)
            stop = data.find(b"\n", stop + step) if stop < len(data) else stop
            stop = len(data) if stop < 0 else stop
            line_end = stop if step == 0 else line_end
        if key:
            stop = len(data)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(stop, windows[-1][1]))
        else:
            windows.append((start, stop))
    return windows


def _within(words: list[bytes], spans: list[tuple[int, int, str]]) -> Iterator[bytes]:
    """Words with what spans of their line, joined by spaces, cover in each replaced."""
    at = 0
    for word in words:
        stop = at + len(word)
        inside = [
            (max(start - at, 0), min(end, stop) - at, name)
            for start, end, name in spans
            if start < stop and end > at
        ]
        yield _replaced(word, inside)
        at = stop + 1


def _replaced(data: bytes, spans: list[tuple[int, int, str]]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, name in spans:
        parts += [data[at:start], f"[redacted:{name}]".encode()]
        at = end
        while at < len(data) and data[at] & 0xC0 == 0x80:
            at += 1  # never cut a character in two
    return b"".join([*parts, data[at:]])


@lru_cache
def redactor(personal: bool = False) -> Redactor:
    """The redactor, made once; `personal` adds e-mail, phone, card and IBAN."""
    return Redactor(personal)
