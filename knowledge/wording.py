"""Do two statements say the same in words: numbers, versions, paths, hosts, polarity, order?

Similarity of vectors hardly sees what matters most in a fact: "python 3.11" and "python 3.12",
"enable" and "disable", "tabs over spaces" and "spaces over tabs" lie close together. So facts that
are similar are also compared word by word. The comparison is careful on one side: it agrees only
when nothing of weight differs, since a wrong merge loses a fact and a missed one only repeats it.

A statement is read as a row of content words, each in its stem, synonyms and spellings united,
with one polarity for each clause: every negation and every word from the negative end of an axis
(`dislike` is `like`, denied) turns it. Literals (numbers, dates, paths, …) are words that must be
equal. English only; in another language words must be the same, and negation is not seen.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from knowledge.vocabulary import (
    CLAUSE,
    DIRECTION_STEMS,
    FRONTED,
    NEGATIONS,
    NUMBERS,
    POLAR,
    STOPS,
    STRONG_STEMS,
    UNITED,
    stem,
)

_LITERAL = re.compile(
    r"""
    (?P<quoted>`[^`\n]+`)
  | (?P<url>\b[a-z][a-z0-9+.-]*://\S+)
  | (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)*)
  | (?P<path>(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@%+~/\\:-]*[\w*~-]
           | (?<![\w/])~(?=\s|$)
           | (?<![\w/])[\w.@-]*[A-Za-z_][\w.@-]*(?:/[\w.@-]+){2,}
           | (?<![\w/])[\w@-]+(?:/[\w@-]+)*/[\w-]+\.\w+)
  | (?P<date>\b\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?)?\b
           | \b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b
           | \b(?:MONTH)\.?\ \d{1,2}(?:st|nd|rd|th)?(?:,?\ \d{4})?\b  # codespell:ignore nd
           | \b\d{1,2}(?:st|nd|rd|th)?\ (?:MONTH)\.?(?:,?\ \d{4})?\b  # codespell:ignore nd
           | \b(?:MONTH)\.?\ \d{4}\b)
  | (?P<time>\b\d{1,2}:\d\d(?::\d\d)?(?:\ ?[ap]m)?\b | \b\d{1,2}\ ?[ap]m\b)
  | (?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?\b
           | \b(?:[\w-]+\.)+(?:com|org|net|io|dev|local|lan|internal|app|ai|edu|gov|de|uk)\b)
  | (?P<version>\bv\d+(?:\.\d+)*(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post)[\w.]*)?\b
           | \b\d+(?:\.\d+)+(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post)[\w.]*)?(?![\w%]))
  | (?P<name>(?<![\w-])--?[a-zA-Z][\w-]* | \$\w+ | \b\w+(?:\.\w*[a-zA-Z_]\w*)+\b
           | \b\w*[a-z0-9]_\w+ | (?-i:\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*)
           | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b
           | \b[A-Za-z]+-?\d(?:[\w.-]*\w)?)
  | (?P<number>(?:(?<![\w)])-)?\#?\d[\d,]*(?:\.\d+)?)(?P<unit>%|[a-zA-Zµ]+)?
  | (?P<sign>(?<=\s)(?:<=|>=|<|>|!=|==|=|\+)(?=\s))
  | (?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)
  | (?P<mark>[.!?;,](?=\s|$)|:(?=\s)|\s[-–—]\s|[&()])
    """.replace(
        "MONTH",
        "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
        "|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    ),
    re.VERBOSE | re.IGNORECASE,
)

_PHRASES = [
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"`([^`\s]+)`", r"\1"),
        (r"\bcan['’]t\b", "can not"),
        (r"\bwon['’]t\b", "will not"),
        (r"(?<=\w)n['’]t\b", " not"),
        (r"\b(?:is|are|was|were|be|been) unable to\b", "can not"),
        (r"\b(?:is|are|was|were|be|been) able to\b", "can"),
        (r"\b(?:fails?|failed|failing|refuses?|refused) to\b", "not"),
        (r"\bnot (?:only|just|merely|simply)\b", ""),
        (r"\b(?:no doubt|without (?:a )?doubt|whether or not|no matter)\b", ""),
        (r"\bnot (?:all|every|always|everyone|everything)\b", "not partly"),
        (r"\b(?:no longer|not any ?(?:more|longer))\b", "not"),
        (r"\b(?:because of|due to|owing to|thanks to|on account of)\b", "because"),
        (r"\b(?:rather than|instead of|in preference to|in place of)\b", "over"),
        (r"\bany ?(?:more|longer)\b", ""),
        (r"^\s*(?:no|yes),", ""),
        (
            r"\b(is|are|be|been|was|were|stays?|remains?|keeps?|kept|set|left) on\s*(?=$|[.,;])",
            r"\1 enabled",
        ),
        (r"\b(is|are|be|been|was|were|stays?|remains?|keeps?|kept|set|left) off\b", r"\1 disabled"),
        (r"\bprior to\b", "before"),
        (r"\b(?:in order to|so as to)\b", "to"),
        (r"\b(?:as well as|along with|together with)\b", "and"),
        (r"\b(?:has|have|had|need|needs|ought) to\b", "must"),
        (r"\b(?:has|have|had) (?=been\b|\w+ed\b)", ""),
        (r"\b(?:a lot|lots|a bit|of course|in fact|at the moment|right now)\b", ""),
        (r"\bno one\b", "nobody"),
        (r"\b(?:turn|switch)(?:e?s|ed|ing)? on\b", "enable"),
        (r"\b(?:turn|switch)(?:e?s|ed|ing)? off\b", "disable"),
    )
]

_ENDS = frozenset(".;!?:")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS = ("st", "nd", "rd", "th")  # codespell:ignore nd
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-", "de")
"""What turns a word into its opposite."""

_ELABORATION = 0.2
_ELABORATION_WORDS = 2
"""Share of a statement's words, and how many, that may be missing in the other one."""


@dataclass(frozen=True)
class Statement:
    """A statement as it is compared: parallel tuples, one entry per content word."""

    words: tuple[str, ...]
    """Stems; literals as `kind=value`."""
    clauses: tuple[int, ...]
    """Clause that the word stands in."""
    denied: tuple[bool, ...]
    """Whether each clause (not word) is denied."""


@lru_cache(maxsize=65_536)
def read_statement(text: str) -> Statement:
    """A sentence or two as content words with the polarity of their clauses."""
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement, text)
    return _placed(_sorted_lists(_unfronted(_tokens(text))))


def difference(left: str, right: str) -> str | None:
    """What keeps two statements from saying the same; None if they agree.

    Returns:
        A kind of literal (number, version, date, time, path, host, address, url, name, quoted),
        `word`, `order` or `polarity`; the first of these that differs.
    """
    return _compare(read_statement(left), read_statement(right), _ELABORATION)


def agree(left: str, right: str) -> bool:
    """Whether two statements say the same in words."""
    return difference(left, right) is None


def opposed(left: str, right: str) -> bool:
    """Whether one statement denies the other: the same words throughout, but for polarity."""
    return _compare(read_statement(left), read_statement(right), 0.0) == "polarity"


def _tokens(text: str) -> list[str]:
    """Words (casefolded), literals as `kind=value`, marks."""
    tokens: list[str] = []
    for match in _LITERAL.finditer(text):
        kind = match.lastgroup or ""
        value = match[0]
        if match["number"] is not None:
            number = match["number"].replace(",", "").lstrip("#")
            tokens.append(f"number={number.removesuffix('.0')}")
            if match["unit"] and match["unit"] not in _ORDINALS:
                tokens.append("second" if match["unit"] == "s" else match["unit"].lower())
        elif kind == "word":
            folded = value.casefold().replace("’", "'")
            tokens.append(f"number={NUMBERS[folded]}" if folded in NUMBERS else folded)
        elif kind == "sign":
            tokens += {"<": ["less", "than"], ">": ["more", "than"], "!=": ["not"]}.get(value, [])
            if value in {"<=", ">="}:
                tokens += ["name=" + value]
        elif kind == "mark":
            tokens.append(value.strip())
        elif kind == "version":
            tokens.append("version=" + value.lower().removeprefix("v"))
        elif kind == "date":
            tokens.append("date=" + _date(value))
        elif kind == "name" and value.casefold() in {"e.g", "i.e"}:
            continue
        elif kind == "quoted":
            tokens.append("quoted=" + value.strip("`").strip())
        else:
            tokens.append(f"{kind}={value.rstrip('/') if kind == 'path' else value.casefold()}")
    return tokens


def _date(text: str) -> str:
    """One form of a date, as far as it is unambiguous: month names become numbers."""
    if text[0].isdigit() and not re.search("[a-z]{3}", text, re.IGNORECASE):
        return text
    month = re.search("[a-z]{3}", text, re.IGNORECASE)
    number = _MONTHS.index(month[0].lower()) + 1 if month else 0
    year = re.search(r"\d{4}", text)
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    return "-".join(
        part
        for part in (year and year[0], f"{number:02}", day and f"{int(day[0]):02}")
        if part is not None
    )


def _unfronted(tokens: list[str]) -> list[str]:
    """Puts a leading clause behind: "tests fail after deploy" for "after deploy, tests fail"."""
    if tokens and tokens[0] in FRONTED and "," in tokens[:-1]:
        comma = tokens.index(",")
        rest = tokens[comma + 1 :]
        while rest and rest[-1] in ".!?;":
            rest = rest[:-1]
        return [*rest, *tokens[:comma]]
    return tokens


def _sorted_lists(tokens: list[str]) -> list[str]:
    """The members of "a, b and c" in one order, where each is a single word."""
    joins = {"and", "or", "&", ","}
    result: list[str] = []
    at = 0
    while at < len(tokens):
        end = at
        while end + 2 < len(tokens) and tokens[end + 1] in joins and _content(tokens[end + 2]):
            end += 2
        separators = tokens[at + 1 : end : 2]
        if end > at and _content(tokens[at]) and {"and", "or", "&"} & set(separators):
            result += sorted(tokens[at : end + 1 : 2])
            if "or" in separators:
                result.append("or")
            at = end + 1
        else:
            result.append(tokens[at])
            at += 1
    return result


def _content(token: str) -> bool:
    return (
        token[0].isalnum()
        and token not in STOPS
        and token not in CLAUSE
        and token not in NEGATIONS
        and not _polar(token)
    )


def _polar(token: str) -> bool:
    """Whether a word is an end of an axis."""
    return stem(token) in POLAR


def _placed(tokens: list[str]) -> Statement:
    """Content words in their clauses, and each clause's polarity."""
    words: list[str] = []
    clauses: list[int] = []
    denied = [False]
    for at, piece in enumerate(tokens):
        joined = piece in {"and", "or", ","} and (
            _denies(tokens[at + 1 : at + 3]) or any(map(_polar, tokens[at + 1 : at + 2]))
        )
        if (piece in CLAUSE or piece in _ENDS or joined) and clauses[-1:] == [len(denied) - 1]:
            denied.append(False)
        if "=" in piece:
            words.append(piece)
            clauses.append(len(denied) - 1)
            continue
        if piece in NEGATIONS:
            if piece != "nor" or not denied[-1]:
                denied[-1] = not denied[-1]
            if piece == "unless":
                words.append("if")
                clauses.append(len(denied) - 1)
            continue
        if piece in STOPS or (not piece[0].isalpha() and piece not in "%?"):
            continue
        word, negative = UNITED.get(stem(piece), (stem(piece), False))
        if negative:
            denied[-1] = not denied[-1]
        words.append(word)
        clauses.append(len(denied) - 1)
    return Statement(tuple(words), tuple(clauses), tuple(denied))


def _denies(tokens: list[str]) -> bool:
    return any(token in NEGATIONS for token in tokens)


def _compare(left: Statement, right: Statement, elaboration: float) -> str | None:
    only_left = Counter(left.words) - Counter(right.words)
    only_right = Counter(right.words) - Counter(left.words)
    turned = _prefix_antonyms(only_left, only_right)
    for word in turned:
        only_left -= Counter([word])
        only_right -= Counter([turned[word]])
    surplus = sorted([*only_left.elements(), *only_right.elements()])
    for word in surplus:
        if "=" in word:
            return word.partition("=")[0]
    longer = max(len(left.words), len(right.words))
    if (only_left and only_right) or len(surplus) > min(elaboration * longer, _ELABORATION_WORDS):
        return "word"
    if any(word in STRONG_STEMS for word in surplus):
        return "word"
    ours = _kept(left, only_left, turned)
    theirs = _kept(right, only_right, {})
    if not _same_order([word for word, _ in ours], [word for word, _ in theirs]):
        return "order"
    left_signs = sorted(ours)
    right_signs = sorted(theirs)
    return None if left_signs == right_signs else "polarity"


def _prefix_antonyms(only_left: Counter[str], only_right: Counter[str]) -> dict[str, str]:
    """Words of the left that are one of the right with a negating prefix more or less."""
    return {
        ours: theirs
        for ours in sorted(only_left)
        for theirs in sorted(only_right)
        if min(len(ours), len(theirs)) >= 4
        and any(ours == prefix + theirs or theirs == prefix + ours for prefix in _PREFIXES)
    }


def _kept(
    statement: Statement, dropped: Counter[str], turned: dict[str, str]
) -> list[tuple[str, bool]]:
    """Words that both statements have, with their clause's polarity."""
    denied = list(statement.denied)
    for word, clause in zip(statement.words, statement.clauses, strict=True):
        if word in turned:
            denied[clause] = not denied[clause]
    left_out = Counter(dropped)
    kept: list[tuple[str, bool]] = []
    for word, clause in zip(statement.words, statement.clauses, strict=True):
        if left_out[word]:
            left_out[word] -= 1
            continue
        kept.append((turned.get(word, word), denied[clause]))
    return kept


def _same_order(ours: list[str], theirs: list[str]) -> bool:
    """Whether words stand in the same order, or one side has been turned about its verb to be."""
    if ours == theirs:
        return True
    if DIRECTION_STEMS & set(ours):
        return False
    return any(ours[at:] + ours[:at] == theirs for at in range(1, len(ours)))
