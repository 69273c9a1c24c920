"""A command line read by the grammar of the shell: which programs run, with what words, where.

Words carry their place in the source as code points, also when they stand within `bash -c '…'`,
a command for `ssh`, a heredoc that a shell reads, or a command substitution.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

LONGEST = 200_000
DEEPEST = 6

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash"})

PREFIXES: dict[str, tuple[Collection[str], int]] = {
    "sudo": ("ugpCDhRrtTU", 0),
    "doas": ("uC", 0),
    "env": ("uC", 0),
    "nohup": ("", 0),
    "nice": ("n", 0),
    "ionice": ("cnp", 0),
    "time": ("fo", 0),
    "timeout": (("k", "s", "--signal", "--kill-after"), 1),
    "gtimeout": (("k", "s", "--signal", "--kill-after"), 1),
    "stdbuf": ("ioe", 0),
    "setsid": ("", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("a", 0),
    "unbuffer": ("", 0),
    "watch": ("n", 0),
    "strace": ("eopsauESPI", 0),
    "xargs": (("a", "d", "E", "I", "L", "n", "P", "s", "--max-args", "--max-procs"), 0),
    "sshpass": ("pfd", 0),
}
"""Programs that run the command in their arguments: options that take a value, and how many words
of their own come before it."""

RUNNERS: dict[str, tuple[str, ...]] = {
    "npx": (),
    "bunx": (),
    "uvx": (),
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
}
"""Programs that run another by name, after one of these words if there are any."""

RUNNER_OPTIONS_WITH_VALUE = ("p", "--with", "--python", "--package", "--extra", "--from", "--group")
EXEC_OPTIONS_WITH_VALUE = ("e", "u", "w", "--env", "--env-file", "--user", "--workdir", "--index")
SSH_OPTIONS_WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw"

EXPANSIONS = frozenset(
    {
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
WORDS = EXPANSIONS | {
    "word",
    "number",
    "string",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "brace_expression",
}


class Word(NamedTuple):
    """One word of a command, quotes removed, and its place in the source (code points)."""

    text: str
    start: int
    end: int
    dynamic: bool = False
    """Whether a part is only known when it runs: a variable, a substitution."""
    quoted: bool = False
    """Whether quotes stand around it or within it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command.

    `name` is the program without its folder; `words` begins with it. `via` names what started it,
    outermost first (sudo, xargs, bash, ssh, …); `remote` is the word that says on which host, for
    a command that ssh runs there. `piped` says that it reads what another command writes.
    """

    name: str
    words: tuple[Word, ...]
    via: tuple[str, ...] = ()
    remote: Word | None = None
    assignments: tuple[Word, ...] = ()
    redirections: tuple[Word, ...] = ()
    heredocs: tuple[Word, ...] = ()
    piped: bool = False

    @property
    def args(self) -> tuple[Word, ...]:
        """Words after the program."""
        return self.words[1:]


@lru_cache(maxsize=16_384)
def commands(source: str) -> tuple[Command, ...]:
    """Simple commands of a command line, what they start included; none over 200,000 characters.

    What the grammar cannot read is left out, the rest is given.
    """
    if len(source) > LONGEST:
        return ()
    return tuple(_read(source, range(len(source)), Setting()))


@lru_cache(maxsize=4_096)
def functions(source: str) -> frozenset[str]:
    """Names of the functions that a command line defines."""
    if "()" not in source and "function" not in source:
        return frozenset()
    script = Script(source, range(len(source)))
    names: set[str] = set()
    for node, _ in _nodes(_parser().parse(script.raw).root_node):
        if node.type == "function_definition":
            name = node.child_by_field_name("name")
            if name is not None:
                names.add(script.token(name).word.text)
    return frozenset(names)


def operand_index(words: Sequence[Word], with_value: Collection[str]) -> int:
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


def operands(words: Sequence[Word], with_value: Collection[str]) -> list[Word]:
    """The words that are neither options nor values of options."""
    found: list[Word] = []
    rest = list(words)
    literal = False
    while rest:
        index = 0 if literal else operand_index(rest, with_value)
        literal = literal or (0 < index <= len(rest) and rest[index - 1].text == "--")
        if index < len(rest):
            found.append(rest[index])
        rest = rest[index + 1 :]
    return found


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a command stands: what started it, on which host, how deep."""

    via: tuple[str, ...] = ()
    remote: Word | None = None
    depth: int = 0

    def under(self, name: str, remote: Word | None = None) -> "Setting":
        """The setting of what `name` starts."""
        return Setting((*self.via, name), remote or self.remote, self.depth + 1)


class Token(NamedTuple):
    """A word, and where each of its characters stands in the outermost source."""

    word: Word
    places: Sequence[int]


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


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
        word = Word(
            text,
            self.places[start],
            self.places[end - 1] + 1,
            dynamic,
            node.type not in ("word", "number") and end - start != len(places),
        )
        return Token(word, [self.places[place] for place in places])

    def slice(self, node: Node) -> Token:
        """A node as it stands."""
        start, end = self.span(node)
        return Token(
            Word(self.text[start:end], self.places[start], self.places[end - 1] + 1, True),
            self.places[start:end],
        )

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


def _nodes(root: Node) -> Iterator[tuple[Node, bool]]:
    """All nodes in the order of the text, each with whether it reads from a pipe.

    By a stack, since `a && b && …` nests as deep, and without asking for parents or siblings,
    which tree-sitter looks for from the root.
    """
    stack = [(root, False)]
    while stack:
        node, piped = stack.pop()
        yield node, piped
        if not node.child_count or node.type == "comment":
            continue
        children = node.children
        inside: list[tuple[Node, bool]] = []
        for index, child in enumerate(children):
            behind = index > 0 and children[index - 1].type in ("|", "|&")
            within = piped and index == 0 and node.type in ("redirected_statement", "pipeline")
            inside.append((child, behind or within))
        stack.extend(reversed(inside))


def _read(text: str, places: Sequence[int], setting: Setting) -> Iterator[Command]:
    if setting.depth > DEEPEST or not text.strip():
        return
    script = Script(text, places)
    redirections: dict[int, list[Node]] = {}
    for node, piped in _nodes(_parser().parse(script.raw).root_node):
        if node.type == "redirected_statement":
            last = _last_command(node)
            if last is not None:
                redirections.setdefault(last.id, []).extend(
                    child for child in node.children if child.type.endswith("_redirect")
                )
        elif node.type == "command":
            yield from _command(script, node, redirections.get(node.id, []), piped, setting)


def _last_command(node: Node) -> Node | None:
    """The command that a statement's redirections belong to: the last of its body."""
    body: Node | None = node.child_by_field_name("body")
    while body is not None and body.type in ("list", "pipeline", "redirected_statement"):
        body = body.named_children[-1] if body.named_child_count else None
    return body if body is not None and body.type == "command" else None


def _command(
    script: Script, node: Node, redirects: Sequence[Node], piped: bool, setting: Setting
) -> Iterator[Command]:
    tokens: list[Token] = []
    assignments: list[Word] = []
    redirects = [*redirects]
    for child in node.children:
        if child.type == "command_name":
            tokens.append(script.token(child.children[0] if child.child_count else child))
        elif child.type == "variable_assignment":
            assignments.append(script.slice(child).word)
        elif child.type.endswith("_redirect"):
            redirects.append(child)
        elif child.type in WORDS:
            tokens.append(script.token(child))
    targets: list[Word] = []
    heredocs: list[Token] = []
    for redirect in redirects:
        if redirect.type == "file_redirect":
            destination = redirect.child_by_field_name("destination")
            if destination is not None and destination.type in WORDS - {"number"}:
                targets.append(script.token(destination).word)
        elif redirect.type == "heredoc_redirect":
            heredocs += [
                script.slice(child)
                for child in redirect.children
                if child.type == "heredoc_body" and child.end_byte > child.start_byte
            ]
    first = Command(
        "",
        (),
        assignments=tuple(assignments),
        redirections=tuple(targets),
        heredocs=tuple(token.word for token in heredocs),
        piped=piped,
    )
    yield from _resolve(tokens, heredocs, first, setting)


def _resolve(
    tokens: Sequence[Token], heredocs: Sequence[Token], shape: Command, setting: Setting
) -> Iterator[Command]:
    """The command of some words, and those that it starts."""
    while tokens:
        name = tokens[0].word.text.replace("\\", "/").rsplit("/", 1)[-1]
        rest = _behind_prefix(name, tokens)
        if rest is None:
            break
        setting = setting.under(name)
        tokens = rest
    if not tokens or setting.depth > 4 * DEEPEST:
        return
    words = tuple(token.word for token in tokens)
    name = words[0].text if words[0].dynamic else words[0].text.rsplit("/", 1)[-1]
    if not name:
        return
    yield replace(shape, name=name, words=words, via=setting.via, remote=setting.remote)
    inner = setting.under(name)
    match name:
        case _ if name in SHELLS or name == "su":
            at = next((i for i, word in enumerate(words) if i and _is_script_option(word)), None)
            if at is not None and at + 1 < len(tokens):
                yield from _read(tokens[at + 1].word.text, tokens[at + 1].places, inner)
            elif all(word.text.startswith("-") for word in words[1:]):
                yield from _scripts(heredocs, inner)
        case "eval":
            yield from _joined(tokens[1:], inner)
        case "ssh":
            at = operand_index(words[1:], SSH_OPTIONS_WITH_VALUE) + 1
            if at < len(tokens):
                there = setting.under(name, words[at])
                yield from _joined(tokens[at + 1 :], there)
                if at + 1 == len(tokens):
                    yield from _scripts(heredocs, there)
        case "docker" | "podman" | "docker-compose" | "nerdctl":
            at = 3 if len(words) > 2 and words[1].text == "compose" else 2
            if len(words) > at and words[at - 1].text == "exec":
                target = at + operand_index(words[at:], EXEC_OPTIONS_WITH_VALUE)
                yield from _resolve(tokens[target + 1 :], (), Command("", ()), inner)
        case "kubectl" | "oc":
            at = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
            if any(word.text == "exec" for word in words[1:at]):
                yield from _resolve(tokens[at + 1 :], (), Command("", ()), inner)
        case "find":
            yield from _executed_by_find(tokens, inner)
        case _ if name in RUNNERS:
            at = 1
            if RUNNERS[name]:
                if len(words) < 2 or words[1].text not in RUNNERS[name]:
                    return
                at = 2
            at += operand_index(words[at:], RUNNER_OPTIONS_WITH_VALUE)
            yield from _resolve(tokens[at:], (), Command("", (), piped=shape.piped), inner)
        case _:
            pass


def _behind_prefix(name: str, tokens: Sequence[Token]) -> Sequence[Token] | None:
    """What a prefix such as sudo runs; None if it is none, or runs nothing."""
    if name not in PREFIXES:
        return None
    with_value, own = PREFIXES[name]
    words = [token.word for token in tokens]
    if name == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return None
    at = 1 + operand_index(words[1:], with_value)
    while at < len(words) and name in ("env", "sudo", "doas") and "=" in words[at].text:
        at += 1
    at += own
    return tokens[at:] if at < len(tokens) else None


def _is_script_option(word: Word) -> bool:
    text = word.text
    return text.startswith("-") and not text.startswith("--") and text.endswith("c")


def _scripts(heredocs: Sequence[Token], setting: Setting) -> Iterator[Command]:
    for heredoc in heredocs:
        yield from _read(heredoc.word.text, heredoc.places, setting)


def _joined(tokens: Sequence[Token], setting: Setting) -> Iterator[Command]:
    """Commands of words that a shell joins by spaces and reads again."""
    text: list[str] = []
    places: list[int] = []
    for token in tokens:
        if not token.places:
            continue
        if places:
            text.append(" ")
            places.append(places[-1])
        text.append(token.word.text)
        places += token.places
    yield from _read("".join(text), places, setting)


def _executed_by_find(tokens: Sequence[Token], setting: Setting) -> Iterator[Command]:
    at = 0
    while at < len(tokens):
        if tokens[at].word.text in ("-exec", "-execdir", "-ok"):
            end = at + 1
            while end < len(tokens) and tokens[end].word.text not in (";", "+"):
                end += 1
            yield from _resolve(tokens[at + 1 : end], (), Command("", ()), setting)
            at = end
        at += 1
