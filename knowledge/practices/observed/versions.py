"""Versions of languages and tools: what was asked for them, and what they print as they start."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from cairn.knowledge.dialogue.tool_calls import QUIET, READERS
from cairn.knowledge.nlp.shell.parser import RUNNERS
from cairn.knowledge.practices.briefs.line_shapes import LinePart
from cairn.knowledge.practices.observed.calls import Observation, ShellCall

KIND = "version"
ASKED, ASKED_HERE, BANNER = "asked", "asked_here", "banner"
OF_PROJECT = (ASKED_HERE, BANNER)
"""Rules that tell what the project itself runs with, whatever else is installed."""

_ASKS = ("--version", "-V", "-version", "version")
_V = r"(\d+(?:\.\d+)+(?:-?(?:a|b|rc|alpha|beta|dev|canary|nightly|preview|pre)[\w.]*)?)"


@dataclass(frozen=True)
class VersionRule:
    """A language or tool, and the line in which one of its programs says its version.

    `line` is matched from the beginning of a line. A `bare` one says nothing but the number, so it
    is only read where each line of the output is surely one command's. `asks` are other words that
    ask for it.
    """

    name: str
    programs: tuple[str, ...]
    line: str
    bare: bool = False
    asks: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """`line`, compiled."""
        return re.compile(self.line)


VERSION_RULES = (
    VersionRule("Python", ("python", "python3", "py"), rf"Python {_V}\+?(?=\s|$)", asks=("-VV",)),
    VersionRule("PyPy", ("pypy", "pypy3"), rf"\[PyPy {_V}"),
    VersionRule("Node.js", ("node", "nodejs"), rf"v{_V}$", bare=True, asks=("-v",)),
    VersionRule("Deno", ("deno",), rf"deno {_V}"),
    VersionRule("Bun", ("bun",), rf"{_V}$", bare=True, asks=("-v",)),
    VersionRule("TypeScript", ("tsc",), rf"Version {_V}$", asks=("-v",)),
    VersionRule("Go", ("go",), r"go version go(\d+\.\d+(?:\.\d+|rc\d+)?)\s"),
    VersionRule("Rust", ("rustc",), rf"rustc {_V}"),
    VersionRule("Ruby", ("ruby",), r"ruby (\d+\.\d+\.\d+)", asks=("-v",)),
    VersionRule(
        "Java", ("java", "javac"), r"(?:openjdk|java|javac)(?: version)? \"?(\d+(?:\.\d+)*)"
    ),
    VersionRule("Elixir", ("elixir", "mix"), rf"(?:Elixir|Mix) {_V} \(compiled with", asks=("-v",)),
    VersionRule("Erlang/OTP", ("elixir", "erl", "mix"), r"Erlang/OTP (\d+)\b", asks=("-v",)),
    VersionRule("PHP", ("php",), r"PHP (\d+\.\d+\.\d+)", asks=("-v",)),
    VersionRule(".NET", ("dotnet",), rf"{_V}$", bare=True),
    VersionRule("Swift", ("swift",), r".*\bSwift version (\d+\.\d+(?:\.\d+)?)"),
    VersionRule("Kotlin", ("kotlin", "kotlinc"), rf"(?:info: )?[Kk]otlin\S* (?:version )?{_V}"),
    VersionRule("Zig", ("zig",), rf"{_V}$", bare=True),
    VersionRule("Dart", ("dart",), rf"Dart SDK version: {_V}"),
    VersionRule("Flutter", ("flutter",), rf"Flutter {_V}"),
    VersionRule("GHC", ("ghc",), rf".*Glasgow Haskell Compilation System, version {_V}"),
    VersionRule("OCaml", ("ocaml", "ocamlc"), rf"The OCaml toplevel, version {_V}"),
    VersionRule("Julia", ("julia",), rf"julia version {_V}"),
    VersionRule("R", ("R", "Rscript"), rf"R(?:script \(R\))? version {_V}"),
    VersionRule("GCC", ("gcc", "g++"), r"g(?:cc|\+\+) \([^)]*\) (\d+\.\d+\.\d+)"),
    VersionRule("Clang", ("clang", "clang++"), r".*\bclang version (\d+\.\d+\.\d+)"),
    VersionRule("uv", ("uv",), rf"uv {_V}"),
    VersionRule("Poetry", ("poetry",), rf"Poetry \(version {_V}\)"),
    VersionRule("pip", ("pip", "pip3"), rf"pip {_V} from "),
    VersionRule("pnpm", ("pnpm",), rf"{_V}$", bare=True, asks=("-v",)),
    VersionRule("npm", ("npm",), rf"{_V}$", bare=True, asks=("-v",)),
    VersionRule("Yarn", ("yarn",), rf"{_V}$", bare=True, asks=("-v",)),
    VersionRule("Cargo", ("cargo",), rf"cargo {_V}"),
    VersionRule("Bundler", ("bundle", "bundler"), rf"(?:Bundler version )?{_V}$", bare=True),
    VersionRule("Composer", ("composer",), rf"Composer version {_V}"),
    VersionRule("Gradle", ("gradle", "gradlew"), rf"Gradle {_V}$"),
    VersionRule("Maven", ("mvn", "mvnw"), rf"Apache Maven {_V}", asks=("-v",)),
    VersionRule("CMake", ("cmake",), rf"cmake version {_V}"),
    VersionRule("pytest", ("pytest",), rf"pytest {_V}"),
    VersionRule("Vitest", ("vitest",), rf"vitest/{_V}"),
    VersionRule("Jest", ("jest",), rf"{_V}$", bare=True),
    VersionRule("ruff", ("ruff",), rf"ruff {_V}"),
    VersionRule("mypy", ("mypy",), rf"mypy {_V}"),
    VersionRule("golangci-lint", ("golangci-lint",), rf"golangci-lint has version v?{_V}"),
    VersionRule("Terraform", ("terraform",), rf"Terraform v{_V}"),
    VersionRule("Helm", ("helm",), rf"(?:version\.BuildInfo\{{Version:\")?v{_V}"),
    VersionRule(
        "PostgreSQL", ("psql", "postgres"), r"(?:psql|postgres) \(PostgreSQL\) (\d+(?:\.\d+)*)"
    ),
    VersionRule("MySQL", ("mysql",), r"mysql  ?Ver (\d+\.\d+\.\d+)"),
    VersionRule("SQLite", ("sqlite3",), r"(3\.\d+\.\d+) \d{4}-\d\d-\d\d"),
    VersionRule(
        "Redis", ("redis-cli", "redis-server"), r"(?:redis-cli|Redis server v=)\s?(\d+\.\d+\.\d+)"
    ),
)
"""The most telling come first: the brief has room for a few."""

_ORDER = {rule.name: place for place, rule in enumerate(VERSION_RULES)}


@dataclass(frozen=True)
class BannerRule:
    """A line that names versions as something starts, and what each of its groups is the version of.

    It counts in the output of a command for one of `tasks`, or of one of `programs`.
    """

    names: tuple[str, ...]
    line: str
    programs: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ("test", "run", "build")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """`line`, compiled."""
        return re.compile(self.line)


BANNER_RULES = (
    BannerRule(("Python", "pytest"), rf"platform \w+ -- Python {_V}\+?, pytest-{_V},", ("pytest", "python", "python3")),
    BannerRule(("Vitest",), rf"\s*(?:RUN|DEV)\s+v{_V}\s+[/~A-Z]", ("vitest",)),
    BannerRule(("Vite",), rf"\s*VITE v{_V}\s+(?:\w+\s+)?ready in\b", ("vite",)),
    BannerRule(("Vite",), rf"vite v{_V} building\b", ("vite",)),
    BannerRule(("Next.js",), rf"\s*▲ Next\.js {_V}(?:\s|$)", ("next",)),
    BannerRule(("Node.js",), rf"Node\.js v{_V}$", ("node", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node")),
    BannerRule(("Node.js",), rf"Now using node v{_V}", ("nvm",), ()),
    BannerRule(("Python",), rf"Using (?:C?Python) {_V}(?:\s|$)", ("uv",), ()),
    BannerRule(("PHPUnit",), rf"PHPUnit {_V} by ", ("phpunit",)),
    BannerRule(("PHP",), r"Runtime:\s+PHP (\d+\.\d+\.\d+)", ("phpunit",), ("test",)),
    BannerRule(("Django",), rf"Django version {_V}, using settings", ("manage.py",)),
    BannerRule(("Rails",), rf"=> Rails {_V} application starting", ("rails",)),
    BannerRule(("Gradle",), rf"Welcome to Gradle {_V}!", ("gradle", "gradlew")),
)  # fmt: skip

_PICKERS = frozenset({"tox", "nox", "uvx", "bunx", "dlx"})
"""Programs and words that run something with a version of their own."""

_PICKED = re.compile(r"(?:python|node|go|ruby|java|deno|bun)@\d")

_SPEAKS_ONE_LINE = frozenset({"which", "command", "echo", "printf", "type"})


def order(name: str) -> tuple[int, str]:
    """Where a language or tool stands among those that are told."""
    return _ORDER.get(name, len(_ORDER)), name


def versions(call: ShellCall) -> Iterator[Observation]:
    """Versions that a call tells; none where it ran elsewhere, or where it tells two of one name."""
    if call.is_elsewhere or any(_picks_version(part) for part in call.parts):
        return
    told = {*_asked(call), *_banners(call)}
    for name in sorted({each.name for each in told}):
        own = sorted(each for each in told if each.name == name)
        if len({each.value for each in own}) == 1:
            yield from own[:1] if own[0].rule == BANNER else own[-1:]


def _asked(call: ShellCall) -> Iterator[Observation]:
    lines = call.lines
    speaking = [part for part in call.parts if part.shown.name not in QUIET]
    apart = len(lines) == len(speaking) and all(
        _asks(part) or part.shown.name in _SPEAKS_ONE_LINE for part in speaking
    )
    for at, part in enumerate(speaking):
        words = _started(part)
        if not 1 < len(words) <= _MOST_ASKING:
            continue
        program = _program(words)
        for rule in VERSION_RULES:
            if program not in rule.programs or words[1] not in (*_ASKS, *rule.asks):
                continue
            own = [lines[at]] if apart else [] if rule.bare else lines
            found = [match[1] for line in own if (match := rule.pattern.match(line))]
            if found:
                yield Observation(KIND, rule.name, found[0], ASKED_HERE if _is_own(part) else ASKED)


_MOST_ASKING = 3
"""Words of a command that asks for a version."""


def _asks(part: LinePart) -> bool:
    words = _started(part)
    return 1 < len(words) <= _MOST_ASKING and words[1] in (*_ASKS, "-v", "-VV")


def _started(part: LinePart) -> list[str]:
    """The words of a program that a runner starts: `uv run python --version`."""
    words = [word.text for word in part.words]
    verbs = RUNNERS.get(words[0])
    if verbs is None or (verbs and words[1:2] and words[1] not in verbs):
        return words
    at = 2 if verbs else 1
    while at < len(words) and words[at].startswith("-") and words[at] not in _ASKS:
        at += 1
    return words[at:] if at < len(words) and not words[at].startswith("-") else words


def _program(words: Sequence[str]) -> str:
    name = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
    return re.sub(r"(?<=^python)[\d.]+$", "", name)


def _is_own(part: LinePart) -> bool:
    """Whether a program is the project's: from its environment, or through its manager."""
    words = _started(part)
    own = "/" in words[0] and not words[0].startswith(("/usr", "/bin", "/opt", "~"))
    return own or any(word in RUNNERS for word in part.prefix) or len(words) < len(part.words)


def _picks_version(part: LinePart) -> bool:
    """Whether a command was told which version to run with, as a matrix of versions is."""
    words = [*part.prefix, *(word.text for word in part.words)]
    if _PICKERS & set(words[:2]) or any(map(_PICKED.match, words)):
        return True
    return words[0] == "uv" and any(word == "-p" or word.startswith("--python") for word in words)


def _banners(call: ShellCall) -> Iterator[Observation]:
    ran = [part for part in call.parts if part.shown.name not in READERS]
    tasks = {part.task for part in ran}
    programs = {_program(_started(part)) for part in ran}
    rules = [
        rule
        for rule in BANNER_RULES
        if not tasks.isdisjoint(rule.tasks) or not programs.isdisjoint(rule.programs)
    ]
    lines = call.lines if rules else []
    for rule in rules:
        for line in lines:
            if match := rule.pattern.match(line):
                for name, value in zip(rule.names, match.groups(), strict=True):
                    yield Observation(KIND, name, value, BANNER)


def latest(told: Sequence[tuple[str, str]]) -> str | None:
    """The version in force of one name: of (rule, value) in the order of their time.

    What the project runs with counts before what was asked of the machine.
    """
    own = [value for rule, value in told if rule in OF_PROJECT]
    return (own or [value for _, value in told] or [None])[-1]
