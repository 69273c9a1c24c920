"""Paths: in what people write, in the inputs of tools, in the words of commands."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import PureWindowsPath

import polars as pl

from cairn.knowledge.extraction.rules.rule import (
    CALLS,
    RUNS_COMMAND,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    ShellInput,
    command_line,
    each,
    rule,
)
from cairn.knowledge.nlp.shell.parser import SHELLS, Command
from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.schema.policy import Policy

PATH_KEYS = ("file_path", "notebook_path", "path", "absolute_path", "dir_path")
MOST_PER_RECORD = 50
"""A pasted listing names more than a person means."""

_EXTENSION_LIST = """
7z astro avro bak bash bat bib bz2 c cc cer cfg cjs clj cmake cmd conf cpp crt cs css csv cxx dart
db deb diff dll dockerfile docx dump eex elm env erb erl ex exe exs fish gif go gql gradle graphql
gz h haml hbs heex hpp hrl hs htm html ico img inc ini ipynb iso jar java jpeg jpg js json json5
jsonc jsonl jsx key kt kts less lock log lua m4 makefile mako md mdc mdx mjs mk ml mod mov mp3 mp4
nix npy odt parquet patch pcap pcapng pdf pem php pl plist png po pot pptx properties proto ps1
psd1 pub py pyc pyi pyx r rar rb rego rpm rs rst sass scala scss service sh so sock socket sql
sqlite sqlite3 srt sum svelte svg swift tar tex tf tfvars tgz timer toml traj ts tsv tsx ttf txt
vim vtt vue wasm wav webp whl woff woff2 xlsx xml xsd xz yaml yml zig zip zsh zst
"""
EXTENSIONS = frozenset(_EXTENSION_LIST.split())

_ROOT_LIST = """
etc tmp var home usr opt mnt media srv root boot dev proc sys run bin sbin lib lib64 nix snap data
Users Library Applications Volumes System private workspace workspaces testbed repo app
"""
ROOTS = frozenset(_ROOT_LIST.split())
"""First folders of an absolute path, which `/clear` and `/api/users` have not."""

_FOLDER_LIST = """
src lib libs test tests spec app apps docs doc scripts assets config configs priv packages internal
cmd pkg bin data examples public static templates migrations fixtures node_modules deps dist build
target vendor include resources components tools
"""
FOLDERS = frozenset(_FOLDER_LIST.split())
"""Folders that a path in a repository begins with, which `read/write` does not."""

_URL = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://\S+|\bwww\.\S+|\bmailto:\S+"
    r"|(?<!\S)\S*[^\s/`'\"(]@[\w-]+\.\S+"
)
"""Bounded, and begun only where a word begins, so that a word of megabytes takes no hours."""
_PATH = re.compile(
    r"""
    (?:(?<![\w/\\.:@~$%+=<>*?^|&#{}-])|(?<=\s@)|(?<=^@))
    (?:
        (?P<home>~|\$HOME|\$\{HOME\})?(?P<absolute>(?:/[\w.@+~-]+)+/?)
      | (?P<dots>\.{1,2}(?:/[\w.@+~-]+)+/?)
      | (?P<relative>(?:[\w.@+~-]+/)+[\w.@+~-]*)
      | (?P<file>[\w.+-]*\w\.[A-Za-z][A-Za-z0-9]{0,11})
      | (?P<bare>Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile|Justfile)
      | (?P<windows>[A-Za-z]:\\(?:[\w.@+~-]+\\)*[\w.@+~-]+)
    )
    (?=$|[\s,;:!?'"`)\]}>]|\.(?:\s|$|[)"'`]))
    """,
    re.VERBOSE,
)
_VERSION = re.compile(r"v?\d[\d.]*")
_LIBRARY_ENDINGS = frozenset({"js", "io", "net", "app", "so", "key"})
"""`xterm.js` is a library, not a file, unless more says so: a common name, or two dots."""

_FILE_STEMS = frozenset({"index", "main", "app", "server", "client", "config", "setup", "test",
                         "build", "script", "utils", "package"})  # fmt: skip
_SPOKEN_ROOTS = frozenset({"etc", "tmp", "var", "usr", "opt", "mnt", "srv", "proc"})
"""Roots that are a path by themselves, which `/run` and `/home` need not be."""


def extension(name: str) -> str | None:
    """Extension of a file's name in lower case, if it is one that files have."""
    stem, dot, end = name.rpartition(".")
    return end.lower() if dot and (stem or name[1:]) and end.lower() in EXTENSIONS else None


def is_path(text: str, spoken: bool) -> bool:
    """Whether a word is a path; what is `spoken` needs more than what a program was given."""
    match = _PATH.fullmatch(text)
    return match is not None and _means_path(match, spoken)


def is_file_name(text: str) -> bool:
    """Whether a word that a person wrote is the bare name of a file: `notes.md`, not `xterm.js`."""
    match = _PATH.fullmatch(text)
    return match is not None and match["file"] is not None and _means_path(match, spoken=True)


def _means_path(match: re.Match[str], spoken: bool) -> bool:
    text = match[0].rstrip(".")
    segments = [segment for segment in text.split("/") if segment]
    if match["windows"] or match["bare"]:
        return True
    if match["file"]:
        ending = extension(text)
        return ending is not None and (
            not spoken
            or ending not in _LIBRARY_ENDINGS
            or text.count(".") > 1
            or "_" in text
            or text.split(".", 1)[0] in _FILE_STEMS
        )
    if not segments or all(_VERSION.fullmatch(segment) for segment in segments):
        return False
    ends_in_file = extension(segments[-1]) is not None and not text.endswith("/")
    if match["home"]:
        return True
    if match["dots"]:
        return any(segment.strip(".") for segment in segments)
    if match["absolute"]:
        if segments[0] == "dev":
            return len(segments) > 1 and segments[1] not in {
                "null", "stdin", "stdout", "stderr", "tty", "zero", "urandom", "fd", "random",
            }  # fmt: skip
        if segments[0] in ROOTS:
            return len(segments) > 1 or not spoken or segments[0] in _SPOKEN_ROOTS
        return ends_in_file or (not spoken and len(segments) > 2)
    if any(extension(segment) for segment in segments[:-1] if not segment.startswith(".")):
        return False  # Node.js/Express.js
    if "." in segments[0].strip(".") and not ends_in_file:
        return False  # example.org/page
    if ends_in_file:
        return not re.search(r"\.(?:com|org|net|io|dev)$", segments[0]) and segments[0] not in (
            "s", "y", "tr", "m",
        )  # fmt: skip
    known = segments[0] in FOLDERS or segments[0].startswith(".")
    return known and (len(segments) > 2 or text.endswith("/"))


def paths_in(text: str) -> Iterator[tuple[int, int]]:
    """Places of the paths in what a person wrote."""
    blanked = _URL.sub(lambda match: " " * len(match[0]), text)
    for match in _PATH.finditer(blanked):
        if _means_path(match, spoken=True):
            mark = match[0].startswith("@")  # `@src/main.ts`, as files are named to agents
            yield match.start() + mark, match.start() + len(match[0].rstrip("."))


_PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq",
                            "yq", "perl", "fd", "fdfind", "zgrep"})  # fmt: skip
"""Programs whose first operand is a pattern or a script, unless an option gave it."""

_PATTERN_OPTIONS = frozenset({"-e", "-f", "--regexp", "--expression", "--file"})
_NO_PATHS = frozenset({"echo", "printf", "tr", "expr", "seq", "kill", "sleep", "export", "alias",
                       "curl", "wget", "http", "docker", "podman", "npm", "npx", "pnpm", "yarn",
                       "pip", "pip3", "brew", "gem", "kubectl", "helm", "gh", "glab", "apt",
                       "apt-get", "read", "eval", "date", "ssh", "go"})  # fmt: skip
"""Programs whose words look like paths and are messages, images, packages, addresses, refs."""

_TEXT_OPTIONS = frozenset({"-m", "--message", "--eval", "--format", "--title", "--body", "--notes",
                           "--description", "--reason", "-name", "-iname", "-path", "-regex",
                           "--include", "--exclude", "--pretty"})  # fmt: skip
"""Options whose value is text, a script or a pattern."""

_SCRIPT_OPTIONS = frozenset({"-c", "-e"})
_RUNS_SCRIPTS = SHELLS | {"python", "python3", "node", "perl", "ruby", "php", "psql", "mysql",
                          "mix", "elixir", "su", "rsync", "sed", "grep",
                          "rg", "deno", "bun"}  # fmt: skip
"""Programs for which these options too have a script or a pattern."""


def _words_of(command: Command) -> Iterator[ShellWord]:
    """Words of a command that may be paths."""
    yield from command.redirections
    if command.name in _NO_PATHS:
        return
    skip_operand = command.name in _PATTERN_FIRST and not any(
        word.text in _PATTERN_OPTIONS for word in command.args
    )
    texts = _TEXT_OPTIONS | (_SCRIPT_OPTIONS if command.name in _RUNS_SCRIPTS else frozenset())
    before = ""
    for word in command.args:
        text, previous = word.text, before
        before = text
        if text.startswith("-"):
            name, equals, value = text.partition("=")
            if equals and name not in texts and not word.quoted:
                yield word._replace(text=value, start=word.end - len(value))
        elif skip_operand:
            skip_operand = False
        elif previous not in texts:
            yield word


def _in_command(record: Record) -> Iterator[RuleMatch]:
    line = command_line(record)
    if line is None:
        return
    for command in line.commands:
        if command.words[0].text.startswith(("/", "./", "../", "~/")):
            yield from _from_words([command.words[0]], line)
        yield from _from_words(_words_of(command), line)


def _from_words(words: Iterable[ShellWord], line: ShellInput) -> Iterator[RuleMatch]:
    for word in words:
        text = word.text
        if (word.dynamic and not text.startswith(("$HOME/", "${HOME}/"))) or len(text) > 500:
            continue
        text = re.sub(r"(?<=\w)(?::\d+(?::\d+)?|\.)$", "", text)
        if is_path(text, spoken=False):
            start = line.text.find(text, word.start, word.end)
            start, end = (start, start + len(text)) if start >= 0 else (word.start, word.end)
            yield line.found(_tidy(text), start, end)


def _tidy(path: str) -> str:
    path = re.sub(r"^\$(?:HOME|\{HOME\})(?=/)", "~", path)
    return path.rstrip("/") or path


def tool_paths(record: Record) -> Iterator[tuple[str, str, str]]:
    """Key, whole value and path of the inputs of a tool that are paths."""
    for key in PATH_KEYS:
        value = record.inputs.get(key)
        if not isinstance(value, str):
            continue
        path = value.strip()
        if path.strip("./~ ") and len(path) <= 500 and "\n" not in path and "://" not in path:
            yield key, value, path


def _mentions_path(record: Record, _: Policy) -> Iterator[RuleMatch]:
    if record.kind == "message":
        places = list(paths_in(record.text))[:MOST_PER_RECORD]
        for start, end in places:
            yield RuleMatch(_tidy(record.text[start:end]), start, end)
        return
    for key, value, path in tool_paths(record):
        start = value.index(path)
        yield RuleMatch(_tidy(path), start, start + len(path), f"tool_input.{key}")
    yield from _in_command(record)


def _files(record: Record, _: Policy) -> Iterator[RuleMatch]:
    for key, value, path in tool_paths(record):
        name = path.rstrip("/").rsplit("/", 1)[-1]
        if key in ("file_path", "notebook_path", "absolute_path") or extension(name):
            start = value.index(path)
            place = _from(record.cwd, _tidy(path))
            yield RuleMatch(place, start, start + len(path), f"tool_input.{key}")


def _from(folder: str | None, path: str) -> str:
    """A path from a working folder as a whole one: two folders may each have a `README.md`."""
    whole = path.startswith(("/", "~", "$")) or PureWindowsPath(path).drive
    if whole or not folder or not folder.startswith(("/", "~")):
        return path
    return posixpath.normpath(f"{folder}/{path}")


_HAS_PATH_KEY = pl.col("tool_input").str.contains(
    r'"(?:file_path|notebook_path|path|absolute_path|dir_path)"'
)

RULES: tuple[Rule, ...] = (
    rule(
        "mentions_path",
        4,
        "A path in what a person wrote, in the input of a tool, or in the words of a command.",
        confidence=0.8,
        reads=(SAID_BY_PERSON & pl.col("text").str.contains(r"[/\\.]"))
        | RUNS_COMMAND
        | (CALLS & _HAS_PATH_KEY),
        find=each(_mentions_path),
        content="{entity} mentions the path {object}",
        examples=(
            RuleExample("See src/app/main.py and ~/notes.", ("src/app/main.py", "~/notes")),
            RuleExample("1/2 of it, and/or https://example.org/a/b.html, text/html, s/a/b/g"),
        ),
    ),
    rule(
        "file",
        3,
        "A file that a tool was given, as an entity; from the working folder if that is known.",
        predicate="is",
        type="path",
        confidence=1.0,
        reads=CALLS & _HAS_PATH_KEY,
        find=each(_files),
        content="{object} is a file",
    ),
)
