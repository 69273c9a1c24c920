"""The key line of a failure, and its signature: what of it is the same on every machine."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from cairn.knowledge.dialogue.errors import OF_PACKAGE, WINDOW, key_lines
from cairn.knowledge.failures.tool_families import BARE_NAMES, FAMILIES, WRAPPERS, ToolFamily
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.shell.parser import commands

LONGEST_LINE = 400
LONGEST_KEY = 300
MOST_LINES = 12
"""Key lines of one output that are told, at most."""

OTHER = "other"
"""The family of what no family of tools knows."""

_CONTROL = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_MARKS = lazy_pattern(r"^[\s│┃╷╵✘✗✕×●•❌>]+(?=\S)")
_TASK = lazy_pattern(rf"^(?:\[(?!WARN)[\w:.-]{{1,40}}\] (?!→)|{OF_PACKAGE})(?=\S)")
_ENDS = " \t\r\f\v━─═"
"""What a line is filled with to its end."""
_E = lazy_pattern(r"^E {2,}(?=\S)")
"""How pytest marks the lines of an error."""
_STAMP = lazy_pattern(r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s+")
_WARNING = lazy_pattern(
    r"(?i)^\W*(?:npm warn|warning|warn|deprecat\w+|hint|note|info|debug|help)\b[\]:]?"
    r"|^\S{1,200}:\d+(?::\d+)?:? (?:- )?(?:warning|note|info|hint)\b|\bDeprecationWarning\b"
    r"|^.{0,60}\b0 (?:errors?|failed|failures)\b"
)
_PLACE = lazy_pattern(
    r"^(?:vet: )?(?:[A-Za-z]:)?(?:[\w@.~+-]*[/\\])*[\w@.+-]+\.\w{1,6}(?::\d+(?::\d+)?(?:-\d+(?::\d+)?)?|:?[\[(]\d+,\d+[\])]|:\(\.\w+\+0x[0-9a-f]+\)):?\s*(?:-\s+)?"
)
_EXIT_PLACE = lazy_pattern(
    r"^(?:/\S*/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )*|^\(eval\):(?:\d+: ?)*"
)
_URL = lazy_pattern(r"\b(?:https?|ssh|git|file|postgres(?:ql)?)://[^\s'\"`)>,]+|\bgit@[\w.-]+:\S+")
_QUOTED = lazy_pattern(
    r"(?<![\w'\"`])(?:`([^`'\n]{1,200})[`']|'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\")"
    r"|[‘“]([^’”\n]{1,200})[’”]"
)
_TIME = lazy_pattern(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])"
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b"
)
_HEX = lazy_pattern(
    r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,64}\b|\bsha256:[0-9a-f]+\b"
)
_SUFFIX = (
    r"(?:go|mod|sum|pyi?|[cm]?[jt]sx?|rs|c|cc|cpp|cxx|h|hpp|java|kts?|rb|exs?|heex|erl|beam|sh|toml|ya?ml|json[lc]?"
    r"|md|txt|lock|cfg|ini|tex|sty|html?|css|scss|sql|so|a|o|dll|exe|swift|php|cs|fs|vue|svelte|lua|tf|xml|csv|log|env)"
)
_PATH = lazy_pattern(
    r"(?<![\w{/.@-])(?:[A-Za-z]:\\[^\s'\"]+|(?:~|\.{1,2})?/[\w.@+~-]+(?:/[\w.@+~*-]+)*/?"
    r"|(?!(?:lint|assist)/|[A-Z]{1,4}\d{3,4}/)[\w.@+~-]+(?:/[\w.@+~*-]+){2,}/?"
    rf"|[\w@+~-]+(?:[./][\w@+~-]+)*\.{_SUFFIX}\b(?![\w(]))(?::\d+(?::\d+)?)?"
)
_NUMBER = lazy_pattern(
    r"(?<![\w{.])-?\d+(?:[.,:]\d+)*(?:e[+-]?\d+)?(?=(?:ms|s|m|h|kB|KB|MB|GB|x|%)?(?!\w))"
)
_LITERAL = lazy_pattern(r"[A-Za-z][\w'-]{2,}")
SLOT = lazy_pattern(r"\{(?:n|hex|path|name|time)\}")
_PLAIN_LIST = (
    "error errors failed failure fail fatal exception assertionerror assertion assert "
    "expected got with but the and code exit line test tests panic typecheck received was "
    "equal left right diff goconst task command process object equality deeply match matches returned non-zero "
    "status exited value values"
)
_PLAIN = frozenset(_PLAIN_LIST.split())
"""Words that many errors have: they alone do not tell one from another."""


_TELLING = lazy_pattern("|".join(f"(?:{one})" for family in FAMILIES for one in family.lines))
"""What tells of some family: a line that has nothing of it need not be asked by each."""


class FailureLine(NamedTuple):
    """The line of an output that says why."""

    family: str
    line: str
    signature: str
    names: tuple[str, ...]
    """What stood in the slots of names and paths."""
    at: int
    """Number of the line in the output."""


def failure_lines(output: str, command: str = "") -> list[FailureLine]:
    """Lines of an output that say why something failed, the most telling first.

    Args:
        output: What was printed; of a long one its two ends are read.
        command: What was run, which tells whose words they are.

    Returns:
        At most MOST_LINES, each signature with its names once. None of a warning.
    """
    if len(output) > _LONGEST_KEPT:
        return _failure_lines(output, command)
    return list(_kept_lines(output, command))


_LONGEST_KEPT = 8_192


@lru_cache(maxsize=4_096)  # lessons and failures read the same outputs, one after the other
def _kept_lines(output: str, command: str) -> tuple[FailureLine, ...]:
    return tuple(_failure_lines(output, command))


def _failure_lines(output: str, command: str) -> list[FailureLine]:
    lines = list(_lines(output))
    telling = [each for each in lines if _TELLING.match(each[1]) and not _WARNING.search(each[1])]
    ran = _programs(command)
    first, then = [], []
    for family in FAMILIES:
        mine = bool(ran & set(family.programs)) and family.name not in WRAPPERS
        (first if mine else then).append(family)
    found: dict[tuple[str, tuple[str, ...]], FailureLine] = {}
    every = _OutputLines(lines)
    for family in [*first, *then]:
        own = family.own_patterns if ran & set(family.programs) else ()
        if not telling and not own:
            continue
        for pattern in (*family.patterns, *own):
            among = every.lines if pattern in own else telling
            hits = [(at, line) for at, line in among if pattern.match(line)]
            if hits and not family.shown_by.search(every.text):
                break
            for at, line in reversed(hits) if family.last else hits:
                one = _line(family, line, at)
                # One line may look like that of several families: the first has it.
                if one.signature and all(other.at != at for other in found.values()):
                    found.setdefault((one.signature, one.names), one)
    if not found and command:
        for key in key_lines(output, 3):
            if not _WARNING.search(key.message):
                told = signature(key.message)
                names = slots(key.message)
                found.setdefault(
                    (told, names), FailureLine(OTHER, key.message[:LONGEST_KEY], told, names, -1)
                )
    return list(found.values())[:MOST_LINES]


def _line(family: ToolFamily, line: str, at: int) -> FailureLine:
    shown = _PLACE.sub("", _EXIT_PLACE.sub("", _E.sub("", line))).strip() or line
    shown = shown[:LONGEST_KEY]
    return FailureLine(family.name, shown, signature(shown), slots(shown), at)


class _OutputLines:
    """Lines of an output without those of warnings, once anybody asks for them."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self._lines = lines

    @cached_property
    def lines(self) -> list[tuple[int, str]]:
        """The lines with their numbers."""
        return [each for each in self._lines if not _WARNING.search(each[1])]

    @cached_property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(line for _, line in self.lines)


def _lines(output: str) -> Iterator[tuple[int, str]]:
    """Lines without colours and marks, with their numbers; none that are blank."""
    if len(output) > 2 * WINDOW:
        output = f"{output[:WINDOW]}\n{output[-WINDOW:]}"
    coloured = _CONTROL.search(output) is not None
    # Hooks give what a check printed with its line ends escaped.
    for at, raw in enumerate(output.replace("\\n", "\n").splitlines()):
        line = raw[: 2 * LONGEST_LINE]
        line = _CONTROL.sub("", line) if coloured else line
        line = _STAMP.sub("", _TASK.sub("", _MARKS.sub("", line)))[:LONGEST_LINE].rstrip(_ENDS)
        if line:
            yield at, line


def _programs(command: str) -> set[str]:
    found: set[str] = set()
    for part in commands(command[:4000]):
        words = [word.text.rsplit("/", 1)[-1] for word in part.words[:4]]
        found.update(words[:1])
        if words[:1] and words[0] in _RUNNERS:
            found.update(words[1:])
    return found


_RUNNERS_LIST = (
    "npx pnpm yarn bun uv uvx poetry python python3 sudo env time timeout xargs npm mise make"
)
_RUNNERS = frozenset(_RUNNERS_LIST.split())
"""Programs that run another one, which stands behind them."""


def signature(line: str) -> str:
    """A line in which numbers, hex, times, paths and names are slots.

    The place that it begins with is left out: it is another one each time. Slots stay as they are,
    so that a signature has itself.
    """
    return _slotted(line)[0]


def slots(line: str) -> tuple[str, ...]:
    """What stands in the slots of names and paths of a line, in order, each once."""
    return _slotted(line)[1]


def _slotted(line: str) -> tuple[str, tuple[str, ...]]:
    names: list[str] = []
    text = line[: 2 * LONGEST_LINE]
    for pattern in _CUT:
        text = pattern.sub("", text)
    whole = text
    for pattern in _PLACES:
        text = pattern.sub("", text)
    text = text or whole
    for name, pattern in _SLOTTED:
        if name == BARE:
            found = pattern.search(text)
            group = found.lastindex if found else None
            if found and group and found[group] and not SLOT.search(found[group]):
                end = found.start(group) + len(found[group].rstrip(".:;,"))
                names.append(text[found.start(group) : end])
                text = f"{text[: found.start(group)]}{{name}}{text[end:]}"
        elif name in _NAMING:
            text = pattern.sub(_Slot(name, names), text)
        else:
            text = pattern.sub(f"{{{name}}}", text)
    return " ".join(text.split()).rstrip(" .:;,")[:LONGEST_KEY], tuple(dict.fromkeys(names))


BARE = "bare"
"""Step of `_SLOTTED` that puts the slot of a name where a group of the pattern is."""

_CUT = (_CONTROL, _MARKS)
_PLACES = (_E, _EXIT_PLACE, _PLACE)
_SLOTTED = (
    ("path", _URL), ("name", _QUOTED), ("time", _TIME), *((BARE, bare) for bare in BARE_NAMES),
    ("path", _PATH), ("hex", _HEX), ("n", _NUMBER),
)  # fmt: skip
_NAMING = ("path", "name")

SLOTTING = {
    "longest": [2 * LONGEST_LINE, LONGEST_KEY],
    "cut": [pattern.pattern for pattern in _CUT],
    "places": [pattern.pattern for pattern in _PLACES],
    "slots": [[name, pattern.pattern] for name, pattern in _SLOTTED],
    "slot": SLOT.pattern,
}
"""How `signature` reads a line, as data: for who has to know one without this package."""


class _Slot:
    """Puts a slot in the place of what is found, and keeps that."""

    def __init__(self, name: str, names: list[str]) -> None:
        self._name = name
        self._names = names

    def __call__(self, found: re.Match[str]) -> str:
        """The slot; a slot in quotes stays one."""
        inner = next((group for group in found.groups() if group), found[0])
        if SLOT.fullmatch(inner):
            return inner
        self._names.append(inner)
        return f"{{{self._name}}}"


def literal_words(told: str) -> list[str]:
    """Words of a signature that are its own: neither slots nor what many errors have."""
    return [
        word
        for word in _LITERAL.findall(SLOT.sub(" ", told))
        if word.lower() not in _PLAIN and not word.lower().startswith("assert")
    ]


def is_generic(told: str) -> bool:
    """Whether a signature says too little to tell one error from another."""
    return len(literal_words(told)) < _FEWEST_WORDS


_FEWEST_WORDS = 2


_SLIP = lazy_pattern(
    r"(?i)^(?:head|tail|cat|ls|wc|sort|uniq|cut|tr|sleep|sed|g?awk|[ef]?grep|rg|find|xargs|rm|cp|mv|mkdir|rmdir|touch|ln"
    r"|kill|cd|echo|printf|test|findstr|dir|del|timeout): "
    r"|^(?:(?:ba|z|da|k|fi)?sh|\(eval\)|-c)\b.{0,40}?(?:unexpected EOF|unmatched|parse error|syntax error|bad substitution|bad pattern)"
    r"|\bunexpected EOF while looking for|^unmatched ['\"`]|\bno matches found: |\bevent not found\b|^(?:parse|syntax) error near\b"
)
"""A small utility of the shell that was given the wrong words, or a line that was quoted wrongly."""

_NETWORK = lazy_pattern(
    r"\b(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ENETUNREACH|ERR_SOCKET_TIMEOUT|FailedToOpenSocket)\b"
    r"|\b(?:ConnectionRefused|ConnectionReset|ConnectionClosed) (?:down|up)loading\b"
    r"|(?i:\bcould not resolve (?:host(?:name)?|proxy)\b|\btemporary failure in name resolution\b|\bname or service not known\b"
    r"|\bnetwork is (?:unreachable|down)\b|\bconnection (?:timed out|reset by peer)\b|\boperation timed out\b|\bi/o timeout\b"
    r"|\bTLS handshake timeout\b|\b50[234] (?:bad gateway|service unavailable|gateway time-?out)\b|\bsocket hang up\b)"
)
_OWN_HOST = lazy_pattern(r"(?i)\blocalhost\b|\b127\.0\.0\.1\b|\b0\.0\.0\.0\b|\[?::1\]?")


def is_shell_slip(line: str) -> bool:
    """Whether a line is about how a command line was written, and not about the project."""
    return _SLIP.search(line) is not None


def is_network_fault(line: str) -> bool:
    """Whether a line says that another host could not be reached: that ends by itself."""
    return _NETWORK.search(line) is not None and not _OWN_HOST.search(line)


def alike(told: str, other: str) -> bool:
    """Whether two signatures agree in all words beside their slots."""
    return told == other or (not is_generic(told) and _words_of(told) == _words_of(other))


def _words_of(told: str) -> list[str]:
    return [word.lower() for word in _LITERAL.findall(SLOT.sub(" ", told))]


def names_any(text: str, names: Collection[str]) -> bool:
    """Whether a text names one of the names, as a whole or by the end of its path."""
    folded = text.casefold()
    parts = {part for name in names for part in (name, name.rstrip("/").rsplit("/", 1)[-1])}
    return any(len(part) > 2 and part.casefold() in folded for part in parts)
