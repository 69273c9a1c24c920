"""Names of entities: their canonical form, and which are refused, by rule."""

import re
import unicodedata
from typing import NamedTuple

import polars as pl

from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.predicates import OBJECT_TYPES, OBSERVED_TYPES, WISH_PREDICATES

HOME_FOLDER = r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)"
"""How a path to a person's home folder begins; it ends or a separator follows."""

HOME = re.compile(rf"^{HOME_FOLDER}(?=[\\/]|$)")
"""A path in a person's home folder, up to that folder's end."""

_IN_REPOSITORY = r"[\\/]\.(?:(?:claude|codex|cursor|gemini|grok|letta)[\\/])?worktrees[\\/]"
_BESIDE_REPOSITORY = r"[-._]worktrees[\\/]"
_WORKTREE = re.compile(rf"(?:{_IN_REPOSITORY}|(?<=[^\\/~]){_BESIDE_REPOSITORY})[^\\/]+")
_IN_HOME = rf"(?:~|{HOME_FOLDER})[\\/]"
_KEPT_BY_CODEX = re.compile(rf"{_IN_HOME}\.codex[\\/]worktrees[\\/][^\\/]+[\\/][^\\/]+(?=[\\/]|$)")
_BY_NAME = re.compile(
    rf"{_IN_HOME}(?:\.(?:cursor|grok)[\\/]worktrees|\.claude-worktrees|conductor[\\/]workspaces)"
    r"[\\/][^\\/]+"
)
_KEPT_BY_NAME = re.compile(rf"(?P<repository>{_BY_NAME.pattern})[\\/][^\\/]+")
_OWN_FOLDER = re.compile(rf"(?:~|{HOME_FOLDER})(?:[\\/]\.[^\\/]*)?")
"""A home folder, or a hidden one in it: no repository that has worktrees."""


class WorktreePlace(NamedTuple):
    """What a path tells of the worktree that it goes into."""

    repository: str
    """The folder that stands for its repository, by whose last name that is called."""
    end: int
    """Where the worktree's own folder ends in the path."""
    exact: bool
    """Whether that is sure: the name of a worktree may have several folders, as of a branch."""


_PEP_503 = re.compile(r"[-_.]+")

# Punctuation that may stand around a name in a sentence. `+`, `#`, `@`, `$` and a dot before a
# word belong to names: C++, C#, @scope/name, $PATH, .env.
_QUOTES = "\"'“”‘’«»`"
_AROUND = _QUOTES + "()[]{}<>*_,;:!?…|=–—-·•/\\&^%~"
_AROUND_TYPED = {
    "path": _QUOTES + "<>,;:|",
    "project": _QUOTES + "<>,;:|",
    "host": _QUOTES + "()[]<>,;./",
    "tool": _QUOTES + "()<>,;",
    "package": _QUOTES + "()[]<>,;:/",
}
_PLACES = frozenset({"path", "project"})

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAY = rf"(?:{_DAY_NAME}|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\.?)"
_YEAR = r"(?:1[89]|20|21)\d\d"
_DATE = "|".join(
    (
        _DAY_NAME,
        rf"(?:{_WEEKDAY},?\s+)?{_MONTH}(?:\s+\d{{1,2}}(?:st|[nr]d|th)?)?(?:,?\s+{_YEAR})?",
        rf"(?:{_WEEKDAY},?\s+)?\d{{1,2}}(?:st|[nr]d|th|\.)?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        rf"{_YEAR}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?(?:[t\s]\d{{1,2}}:\d\d.*)?",
        r"\d{1,2}[-/.]\d{1,2}[-/.](?:\d\d)?\d\d",
    )
)

REDACTED_WHOLE = r"(?i)^\W*(?:\[redacted(?::[^\]]*)?\]\W*)+$|^\W*redacted\W*$"

STRUCTURAL: dict[str, str] = {
    "redacted": r"(?i)\[redacted(?::[^\]]*)?\]|^\W*redacted\W*$",
    "newline": r"[\r\n\u{2028}\u{2029}]",
    "url": r"(?i)\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:",
    "markdown": r"\*\*",
    "template_slot": r"\{\s*[\p{L}_][\w .:|-]*\s*\}|\{\{|\}\}",
    "model_artefact": r"(?i)confidence\s+score:|-brief:",
    "digit_period": r"^\s*\d+\.\s",
    "year": rf"^\W*{_YEAR}s?(?:\s*[-–/]\s*(?:\d\d)?\d\d)?\W*$",
    "date": rf"(?i)^\W*(?:{_DATE})\W*$",
    "clock_time": (
        r"(?i)^\W*\d{1,2}(?::\d\d(?::\d\d(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?|\s*[ap]\.?m\.?)"
        r"(?:\s*(?:utc|gmt|z|[+-]\d\d:?\d\d))?\W*$"
    ),
    "number": r"(?i)^[^\p{L}]*\d[^\p{L}]*$|^\W*(?:0x[0-9a-f]+|[+-]?[\d.,]+e[+-]?\d+)\W*$",
}
"""Rules that a pattern decides; over_8_words, blank and stop_words are counted. The first that
holds gives its name to the refusal, so the particular stand before the general."""

_HOST_LABEL = r"[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_A_PATH = (r"^[^\r\n\x00]{0,1024}[\p{L}\p{N}~/\\][^\r\n\x00]{0,1024}$",)
GRAMMARS: dict[str, tuple[str, ...]] = {
    "host": (
        rf"^(?:{_OCTET}(?:\.{_OCTET}){{3}}"
        r"|(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}(?:%\w+)?"
        rf"|(?:{_HOST_LABEL}\.)*(?:\p{{L}}|_|\p{{N}}+[\p{{L}}_-])[\p{{L}}\p{{N}}_-]*)$",
        r"^[^.]{0,63}(?:\.[^.]{0,63})*$",
    ),
    "package": (r"^(?:@[\w.~-]+/)?[\p{L}\p{N}][\w.+~-]*(?:/[\w.+~-]+)*$",),
    "path": _A_PATH,
    "tool": (
        r"^\.{0,2}[\p{L}\p{N}_~/\[][\w .:+@/~\\\[\]-]*$",
        r"^\.{0,2}[^.].{0,99}$",
    ),
    "system": (r"^[^\r\n]{0,100}\p{L}[^\r\n]{0,100}$",),
    "project": _A_PATH,
    "person": (r"^[^\r\n/{}<>*]{0,100}\p{L}[^\r\n/{}<>*]{0,100}$",),
}
"""What a name of each observed type must look like, in each respect. How long it may be stands by
itself: to count letters of all scripts takes fifty times as long to compile."""


def worktree_place(path: str) -> WorktreePlace | None:
    """The worktree that a path goes into, where its folders say so; None if they do not.

    `shop/.worktrees/x`, `shop/.claude/worktrees/x`, beside it `shop-worktrees/x`; in the home
    folder, where agents keep theirs, `.codex/worktrees/1f2e/shop`, `.cursor/worktrees/shop/x`,
    `.claude-worktrees/shop/x` and `conductor/workspaces/shop/x`.
    """
    if kept := _KEPT_BY_CODEX.match(path):
        return WorktreePlace(kept[0], kept.end(), exact=True)
    if kept := _KEPT_BY_NAME.match(path):
        return WorktreePlace(kept["repository"], kept.end(), exact=True)
    found = _WORKTREE.search(path)
    before = path[: found.start()] if found else ""
    if found is None or not before.strip("/\\") or _OWN_FOLDER.fullmatch(before):
        return None
    return WorktreePlace(before, found.end(), exact=False)


def is_kept_by_tool(root: str) -> bool:
    """Whether a root is one of those that an agent keeps in the home folder, of some repository."""
    return bool(_KEPT_BY_CODEX.fullmatch(root) or _BY_NAME.fullmatch(root))


def canonical(name: str, type_: str) -> str:
    """The form that identifies an entity of a type.

    NFKC, white space collapsed, outer punctuation trimmed; then hosts and tools in lower case,
    packages by PEP 503, paths case-kept with `~` for a home folder, all else casefolded. Applying
    it twice changes nothing. Digits are never touched, so `Python 2` and `Python 3` stay two.
    """
    text = _trimmed(unicodedata.normalize("NFKC", name), type_)
    if type_ == "path":
        return _home(text)
    if type_ == "package":
        return _PEP_503.sub("-", text).lower()
    if type_ == "project":
        text = _home(text)
    folded = text.lower() if type_ in {"host", "tool"} else text.casefold()
    # Folding may leave the normal form (and uncover a mark): normalise and trim once more.
    return _trimmed(unicodedata.normalize("NFKC", folded), type_)


def _trimmed(text: str, type_: str) -> str:
    """White space collapsed and outer punctuation off, until nothing changes."""
    around = _AROUND_TYPED.get(type_, _AROUND) + " "
    text = " ".join(text.split())
    before = None
    while text != before:
        before = text
        text = text.strip(around)
        if type_ in _PLACES:
            text = text.rstrip("/") or text[:1]
        else:
            text = text.rstrip(".")
            if type_ not in _AROUND_TYPED and not text[1:2].isalnum():
                text = text.lstrip(".")
    return text


def _home(path: str) -> str:
    return HOME.sub("~", path)


def canonical_column(name: str | pl.Expr, type_: str | pl.Expr) -> pl.Expr:
    """`canonical` of a name column and a type column; each distinct pair is worked out once."""

    def forms(pairs: pl.Series) -> pl.Series:
        names, types = (pairs.struct.field(field).to_list() for field in ("name", "type"))
        form = {pair: canonical(*pair) for pair in set(zip(names, types, strict=True))}
        written = [form[pair] for pair in zip(names, types, strict=True)]
        return pl.Series(written, dtype=pl.String)

    pair = pl.struct(_column(name).alias("name"), _column(type_).alias("type"))
    return pair.map_batches(forms, return_dtype=pl.String)


def structural(names: pl.Series, most_words: int = 8) -> pl.Series:
    """The structural rule that refuses each free-text name, or null.

    Args:
        names: Names as proposed, not canonical (that would trim what some rules look for).
        most_words: Words that a name may have (`Policy.name_words`).
    """
    name = pl.col("name")
    wordless = ~name.str.contains(r"[\p{L}\p{N}]")
    rule = pl.when(wordless).then(pl.lit("blank"))
    for label, pattern in STRUCTURAL.items():
        rule = rule.when(name.str.contains(pattern)).then(pl.lit(label))
    counted = name.str.strip_chars().str.count_matches(r"\s+") + 1
    rule = rule.when(counted > most_words).then(pl.lit("over_8_words"))
    rule = rule.when(pl.col("stopped")).then(pl.lit("stop_words")).otherwise(None)
    distinct = names.unique()
    stopped = pl.Series(
        [STOP_WORDS.issuperset(words(text)) for text in distinct.to_list()], dtype=pl.Boolean
    )
    refused = pl.DataFrame({"name": distinct, "stopped": stopped}).with_columns(rule=rule)
    return names.to_frame("name").join(refused, on="name", how="left", maintain_order="left")[
        "rule"
    ]


_REJECTIONS: dict[tuple[str, str, int], str | None] = {}
"""What is known of names. Each stage asks about the same ones, and to compile all that is looked
for takes 70 ms, longer than to look."""

_MOST_KEPT = 100_000


def name_rejections(names: pl.Series, types: pl.Series, most_words: int = 8) -> pl.Series:
    """The rule that refuses each name by its form, or null.

    `structural` for topics, a type's grammar (`not_a_host`, …) for the others; for all of them
    blank and redacted, which for observed types means redacted whole.

    Raises:
        ValueError: a type that no rule sets.
    """
    known = OBSERVED_TYPES | {"topic"}
    if unknown := sorted(set(types.unique().to_list()) - known):
        raise ValueError(f"unknown types of entities: {', '.join(map(str, unknown))}")
    asked = [(*name, most_words) for name in zip(names.to_list(), types.to_list(), strict=True)]
    kept = {name: _REJECTIONS.get(name, "?") for name in set(asked)}
    found = {name: rule for name, rule in kept.items() if rule != "?"}
    if new := kept.keys() - found.keys():
        columns = pl.Schema({"name": pl.String(), "type": pl.String()})
        frame = pl.DataFrame([name[:2] for name in new], columns, orient="row")
        rules = _rejections(frame, most_words)
        found |= zip(new, rules.to_list(), strict=True)
        if len(_REJECTIONS) > _MOST_KEPT:
            _REJECTIONS.clear()
        _REJECTIONS.update(found)
    return pl.Series("rule", [found[name] for name in asked], pl.String)


def _rejections(frame: pl.DataFrame, most_words: int) -> pl.Series:
    name, type_ = pl.col("name"), pl.col("type")
    bare = name.str.strip_chars()
    # Each form takes milliseconds to compile: those of types that nobody asks about are left out.
    asked = set(frame["type"].to_list())
    by_form = structural(frame["name"], most_words) if "topic" in asked else None
    rule = pl.when(type_ == "topic").then(pl.lit(by_form, pl.String))
    rule = rule.when(bare == "").then(pl.lit("blank"))
    rule = rule.when(name.str.contains(REDACTED_WHOLE)).then(pl.lit("redacted"))
    for label in GRAMMARS.keys() & asked:
        misfit = ~pl.all_horizontal(bare.str.contains(form) for form in GRAMMARS[label])
        rule = rule.when((type_ == label) & misfit).then(pl.lit(f"not_a_{label}"))
    return frame.select(rule=rule.otherwise(None))["rule"]


def _column(column: str | pl.Expr) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column


_NEGATION = r"\b(?:do not|dont)\b"
_POLITE = (
    r"\b(?:please|pls|kindly|just|also|simply|again|thanks|thank you|the|an?)\b"
    r"|[,;:!?*\"“”`]+|\s[-–—]+\s|^(?:and|but|so|ok|okay|let's|let us)\b"
)
"""What makes no other wish."""


def canonical_object(predicate: str = "predicate", value: str = "object") -> pl.Expr:
    """The form by which two objects of a predicate are the same.

    Objects that are entities take the canonical name of their type; a command keeps its case, its
    white space collapsed; any other text is put in lower case, without punctuation at its end. Of
    what a person wants, neither politeness, articles nor marks count.
    """
    said = pl.col(predicate)
    collapsed = pl.col(value).str.normalize("NFKC").str.replace_all(r"\s+", " ").str.strip_chars()
    plain = collapsed.str.to_lowercase().str.strip_chars_end(" .,;:!?…")
    wish = plain.str.replace_all("’", "'", literal=True).str.replace_all(_NEGATION, "don't")
    wish = wish.str.replace_all(_POLITE, " ").str.replace_all(r"\s+", " ").str.strip_chars()
    typed = said.replace_strict(OBJECT_TYPES, default=None, return_dtype=pl.String)
    return (
        pl.when(typed.is_not_null())
        .then(canonical_column(value, typed.fill_null("topic")))
        .when(said == "executed_command")
        .then(collapsed)
        .when(said.is_in(WISH_PREDICATES))
        .then(wish)
        .otherwise(plain)
    )
