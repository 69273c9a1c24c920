"""The stable form of a command: what a person would type, the same for every way it was run.

Names of single tests, files, messages, versions and packages become slots or go; so do options of
output, of order and of speed. What decides what is done stays: `--strict`, `-race`, a target.
"""

# ruff: noqa: E501, SIM905  (a list of options is easier to read unbroken, and without quotes)

import re
import shlex
from collections.abc import Callable, Sequence

from cairn.knowledge.nlp.shell.words import ShellWord

LONGEST = 120

Relative = Callable[[str], str | None]
"""A path of a person's machine as the repository has it; None if it is outside."""

_CHECKS = frozenset({"test", "lint", "format", "type_check"})

_NOISE = frozenset(
    "-v -vv -vvv -vvvv --verbose -q -qq --quiet -s -x -sv -vs -xvs -svx -xv -vx -l -rA -ra -rs --no-header --no-summary --no-color --no-colors --color --colors --silent "
    "--trace --failed --lf --last-failed --ff --failed-first --stale --nocapture --show-output --bail --fail-fast --failfast "
    "--pretty -failfast -json --json --ci --runInBand -i --passWithNoTests --no-fail-fast --showlocals --no-cov --no-progress --no-audit "
    "--no-fund --progress --plain --nologo --no-ansi --stacktrace --info --debug --console=plain --no-pager -y --yes --raw "
    "--all-targets-verbose --lib --bins --exact --ignored --include-ignored --print-issued-lines --unsafe --expanded".split()
)
"""Options that say how it is shown, how long it goes on, or which part is done."""

_NOISE_WITH_VALUE = frozenset(
    "-run -k -t --grep -g --filter --testNamePattern --testPathPattern --testPathPatterns -bench -benchtime -skip --skip --deselect --ignore "
    "--only -timeout --timeout -count -parallel --seed -n --numprocesses --maxfail --tb --durations --max-cases --color --format "
    "--output-format -o --out-format --output -coverprofile -cpuprofile --cov-report --junitxml --junit-xml --reporter --reporters --retries --workers "
    "-j --jobs --max-failures --maxWorkers --max-same-issues --max-issues-per-linter --message-format --error-format -p --package "
    "--bin --test --example --tests --logger --verbosity --log-level --log-cli-level --capture --rootdir --basetemp --only-testing "
    "--new-from-rev --select --path-mode --test-threads --exclude --partition --shard -W --no-cov-on-fail".split()
)  # fmt: skip
"""Options of checks whose value (the next word, or behind `=`) picks tests, files or a view."""

_KEPT_WITH_VALUE = frozenset(
    "-m -c --config -f --file --features -F --project -tags --tags --profile --target --env --mode --group --extra -D -A -C --prefix "
    "--filter --workspace --cwd --manifest-path --only --with --cov --timeout-method -e --preset --scheme -scheme -destination "
    "--module --moduleResolution --lib --jsx --ext --test-dir -configuration --configuration -r --requirement --registry --hook-stage --from-ref --to-ref".split()
)
"""Options whose next word is their value, and belongs to the command."""

_ALWAYS_FILES = frozenset(
    "gofmt goimports gofumpt black prettier isort rustfmt clang-format shfmt stylua yapf autopep8 dprint shellcheck "
    "hadolint yamllint markdownlint codespell flake8 pylint mypy eslint stylelint actionlint".split()
)
"""Programs that are told what to look at."""

_OF_PACKAGES = frozenset({"pnpm", "npm", "yarn", "bun", "turbo", "nx", "lerna"})
"""Runners whose options pick a package: what runs there is not the task of the whole."""
PICKS_PACKAGE = frozenset({"--filter", "-F", "-w", "--workspace", "--scope"})
PACKAGE_FOLDERS = r"(?:packages|apps|services|libs|modules|plugins|crates|projects|workspaces)/"
_PACKAGE = re.compile(rf"^(?:\./)?({PACKAGE_FOLDERS}[\w.@-]+)(?:/|$)")
"""A folder of a repository of many packages, where one stands."""
_MOST_PACKAGES = 2
_ONLY_LISTS = frozenset(
    "--co --collect-only --list --listTests --list-tests --showConfig --print-config".split()
)
"""Options with which a check does not check."""
_QUIETER = re.compile(r"-[qvs]|--(?:quiet|verbose|silent)|-j\d*")
_FILE = re.compile(r"\.[A-Za-z]\w{0,9}(?::\S*)?$|[*?\[]|::")
_VOLATILE = re.compile(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}|\b(?=[a-f]*\d)[0-9a-f]{9,40}\b|/tmp\b|\btmp\.\w{6}|\[REDACTED|<REDACTED|\bREDACTED\b|/var/folders/"
)
_VERSION = re.compile(r"^(?!(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$)v?\d+(?:\.\d+)+\S*$")
_SAFE = re.compile(r"[\w@%+=:,./^~\[\]<>*-]+")


def stable(
    words: Sequence[ShellWord], task: str | None, upto: int, relative: Relative
) -> str | None:
    """The form in which a command is counted.

    Args:
        words: Program and what follows.
        task: Its task; None where it sets something up.
        upto: How many of its words say so.
        relative: Where a path stands in the repository.

    Returns:
        None where no such form is left: it is about something outside of the repository, or only
        known when it runs.
    """
    program = _program(words[0], relative)
    if program is None:
        return None
    head = [program]
    name = program.rsplit("/", 1)[-1]
    for at in range(1, upto):
        word = words[at]
        if word.dynamic or _VOLATILE.search(word.text):
            return None
        if _is_absolute(word.text):
            inside = relative(word.text)
            if inside is None:
                return None
            head.append(inside or ".")
        elif name == "nox" or not _QUIETER.fullmatch(word.text):
            head.append(word.text)
    rest = words[upto:]
    if task in _CHECKS and any(word.text in _ONLY_LISTS for word in rest):
        return None
    if len(head) > 1 and head[1] in _SHORT.get(name, {}):
        head[1] = _SHORT[name][head[1]]
    if "-m" in head[:-1]:
        name = head[head.index("-m") + 1]
    if task == "commit":
        tail = _of_commit(rest)
    elif task == "release" and name in ("git", "gh", "glab"):
        tail = _of_release(rest)
    elif task == "install":
        tail = _of_install(rest, relative)
    elif task in _CHECKS or (task == "build" and name == "go" and not _names_program(rest)):
        tail = _of_check(name, head, rest, relative)
    else:
        tail = _of_others(rest, relative)
    if tail is None:
        return None
    form = " ".join(_quoted(word) for word in [*head, *tail])
    return form if len(form) <= LONGEST and not _VOLATILE.search(form) else None


def narrows(words: Sequence[ShellWord], task: str | None, upto: int) -> bool:
    """Whether a check is run on a part of what it is for: some tests, a file, a package.

    Takes the words as `stable` does, whose form does not tell it.
    """
    if task not in _CHECKS:
        return False
    for word in words[upto:]:
        option = word.text.partition("=")[0]
        if option in _PICKS_PART:
            return True
        if not word.text.startswith("-") and _PART.search(word.text):
            return True
    return False


_PICKS_PART = frozenset(
    "-run -k -t --grep -g --testNamePattern --testPathPattern --testPathPatterns --filter -F -w --workspace --scope "
    "-p --package --test --tests --only-testing --lf --last-failed --failed --stale --only --deselect --select".split()
)
"""Options by which only a part is checked."""
_PART = re.compile(
    r"\.(?:py|[cm]?[jt]sx?|exs?|rb|go|rs|php|java|kt|cs|swift|vue|svelte|c|cc|cpp|h)(?::\S*)?$|::\w"
    r"|^\.?/?\w[\w./-]*/\.\.\.$"
)
"""A file, a test in one, or the packages below a folder."""
_PACKAGES = {"i": "install", "t": "test", "tst": "test"}
_SHORT = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _PACKAGES),
    "cargo": {"b": "build", "t": "test", "r": "run", "c": "check"},
    "mise": {"r": "run", "i": "install"},
    "rails": {"s": "server"},
}
"""Short names of what programs do: one command, however it is typed."""


def _quoted(word: str) -> str:
    return word if _SAFE.fullmatch(word) else shlex.quote(word)


def _is_absolute(text: str) -> bool:
    return (text.startswith(("/", "~")) and not text.startswith("//")) or bool(
        re.match(r"[A-Za-z]:[\\/]", text)
    )


def _program(word: ShellWord, relative: Relative) -> str | None:
    """A program by its name, or by its place in the repository."""
    text = word.text
    if word.dynamic or not text:
        return None
    if not _is_absolute(text):
        return text
    inside = relative(text)
    if inside:
        return inside if "/" in inside else f"./{inside}"
    return text.rsplit("/", 1)[-1] if "/bin/" in text else None


def _of_check(
    name: str, head: Sequence[str], rest: Sequence[ShellWord], relative: Relative
) -> list[str] | None:
    kept: list[str] = []
    places: list[str] = []
    packages: list[str] = []
    last: list[str] = []
    dropped = wide = part = False
    words = list(rest)
    while words:
        word = words.pop(0)
        text = word.text
        option = text.partition("=")[0]
        if text == "--":
            if "clippy" in head:
                last = ["--", *(w.text for w in words if not w.dynamic)]
            break
        if text.startswith(("-", "+")) and len(text) > 1:
            takes_next = "=" not in text and bool(words) and not words[0].text.startswith("-")
            if option in PICKS_PACKAGE and name in _OF_PACKAGES and not word.dynamic:
                given = [text, words.pop(0).text] if takes_next else [text]
                if not given[-1].endswith(("*", "./...")):
                    kept += given
            elif option in _NOISE_WITH_VALUE and not (option == "-t" and name in ("bats", "tox")):
                flag = option == "--tests" and not name.startswith("gradle")
                if takes_next and not flag and option not in ("--test", "--color"):
                    words.pop(0)
            elif text in _NOISE and not (text == "-l" and name in ("gofmt", "goimports")):
                if text == "-i" and name == "clang-format":
                    kept.append(text)
            elif word.dynamic or _is_absolute(text.partition("=")[2]):
                dropped = True
            elif option in _KEPT_WITH_VALUE and takes_next:
                value = words.pop(0)
                if not value.dynamic and not _is_absolute(value.text):
                    # Go takes `-tags x` and `-tags=x` alike: one command, however it is typed.
                    kept += [f"{text}={value.text}"] if name == "go" else [text, value.text]
            else:
                kept.append(text)
            continue
        if word.dynamic:
            dropped = True
            continue
        if _is_absolute(text):
            inside = relative(text)
            if inside is None:
                return None
            text = inside or "."
        if text.startswith("//"):
            places = ["//..."]
        elif text in ("./...", "..."):
            wide = True
        elif "..." in text or (name == "go" and (text.startswith(".") or "/" in text)):
            part = True
        elif name not in _ALWAYS_FILES and (package := _PACKAGE.match(text)):
            packages += [] if package[1] in packages else [package[1]]
        elif name == "vitest" and text == "run":
            kept.append(text)  # without it vitest goes on watching
        elif _FILE.search(text) or "/" in text.strip("./") or name in _DROPS_OPERANDS:
            dropped = True
        elif text not in places:
            places.append(text.rstrip("/") or ".")
    if wide or part:
        places.append("./..." if wide else "<packages>")  # nobody ran it on all of them
    if len(packages) <= _MOST_PACKAGES and not (wide or part) and not dropped:
        places += packages
    if dropped and name in _ALWAYS_FILES and not places:
        places.append("<files>")
    return [*kept, *places, *last]


_DROPS_OPERANDS = frozenset(
    "pytest py.test unittest cargo mix jest vitest rspec go npm yarn pnpm bun make just task mise gradle ./gradlew mvn ./mvnw "
    "swift dotnet phpunit flutter bats ctest rails nx turbo rake deno".split()
)
"""Programs of checks whose operands only pick what is checked; targets stand before."""


def _names_program(rest: Sequence[ShellWord]) -> bool:
    """Whether `go build` makes a program, and does not just see whether packages compile."""
    plain = [word.text for word in rest if not word.text.startswith("-")]
    return any(word.text == "-o" for word in rest) or all(
        re.fullmatch(r"\.|(?:\./)?cmd/[\w-]+/?", text) for text in plain
    )


_COMMIT_FLAGS = frozenset(
    "-a --all --amend --no-edit -s --signoff -S --no-verify -n --allow-empty".split()
)


def _of_commit(rest: Sequence[ShellWord]) -> list[str]:
    kept: list[str] = []
    for word in rest:
        text = word.text
        if text == "--":
            break
        if re.fullmatch(r"-[aeqsSv]*m.*", text, re.DOTALL) or text.partition("=")[0] == "--message":
            flag = "-am" if "a" in text.partition("m")[0] else "-m"
            if not any(k.endswith("m") for k in kept):
                kept += [flag, "<message>"]
        elif text in ("-F", "--file"):
            kept += ["-F", "<file>"]
        elif text in _COMMIT_FLAGS:
            kept.append(text)
    return kept


def _of_release(rest: Sequence[ShellWord]) -> list[str]:
    kept: list[str] = []
    named = False
    for at, word in enumerate(rest):
        text = word.text
        if text in ("-m", "--message", "--notes", "-n", "--title", "-t", "-F", "--notes-file"):
            if text in ("-m", "--message"):
                kept += ["-m", "<message>"]
        elif text in ("-a", "-s", "-f", "--generate-notes", "--draft", "--prerelease"):
            kept.append(text)
        elif (
            not text.startswith("-")
            and not named
            and (at == 0 or rest[at - 1].text not in ("-m", "--message"))
        ):
            kept.append("<version>")
            named = True
    return kept


def _of_install(rest: Sequence[ShellWord], relative: Relative) -> list[str] | None:
    kept: list[str] = []
    words = list(rest)
    while words:
        word = words.pop(0)
        text = word.text
        if text == "--":
            break
        if text.startswith("-"):
            takes_next = text in _KEPT_WITH_VALUE - {"-D"} and bool(words)
            value = words.pop(0) if takes_next else None
            if text in _NOISE or word.dynamic or (value and value.dynamic):
                continue
            kept += [text, *([value.text] if value else [])]
            continue
        inside = relative(text) if _is_absolute(text) else text
        if inside is None:
            return None
        local = (
            inside.startswith(".") or inside == "" or (kept and kept[-1] in ("-e", "--editable"))
        )
        slot = (inside or ".") if local and not word.dynamic else "<package>"
        if slot not in kept:
            kept.append(slot)
    return [k for k in kept if not _is_absolute(k)]


def _of_others(rest: Sequence[ShellWord], relative: Relative) -> list[str] | None:
    """Builds, runs and the like: as they stand, without what is only of this machine or run."""
    kept: list[str] = []
    for word in rest:
        text = word.text
        if text in _NOISE or text == "--filter=*":
            continue
        if word.dynamic or "\n" in text:
            if kept and kept[-1].startswith("-"):
                kept.pop()
            continue
        if _is_absolute(text) or _VOLATILE.search(text):
            inside = relative(text) if _is_absolute(text) else None
            if inside is None:
                if not (kept and kept[-1].startswith("-")):
                    return None
                kept.pop()
                continue
            text = inside or "."
        kept.append("<version>" if _VERSION.match(text) else text)
    return kept
