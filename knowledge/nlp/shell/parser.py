"""A command line read by the grammar of the shell: which programs run, with what words, where.

Words carry their place in the source as code points, also when they stand within `bash -c '…'`,
a command for `ssh`, a heredoc that a shell reads, or a command substitution.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from cairn.knowledge.nlp.shell.order import OUTERMOST, NodePlace, Runs, last_statement, within
from cairn.knowledge.nlp.shell.source import LONGEST, PIECE, piece_end, readable
from cairn.knowledge.nlp.shell.words import WORDS, Script, ShellWord, Token, operand_index

DEEPEST = 8
MOST_VALUES = 50

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash"})

PREFIXES: dict[str, tuple[Collection[str], int]] = {
    "sudo": ("ugpCDhRrtTU", 0),
    "doas": ("uC", 0),
    "env": ("uC", 0),
    "nohup": ("", 0),
    "nice": ("n", 0),
    "ionice": ("cnp", 0),
    "time": ("of", 0),
    "timeout": (("k", "s", "--signal", "--kill-after"), 1),
    "gtimeout": (("k", "s", "--signal", "--kill-after"), 1),
    "stdbuf": ("ioe", 0),
    "setsid": ("", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("a", 0),
    "unbuffer": ("", 0),
    "strace": ("eopsauESPI", 0),
    "xargs": (("a", "d", "E", "I", "L", "n", "P", "s", "--max-args", "--max-procs"), 0),
    "sshpass": ("pfd", 0),
}
"""Programs that run the command in their arguments: options that take a value, and how many words
of their own come before it."""

RUNNERS: dict[str, tuple[str, ...]] = {
    "npx": (),
    "bunx": (),
    "corepack": (),
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


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command.

    `name` is the program without its folder; `words` begins with it. `via` names what started it,
    outermost first (sudo, xargs, bash, ssh, …); `remote` is the word that says on which host, for
    a command that ssh runs there. `piped` says that it reads what another command writes.
    `doubtful` says that it may be no command at all: the grammar met an error before it was done
    with it, or it stands between backticks in quoted text, as words do in prose. `runs` says
    whether it runs when the line does, `subshells` names those in which it does, outermost first:
    what is set or entered in one is left with it.
    """

    name: str
    words: tuple[ShellWord, ...]
    via: tuple[str, ...] = ()
    remote: ShellWord | None = None
    assignments: tuple[ShellWord, ...] = ()
    redirections: tuple[ShellWord, ...] = ()
    heredocs: tuple[ShellWord, ...] = ()
    piped: bool = False
    doubtful: bool = False
    runs: Runs = Runs.SURELY
    subshells: tuple[int, ...] = ()

    @property
    def args(self) -> tuple[ShellWord, ...]:
        """Words after the program."""
        return self.words[1:]


@lru_cache(maxsize=16_384)
def commands(source: str) -> tuple[Command, ...]:
    """Simple commands of a command line, what they start included, as far as it is read.

    What the grammar cannot read is left out, the rest is given.
    """
    return tuple(_read(source, range(len(source)), Setting()))


@lru_cache(maxsize=16_384)
def started(words: tuple[str, ...]) -> tuple[Command, ...]:
    """Simple commands of a program that is started with these words, and no shell between.

    Places count in the words with one space between them.
    """
    tokens: list[Token] = []
    for text in words:
        start = tokens[-1].word.end + 1 if tokens else 0
        end = start + len(text)
        tokens.append(Token(ShellWord(text, start, end), range(start, end)))
    return tuple(_resolve(tokens, (), Command("", ()), Setting()))


def script_among(words: Sequence[str]) -> int | None:
    """Index of the word that is a script, where a shell is started with these words to run it."""
    name = re.split(r"[/\\]", words[0])[-1].lower().removesuffix(".exe") if words else ""
    if name in SHELLS:
        option = _script_option(words, behind_operands=False)
        return option + 1 if option is not None and option + 1 < len(words) else None
    told = len(words) > 2 and words[-2].lower() in ("-c", "-command")
    return len(words) - 1 if name in ("pwsh", "powershell") and told else None


@lru_cache(maxsize=4_096)
def unreadable(source: str) -> bool:
    """Whether the grammar could not read a part of a command line, or all of a long one."""
    if len(source) > LONGEST:
        return True
    return any(node.has_error for _, node in _statements(source, range(len(source)), 0))


@lru_cache(maxsize=4_096)
def functions(source: str) -> frozenset[str]:
    """Names of the functions that a command line defines."""
    if "()" not in source and "function" not in source:
        return frozenset()
    names: set[str] = set()
    for script, node, _ in _nodes(source, range(len(source))):
        if node.type == "function_definition":
            name = node.child_by_field_name("name")
            if name is not None:
                names.add(script.token(name).word.text)
    return frozenset(names)


@lru_cache(maxsize=4_096)
def variables(source: str) -> Mapping[str, tuple[ShellWord, ...]]:
    """The first plain values that a command line gives its variables, each with its place.

    They come from `NAME=value` and `for NAME in one two`; what is only known when it runs is no
    value.
    """
    values: dict[str, dict[str, ShellWord]] = {}
    for script, node, _ in _nodes(source, range(len(source))):
        if node.type in ("variable_assignment", "for_statement"):
            field = "name" if node.type == "variable_assignment" else "variable"
            name = node.child_by_field_name(field)
            if name is None or name.type != "variable_name":
                continue
            for child in node.children_by_field_name("value"):
                word = script.token(child).word if child.type in WORDS else None
                of_name = values.setdefault(script.token(name).word.text, {})
                if word and word.text and not word.dynamic and len(of_name) < MOST_VALUES:
                    of_name.setdefault(word.text, word)
    return {name: tuple(words.values()) for name, words in values.items() if words}


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a command stands: what started it, on which host, how deep."""

    via: tuple[str, ...] = ()
    remote: ShellWord | None = None
    level: int = 0
    """Scripts that it stands in."""
    place: NodePlace = OUTERMOST
    """Where the command that starts it stands among others."""

    def under(self, name: str, remote: ShellWord | None = None) -> "Setting":
        """The setting of what `name` starts."""
        return replace(self, via=(*self.via, name), remote=remote or self.remote)


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _statements(text: str, places: Sequence[int], level: int) -> Iterator[tuple[Script, Node]]:
    """What stands outermost in a script, read piece by piece.

    A piece begins where the last statement of the one before it began, since that may go on; a
    statement longer than a piece is cut.
    """
    text, places = readable(text, places, level)
    start, advance = 0, PIECE
    while start < len(text):
        end = piece_end(text, start)
        script = Script(text[start:end], places[start:end])
        found = _parser().parse(script.raw).root_node.children
        going_on = end < len(text) and found and found[-1].is_named
        again = script.span(found[-1])[0] if going_on else 0
        if again and again + advance > PIECE // 2:  # two pieces in a row get on by half of one
            found, end = found[:-1], start + again
        for node in found:
            yield script, node
        start, advance = end, end - start


def _nodes(
    text: str, places: Sequence[int], level: int = 0, start: NodePlace = OUTERMOST
) -> Iterator[tuple[Script, Node, NodePlace]]:
    """All nodes in the order of the text, and where each stands.

    By a stack, since `a && b && …` nests as deep, and without asking for parents or siblings,
    which tree-sitter looks for from the root.
    """
    statements = list(_statements(text, places, level))
    last = last_statement([statement.type for _, statement in statements])
    broken = start.doubtful
    for index, (script, statement) in enumerate(statements):
        broken |= statement.has_error
        silent = start.silent or index < last
        stack = [(statement, NodePlace(doubtful=broken, runs=start.runs, silent=silent))]
        while stack:
            node, place = stack.pop()
            yield script, node, place
            if node.child_count and node.type != "comment":
                stack.extend(reversed([*within(node, place, script.raw)]))


def _read(text: str, places: Sequence[int], setting: Setting) -> Iterator[Command]:
    if len(setting.via) > DEEPEST or not text.strip():
        return
    inside = replace(setting, level=setting.level + 1)
    redirections: dict[int, list[Node]] = {}
    for script, node, place in _nodes(text, places, setting.level, setting.place):
        if node.type == "redirected_statement":
            last = _last_command(node)
            if last is not None:
                redirections.setdefault(last.id, []).extend(
                    child for child in node.children if child.type.endswith("_redirect")
                )
        elif node.type == "command":
            here = replace(inside, place=place)
            yield from _command(script, node, redirections.pop(node.id, []), here)


def _last_command(node: Node) -> Node | None:
    """The command that a statement's redirections belong to: the last of its body."""
    body: Node | None = node.child_by_field_name("body")
    while body is not None and body.type in ("list", "pipeline", "redirected_statement"):
        body = body.named_children[-1] if body.named_child_count else None
    return body if body is not None and body.type == "command" else None


def _command(
    script: Script, node: Node, redirects: Sequence[Node], setting: Setting
) -> Iterator[Command]:
    tokens: list[Token] = []
    assignments: list[ShellWord] = []
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
    targets: list[ShellWord] = []
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
        piped=setting.place.piped,
    )
    yield from _resolve(tokens, heredocs, first, setting)


def _resolve(
    tokens: Sequence[Token], heredocs: Sequence[Token], shape: Command, setting: Setting
) -> Iterator[Command]:
    """The command of some words, and those that it starts."""
    while tokens and len(setting.via) <= DEEPEST:
        name = tokens[0].word.text.replace("\\", "/").rsplit("/", 1)[-1]
        rest = _behind_prefix(name, tokens)
        if rest is None:
            break
        setting = setting.under(name)
        tokens = rest
    if not tokens or len(setting.via) > DEEPEST:
        return
    words = tuple(token.word for token in tokens)
    name = words[0].text if words[0].dynamic else words[0].text.rsplit("/", 1)[-1]
    if not name:
        return
    yield replace(
        shape, name=name, words=words, via=setting.via, remote=setting.remote,
        doubtful=setting.place.doubtful, runs=setting.place.runs,
        subshells=setting.place.subshells,
    )  # fmt: skip
    inner = setting.under(name)
    match name:
        case _ if name in SHELLS or name == "su":
            at = _script_option([word.text for word in words], behind_operands=name == "su")
            if at is not None and at + 1 < len(tokens):
                yield from _read(tokens[at + 1].word.text, tokens[at + 1].places, inner)
            elif all(word.text.startswith("-") for word in words[1:]):
                yield from _scripts(heredocs, inner)
        case "eval":
            yield from _joined(tokens[1:], inner)
        case "watch":
            yield from _joined(tokens[1 + operand_index(words[1:], "n") :], inner)
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


def _script_option(words: Sequence[str], behind_operands: bool) -> int | None:
    """Index of the option that gives a shell its script: `-c`, `-lc`, `-o pipefail -c`."""
    for index, text in enumerate(words[1:], 1):
        if text.startswith("-") and not text.startswith("--") and "c" in text:
            return index
        value = re.fullmatch(r"[-+]\w*[oO]", words[index - 1]) is not None
        if not (behind_operands or value or text.startswith(("-", "+"))):
            return None
    return None


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
