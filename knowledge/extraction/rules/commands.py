"""What an agent did: tools used, commands run, hosts reached, kinds of operation."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import polars as pl

from cairn.knowledge.extraction.rules.rule import (
    CALLS,
    RUNS_COMMAND,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    command_line,
    each,
    rule,
)
from cairn.knowledge.nlp.shell.parser import SSH_OPTIONS_WITH_VALUE, Command, variables
from cairn.knowledge.nlp.shell.programs import learned_operations, operations
from cairn.knowledge.nlp.shell.words import ShellWord, operand_index, operands
from cairn.knowledge.schema.policy import Policy

COMMAND_CHARACTERS = 500

CONNECTING = r"ssh|scp|sftp|rsync|mosh|git\b.*@"
"""What a tool's input holds if a rule for hosts finds one: JSON, where a line begins with `\\n`."""

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
_IPV6 = re.compile(r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?")
_REMOTE_PATH = re.compile(
    r"(?P<host>(?:[^\s@/:\[\]]+@)?(?:\[[0-9A-Fa-f:%\w]+\]|[^\s@/:\[\]]+)):(?!//)"
)
_PLACEHOLDER = re.compile(r"(?=\w*_)[A-Z][A-Z0-9_]+")
"""What stands where a name was blacked out or is still to be filled in."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_VARIABLE = re.compile(r"\$(?:(?P<brace>\{)?)(?P<name>\w+)(?(brace)\})")
_ANYTHING = re.compile(r"(?P<hops>.+)")
_JUMP_IN_OPTION = re.compile(r"(?i)ProxyJump[\s=]+(?P<hops>\S+)")
_JUMP_IN_COMMAND = re.compile(r"\s-J\s*(?P<hops>\S+)")
_ASKING = frozenset({"-V", "-G", "-Q"})
"""Options of ssh that print something and connect to nothing."""

_ADDRESS = re.compile(r"(?P<scheme>ssh|scp|sftp|rsync)://(?P<host>[^/\s]+)")

_COPY_OPTIONS = {
    "scp": "cDFiJloPSX",
    "sshfs": "opF",
    "rsync": (
        "e", "f", "B", "T", "M", "--rsh", "--exclude", "--include", "--filter", "--exclude-from",
        "--include-from", "--files-from", "--log-file", "--bwlimit", "--port", "--password-file",
        "--rsync-path", "--timeout", "--backup-dir", "--link-dest", "--compare-dest", "--chmod",
        "--chown", "--max-size", "--min-size", "--partial-dir", "--suffix", "--info",
        "--out-format",
    ),
}  # fmt: skip
_GIT_VERBS = frozenset({"clone", "fetch", "pull", "push", "ls-remote", "submodule"})
_GIT_OPTIONS = ("C", "c", "b", "o", "--git-dir", "--work-tree", "--branch", "--origin", "--depth")
_LOGIN_OPTIONS = {
    "ssh": SSH_OPTIONS_WITH_VALUE,
    "autossh": SSH_OPTIONS_WITH_VALUE + "M",
    "sftp": "BbcDFiJloPRSs",
    "mosh": ("p", "--ssh", "--port", "--predict", "--server", "--client"),
    "ssh-copy-id": "iFpot",
}


def used_tool(record: Record, _: Policy) -> Iterator[RuleMatch]:
    """The tool of a call."""
    if record.tool_name and record.tool_name.strip():
        yield RuleMatch(record.tool_name.strip(), 0, len(record.tool_name), "tool_name")


def _executed_command(record: Record, _: Policy) -> Iterator[RuleMatch]:
    if line := command_line(record):
        text = " ".join(line.shown.split())[:COMMAND_CHARACTERS].rstrip()
        start = len(line.text) - len(line.text.lstrip())
        yield line.found(text, start, len(line.text.rstrip()))


def hosts(
    command: Command, values: Mapping[str, Sequence[ShellWord]] = MappingProxyType({})
) -> list[tuple[str, ShellWord]]:
    """Hosts that a command connects to, each with the word that names it.

    Args:
        command: A simple command.
        values: Plain values of the variables that its words may name.
    """
    args = command.args
    found: list[tuple[str, ShellWord]] = []
    if command.name in _LOGIN_OPTIONS:
        with_value = _LOGIN_OPTIONS[command.name]
        at = operand_index(args, with_value)
        if at < len(args) and not _ASKING.intersection(word.text for word in args[:at]):
            found += _jumps(args[:at])
            for word in _spelled(args[at], values):
                if host := _host(word.text, path=command.name == "sftp"):
                    found.append((host, word))
    elif command.name in _COPY_OPTIONS:
        found += _jumps(args)
        for operand in operands(args, _COPY_OPTIONS[command.name]):
            found += _of_remote_paths(_spelled(operand, values))
    elif command.name == "git":
        words = operands(args, _GIT_OPTIONS)
        if words and words[0].text in _GIT_VERBS:
            found += _of_remote_paths(
                word for word in words[1:] if "@" in word.text or word.text.startswith("ssh://")
            )
    return found


def _of_remote_paths(words: Iterable[ShellWord]) -> Iterator[tuple[str, ShellWord]]:
    for word in words:
        remote = _ADDRESS.match(word.text) or _REMOTE_PATH.match(word.text)
        # A drive letter and a local path with a colon are no hosts.
        if remote and not _DRIVE.match(word.text) and (host := _host(word.text, path=True)):
            yield host, word


def _spelled(word: ShellWord, values: Mapping[str, Sequence[ShellWord]]) -> Iterator[ShellWord]:
    """A word with each plain value of the variable that stands for its host, else as it is."""
    host = word.text.split(":", 1)[0].rsplit("@", 1)[-1]
    name = _VARIABLE.search(host) if word.dynamic else None
    if name is None:
        yield word
        return
    for value in values.get(name["name"], ()):
        yield value._replace(text=word.text.replace(name[0], value.text))


def _jumps(options: Sequence[ShellWord]) -> Iterator[tuple[str, ShellWord]]:
    """Hosts on the way: `-J one,two`, `-o ProxyJump=one`, and so in the ssh that rsync is given."""
    for option, value in pairwise(options):
        text = value.text
        if option.text in ("-e", "--rsh"):
            jump = _JUMP_IN_COMMAND.search(text)
        elif option.text == "-o":
            jump = _JUMP_IN_OPTION.match(text)
        else:
            jump = _ANYTHING.match(text) if option.text == "-J" else None
        for hop in jump["hops"].split(",") if jump else ():
            if host := _host(hop, path=False):
                yield host, value


def _host(target: str, path: bool) -> str | None:
    """The host in `user@host`, `[address]`, `host:path` or `ssh://user@host:port`."""
    address = _ADDRESS.match(target)
    if address:
        target = address["host"]
    host = target.rsplit("@", 1)[-1] if address or not path else _before_path(target)
    if host.startswith("["):
        host = host[1:].split("]", 1)[0]
    elif host.count(":") == 1:
        host = host.split(":", 1)[0]
    if _IPV6.fullmatch(host):
        return host
    if host.isdigit() or _PLACEHOLDER.fullmatch(host):
        return None
    return host if _HOST.fullmatch(host) else None


def _before_path(target: str) -> str:
    remote = _REMOTE_PATH.match(target)
    return (remote["host"] if remote else target).rsplit("@", 1)[-1]


def hosts_in(record: Record) -> Iterator[RuleMatch]:
    """Hosts that a call of a shell tool connects to."""
    if (line := command_line(record)) is None:
        return
    known = variables(line.text) if "$" in line.text and not line.words else {}
    for command in line.commands:
        for host, word in hosts(command, known):
            yield line.found(host, *_within(line.text, host, word))


def _connects_to_host(record: Record, _: Policy) -> Iterator[RuleMatch]:
    yield from hosts_in(record)


def _within(source: str, name: str, word: ShellWord) -> tuple[int, int]:
    """Place of a name inside its word; the whole word when quotes cut it up."""
    at = source.rfind(name, word.start, word.end)
    if ":" in source[word.start : word.end]:
        at = source.find(name, source.find("@", word.start, word.end) + 1 or word.start, word.end)
    return (word.start, word.end) if at < 0 else (at, at + len(name))


def _operation_type(record: Record, policy: Policy) -> Iterator[RuleMatch]:
    if (line := command_line(record)) is None:
        return
    for command in line.commands:
        for operation in operations(command) or learned_operations(command, policy):
            first, last = operation.first, operation.last
            end = last.end if last.end > first.start else first.end
            yield line.found(operation.type, first.start, end)


RULES: tuple[Rule, ...] = (
    rule(
        "used_tool",
        1,
        "A tool that the agent called.",
        confidence=1.0,
        reads=CALLS & pl.col("tool_name").is_not_null(),
        find=each(used_tool),
        content="{entity} used the tool {object}",
    ),
    rule(
        "executed_command",
        2,
        "A command line that the agent ran, or a list of words as one would type it, white space "
        "collapsed, at most 500 characters.",
        confidence=1.0,
        reads=RUNS_COMMAND,
        find=each(_executed_command),
        content="{entity} ran the command {object}",
        examples=(RuleExample("git  status", ("git status",)),),
    ),
    rule(
        "connects_to_host",
        5,
        "A host that ssh, scp, sftp, rsync, mosh, sshfs, ssh-copy-id or git over ssh connects to.",
        confidence=0.9,
        reads=RUNS_COMMAND & pl.col("tool_input").str.contains(CONNECTING),
        find=each(_connects_to_host),
        content="{entity} connects to host {object}",
        examples=(
            RuleExample(
                "sshpass -p '[redacted:sshpass]' ssh root@192.168.20.4 'ls -la'", ("192.168.20.4",)
            ),
            RuleExample("rsync -av dist/ deploy@web1:/srv/app", ("web1",)),
            RuleExample("git config user.email ann@example.org"),
            RuleExample("npm install @scope/package && ssh -V"),
        ),
    ),
    rule(
        "operation_type",
        4,
        "What kind of work a command is, from its program, its first operand and its flags; where "
        "these say nothing, what the setting `learned_operations` says.",
        confidence=0.8,
        reads=RUNS_COMMAND,
        find=each(_operation_type),
        content="{entity} involves {words}",
        policy=("learned_operations",),
        examples=(
            RuleExample("tar xzf dist.tar.gz", ("archive_manipulation",)),
            RuleExample("cd app && npm test", ("verification",)),
            RuleExample("npm start --target web"),
        ),
    ),
)
