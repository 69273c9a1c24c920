"""Words of a shell script: what they say without their quotes, and where each character stands."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from tree_sitter import Node

EXPANSIONS = frozenset(
    {
        "simple_expansion", "expansion", "command_substitution", "process_substitution",
        "arithmetic_expansion",
    }
)  # fmt: skip
WORDS = EXPANSIONS | {
    "word", "number", "string", "raw_string", "ansi_c_string", "translated_string",
    "concatenation", "brace_expression",
}  # fmt: skip


class ShellWord(NamedTuple):
    """One word of a command, quotes removed, and its place in the source (code points)."""

    text: str
    start: int
    end: int
    dynamic: bool = False
    """Whether a part is only known when it runs: a variable, a substitution."""
    quoted: bool = False
    """Whether quotes stand around it or within it."""


class Token(NamedTuple):
    """A word, and where each of its characters stands in the outermost source."""

    word: ShellWord
    places: Sequence[int]


class Script:
    """A source that is parsed, and where its code points stand in the outermost one."""

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self.text = text
        self.places = places
        self.raw = text.encode("utf-8", "replace")
        self.points: list[int] | None = None
        """Code point of each byte; none where they are the same."""
        if len(self.raw) != len(text):
            self.points = []
            for index, character in enumerate(text):
                self.points += [index] * len(character.encode("utf-8", "replace"))
            self.points.append(len(text))

    def span(self, node: Node) -> tuple[int, int]:
        """Code points of a node, in this text."""
        if self.points is None:
            return node.start_byte, node.end_byte
        return self.points[node.start_byte], self.points[node.end_byte]

    def token(self, node: Node) -> Token:
        """A word without its quotes."""
        start, end = self.span(node)
        places, dynamic = self._unquoted(node)
        text = "".join([self.text[place] for place in places])
        word = ShellWord(
            text,
            *self._outer(start, end),
            dynamic,
            node.type not in ("word", "number") and end - start != len(places),
        )
        return Token(word, [self.places[place] for place in places])

    def slice(self, node: Node) -> Token:
        """A node as it stands."""
        start, end = self.span(node)
        word = ShellWord(self.text[start:end], *self._outer(start, end), True)
        return Token(word, self.places[start:end])

    def _outer(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of this text in the outermost source; what is missing may stand at its end."""
        first = self.places[min(start, len(self.places) - 1)]
        return first, max(self.places[end - 1] + 1, first) if end else first

    def _unquoted(self, node: Node) -> tuple[Sequence[int], bool]:
        """Places, in this text, of the characters left without quotes; whether any is dynamic."""
        start, end = self.span(node)
        kind = node.type
        if kind in EXPANSIONS:
            return range(start, end), True
        if kind == "raw_string":
            return range(start + 1, end - 1), False
        if kind == "ansi_c_string":
            return self._unescaped(start + 2, end - 1), False
        if kind in ("string", "translated_string"):
            parts: list[int] = []
            at = start + (2 if kind == "translated_string" else 1)
            dynamic = False
            for child in node.named_children:
                if child.type in EXPANSIONS:
                    first, last = self.span(child)
                    parts += self._unescaped(at, first, '"\\$`\n')
                    parts += range(first, last)
                    at, dynamic = last, True
            parts += self._unescaped(at, end - 1, '"\\$`\n')
            return parts, dynamic
        if kind == "concatenation":
            parts, dynamic = [], False
            for child in node.children:
                inner, moves = self._unquoted(child)
                parts += inner
                dynamic = dynamic or moves
            return parts, dynamic
        return self._unescaped(start, end), False

    def _unescaped(self, start: int, end: int, only: str | None = None) -> Sequence[int]:
        """Places from start to end without the backslashes that quote what follows them."""
        if self.text.find("\\", start, end) < 0:
            return range(start, end)
        places: list[int] = []
        at = start
        while at < end:
            if self.text[at] == "\\" and at + 1 < end and (not only or self.text[at + 1] in only):
                at += 1
                if self.text[at] == "\n":
                    at += 1
                    continue
            places.append(at)
            at += 1
        return places


def operand_index(words: Sequence[ShellWord], with_value: Collection[str]) -> int:
    """Index of the first word that is no option; `len(words)` if there is none.

    Args:
        words: The words after the program.
        with_value: Options that take the next word: single letters, or long ones with dashes.
    """
    index = 0
    while index < len(words):
        text = words[index].text
        if text == "--":
            return index + 1
        if len(text) < 2 or text[0] != "-":
            return index
        if text.startswith("--"):
            index += text in with_value
        else:
            value = next((i for i, letter in enumerate(text) if i and letter in with_value), None)
            index += value == len(text) - 1
        index += 1
    return index


def operands(words: Sequence[ShellWord], with_value: Collection[str]) -> list[ShellWord]:
    """The words that are neither options nor values of options."""
    found: list[ShellWord] = []
    rest = list(words)
    literal = False
    while rest:
        index = 0 if literal else operand_index(rest, with_value)
        literal = literal or (0 < index <= len(rest) and rest[index - 1].text == "--")
        if index < len(rest):
            found.append(rest[index])
        rest = rest[index + 1 :]
    return found
