"""Ports that something was reached or served at, and services that were started by name."""

import re
from collections.abc import Iterator

from cairn.knowledge.nlp.shell.words import ShellWord
from cairn.knowledge.practices.briefs.line_shapes import LinePart
from cairn.knowledge.practices.observed.calls import Observation, ShellCall, options

KIND, SERVICE_KIND = "port", "service"
OPTION, VARIABLE, ADDRESS, PUBLISHED, PRINTED, STARTED = (
    "option", "variable", "address", "published", "printed", "started",
)  # fmt: skip

FIRST, LAST = 1024, 32_767
"""Ports that are somebody's choice: those above are given out by the system."""

_POSTGRES = ("psql", "pg_dump", "pg_restore", "pg_isready", "createdb", "dropdb")
SERVERS = {
    **dict.fromkeys(_POSTGRES, "postgres"),
    **dict.fromkeys(("mysql", "mysqldump", "mariadb"), "mysql"),
    **dict.fromkeys(("redis-cli", "redis-server", "valkey-cli"), "redis"),
    **dict.fromkeys(("mongosh", "mongo", "mongodump"), "mongodb"),
}  # fmt: skip
"""Program -> what listens at the port that it is given."""

_CLIENTS = frozenset(
    {"curl", "wget", "http", "https", "xh", "httpie", "websocat", "grpcurl", "ab", "wrk", "hey"}
)
_SHORT = frozenset({*SERVERS, "next", "rails", "flask", "http-server", "vite"})
"""Programs whose `-p` is a port."""

_HOST = r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])"
_AT = re.compile(rf"(?:^|[/@=\s\"'(]){_HOST}:(\d{{4,5}})(?![\d.:])")
_SAYS = re.compile(
    rf"(?i)\b(?:listening|running|serving|served|started|available|ready|local|network)\b[^\n]{{0,60}}?"
    rf"(?:\bport:? |{_HOST}:)(\d{{4,5}})(?![\d.:])"
)
_MAPS = re.compile(rf"(?:{_HOST}:)?(\d{{4,5}}):(\d{{2,5}})(?:/tcp)?")
_REFUSED = re.compile(
    r"(?i)connection refused|ECONNREFUSED|couldn't connect|failed to connect|address already in use"
)

_COMPOSE_VERBS = frozenset({"up", "start", "restart", "stop", "logs", "exec", "run", "build"})
_SYSTEMD_VERBS = frozenset({"start", "restart", "reload", "status", "is-active", "enable"})
_TAKES_VALUE_LIST = (
    "-f --file -p --project-name --profile --env-file --project-directory -n --tail --since "
    "--until -t --timeout -e --env -u --user -w --workdir --index --scale --build-arg -v --volume "
    "--entrypoint --name --publish --pull --network -h --hostname -l --label -m --memory --lines"
)
_TAKES_VALUE = frozenset(_TAKES_VALUE_LIST.split())
_SERVICE = re.compile(r"[a-z][a-z0-9_-]{1,40}")
_UNIT = re.compile(r"([A-Za-z][\w@-]{1,60}?)(?:\.service)?")


def ports(call: ShellCall) -> Iterator[Observation]:
    """Ports of this machine that a call used, with what is known to listen there."""
    if call.worked is not False:
        told = list(_used(call))
        if told and not _REFUSED.search(call.output):
            yield from told


def _used(call: ShellCall) -> Iterator[Observation]:
    """Ports that a call names, as if somebody listened there."""
    for part in call.parts:
        if part.task in ("test", "lint", "install") or part.shown.name in ("ssh", "kubectl", "gh"):
            continue
        if part.shown.name in ("docker", "podman"):
            yield from _published(part)
            continue
        yield from _given(part)
        if part.task == "run":
            for line in call.lines:
                for found in _SAYS.finditer(line):
                    yield from _port(found[1], _starter(part), PRINTED)


def _starter(part: LinePart) -> str | None:
    """What starts a program that listens, by the words that say so."""
    told = [word.text for word in part.words[: max(part.upto, 1)]]
    return " ".join(told) if all(map(_STARTER.fullmatch, told)) else None


_STARTER = re.compile(r"[\w@][\w@.:-]{0,40}")


def _given(part: LinePart) -> Iterator[Observation]:
    """Ports in the words of a command, and in what it is run with."""
    name, words = part.shown.name, part.words
    named = SERVERS.get(name)
    short = ("-p",) if {name, words[0].text} & _SHORT else ()
    if part.task == "run" or named:
        for value in options(words, "--port", *short):
            yield from _port(value, named or _starter(part), OPTION)
        for word in part.shown.assignments:
            variable, _, value = word.text.partition("=")
            if variable == "PORT":
                yield from _port(value, named or _starter(part), VARIABLE)
    if name in _CLIENTS or named:
        for word in words[1:]:
            if not word.dynamic and (found := _AT.search(word.text)):
                yield from _port(found[1], named, ADDRESS)


def _published(part: LinePart) -> Iterator[Observation]:
    """Ports of the machine that a container is given, with the name of its image."""
    words = part.shown.words
    if [word.text for word in words[1:2]] != ["run"]:
        return
    image = _operand(words[2:])
    known = image and re.sub(r"[:@].*", "", image).rsplit("/", 1)[-1]
    plain = known if known and re.fullmatch(r"[a-z][\w.-]{1,40}", known) else None
    for value in options(words, "-p", "--publish"):
        if found := _MAPS.fullmatch(value):
            yield from _port(found[1], plain, PUBLISHED)


def _port(text: str, what: str | None, rule: str) -> Iterator[Observation]:
    if re.fullmatch(r"\d{4,5}", text) and FIRST <= int(text) <= LAST:
        yield Observation(KIND, text, what, rule)


def services(call: ShellCall) -> Iterator[Observation]:
    """Services that a call names to docker compose or systemd; value is who runs them."""
    if call.worked is not True:
        return
    for part in call.parts:
        words = list(part.shown.words)
        name = part.shown.name
        if name == "docker" and [word.text for word in words[1:2]] == ["compose"]:
            yield from _of_compose(words[2:])
        elif name == "docker-compose":
            yield from _of_compose(words[1:])
        elif name == "systemctl":
            told = _operands(words[1:])
            if told and told[0] in _SYSTEMD_VERBS:
                yield from _units(told[1:])
        elif name == "journalctl":
            yield from _units(options(words, "-u", "--unit"))


def _of_compose(words: list[ShellWord]) -> Iterator[Observation]:
    operands = _operands(words)
    if not operands or operands[0] not in _COMPOSE_VERBS:
        return
    verb, *named = operands
    for service in named[:1] if verb in ("exec", "run") else named:
        if _SERVICE.fullmatch(service):
            yield Observation(SERVICE_KIND, service, "docker compose", STARTED)


def _units(named: Iterator[str] | list[str]) -> Iterator[Observation]:
    for unit in named:
        if found := _UNIT.fullmatch(unit):
            yield Observation(SERVICE_KIND, found[1], "systemd", STARTED)


def _operand(words: tuple[ShellWord, ...]) -> str | None:
    return next(iter(_operands(words)), None)


def _operands(words: tuple[ShellWord, ...] | list[ShellWord]) -> list[str]:
    """Words that are neither options nor their values; up to the first that is not known."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.text.startswith("-"):
            skip = word.text in _TAKES_VALUE
        elif word.dynamic:
            break
        else:
            found.append(word.text)
    return found
