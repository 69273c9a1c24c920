"""Things by name that are observed: hosts, tools, packages, projects, persons."""

import re
from collections.abc import Iterator, Sequence

import polars as pl

from cairn.knowledge.extraction.rules.commands import CONNECTING, hosts_in, used_tool
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
from cairn.knowledge.extraction.rules.seen_programs import programs
from cairn.knowledge.nlp.shell.parser import Command
from cairn.knowledge.nlp.shell.words import ShellWord, operand_index, operands
from cairn.knowledge.schema.policy import Policy

_NAME = re.compile(r"(?:@[\w.~-]+/)?[A-Za-z0-9](?:[\w.+-]*[A-Za-z0-9+])?")
_WITH_FOLDERS = re.compile(rf"(?:{_NAME.pattern})(?:/{_NAME.pattern})*")
_EXTRAS = re.compile(r"(?:\[[^\]]*\])?(?:\s*(?:===?|[<>~!]=?|\^|@(?!.*/)|:|=).*)?$")
_PIP_OPTIONS = (
    "r", "c", "e", "i", "t", "f", "--requirement", "--constraint", "--editable", "--index-url",
    "--extra-index-url", "--target", "--python", "--prefix", "--root", "--find-links", "--group",
    "--extra", "--index", "--optional", "--with", "--platform", "--proxy", "--trusted-host",
)  # fmt: skip
_NPM_OPTIONS = ("C", "--prefix", "--filter", "--registry", "--cwd", "--workspace", "-w")
_CARGO_OPTIONS = (
    "F", "p", "--features", "--package", "--vers", "--version", "--path", "--git", "--rename",
    "--branch", "--tag", "--rev", "--root", "--registry", "--bin",
)  # fmt: skip
_APT_OPTIONS = ("o", "t", "c", "--target-release", "--repository", "n", "--name", "--channel")
_PLAIN_OPTIONS = ("v", "--version", "--tag", "--source")

_INSTALLERS: dict[str, tuple[frozenset[str], Sequence[str]]] = {
    **{name: (frozenset({"install", "download"}), _PIP_OPTIONS) for name in ("pip", "pip3")},
    "pipx": (frozenset({"install", "inject"}), _PIP_OPTIONS),
    "uv": (frozenset({"add"}), _PIP_OPTIONS),
    "poetry": (frozenset({"add"}), _PIP_OPTIONS),
    "pdm": (frozenset({"add"}), _PIP_OPTIONS),
    "rye": (frozenset({"add"}), _PIP_OPTIONS),
    **{name: (frozenset({"install", "i", "add"}), _NPM_OPTIONS) for name in ("npm", "bun")},
    **{name: (frozenset({"add", "install"}), _NPM_OPTIONS) for name in ("pnpm", "yarn")},
    "cargo": (frozenset({"add", "install"}), _CARGO_OPTIONS),
    **{
        name: (frozenset({"install", "add", "reinstall"}), _APT_OPTIONS)
        for name in ("apt", "apt-get", "apk", "dnf", "yum", "zypper", "conda", "mamba", "snap")
    },
    "go": (frozenset({"get", "install"}), ("o",)),
    "brew": (frozenset({"install", "reinstall"}), ()),
    "gem": (frozenset({"install"}), _PLAIN_OPTIONS),
    "mix": (frozenset({"igniter.install"}), _PLAIN_OPTIONS),
    "composer": (frozenset({"require"}), _PLAIN_OPTIONS),
}
"""Words that install, and options that take a value, by program."""

_INSTALLING = "|".join(
    sorted(re.escape(verb) for verb in frozenset().union(*(own for own, _ in _INSTALLERS.values())))
)


def _hosts(record: Record, _: Policy) -> Iterator[RuleMatch]:
    yield from hosts_in(record)


def packages(command: Command) -> list[tuple[str, ShellWord]]:
    """Packages that a command installs by name, each with its word."""
    args = command.args
    name = command.name
    if name.startswith("python") and [word.text for word in args[:2]] == ["-m", "pip"]:
        name, args = "pip", args[2:]
    elif name == "uv" and args and args[0].text in ("pip", "tool"):
        name, args = "pip", args[1:]
    if name not in _INSTALLERS:
        return []
    verbs, with_value = _INSTALLERS[name]
    at = operand_index(args, with_value)
    if name == "yarn" and at < len(args) and args[at].text == "global":
        at += 1
    if at >= len(args) or args[at].text not in verbs:
        return []
    found: list[tuple[str, ShellWord]] = []
    for word in operands(args[at + 1 :], with_value):
        text = word.text
        if word.dynamic or "://" in text or text.startswith((".", "/", "~", "git+", "file:")):
            continue
        package = _EXTRAS.sub("", text.split(";", 1)[0].rstrip())
        if name in ("npm", "pnpm", "yarn", "bun"):
            package = re.sub(r"(?<=.)@.*$", "", text)
            if "/" in package and not package.startswith("@"):
                continue
        grammar = _WITH_FOLDERS if name in ("go", "composer", "brew") else _NAME
        if name == "go":
            package = text.split("@", 1)[0].removesuffix("/...")
            if "." not in package.split("/", 1)[0]:
                continue  # a package of this module or of the standard library
        if grammar.fullmatch(package) and not re.search(
            r"\.(?:whl|tar|gz|tgz|zip|deb|rpm|txt)$", package
        ):
            found.append((package, word))
    return found


def _packages(record: Record, _: Policy) -> Iterator[RuleMatch]:
    line = command_line(record)
    if line is None:
        return
    for command in line.commands:
        for package, word in packages(command):
            start = line.text.find(package, word.start, word.end)
            end = start + len(package) if start >= 0 else word.end
            yield line.found(package, start if start >= 0 else word.start, end)


def project_name(project: str) -> str:
    """The last folder of a project's root."""
    return re.split(r"[/\\]", project.rstrip("/\\"))[-1]


def _projects(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    seen: set[str] = set()
    people = [index for index, record in enumerate(records) if record.origin == "human"]
    for index in [*people, *range(len(records))]:
        project = records[index].project
        if project and project not in seen and (name := project_name(project)):
            seen.add(project)
            end = len(project.rstrip("/\\"))
            yield RuleMatch(name, end - len(name), end, "project", index)


def _persons(records: Sequence[Record], _: Policy) -> Iterator[RuleMatch]:
    seen: set[str] = set()
    for index, record in enumerate(records):
        name = record.name or ""
        if name.strip() and name not in seen:
            seen.add(name)
            start = len(name) - len(name.lstrip())
            yield RuleMatch(name.strip(), start, len(name.rstrip()), "name", index)


RULES: tuple[Rule, ...] = (
    rule(
        "host",
        4,
        "A host that a command connects to, as an entity.",
        predicate="is",
        type="host",
        confidence=0.9,
        reads=RUNS_COMMAND & pl.col("tool_input").str.contains(CONNECTING),
        find=each(_hosts),
        content="{object} is a host",
    ),
    rule(
        "tool",
        1,
        "A tool that the agent called, as an entity.",
        predicate="is",
        type="tool",
        confidence=1.0,
        reads=CALLS & pl.col("tool_name").is_not_null(),
        find=each(used_tool),
        content="{object} is a tool",
    ),
    rule(
        "program",
        4,
        "A program that a command ran and that was seen to be one, as an entity: known, or sure to "
        "have run and not said to be missing by the result; not what every shell has, nor a "
        "script.",
        predicate="is",
        type="tool",
        confidence=0.9,
        reads=RUNS_COMMAND | (pl.col("kind") == "tool_result"),
        find=programs,
        whole=True,
        content="{object} is a tool",
        examples=(RuleExample("cd app && sudo terraform plan | head", ("terraform",)),),
    ),
    rule(
        "package",
        4,
        "A package that a command installs by name, as an entity.",
        predicate="is",
        type="package",
        confidence=0.9,
        reads=RUNS_COMMAND
        # In JSON a tab or a line's end is a letter behind a backslash.
        & pl.col("tool_input").str.contains(rf"(?:\b|\\[nt])(?:{_INSTALLING})\b"),
        find=each(_packages),
        content="{object} is a package",
        examples=(
            RuleExample("pip install -r base.txt 'httpx[http2]>=0.27' ./local", ("httpx",)),
            RuleExample("npm i -D @types/node@20 vite", ("@types/node", "vite")),
            RuleExample("git add README.md"),
        ),
    ),
    rule(
        "project",
        1,
        "The project that a conversation is about, as an entity: the last folder of its root.",
        predicate="is",
        type="project",
        confidence=1.0,
        reads=pl.col("project").is_not_null() & (pl.col("origin").is_in(["human", "agent"])),
        find=_projects,
        whole=True,
        content="{object} is a project",
    ),
    rule(
        "person",
        1,
        "A person who speaks in a chat, as an entity.",
        predicate="is",
        type="person",
        confidence=1.0,
        reads=(pl.col("origin") == "human") & pl.col("name").is_not_null(),
        find=_persons,
        whole=True,
        content="{object} is a person",
    ),
)
